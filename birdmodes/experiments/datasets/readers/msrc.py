"""MSRC v2: regions of photographs.

References
----------
.. [1] Briggs, Fern & Raich, Rank-loss support instance machines for MIML instance annotation,
   KDD 2012.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from algorithms import Bags
from algorithms.bags import IntArray
from birdmodes.experiments.datasets.readers.raw import read_mat

CLASSES = (
    "building", "grass", "tree", "cow", "horse", "sheep", "sky", "mountain", "aeroplane", "water",
    "face", "car", "bicycle", "flower", "sign", "bird", "book", "chair", "road", "cat", "dog",
    "body", "boat",
)  # fmt: skip
"""The collection's usual order; the file itself names no classes."""


def build(folder: Path) -> tuple[Bags, IntArray]:
    """Make the data set from its raw file.

    Parameters
    ----------
    folder : pathlib.Path
        The data folder.

    Returns
    -------
    bags : Bags
        1758 regions in 591 photographs.
    y : ndarray of int64, shape (1758,)
    """
    raw = read_mat(folder / "msrc-v2" / "raw" / "SMAI-Project" / "MSCV2.mat")
    regions, truth = raw["Bags"].ravel().tolist(), raw["y"].ravel().tolist()
    bag = np.repeat(np.arange(len(regions)), [len(rows) for rows in regions])
    # Classes are written as +1 among -1.
    y = np.concatenate(truth).argmax(axis=1)
    return Bags(np.concatenate(regions), bag, raw["Y"] > 0, class_names=CLASSES), y
