"""A codebook of patches, learned by spherical k-means, and what it says of groups of patches."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import scipy

from algorithms.bags import FloatArray, IntArray
from algorithms.features.exact import (
    FULL,
    WholeNumbers,
    as_whole,
    exact_product,
    exact_weights,
    some_rows,
)
from algorithms.threads import one_blas_thread

MOST_PATCHES = 16_000
"""Patches that are learned from; of more, a sample."""

N_WHITENED = 60
"""Directions that are kept of the patches."""

STEPS = 10
"""Of spherical k-means."""

# Directions that vary less than this share of the first are not blown up to the same size.
_DAMPING = 1e-2
_TINY = 1e-9
_BLOCK_GROUPS = 64  # whose patches stay in the cache
_BLOCK_POINTS = 512  # whose likeness to all centres does

Rows = TypeVar("Rows", FloatArray, npt.NDArray[np.float32])


@dataclass(frozen=True, eq=False)
class PatchCodebook:
    """Typical patches, in the space where the patches are white.

    Attributes
    ----------
    whitening : ndarray, shape (n_pixels, n_whitened)
        Of patches.
    offset : ndarray, shape (n_whitened,)
        The mean patch, whitened.
    centres : ndarray, shape (n_whitened, n_centres)
        Unit length but for rounding.

    References
    ----------
    Stowell & Plumbley (2014), Automatic large-scale classification of bird sounds is strongly
    improved by unsupervised feature learning, PeerJ 2:e488. Coates & Ng (2012), Learning feature
    representations with k-means, for the whitening.
    """

    whitening: FloatArray
    offset: FloatArray
    centres: FloatArray

    @classmethod
    def learn(cls, patches: WholeNumbers, n_centres: int, seed: int) -> PatchCodebook:
        """Learn a codebook.

        Parameters
        ----------
        patches : ndarray of uint8 or int16, shape (n, n_pixels)
            At least one.
        n_centres : int
            Size of the codebook; with fewer different patches some centres are equal.
        seed : int
            Of the sample and the first centres.
        """
        rng = np.random.default_rng(seed)
        sample = patches[some_rows(len(patches), MOST_PATCHES, seed)].astype(np.float32)
        with one_blas_thread():
            mean = sample.mean(axis=0, dtype=np.float64)
            varying = sample - mean.astype(np.float32)
            covariance = (varying.T @ varying / len(sample)).astype(np.float64)
            size = len(mean)
            wanted = [max(0, size - N_WHITENED), size - 1]
            variance, directions = scipy.linalg.eigh(covariance, subset_by_index=wanted)
            damped = np.maximum(variance, 0.0) + _DAMPING * max(float(variance[-1]), _TINY)
            whitening = exact_weights(directions[:, ::-1] / np.sqrt(damped[::-1]))
            offset = mean @ whitening
            white = sample @ whitening.astype(np.float32) - offset.astype(np.float32)
            centres = _spherical_kmeans(_unit(white), n_centres, rng)
        return cls(whitening, offset, exact_weights(centres.T.astype(np.float64)))

    def describe(self, patches: WholeNumbers, group: IntArray, n_groups: int) -> FloatArray:
        """Describe groups of patches by how like each centre they are.

        Parameters
        ----------
        patches : ndarray of uint8 or int16, shape (n, n_pixels)
            Group by group.
        group : ndarray of int64, shape (n,)
            Group of each patch, ascending, every one from 0 to ``n_groups - 1``.
        n_groups : int
            Number of groups.

        Returns
        -------
        ndarray, shape (n_groups, 2 * n_centres)
            Mean and maximum over the group of the cosines that are not negative, each half brought
            to unit length. A row depends on its own patches alone.
        """
        n_centres = self.centres.shape[1]
        found = np.empty((n_groups, 2 * n_centres))
        first = np.searchsorted(group, np.arange(n_groups + 1))
        # On one thread: several take six times the processor time for blocks so small.
        with one_blas_thread():
            for begin in range(0, n_groups, _BLOCK_GROUPS):
                end = min(begin + _BLOCK_GROUPS, n_groups)
                like = self._likeness(patches[first[begin] : first[end]])
                block, ends = found[begin:end], first[begin : end + 1] - first[begin]
                for row, start, stop in zip(block, ends[:-1], ends[1:], strict=True):
                    like[start:stop].sum(axis=0, out=row[:n_centres])
                    like[start:stop].max(axis=0, out=row[n_centres:])
                block[:, :n_centres] = _unit(block[:, :n_centres] / (FULL * np.diff(ends)[:, None]))
                block[:, n_centres:] = _unit(block[:, n_centres:] / FULL)
        return found

    def _likeness(self, patches: WholeNumbers) -> FloatArray:
        """Cosines that are not negative, times `FULL`."""
        white = _unit(exact_product(patches, self.whitening) - self.offset)
        cosines = exact_product(as_whole(white), self.centres)
        return np.maximum(cosines, 0.0, out=cosines)


def _unit(rows: Rows) -> Rows:
    """Bring rows to unit length; rows of nearly nothing stay that."""
    length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    found: Rows = rows / np.maximum(length, _TINY)[:, None]
    return found


def _spherical_kmeans(
    points: npt.NDArray[np.float32], n_centres: int, rng: np.random.Generator
) -> npt.NDArray[np.float32]:
    """Centres of unit length that points of unit length lie close to, shape (n_centres, n)."""
    # With fewer points than centres some are chosen more than once.
    centres = points[rng.choice(len(points), n_centres, replace=len(points) < n_centres)]
    for _ in range(STEPS):
        nearest = _most_alike(points, centres)
        order = np.argsort(nearest, kind="stable")
        names, starts = np.unique(nearest[order], return_index=True)
        centres = points[rng.choice(len(points), n_centres)]  # for those that have lost all points
        centres[names] = np.add.reduceat(points[order], starts, axis=0)
        centres = _unit(centres)
    return centres


def _most_alike(points: npt.NDArray[np.float32], centres: npt.NDArray[np.float32]) -> IntArray:
    """Centre that each point is most like."""
    found = np.empty(len(points), dtype=np.int64)
    for start in range(0, len(points), _BLOCK_POINTS):
        some = slice(start, start + _BLOCK_POINTS)
        found[some] = (points[some] @ centres.T).argmax(axis=1)
    return found
