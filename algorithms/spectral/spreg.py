"""SpReg: normalised spectral clustering that is fined for parting must-linked instances."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
from scipy.sparse import csr_array

from algorithms.bags import Bags, BoolArray, FloatArray
from algorithms.checks import Seed, check_flag, check_number
from algorithms.constraints.pairs import Cliques, InducedPairs, only_class
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.graph import Affinity, SparseMatrix, component_labels
from algorithms.spectral import eigen
from algorithms.spectral.base import SpectralClusterer
from algorithms.spectral.constrained import ConstrainedProblem
from algorithms.spectral.deflation import leading_beyond, part_indicators
from algorithms.spectral.extension import Edges, Extension, quotient
from algorithms.spectral.operators import InverseOperator, ScaledOperator
from algorithms.spectral.problem import (
    Bridging,
    SpectralProblem,
    bridge,
    clique_membership,
    inverse_root,
    joined_parts,
)

_STIFF = 1e3  # beta n_c over the median degree from which iterations take too long
_ABOVE = 1e-2  # how far above the largest eigenvalue a matrix is inverted


class SpReg(SpectralClusterer):
    """Normalised cut, plus beta times the squared difference of every must-linked pair.

    K leading eigenvectors of D^-1/2 (W - beta U'U) D^-1/2, with D the degrees of W alone and one
    row in U for each must-linked pair (:class:`~algorithms.constraints.pairs.InducedPairs`), 1 for
    the one instance and -1 for the other; rows scaled to unit length, k-means. Must-links exist
    with as many clusters as classes; with more this is :class:`~algorithms.spectral.sp.SP`, bit
    for bit.

    Parameters
    ----------
    n_clusters, random_state, graph, n_neighbors, t, n_init, neighbours
        See :class:`~algorithms.spectral.base.SpectralClusterer`.
    beta : float
        Weight of the fine.
    force : bool
        Cluster also into fewer clusters than classes, with the must-links of as many.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_instances,)
        Cluster of each instance.
    embedding_ : ndarray, shape (n_instances, n_clusters)
        Unit rows of the eigenvectors.
    eigenvalues_ : ndarray, shape (n_clusters,)
        In falling order, at most 1.
    graph_ : {"dense", "knn"}
        The graph that was used.
    rho_ : float
        Its total weight over that of the dense graph.
    alpha_effective_ : float
        0: no bag constraints.

    Warns
    -----
    ClusteringWarning
        When bag labels imply no must-link, so that the result is that of SP.

    Notes
    -----
    On a sparse graph each clique becomes a single node, which is the limit of an infinite beta,
    once beta n_c exceeds 1000 times the median degree for the largest of them, of n_c instances.
    Iterations would take too long else; should they do so earlier, the same is done, and said.

    References
    ----------
    Ji & Xu, Document clustering with prior knowledge, SIGIR 2006; Pei & Fern (2013), section 5.2,
    which compares with it, for beta.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        random_state: Seed = 0,
        graph: Literal["auto", "dense", "knn"] = "auto",
        n_neighbors: int = 10,
        t: int = 7,
        n_init: int = 20,
        neighbours: Literal["exact", "approximate"] = "exact",
        beta: float = 20.0,
        force: bool = False,
    ) -> None:
        super().__init__(
            n_clusters,
            random_state=random_state,
            graph=graph,
            n_neighbors=n_neighbors,
            t=t,
            n_init=n_init,
            neighbours=neighbours,
        )
        self.beta = beta
        self.force = force

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("beta", self.beta)
        check_flag("force", self.force)

    def _problem(self, bags: Bags, affinity: Affinity) -> SpectralProblem:
        cliques = InducedPairs.from_bags(bags, self.n_clusters, force=self.force).cliques
        if not cliques.has_pairs:
            _warn_of_no_pairs(bags, self.n_clusters)
        if not cliques.has_pairs or self.beta == 0:
            return ConstrainedProblem.build(bags, affinity, self.n_clusters)
        part = joined_parts(component_labels(affinity), clique_membership(cliques))
        bridging = bridge(affinity.degrees(), part, self.n_clusters)
        return PenalisedProblem(affinity.W, bridging, cliques, float(self.beta), self.n_clusters)


