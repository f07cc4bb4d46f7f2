"""SpLearn: spectral learning, the pairs that bag labels imply written into the affinities."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from algorithms.bags import Bags, BoolArray, FloatArray
from algorithms.checks import Seed, check_choice, check_flag
from algorithms.constraints.pairs import InducedPairs
from algorithms.errors import ClusteringError
from algorithms.graph import Affinity, component_labels
from algorithms.spectral.base import SpectralClusterer
from algorithms.spectral.deflation import leading_beyond, part_indicators
from algorithms.spectral.edited import EditedAffinity, EditedEdges, edit_dense, edit_sparse
from algorithms.spectral.extension import Edges, Extension, quotient
from algorithms.spectral.operators import ScaledOperator
from algorithms.spectral.problem import (
    Bridging,
    SpectralProblem,
    bridge,
    clique_membership,
    inverse_root,
    joined_parts,
)

Normalization = Literal["additive", "symmetric"]


class SpLearn(SpectralClusterer):
    """Spectral learning: must-linked pairs get affinity 1, cannot-linked pairs 0.

    Bag labels imply the pairs (:class:`~algorithms.constraints.pairs.InducedPairs`): both kinds
    with as many clusters as classes, only cannot-links with more. With W the edited affinities, D
    their degrees and d_max the largest of them, the K leading eigenvectors of

    - ``normalization="additive"``: (W + d_max I - D) / d_max, or of
    - ``normalization="symmetric"``: D^-1/2 W D^-1/2

    are taken; rows scaled to unit length, k-means. The additive form has the eigenvectors of the
    unnormalised Laplacian D - W.

    Parameters
    ----------
    n_clusters, random_state, graph, n_neighbors, t, n_init, neighbours
        See :class:`~algorithms.spectral.base.SpectralClusterer`.
    normalization : {"additive", "symmetric"}
        As published, or as in :class:`~algorithms.spectral.sp.SP`, which clusters better.
    force : bool
        Cluster also into fewer clusters than classes, with the pairs of as many: some of them
        then contradict what is asked for.

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
        Its total weight over that of the dense graph, before the edit.
    alpha_effective_ : float
        0: no bag constraints.

    References
    ----------
    Kamvar, Klein & Manning, Spectral learning, IJCAI 2003; Pei & Fern (2013), sections 4.3 and
    5.2, which compares with it.
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
        normalization: Normalization = "additive",
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
        self.normalization = normalization
        self.force = force

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("normalization", self.normalization, ("additive", "symmetric"))
        check_flag("force", self.force)

    def _problem(self, bags: Bags, affinity: Affinity) -> SpectralProblem:
        pairs = InducedPairs.from_bags(bags, self.n_clusters, force=self.force)
        W = affinity.W
        edited: FloatArray | EditedAffinity
        if isinstance(W, np.ndarray):
            edited = edit_dense(W, pairs)
            degrees = edited.sum(axis=1)
            part = component_labels(replace(affinity, W=edited))
        else:
            edited = edit_sparse(W, pairs)
            degrees = edited.degrees()
            part = component_labels(replace(affinity, W=edited.kept))
        part = joined_parts(part, clique_membership(pairs.cliques))
        bridging = bridge(degrees, part, self.n_clusters)
        if self.normalization == "additive":
            return AdditiveProblem(edited, bridging, pairs)
        return SymmetricProblem(edited, bridging, pairs)


@dataclass(frozen=True, eq=False)
class _EditedProblem(SpectralProblem):
    """What both normalisations work on: edited affinities, and their degrees and parts."""

    edited: FloatArray | EditedAffinity
    bridging: Bridging
    pairs: InducedPairs


@dataclass(frozen=True, eq=False)
class SymmetricProblem(_EditedProblem):
    """D^-1/2 W D^-1/2 of edited affinities."""

    def solve(self, k: int, seed: int) -> tuple[FloatArray, FloatArray]:
        """Find the leading eigenvectors; see :func:`leading_beyond`."""
        degrees = self.bridging.degrees
        operator = ScaledOperator(self.edited, inverse_root(degrees), self.bridging.uniform)
        known = part_indicators(self.bridging.part, np.sqrt(degrees))
        return leading_beyond(operator, known, k, seed)

    def extension(self, eigenvalues: FloatArray, vectors: FloatArray) -> Extension:
        """Return the Nystrom extension, the affinities of new instances edited as well."""
        scaled = inverse_root(self.bridging.degrees)[:, None] * vectors
        return SymmetricExtension(eigenvalues, scaled, self.bridging.uniform, self.pairs)


