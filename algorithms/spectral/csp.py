"""CSP: spectral clustering with bag constraints."""

from __future__ import annotations

from typing import Literal

from algorithms.bags import Bags
from algorithms.checks import Seed, check_choice, check_number
from algorithms.constraints.operator import (
    BagConstraints,
    Centering,
    Constraints,
    UnlabelledTreatment,
)
from algorithms.spectral.constrained import ConstrainedClusterer


class CSP(ConstrainedClusterer):
    """Spectral clustering of instances, in which bags that share labels attract each other.

    K algebraically largest eigenvectors of D^-1/2 (W + alpha Q) D^-1/2, with D the degrees of W
    alone and Q the bag constraints (:class:`~algorithms.constraints.operator.BagConstraints`);
    rows scaled to unit length, k-means. With ``alpha=0`` this is
    :class:`~algorithms.spectral.sp.SP`, bit for bit.

    Parameters
    ----------
    n_clusters, random_state, graph, n_neighbors, t, n_init, neighbours
        See :class:`~algorithms.spectral.base.SpectralClusterer`.
    alpha : float
        Weight of the bag constraints on a dense graph; 0.5 to 1 is good. On a sparse graph it is
        scaled (:func:`~algorithms.spectral.scaling.effective_alpha`), without which the
        constraints would drown the affinities.
    centering : {"paper", "exact"}
        Q as published, or as the paper's penalty works out.
    unlabelled : {"paper", "neutral"}
        Whether instances of an unlabelled bag repel one another, as published, or not.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_instances,)
        Cluster of each instance.
    embedding_ : ndarray, shape (n_instances, n_clusters)
        Unit rows of the eigenvectors.
    eigenvalues_ : ndarray, shape (n_clusters,)
        In falling order; they may exceed 1 and be negative.
    graph_ : {"dense", "knn"}
        The graph that was used.
    rho_ : float
        Its total weight over that of the dense graph.
    alpha_effective_ : float
        The weight that was used: alpha itself on a dense graph.

    References
    ----------
    Pei & Fern, Constrained instance clustering in multi-instance multi-label learning (2013),
    Algorithm 1; section 5.3 for alpha.
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
        alpha: float = 0.7,
        centering: Centering = "paper",
        unlabelled: UnlabelledTreatment = "paper",
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
        self.alpha = alpha
        self.centering = centering
        self.unlabelled = unlabelled

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("alpha", self.alpha)
        check_choice("centering", self.centering, ("paper", "exact"))
        check_choice("unlabelled", self.unlabelled, ("paper", "neutral"))

    def _constraints(self, bags: Bags) -> tuple[Constraints | None, float]:
        constraints = BagConstraints.from_bags(
            bags, centering=self.centering, unlabelled=self.unlabelled
        )
        return constraints, float(self.alpha)
