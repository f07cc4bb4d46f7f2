"""What kinds of clusters there are, and what those without a mode are called."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

MODE, BACKGROUND, NO_SPECIES = "mode", "background", "no species"


def kinds(modes: pd.DataFrame) -> npt.NDArray[np.str_]:
    """What each row of a table of modes is: a mode, background, or of no species."""
    no_mode = np.where(modes["background"].to_numpy(dtype=bool), BACKGROUND, NO_SPECIES)
    return np.where(modes["mode"].to_numpy() == "", no_mode, MODE)


def cluster_names(modes: pd.DataFrame) -> list[str]:
    """Names of all clusters: the mode's, or as in "background 7"."""
    return [
        mode or f"{kind} {cluster}"
        for mode, kind, cluster in zip(modes["mode"], kinds(modes), modes["cluster"], strict=True)
    ]
