"""The other half of a label set: every class in it was heard."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from algorithms.bags import FloatArray, IntArray
from algorithms.blocks.rows import Packed

_ROUNDS = 10
_FEASIBLE = 0.9  # share of a bag's instances that the claims of its classes may add up to


def occupy(posterior: Packed, bag: IntArray, claims: FloatArray) -> Packed:
    """Raise the classes of a bag that would hardly occur in it.

    A label set says not only which classes an instance may be of, but also that each of them
    occurs. Where the posteriors of a bag's instances add up to less than is claimed for a class,
    all of them are raised by the same factor, and scaled to sum to 1 again; a few rounds of this
    approach the nearest posteriors, in Kullback-Leibler divergence, that meet all claims
    (iterative scaling).

    Parameters
    ----------
    posterior : Packed, shape (n_instances, n_classes)
        Rows that sum to 1.
    bag : ndarray of int64, shape (n_instances,)
        Bag of each instance.
    claims : ndarray, shape (n_bags, n_classes)
        Number of instances that each class is expected to have at least. Those of a bag of n
        instances are lowered, by the same factor, to add up to no more than 0.9 n, so that they
        can be met.

    Returns
    -------
    Packed, shape (n_instances, n_classes)

    References
    ----------
    Csiszár, I-divergence geometry of probability distributions and minimization problems, 1975.
    Pham, Raich & Fern, Dynamic programming for instance annotation in multi-instance multi-label
    learning, 2017, condition on the union of the instances' labels exactly.
    """
    if not len(bag) or not claims.any():
        return posterior
    sizes = np.bincount(bag, minlength=len(claims))
    feasible = _FEASIBLE * sizes / np.maximum(claims.sum(axis=1), 1e-9)
    claim = claims * np.minimum(1.0, feasible)[:, None]
    raised, row, here = posterior.values.copy(), posterior.row, np.arange(len(posterior.values))
    cell = bag[row] * claims.shape[1] + posterior.column
    for _ in range(_ROUNDS):
        total = np.bincount(cell, raised[here], minlength=claim.size)
        unmet = (total.reshape(claim.shape) < claim).any(axis=1)
        if not unmet.any():
            break
        # A bag whose claims are met stays as it is, and need not be looked at again.
        still = unmet[bag[row]]
        here, row, cell = here[still], row[still], cell[still]
        claim[~unmet] = 0.0
        factor = np.maximum(1.0, claim.ravel()[cell] / np.maximum(total[cell], 1e-12))
        scaled = raised[here] * factor
        raised[here] = scaled / np.bincount(row, scaled)[row]
    return replace(posterior, values=raised)
