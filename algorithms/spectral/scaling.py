"""How much bag constraints weigh on a sparse graph."""

from __future__ import annotations

import numpy as np

from algorithms.bags import Bags, FloatArray
from algorithms.graph import Affinity

CONSTRAINT_RATIO = 5.0
"""Weight of the bag constraints over that of the affinities on a very sparse graph, alpha = 1."""

WEAKEST_SHARE = 0.5
"""Most that the weakest direction of the labels weighs, the affinities' strongest weighing 1."""

_NO_DIRECTION = 1e-9  # an eigenvalue this far below the largest is 0 but for rounding


def effective_alpha(alpha: float, bags: Bags, affinity: Affinity) -> float:
    r"""Scale the weight of bag constraints to a graph.

    With d the mean degree, n the number of instances and rho the share of the dense graph's weight
    that the graph keeps, alpha becomes

        alpha^rho min(CONSTRAINT_RATIO alpha d / (n omega), WEAKEST_SHARE / g_C)^(1 - rho).

    So on a dense graph (rho = 1) it stays as it is, and with ever more neighbours it gets there.
    On a graph of few neighbours (rho near 0) the first term says that all bag constraints together
    weigh ``CONSTRAINT_RATIO * alpha`` times what all affinities weigh, whatever the number of
    instances, the number of neighbours or the size of bags. Here omega is the mean similarity
    y_i'y_j of the bags of two instances, over the instances whose bags have labels, so that bags
    that lose their labels leave the weight of the others as it is.

    The second term is a limit that small data sets of few classes reach. g_C is the smallest
    non-zero eigenvalue of D^-1/2 B Y'Y B' D^-1/2. The affinities' largest eigenvalue is 1: if even
    the weakest direction of the labels outweighed it, the leading eigenvectors would tell label
    sets apart and no longer instances.

    Scaling by rho alone, as the degrees change, leaves the constraints too weak: the leading
    eigenvalues of a sparse graph crowd below 1, where those of a dense one fall off quickly, so
    constraints have more to overcome. The rule and its constant were chosen by measurement on
    four data sets, see docs/methods.md.

    Parameters
    ----------
    alpha : float
        Weight on a dense graph.
    bags : Bags
        Label sets.
    affinity : Affinity
        Graph of their instances.

    Returns
    -------
    float
        `alpha` itself when the graph is dense or no bag with instances has a label.
    """
    label_counts = bags.labels.sum(axis=1)
    sizes = np.where(label_counts > 0, bags.sizes, 0)
    if affinity.kind == "dense" or not sizes.any():
        return alpha
    vectors = bags.labels / np.maximum(label_counts, 1)[:, None]
    degrees = affinity.degrees()
    mean_vector = sizes @ vectors / sizes.sum()
    row_sum = bags.n_instances * float(mean_vector @ mean_vector)
    weight = CONSTRAINT_RATIO * alpha * float(degrees.mean()) / row_sum
    limit = WEAKEST_SHARE / _weakest_direction(vectors, bags, degrees)
    rho = affinity.rho
    return float(alpha**rho * min(weight, limit) ** (1.0 - rho))


def _weakest_direction(vectors: FloatArray, bags: Bags, degrees: FloatArray) -> float:
    """Smallest non-zero eigenvalue of the label similarities, normalised by the degrees.

    It is one of the (n_classes, n_classes) matrix Y B' D^-1 B Y' too.
    """
    inverse = np.divide(1.0, degrees, out=np.zeros_like(degrees), where=degrees > 0)
    per_bag = np.bincount(bags.bag, inverse, minlength=bags.n_bags)
    eigenvalues = np.linalg.eigvalsh((vectors * per_bag[:, None]).T @ vectors)
    return float(eigenvalues[eigenvalues > _NO_DIRECTION * eigenvalues[-1]][0])
