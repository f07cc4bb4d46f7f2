"""Placing new instances among the eigenvectors of old ones.

References
----------
Fowlkes, Belongie, Chung & Malik, Spectral grouping using the Nystrom method, PAMI 2004; Bengio,
Paiement & Vincent, Out-of-sample extensions for LLE, Isomap, MDS, eigenmaps, and spectral
clustering, NIPS 2003.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeAlias

import numpy as np

from algorithms.bags import BoolArray, FloatArray
from algorithms.graph import SparseMatrix

Edges: TypeAlias = FloatArray | SparseMatrix
"""Affinities of new instances (rows) to the training ones (columns)."""

_SMALLEST_DIVISOR = 1e-12


class Extension(ABC):
    """What a method remembers of a fit in order to place new instances.

    An eigenvector fulfils one equation for each training instance. Written for a new instance x,
    with its affinities in the place of the training instance's, the same equation gives the
    entry of x.
    """

    @abstractmethod
    def coordinates(self, edges: Edges, candidates: BoolArray | None) -> FloatArray:
        """Place new instances.

        Parameters
        ----------
        edges : ndarray or csr_array, shape (n_new, n_instances)
            Their affinities to the training instances.
        candidates : ndarray of bool, shape (n_new, n_classes), or None
            Label sets of their bags; None, or an empty set, lets the features alone decide.

        Returns
        -------
        ndarray, shape (n_new, k)
            Entries of the eigenvectors, each row up to a positive factor.
        """


def quotient(numerator: FloatArray, divisor: FloatArray) -> FloatArray:
    """Divide, and give 0 where the divisor is 0: there the equation does not fix the entry."""
    numerator, divisor = np.broadcast_arrays(numerator, divisor)
    result = np.zeros(numerator.shape)
    np.divide(numerator, divisor, out=result, where=np.abs(divisor) > _SMALLEST_DIVISOR)
    return result