@dataclass(frozen=True, eq=False)
class PenalisedMatrix:
    """W - beta U'U as an operator; U'U = sum_c (n_c diag(s_c) - s_c s_c'), s_c a clique.

    A product costs O(number of edges + n).

    Attributes
    ----------
    W : ndarray or csr_array, shape (n, n)
        Affinities.
    cliques : Cliques
        Must-links.
    beta : float
        Weight of the fine.
    """

    W: FloatArray | SparseMatrix
    cliques: Cliques
    beta: float

    def __matmul__(self, vectors: FloatArray, /) -> FloatArray:
        """Apply to `vectors` of shape (n,) or (n, L)."""
        group = self.cliques.group
        sizes = self.cliques.sizes_of(group).reshape(-1, *[1] * (vectors.ndim - 1))
        fine = sizes * vectors - self.cliques.sums_of(group, vectors)
        return np.asarray(self.W @ vectors, dtype=np.float64) - self.beta * fine

    def toarray(self) -> FloatArray:
        """Form the matrix; for small n only."""
        W = self.W if isinstance(self.W, np.ndarray) else self.W.toarray()
        matrix: FloatArray = W + self.beta * self.cliques.same()
        matrix[np.diag_indices(len(matrix))] -= self.beta * self.cliques.sizes_of(
            self.cliques.group
        )
        return matrix


@dataclass(frozen=True, eq=False)
class PenalisedProblem(SpectralProblem):
    """D^-1/2 (W - beta U'U) D^-1/2 on given data.

    Attributes
    ----------
    W : ndarray or csr_array, shape (n_instances, n_instances)
        Affinities.
    bridging : Bridging
        Degrees and parts of W; must-links join parts.
    cliques : Cliques
        Must-links.
    beta : float
        Weight of the fine.
    n_clusters : int
        Number of clusters.
    """

    W: FloatArray | SparseMatrix
    bridging: Bridging
    cliques: Cliques
    beta: float
    n_clusters: int

    @property
    def rigid(self) -> bool:
        """Whether each clique is contracted to a single node."""
        if isinstance(self.W, np.ndarray) or not self._can_contract:
            return False
        stiffest = self.beta * int(self.cliques.sizes.max())
        return bool(stiffest > _STIFF * np.median(self.bridging.degrees))

    def solve(self, k: int, seed: int) -> tuple[FloatArray, FloatArray]:
        """Find the leading eigenvectors; see :func:`leading_beyond`."""
        if self.rigid:
            return self._solve_contracted(k, seed)
        degrees, uniform = self.bridging.degrees, self.bridging.uniform
        matrix = PenalisedMatrix(self.W, self.cliques, self.beta)
        operator = ScaledOperator(matrix, inverse_root(degrees), uniform)
        known = part_indicators(self.bridging.part, np.sqrt(degrees))
        if isinstance(self.W, np.ndarray) and operator.n > eigen.DENSE_SOLVER_LIMIT:
            # Eigenvalues run down to about -beta n_c / d, so that steps towards the few near 1
            # are tiny. In the inverse of a matrix just above, those few tower over all others.
            inverse = InverseOperator.of(operator, 1.0 + _ABOVE)
            top = 1.0 / _ABOVE
            values, vectors = leading_beyond(inverse, known, k, seed, value=top, spread=top)
            return 1.0 + _ABOVE - 1.0 / values, vectors
        try:
            return leading_beyond(operator, known, k, seed)
        except ClusteringError:
            if isinstance(self.W, np.ndarray) or not self._can_contract:
                raise
        _warn_of_contraction()
        return self._solve_contracted(k, seed)

    @property
    def _can_contract(self) -> bool:
        """Whether enough nodes would be left for one eigenvector per cluster."""
        sizes = self.cliques.sizes
        lost = int(sizes.sum()) - int((sizes > 0).sum())
        return len(self.cliques.group) - lost >= self.n_clusters

    def _solve_contracted(self, k: int, seed: int) -> tuple[FloatArray, FloatArray]:
        """Find the leading eigenvectors with one node in the place of every clique.

        P being the membership of instances in nodes, those of the generalised problem
        P'WP y = lambda P'DP y, and x = P y: D^1/2 x has unit length. U P is 0.
        """
        group = self.cliques.group
        n = len(group)
        key = np.where(group >= 0, group, self.cliques.n_groups + np.arange(n))
        first, node = np.unique(key, return_index=True, return_inverse=True)[1:]
        P = csr_array((np.ones(n), (np.arange(n), node)), shape=(n, len(first)))
        joined = cast(SparseMatrix, csr_array(P.T @ self.W @ P))
        degrees = np.asarray(P.T @ self.bridging.degrees, dtype=np.float64)
        sizes = np.bincount(node).astype(np.float64)
        scale = inverse_root(degrees)
        operator = ScaledOperator(joined, scale, self.bridging.uniform, weights=sizes)
        known = part_indicators(self.bridging.part[first], np.sqrt(degrees))
        values, vectors = leading_beyond(operator, known, k, seed)
        x = (scale[:, None] * vectors)[node]
        return values, np.sqrt(self.bridging.degrees)[:, None] * x

    def extension(self, eigenvalues: FloatArray, vectors: FloatArray) -> Extension:
        """Return the extension of the generalised eigenvectors."""
        return PenalisedExtension(
            eigenvalues,
            inverse_root(self.bridging.degrees)[:, None] * vectors,
            self.bridging.uniform,
            self.bridging.added,
            self.cliques,
            self.beta,
            self.rigid,
        )


