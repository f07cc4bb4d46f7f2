"""Which syllables a clustering is of, and which state of it a review was made on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from birdmodes.errors import WorkspaceError
from birdmodes.workspace.store import Workspace

if TYPE_CHECKING:
    import pandas as pd

_BOX = ["start_s", "end_s", "low_hz", "high_hz"]
_WITHIN = 1e-6  # s, Hz


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
    rows = _as_json(sorted(_rows(assignments)))
    return hashlib.sha256(f"[{rows}]".encode("ascii")).hexdigest()


class DigestInParts:
    """The digest of `assignments_digest`, of a table that comes in parts.

    Attributes
    ----------
    in_order : bool
        Whether all rows so far were sorted; if not, only the whole table has a digest.
    """

    def __init__(self) -> None:
        self.in_order = True
        self._last: tuple[str, int, str] | None = None
        self._digest = hashlib.sha256(b"[")

    def add(self, assignments: pd.DataFrame) -> None:
        """Add the next rows."""
        rows = _rows(assignments)
        if not rows:
            return
        ordered = sorted(rows)
        self.in_order &= rows == ordered and (self._last is None or self._last < rows[0])
        self._digest.update(f"{'' if self._last is None else ','}{_as_json(rows)}".encode("ascii"))
        self._last = rows[-1]

    def hexdigest(self) -> str:
        """Give the digest of all rows."""
        whole = self._digest.copy()
        whole.update(b"]")
        return whole.hexdigest()


def _rows(assignments: pd.DataFrame) -> list[tuple[str, int, str]]:
    columns = (
        assignments["syllable"].astype(str),
        assignments["cluster"].astype(int),
        assignments["mode"].astype(str),
    )
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _as_json(rows: list[tuple[str, int, str]]) -> str:
    # JSON keeps names with any characters apart.
    return json.dumps(rows, separators=(",", ":"))[1:-1]


class PresentSyllables:
    """The syllables that a workspace holds now, to be compared with those of a table.

    Parameters
    ----------
    workspace : Workspace
        Where they are.
    but : collection of str
        Recordings that are not looked at.
    """

    def __init__(self, workspace: Workspace, but: Collection[str] = ()) -> None:
        import pyarrow.compute as pc  # slow to import: `info` does without

        self._but = set(but)
        table = workspace.syllable_columns(["syllable", "recording", *_BOX])
        if but:
            left_out = pa.array(sorted(self._but), pa.string())
            table = table.filter(pc.invert(pc.is_in(table["recording"], left_out)))
        self._names = table["syllable"].combine_chunks()
        self._boxes = np.column_stack([table[name].to_numpy() for name in _BOX])
        self._left = len(self._names)

    def have(self, assignments: pd.DataFrame) -> bool:
        """Whether some rows of a table are of syllables that are there, with the same bounds."""
        import pyarrow.compute as pc

        if self._but:
            assignments = assignments[~assignments["recording"].isin(self._but)]
        self._left -= len(assignments)
        place = pc.index_in(pa.array(assignments["syllable"], pa.string()), self._names)
        if place.null_count or self._left < 0:
            return False
        now = self._boxes[place.to_numpy()]
        return bool(np.allclose(now, assignments[_BOX].to_numpy(), rtol=0, atol=_WITHIN))

    def no_more(self) -> bool:
        """Whether as many as there are have been asked about."""
        return self._left == 0


def other_syllables(name: str) -> WorkspaceError:
    """Error where a clustering of this name is of others than are there."""
    return WorkspaceError(
        f"clustering {name!r} was made from other syllables than the workspace holds now; "
        "run 'birdmodes cluster' again"
    )