@dataclass(frozen=True, eq=False)
class AdditiveProblem(_EditedProblem):
    """(W + d_max I - D) / d_max of edited affinities."""

    @property
    def largest_degree(self) -> float:
        """d_max; 1 where nothing is linked to anything, so that eigenvalues are defined."""
        return float(self.bridging.degrees.max()) or 1.0

    def solve(self, k: int, seed: int) -> tuple[FloatArray, FloatArray]:
        """Find the leading eigenvectors of I + (W - D) / s, s a common degree.

        They are those of the additive normalisation, but its own eigenvalues crowd near 1 when a
        few degrees are far above the others: iterations would stop before they tell them apart.
        """
        degrees = self.bridging.degrees
        unit = float(np.median(degrees)) or 1.0
        scale = np.full(len(degrees), 1.0 / np.sqrt(unit))
        shift = 1.0 - degrees / unit
        operator = ScaledOperator(self.edited, scale, self.bridging.uniform, shift)
        known = part_indicators(self.bridging.part, np.ones(len(degrees)))
        spread = 2.0 * self.largest_degree / unit
        try:
            values, vectors = leading_beyond(operator, known, k, seed, spread=spread)
        except ClusteringError as error:
            raise ClusteringError(
                "the eigenvectors of the additive normalisation do not converge, as must-links "
                "give a few instances degrees far above the others: use "
                'normalization="symmetric" or graph="dense"'
            ) from error
        return 1.0 + (values - 1.0) * unit / self.largest_degree, vectors

    def extension(self, eigenvalues: FloatArray, vectors: FloatArray) -> Extension:
        """Return the extension of the eigenvectors of the Laplacian."""
        theta = (eigenvalues - 1.0) * self.largest_degree
        uniform, added = self.bridging.uniform, self.bridging.added
        return AdditiveExtension(theta, vectors, uniform, added, self.pairs)


@dataclass(frozen=True, eq=False)
class SymmetricExtension(Extension):
    """Rows of new instances: e_k(x) ~ (1 / lambda_k) sum_p w(x, p) u_pk, w edited, u = D^-1/2 v.

    w(x, p) is 1 and 0 where the label sets imply a must-link and a cannot-link, as in training, so
    that training instances with their own bags' labels get their own rows.

    Attributes
    ----------
    eigenvalues : ndarray, shape (k,)
        lambda.
    scaled : ndarray, shape (n_instances, k)
        u.
    uniform : float
        Weight added to every pair.
    pairs : InducedPairs
        Pairs of the training instances.
    """

    eigenvalues: FloatArray
    scaled: FloatArray
    uniform: float
    pairs: InducedPairs

    def coordinates(self, edges: Edges, candidates: BoolArray | None) -> FloatArray:
        """Place new instances; see :meth:`Extension.coordinates`."""
        edited = EditedEdges.edit(edges, candidates, self.pairs)
        drawn = edited @ self.scaled + self.uniform * self.scaled.sum(axis=0)
        return quotient(drawn, self.eigenvalues)


@dataclass(frozen=True, eq=False)
class AdditiveExtension(Extension):
    """Rows of new instances: e_k(x) = sum_p w(x, p) v_pk / (d(x) + theta_k), w edited.

    theta = d_max (lambda - 1) are the eigenvalues of W - D and d(x) = sum_p w(x, p): the row of
    (W - D) v = theta v that a new instance adds. Its affinity to itself is in w and in d alike and
    cancels, so the same formula gives training instances, with their own bags' labels, their own
    rows. Unlike the symmetric form, d(x) matters: an instance with few links is drawn farther out.

    Attributes
    ----------
    theta : ndarray, shape (k,)
        Eigenvalues of W - D.
    vectors : ndarray, shape (n_instances, k)
        v.
    uniform : float
        Weight added to every pair.
    added : float
        What that adds to a degree.
    pairs : InducedPairs
        Pairs of the training instances.
    """

    theta: FloatArray
    vectors: FloatArray
    uniform: float
    added: float
    pairs: InducedPairs

    def coordinates(self, edges: Edges, candidates: BoolArray | None) -> FloatArray:
        """Place new instances; see :meth:`Extension.coordinates`."""
        edited = EditedEdges.edit(edges, candidates, self.pairs)
        drawn = edited @ self.vectors + self.uniform * self.vectors.sum(axis=0)
        return quotient(drawn, (edited.degrees() + self.added)[:, None] + self.theta)
