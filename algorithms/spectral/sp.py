"""SP: normalised spectral clustering."""

from __future__ import annotations

from algorithms.bags import Bags
from algorithms.constraints.operator import Constraints
from algorithms.spectral.constrained import ConstrainedClusterer


class SP(ConstrainedClusterer):
    """Normalised spectral clustering of instances; bags and their labels play no part.

    K leading eigenvectors of D^-1/2 W D^-1/2, rows scaled to unit length, k-means.

    Parameters
    ----------
    n_clusters, random_state, graph, n_neighbors, t, n_init, neighbours
        See :class:`~algorithms.spectral.base.SpectralClusterer`.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_instances,)
        Cluster of each instance.
    embedding_ : ndarray, shape (n_instances, n_clusters)
        Unit rows of the eigenvectors.
    eigenvalues_ : ndarray, shape (n_clusters,)
        In falling order.
    graph_ : {"dense", "knn"}
        The graph that was used.
    rho_ : float
        Its total weight over that of the dense graph.
    alpha_effective_ : float
        0: no bag constraints.

    References
    ----------
    Ng, Jordan & Weiss, On spectral clustering: analysis and an algorithm, NIPS 2001.
    Pei & Fern (2013), equations (3)-(6).
    """

    def _constraints(self, bags: Bags) -> tuple[Constraints | None, float]:
        return None, 0.0
