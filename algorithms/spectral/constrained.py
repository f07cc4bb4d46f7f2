"""What SP and the constrained methods share: affinities plus weighted bag constraints."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy.sparse import csr_array

from algorithms.bags import Bags, BoolArray, FloatArray
from algorithms.constraints.operator import Constraints
from algorithms.graph import Affinity, SparseMatrix, component_labels
from algorithms.spectral.base import SpectralClusterer
from algorithms.spectral.deflation import leading_beyond, part_indicators
from algorithms.spectral.eigen import NormalisedOperator, leading_eigenvectors
from algorithms.spectral.extension import Edges, Extension, quotient
from algorithms.spectral.problem import (
    Bridging,
    SpectralProblem,
    bridge,
    inverse_root,
    joined_parts,
)
from algorithms.spectral.scaling import effective_alpha


class ConstrainedClusterer(SpectralClusterer):
    """Leading eigenvectors of D^-1/2 (W + alpha Q) D^-1/2, D the degrees of W alone.

    A method supplies :meth:`_constraints`, the bag constraints Q and their weight.
    """

    @abstractmethod
    def _constraints(self, bags: Bags) -> tuple[Constraints | None, float]:
        """Return the bag constraints and their weight alpha on a dense graph."""

    def _problem(self, bags: Bags, affinity: Affinity) -> SpectralProblem:
        constraints, alpha = self._constraints(bags)
        return ConstrainedProblem.build(
            bags, affinity, self.n_clusters, constraints=constraints, alpha=alpha
        )


@dataclass(frozen=True, eq=False)
class ConstrainedProblem(SpectralProblem):
    """D^-1/2 (W + alpha Q) D^-1/2 on given data.

    Attributes
    ----------
    operator : NormalisedOperator
        The matrix.
    bridging : Bridging
        Degrees and parts of the graph.
    """

    operator: NormalisedOperator
    bridging: Bridging

    @classmethod
    def build(
        cls,
        bags: Bags,
        affinity: Affinity,
        n_clusters: int,
        *,
        constraints: Constraints | None = None,
        alpha: float = 0.0,
    ) -> ConstrainedProblem:
        """Set up the matrix; `alpha` is for a dense graph, and scaled to a sparse one."""
        alpha_effective = effective_alpha(alpha, bags, affinity)
        if alpha_effective == 0:
            constraints = None
        part = component_labels(affinity)
        if constraints is not None:
            membership = csr_array(bags.labels.astype(np.float64))[bags.bag]
            part = joined_parts(part, cast(SparseMatrix, membership))
        bridging = bridge(affinity.degrees(), part, n_clusters)
        operator = NormalisedOperator(
            affinity.W,
            inverse_root(bridging.degrees),
            bridging.uniform,
            constraints,
            alpha_effective,
        )
        return cls(operator, bridging)

    @property
    def alpha(self) -> float:
        """Weight of the bag constraints that was used."""
        return self.operator.alpha

    def solve(self, k: int, seed: int) -> tuple[FloatArray, FloatArray]:
        """Find the leading eigenvectors; see :func:`leading_eigenvectors`."""
        if self.operator.constraints is not None:  # which make no eigenvalue a multiple one
            return leading_eigenvectors(self.operator, k, seed)
        known = part_indicators(self.bridging.part, np.sqrt(self.bridging.degrees))
        return leading_beyond(self.operator, known, k, seed)

    def extension(self, eigenvalues: FloatArray, vectors: FloatArray) -> Extension:
        """Return the Nystrom extension of the eigenvectors."""
        operator = self.operator
        return ConstrainedExtension(
            eigenvalues,
            operator.inverse_root_degree[:, None] * vectors,
            operator.uniform,
            operator.constraints,
            operator.alpha,
        )


@dataclass(frozen=True, eq=False)
class ConstrainedExtension(Extension):
    """Rows of new instances: e_k(x) ~ (1 / lambda_k) sum_p [w(x, p) + alpha q(x, p)] u_pk.

    u = D^-1/2 v. The factor d(x)^-1/2 is the same for all k, and lost when rows are scaled to unit
    length. q(x, p) = y_x'y_p, less mu where Q is centred exactly; 0 where the labels of the new
    bag are not known. On training instances, with their own bags' labels, this gives their own
    rows, but for the repulsion within a bag that ``centering="paper"`` has: a new instance is in
    no training bag.

    Attributes
    ----------
    eigenvalues : ndarray, shape (k,)
        lambda.
    scaled : ndarray, shape (n_instances, k)
        u.
    uniform : float
        Weight added to every pair.
    constraints : Constraints or None
        Q.
    alpha : float
        Its weight.
    """

    eigenvalues: FloatArray
    scaled: FloatArray
    uniform: float
    constraints: Constraints | None
    alpha: float

    def coordinates(self, edges: Edges, candidates: BoolArray | None) -> FloatArray:
        """Place new instances; see :meth:`Extension.coordinates`."""
        drawn = np.asarray(edges @ self.scaled) + self.uniform * self.scaled.sum(axis=0)
        if self.constraints is not None and candidates is not None:
            drawn = drawn + self.alpha * self.constraints.pull(candidates, self.scaled)
        return quotient(drawn, self.eigenvalues)
