"""The order in which modes that sound alike stand together."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from birdmodes.modes.words import ModeWords
from birdmodes.modes.words.shapes import ALONE

MOST_FOR_BEST_ORDER = 400
"""The best order of the leaves takes time that grows with the third power of their number."""


def alike_order(words: Mapping[int, ModeWords]) -> dict[int, int]:
    """Put modes that sound alike next to each other.

    Parameters
    ----------
    words : mapping of int to ModeWords
        By cluster.

    Returns
    -------
    dict of int to int
        Place of each cluster, from 0: the leaves of a tree (average linkage) of pitch, width,
        length, slope and kind, each on a scale on which a step is heard.
    """
    from scipy.cluster.hierarchy import leaves_list, linkage  # slow to import

    clusters = sorted(words)
    if len(clusters) < 3:
        return {cluster: place for place, cluster in enumerate(clusters)}
    points = np.array([_place(words[cluster]) for cluster in clusters])
    tree = linkage(points, "average", optimal_ordering=len(clusters) <= MOST_FOR_BEST_ORDER)
    return {clusters[leaf]: place for place, leaf in enumerate(leaves_list(tree).tolist())}


def _place(words: ModeWords) -> list[float]:
    slope = {"rising": 1.0, "falling": -1.0}.get(words.shape, 0.0)
    return [
        2.0 * np.log2(max(words.pitch_hz, 1.0)),
        np.log2(1 + (words.high_hz - words.low_hz) / 500),
        np.log2(max(words.duration_s, 0.01)),
        slope,
        2.0 * (words.noun in ALONE),
        1.0 * (words.noun == "note"),
        1.0 * bool(words.series.length),
    ]
