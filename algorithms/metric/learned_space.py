"""Bags in the space that a metric was learned for, to be clustered there by any method."""

from __future__ import annotations

from algorithms.bags import Bags
from algorithms.metric.base import MetricLearner


def in_learned_space(bags: Bags, learner: MetricLearner) -> Bags:
    r"""Map the instances of bags into the space of a learned metric.

    There the learned distance is the Euclidean one, so that a method that goes by Euclidean
    distances goes by the learned ones. This is Xing et al.'s use of a learned metric: first learn
    it, then cluster in it. A spectral clusterer with local scaling does not depend on the metric's
    scale.

    Parameters
    ----------
    bags : Bags
        Instances with the features that the learner was fitted to; those of the fit, or others.
    learner : MetricLearner
        Fitted, for example ``MIMLCA(max_per_label=None).fit(bags)``.

    Returns
    -------
    Bags
        The same instances, bags and labels; a row of `X` is L'x. What is known of single instances
        is kept.

    Raises
    ------
    ClusteringError
        When the learner is not fitted, or was fitted to other features.

    References
    ----------
    Xing, Ng, Jordan & Russell, Distance metric learning with application to clustering with
    side-information, NIPS 2002.

    Examples
    --------
    >>> from algorithms import Bags, make_clusterer
    >>> from algorithms.metric.mimlca import MIMLCA
    >>> bags = Bags([[0, 0], [0, 9], [1, 0], [1, 9]], [0, 0, 1, 1], [[1, 0], [0, 1]])
    >>> learner = MIMLCA(max_per_label=None).fit(bags)
    >>> learned = in_learned_space(bags, learner)
    >>> found = make_clusterer("sp", n_clusters=2, t=1).fit(learned).labels_
    >>> bool(found[0] == found[1]), bool(found[0] == found[2])
    (True, False)
    """
    return learner.transform(bags)
