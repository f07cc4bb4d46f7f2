"""``cluster --metric``: a metric learned from the species lists, for methods to cluster by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms import Bags
from algorithms.errors import did_you_mean
from algorithms.registry import METHODS
from birdmodes.errors import BirdmodesError, ParameterError

if TYPE_CHECKING:
    from algorithms.metric.base import MetricLearner

EUCLIDEAN = "euclidean"

METRICS = (EUCLIDEAN, "mimlca", "miml", "mildml")
"""Values of ``--metric``."""


def check_metric(method: str, metric: str) -> None:
    """See that a method can cluster by a metric.

    Parameters
    ----------
    method : str
        A key of `algorithms.METHODS`.
    metric : str
        One of `METRICS`.

    Raises
    ------
    ParameterError
        If there is no such metric, or it has no meaning for the method: only those that start
        from a graph of the syllables' distances look at nothing else.
    """
    if metric not in METRICS:
        raise ParameterError(
            f"no metric {metric!r}{did_you_mean(metric, METRICS)}; there are: {', '.join(METRICS)}"
        )
    if metric != EUCLIDEAN and method in METHODS and not goes_by_distances(method):
        able = ", ".join(name for name in METHODS if goes_by_distances(name))
        raise ParameterError(
            f"--metric {metric} has no meaning for method {method}, only for those that go by the "
            f"distances of syllables: leave it out, or use --method with one of {able}"
        )


def goes_by_distances(method: str) -> bool:
    """Whether the method of that name clusters by the distances of instances, in any space."""
    return METHODS[method].load().goes_by_distances


def learn_metric(bags: Bags, metric: str, seed: int) -> MetricLearner | None:
    """Learn a metric from the labels of bags.

    Parameters
    ----------
    bags : Bags
        With standardised features.
    metric : str
        One of `METRICS`.
    seed : int
        Of what is random.

    Returns
    -------
    MetricLearner or None
        Fitted; None for the Euclidean metric, which leaves the features as they are.

    Raises
    ------
    BirdmodesError
        If no bag with syllables has a label.
    ClusteringError
        If the metric needs more than that.
    """
    if metric == EUCLIDEAN:
        return None
    if not bags.labels[bags.sizes > 0].any():
        raise BirdmodesError(
            f"--metric {metric} is learned from species lists, but no recording with syllables has "
            "one: run 'birdmodes segment --labels labels.csv' again, or leave --metric out"
        )
    return _learner(metric, seed).fit(bags)


def _learner(metric: str, seed: int) -> MetricLearner:
    # Loaded here, as few clusterings need them.
    if metric == "miml":
        from algorithms.metric.miml import MIML

        return MIML()
    if metric == "mildml":
        from algorithms.metric.mildml import MildML

        return MildML(random_state=seed)
    from algorithms.metric.mimlca import MIMLCA

    return MIMLCA(max_per_label=None, random_state=seed)  # birds sing more than one a clip
