"""Bag constraints as a low-rank operator, never as a matrix."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol, cast

import numpy as np
import scipy.sparse as sp

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray

Centering = Literal["paper", "exact"]
UnlabelledTreatment = Literal["paper", "neutral"]


class Constraints(Protocol):
    """A symmetric matrix over the instances that only depends on their bags."""

    def __matmul__(self, vectors: FloatArray, /) -> FloatArray:
        """Apply to `vectors` of shape (n_instances,) or (n_instances, L)."""

    def pull(self, candidates: BoolArray, vectors: FloatArray) -> FloatArray:
        """Apply the rows of new instances, of bags with the label sets `candidates`.

        Parameters
        ----------
        candidates : ndarray of bool, shape (n_new, n_classes)
            Label set of each new instance's bag; empty where it is not known.
        vectors : ndarray, shape (n_instances, L)
            What the training instances hold.

        Returns
        -------
        ndarray, shape (n_new, L)
        """


@dataclass(frozen=True, eq=False)
class BagConstraints:
    r"""The bag-constraint matrix Q of constrained spectral clustering, as an operator.

    With B the (n_instances, n_bags) indicator of bags and y_m the label vector of bag m (1/|Y_m|
    for the classes in its label set Y_m, else 0), Y = [y_1 ... y_M]:

    - ``centering="paper"``: Q = B (Y'Y - mu I) B', as published;
    - ``centering="exact"``: Q = B (Y'Y - mu 11') B', what the paper's penalty sums to: every
      entry is lowered by the mean similarity mu of two bags.

    mu = sum(Y'Y) / M^2 over the M bags that have instances, labelled or not.

    With ``unlabelled="paper"`` the instances of an unlabelled bag repel one another (-mu within
    the bag). ``unlabelled="neutral"`` leaves unlabelled bags out of the mu term, so that Q is
    zero wherever one takes part. A bag that is labelled with no class counts as labelled.

    A product costs O(n_instances + number of labels); Q is never formed.

    Attributes
    ----------
    bag : ndarray of int64, shape (n_instances,)
        Bag of each instance.
    Y : csr_array, shape (n_bags, n_classes)
        Label vectors, one row per bag.
    mu : float
        Mean similarity of two bags.
    centred : ndarray of bool, shape (n_bags,)
        Bags that take part in the mu term.
    centering : {"paper", "exact"}
        Which Q it is.

    References
    ----------
    Pei & Fern (2013), equations (7)-(12) and Algorithm 1. Appendix A replaces
    sum_rs b_s b_r' = 11' by BB', which is the difference between the two centerings; the paper's
    experiments use the published form.
    """

    bag: IntArray
    Y: sp.csr_array[np.float64, tuple[int, int]]
    mu: float
    centred: BoolArray
    centering: Centering

    @classmethod
    def from_bags(
        cls,
        bags: Bags,
        *,
        centering: Centering = "paper",
        unlabelled: UnlabelledTreatment = "paper",
    ) -> BagConstraints:
        """Derive the constraints from the label sets of `bags`."""
        label_counts = bags.labels.sum(axis=1)
        weights = bags.labels / np.maximum(label_counts, 1)[:, None]
        filled = bags.sizes > 0
        mean_vector = weights[filled].sum(axis=0) / max(1, int(filled.sum()))
        centred = np.ones(bags.n_bags, np.bool_) if unlabelled == "paper" else bags.labelled
        Y = cast("sp.csr_array[np.float64, tuple[int, int]]", sp.csr_array(weights))
        return cls(bags.bag, Y, float(mean_vector @ mean_vector), centred, centering)

    def __matmul__(self, vectors: FloatArray) -> FloatArray:
        """Return Q @ vectors for `vectors` of shape (n_instances,) or (n_instances, L)."""
        columns = vectors[:, None] if vectors.ndim == 1 else vectors
        pooled = self._pool(columns)
        pulled = np.asarray(self.Y @ (self._label_rows @ pooled), dtype=np.float64)
        centred = self.centred[:, None]
        if self.centering == "paper":
            pulled -= self.mu * centred * pooled
        else:
            pulled -= self.mu * centred * (centred * pooled).sum(axis=0)
        return cast(FloatArray, pulled.take(self.bag, axis=0).reshape(vectors.shape))

    def pull(self, candidates: BoolArray, vectors: FloatArray) -> FloatArray:
        """Apply the rows of new instances; see :meth:`Constraints.pull`.

        A new instance is in none of the bags, so with ``centering="paper"`` nothing repels it.
        """
        pooled = self._pool(vectors)
        label_counts = candidates.sum(axis=1)
        weights = candidates / np.maximum(label_counts, 1)[:, None]
        pulled = np.asarray(weights @ (self._label_rows @ pooled), dtype=np.float64)
        if self.centering == "exact":
            repelled = np.ones(len(candidates)) if self.centred.all() else label_counts > 0
            repulsion = self.mu * (self.centred[:, None] * pooled).sum(axis=0)
            pulled -= np.multiply.outer(repelled, repulsion)
        return pulled

    @cached_property
    def _label_rows(self) -> sp.csr_array[np.float64, tuple[int, int]]:
        """Y' of shape (n_classes, n_bags), kept because transposing takes longer than a product."""
        return cast("sp.csr_array[np.float64, tuple[int, int]]", sp.csr_array(self.Y.T))

    def _pool(self, columns: FloatArray) -> FloatArray:
        """B' @ columns: the sums over the instances of each bag."""
        n_bags = len(self.centred)
        pooled = np.empty((n_bags, columns.shape[1]))
        for j in range(columns.shape[1]):
            pooled[:, j] = np.bincount(self.bag, columns[:, j], minlength=n_bags)
        return pooled
