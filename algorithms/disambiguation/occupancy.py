"""The other half of a label set: every class in it was heard."""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.bags import FloatArray, IntArray

_ROUNDS = 10
_FEASIBLE = 0.9  # share of a bag's instances that the claims of its classes may add up to


def occupy(posterior: FloatArray, bag: IntArray, claims: FloatArray) -> FloatArray:
    """Raise the classes of a bag that would hardly occur in it.

    A label set says not only which classes an instance may be of, but also that each of them
    occurs. Where the posteriors of a bag's instances add up to less than is claimed for a class,
    all of them are raised by the same factor, and scaled to sum to 1 again; a few rounds of this
    approach the nearest posteriors, in Kullback-Leibler divergence, that meet all claims
    (iterative scaling).

    Parameters
    ----------
    posterior : ndarray, shape (n_instances, n_classes)
        Rows that sum to 1.
    bag : ndarray of int64, shape (n_instances,)
        Bag of each instance.
    claims : ndarray, shape (n_bags, n_classes)
        Number of instances that each class is expected to have at least. Those of a bag of n
        instances are lowered, by the same factor, to add up to no more than 0.9 n, so that they
        can be met.

    Returns
    -------
    ndarray, shape (n_instances, n_classes)

    References
    ----------
    Csiszár, I-divergence geometry of probability distributions and minimization problems, 1975.
    Pham, Raich & Fern, Dynamic programming for instance annotation in multi-instance multi-label
    learning, 2017, condition on the union of the instances' labels exactly.
    """
    if not len(bag) or not claims.any():
        return posterior
    order = np.argsort(bag, kind="stable")
    first = np.flatnonzero(np.r_[True, np.diff(bag[order]) > 0])
    present = bag[order[first]]
    position = np.searchsorted(present, bag)
    sizes = np.diff(np.r_[first, len(bag)])
    claim = claims[present]
    claim = claim * np.minimum(1, _FEASIBLE * sizes / np.maximum(claim.sum(axis=1), 1e-9))[:, None]
    raised, rows = posterior.copy(), order
    for _ in range(_ROUNDS):
        total: Any = np.add.reduceat(raised[rows], first, axis=0)
        here = position[rows[first]]
        unmet = (total < claim[here]).any(axis=1)
        if not unmet.any():
            break
        # A bag whose claims are met stays as it is, and need not be looked at again.
        own = np.repeat(np.arange(len(here)), np.diff(np.r_[first, len(rows)]))
        still = unmet[own]
        rows, own = rows[still], own[still]
        first = np.flatnonzero(np.r_[True, np.diff(own) > 0])
        factor = np.maximum(1.0, claim[here] / np.maximum(total, 1e-12))
        scaled = raised[rows] * factor[own]
        raised[rows] = scaled / scaled.sum(axis=1, keepdims=True)
    return raised
