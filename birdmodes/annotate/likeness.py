"""How like the sounds that were learned from a new one is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from algorithms.bags import FloatArray
from algorithms.preprocessing.standardizer import Standardizer

MOST_EXAMPLES = 20_000
"""Syllables that a new one is compared with; of more, a sample."""

_BLOCK_ENTRIES = 1 << 22  # largest temporary array, in float64 entries: 32 MB


@dataclass(frozen=True, eq=False)
class Examples:
    """Syllables that were learned from.

    Attributes
    ----------
    scale : Standardizer
        Of their features.
    features : ndarray, shape (n_examples, n_features)
        Standardised.
    """

    scale: Standardizer
    features: FloatArray

    @classmethod
    def of(cls, X: FloatArray, seed: int, blocks: Sequence[slice] = ()) -> Examples:
        """Remember syllables, of more than `MOST_EXAMPLES` a sample.

        Parameters
        ----------
        X : ndarray, shape (n_syllables, n_features)
            At least one, in any units.
        seed : int
            Of the sample.
        blocks : sequence of slice
            Features that keep their proportions, see `algorithms.preprocessing.Standardizer`.
        """
        scale = Standardizer(blocks=blocks).fit(X)
        if len(X) > MOST_EXAMPLES:
            chosen = np.random.default_rng(seed).choice(len(X), MOST_EXAMPLES, replace=False)
            X = X[np.sort(chosen)]
        return cls(scale, scale.transform(X))

    def nearest(self, X: FloatArray) -> FloatArray:
        """Give the distance of each of other syllables to its nearest example, shape (n,)."""
        found = np.empty(len(X))
        step = max(1, _BLOCK_ENTRIES // len(self.features))
        for start in range(0, len(X), step):
            rows = slice(start, start + step)
            found[rows] = cdist(self.scale.transform(X[rows]), self.features).min(axis=1)
        return found


def likeness(distance: FloatArray, usual: FloatArray) -> FloatArray:
    """Tell how usual it is to be so far from all that was learned from.

    Parameters
    ----------
    distance : ndarray, shape (n,)
        Of syllables to the nearest of `Examples`.
    usual : ndarray, shape (n_usual,)
        Such distances of syllables that were left out of learning.

    Returns
    -------
    ndarray, shape (n,)
        Share of the usual that are as far away or farther, the syllable itself counted in. If
        new recordings were like those left out, it would be below any p in a share p of them.

    References
    ----------
    Laxhammar & Falkman, Conformal prediction for distribution-independent anomaly detection in
    streaming vessel data, 2010, for such p-values of novelty.
    """
    order = np.sort(usual)
    farther = len(order) - np.searchsorted(order, distance, side="left")
    return np.asarray((farther + 1) / (len(order) + 1), dtype=np.float64)
