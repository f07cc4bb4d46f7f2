"""What is told of posteriors: how sharply, of which class, and what background takes of them."""

from __future__ import annotations

import numpy as np

from algorithms.bags import BoolArray, FloatArray, IntArray

REPORTED_SHARPNESS = 7.5
"""Probabilities are told with this sharpness: with that of the rounds they claim too much."""

DOUBT = 0.08
"""So much of an instance of a bag with a list goes to its candidates as the list alone has them.

No sharpness fits alone: where what is told with 0.95 is right as often as that, what is told with
0.4 is right more often, as some instances are of another class however clear they look. Both were
chosen together (docs/results.md). Without a list, confidences are too low rather than too high.
"""

_TIE = 1e-9
_SURELY = 0.51  # least probability of background where it was decided for


def with_doubt(posterior: FloatArray, by_list: FloatArray, listed: BoolArray) -> FloatArray:
    """Give :data:`DOUBT` of what has a list to what the list says; one candidate stays certain.

    Parameters
    ----------
    posterior, by_list : ndarray
        Probabilities of the same candidates: with what was heard, and without.
    listed : ndarray of bool
        Which of them are of instances whose bag has a list; of their shape, or one that is
        broadcast to it.
    """
    doubt = np.where(listed, DOUBT, 0.0)
    return np.asarray((1 - doubt) * posterior + doubt * by_list, dtype=np.float64)


def most_probable(posterior: FloatArray) -> IntArray:
    """Class of largest probability; -1 where background, the rest to 1, is above it.

    At a tie the lower class: in classes that are always listed together, the first.
    """
    background = 1.0 - posterior.sum(axis=1)
    most = posterior.max(axis=1, initial=0.0)
    if not posterior.shape[1]:
        return np.full(len(posterior), -1, dtype=np.int64)
    # What is equal in theory may differ in the last bits.
    best = (posterior >= most[:, None] - _TIE).argmax(axis=1)
    return np.where(most >= background, best, -1).astype(np.int64)


def put_aside(
    posterior: FloatArray, shares: FloatArray, flagged: BoolArray, probability: FloatArray
) -> None:
    """Take the instances that are background out of the classes, in place.

    Parameters
    ----------
    posterior, shares : ndarray, shape (n, n_classes)
        Posteriors as they are told, which keep what background leaves, and those of the rounds,
        which become zero.
    flagged : ndarray of bool, shape (n,)
        Instances that were decided to be background.
    probability : ndarray, shape (n,)
        How probably each is.
    """
    posterior[flagged] *= (1 - np.maximum(probability, _SURELY))[flagged, None]
    shares[flagged] = 0.0