@dataclass(frozen=True, eq=False)
class PenalisedExtension(Extension):
    """Rows of new instances, from the row that they add to the eigenproblem.

    x_k = (sum_p w(x, p) x_pk + beta s_c'x_k) / (lambda_k d(x) + beta n_c)

    solves the row of (W - beta U'U) x = lambda D x that a new instance of clique c adds, c being
    the only label of its bag, d(x) = sum_p w(x, p); without one, the terms with beta are absent.
    The new instance's own place in the clique is in n_c and in s_c alike and cancels, so that
    training instances, with their own bags' labels, get their own rows. In a contracted clique,
    beta being infinite, the entry is that of the clique.

    Attributes
    ----------
    eigenvalues : ndarray, shape (k,)
        lambda.
    scaled : ndarray, shape (n_instances, k)
        x = D^-1/2 z, z the eigenvectors.
    uniform : float
        Weight added to every pair.
    added : float
        What that adds to a degree.
    cliques : Cliques
        Must-links of the training instances.
    beta : float
        Weight of the fine.
    rigid : bool
        Whether cliques are contracted.
    """

    eigenvalues: FloatArray
    scaled: FloatArray
    uniform: float
    added: float
    cliques: Cliques
    beta: float
    rigid: bool

    def coordinates(self, edges: Edges, candidates: BoolArray | None) -> FloatArray:
        """Place new instances; see :meth:`Extension.coordinates`."""
        drawn = np.asarray(edges @ self.scaled) + self.uniform * self.scaled.sum(axis=0)
        degrees = np.asarray(edges.sum(axis=1), dtype=np.float64) + self.added
        divisor = np.multiply.outer(degrees, self.eigenvalues)
        if candidates is None:
            return quotient(drawn, divisor)
        group = only_class(candidates)
        sizes = self.cliques.sizes_of(group)[:, None]
        sums = self.cliques.sums_of(group, self.scaled)
        loose = quotient(drawn + self.beta * sums, divisor + self.beta * sizes)
        return np.where(self.rigid & (sizes > 0), quotient(sums, sizes), loose)


def _warn_of_no_pairs(bags: Bags, n_clusters: int) -> None:
    if n_clusters > bags.n_classes:
        reason = f"with n_clusters={n_clusters} above the number of classes, {bags.n_classes},"
    else:
        reason = "with no two instances in bags of one and the same only label,"
    warnings.warn(
        f"{reason} bag labels imply no must-link, and the result is that of sp",
        ClusteringWarning,
        stacklevel=6,
    )


def _warn_of_contraction() -> None:
    warnings.warn(
        "the eigenvectors did not converge, and must-linked instances were taken as one, as if "
        "beta were infinite: use a smaller beta",
        ClusteringWarning,
        stacklevel=6,
    )
