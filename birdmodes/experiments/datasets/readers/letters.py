"""The letters of two poems.

References
----------
.. [1] Briggs, Fern & Raich, Rank-loss support instance machines for MIML instance annotation,
   KDD 2012.
.. [2] Frey & Slate, Letter recognition using Holland-style adaptive classifiers, Machine
   Learning 6, 1991.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from algorithms import Bags
from algorithms.bags import IntArray
from birdmodes.experiments.datasets.readers.raw import read_mat

RAW_COLUMNS = np.array(list("NFTAILOSDVPCUGQBXRWZEHYJMK"))
"""Letter of each column of the raw files, found by looking the instances up in the UCI data."""


def build_carroll(folder: Path) -> tuple[Bags, IntArray]:
    """Lewis Carroll's 'Jabberwocky': 717 letters in 166 words; see `build_frost`."""
    return _build(folder, "carroll")


def build_frost(folder: Path) -> tuple[Bags, IntArray]:
    """Robert Frost's 'The Road Not Taken'.

    Parameters
    ----------
    folder : pathlib.Path
        The data folder.

    Returns
    -------
    bags : Bags
        565 letters in 144 words; the classes are the 24 letters that occur.
    y : ndarray of int64, shape (565,)
    """
    return _build(folder, "frost")


def _build(folder: Path, poem: str) -> tuple[Bags, IntArray]:
    path = folder / f"letter-{poem}" / "raw" / "CEM_AL_VOF" / "datasets" / f"letter_{poem}.mat"
    raw = read_mat(path)["DD"][0, 0]
    alphabetical = np.argsort(RAW_COLUMNS)
    present = alphabetical[raw["YR"].any(axis=0)[alphabetical]]
    bags = Bags(
        raw["X"],
        raw["XtB"].ravel().astype(np.int64) - 1,
        raw["YB"][:, present] > 0,
        class_names=RAW_COLUMNS[present].tolist(),
    )
    return bags, raw["YR"][:, present].argmax(axis=1)
