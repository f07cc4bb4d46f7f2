"""What is to be known of clustering in a learned metric: a list that is checked.

As :mod:`birdmodes.experiments.claims`, with metrics in the place of methods: runs of the same
number start k-means with the same seed.
"""

from __future__ import annotations

import pandas as pd

from birdmodes.experiments.claims import STANDARD_ERRORS, TOLERANCE, Claim, Judge, compare
from birdmodes.experiments.metric.protocol import EUCLIDEAN, SUB_CLASS_METHODS
from birdmodes.experiments.metric.results import at_k

RECIPE = "mimlca-no-limit"
"""The metric of ``birdmodes cluster --metric mimlca``."""

_METHODS = ("sp", "splearn", "splearn-symmetric", "spreg", "csp-no-pairs", "csp")
_WITHIN = {"ari_within": "ARI within species"}
_EXCEEDS = f"mean paired difference above {STANDARD_ERRORS:g} standard errors"
_NOT_BELOW = (
    f"falls short by no more than {TOLERANCE:g} or {STANDARD_ERRORS:g} standard errors of the "
    "mean paired difference"
)
_AT = {1: "K = C", 2: "K = 2C"}


def helps(method: str, metric: str, times: int) -> Judge:
    """Judge that a method does better by a learned metric than by the Euclidean one."""

    def judge(runs: pd.DataFrame) -> list[tuple[str, bool]]:
        here = at_k(runs, times)
        of_method = here[here["method"] == method]
        return compare(of_method.assign(method=of_method["metric"]), metric, EUCLIDEAN, False)

    return judge


def as_good_as(method: str, metric: str, other: str) -> Judge:
    """Judge that a method by a learned metric does not fall short of one that takes no metric."""

    def judge(runs: pd.DataFrame) -> list[tuple[str, bool]]:
        both, called = _side_by_side(runs, method, metric, other)
        return compare(both, called, other, True)

    return judge


def exceeded_by(method: str, metric: str, other: str) -> Judge:
    """Judge that one that takes no metric exceeds a method by a learned metric."""

    def judge(runs: pd.DataFrame) -> list[tuple[str, bool]]:
        both, called = _side_by_side(runs, method, metric, other)
        return compare(both, other, called, False)

    return judge


def _side_by_side(
    runs: pd.DataFrame, method: str, metric: str, other: str
) -> tuple[pd.DataFrame, str]:
    """Runs of two methods with K = C, and what the first one is called among them."""
    here = at_k(runs, 1)
    mine = here[(here["method"] == method) & (here["metric"] == metric)]
    called = f"{method} by {metric}"
    return pd.concat([mine.assign(method=called), here[here["method"] == other]]), called


def keeps_sub_classes(method: str, metric: str) -> Judge:
    """Judge that classes within merged species are told apart as well as by no learned metric."""

    def judge(runs: pd.DataFrame) -> list[tuple[str, bool]]:
        inside = runs[(runs["part"] == "sub-classes") & (runs["method"] == method)]
        by_metric = inside.assign(method=inside["metric"]).dropna(subset=["ari_within"])
        return compare(by_metric, metric, EUCLIDEAN, True, _WITHIN)

    return judge


def _claims() -> list[Claim]:
    claims = [
        Claim(
            f"the learned metric helps {method}, {_AT[times]}",
            f"metric {RECIPE} against Euclidean, all bags labelled; NMI and purity; {_EXCEEDS}",
            helps(method, RECIPE, times),
            origin="this program",
        )
        for times in _AT
        for method in _METHODS
    ]
    claims += [
        Claim(
            f"{method} by the metric of mimlca is at least as good as mimlca itself",
            f"K = C, no limit for both, all bags labelled; NMI and purity; {_NOT_BELOW}",
            as_good_as(method, RECIPE, "mimlca-no-limit"),
            origin="this program",
        )
        for method in ("splearn-symmetric", "csp")
    ]
    claims += [
        Claim(
            f"ldc is better than {method} by the metric of mimlca",
            f"K = C, metric {RECIPE}, all bags labelled; NMI and purity; {_EXCEEDS}",
            exceeded_by(method, RECIPE, "ldc"),
            origin="this program",
        )
        for method in ("splearn-symmetric", "csp")
    ]
    return claims + [
        Claim(
            f"the learned metric does not hide modes from {method}",
            f"classes merged at random, labels are the merged ones; metric {RECIPE} against "
            f"Euclidean; adjusted Rand index of classes within species; {_NOT_BELOW}",
            keeps_sub_classes(method, RECIPE),
            origin="this program",
        )
        for method in SUB_CLASS_METHODS
    ]


CLAIMS = tuple(_claims())
"""The list of the report."""
