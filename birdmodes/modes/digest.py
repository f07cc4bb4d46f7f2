"""Which state of a clustering a review was made on."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def assignments_digest(assignments: pd.DataFrame) -> str:
    """Digest of which syllables lie in which clusters, and what these are called.

    Parameters
    ----------
    assignments : pandas.DataFrame
        With columns syllable, cluster and mode; the order of rows does not matter.

    Returns
    -------
    str
        SHA-256, 64 hexadecimal digits.
    """
    columns = (
        assignments["syllable"].astype(str),
        assignments["cluster"].astype(int),
        assignments["mode"].astype(str),
    )
    # JSON keeps names with any characters apart.
    rows = json.dumps(sorted(zip(*columns, strict=True)), separators=(",", ":"))
    return hashlib.sha256(rows.encode("ascii")).hexdigest()
