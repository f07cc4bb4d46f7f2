"""What the papers say of their results, and what follows from ours: lists that are checked.

As :mod:`birdmodes.experiments.claims`, but judged by what the rules of
:mod:`~birdmodes.experiments.bagwise.results` choose.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from birdmodes.experiments.bagwise.paper import PAPER_ACCURACY, PAPER_F_MEDOIDS, PAPER_F_MIXTURE
from birdmodes.experiments.bagwise.protocol import BagExperiment
from birdmodes.experiments.claims import Claim, Judge

_NAMES = {"accuracy": "accuracy", "nmi_geometric": "NMI", "f_measure": "F", "purity": "precision"}
_BAMIC = ("bamic-min", "bamic-max", "bamic-avg")
_PAM = ("pam-hausdorff", "pam-min-hausdorff", "pam-smd")
_MOST = 0.501
_SCENES = tuple(name for name in PAPER_ACCURACY if name.startswith("natural-scene"))


def reaches_paper(method: str, rules: Sequence[str]) -> Judge:
    """Judge that a method is as accurate as in the paper, with the best of the preparations."""

    def judge(choices: pd.DataFrame) -> list[tuple[str, bool]]:
        paper = PAPER_ACCURACY.get(str(choices["dataset"].iloc[0]))
        best = _best(choices, (method,), rules, "accuracy")
        if paper is None or best is None:
            return []
        figures = f"accuracy {best[0]:.3f} ({best[1]}), paper {paper:.3f}"
        # The paper's figures have three digits.
        return [(figures, round(best[0], 3) >= paper)]

    return judge


def better(
    first: tuple[str, Sequence[str]],
    others: Sequence[str],
    rules: Sequence[str],
    measure: str = "accuracy",
) -> Judge:
    """Judge that a method exceeds all of some others.

    Both sides have the best of the preparations of features, so that none is held back by its
    features.

    Parameters
    ----------
    first : (str, sequence of str)
        The method, and the rules that choose its result.
    others : sequence of str
        The other methods.
    rules : sequence of str
        The rules that choose theirs.
    measure : str
        What is compared.
    """

    def judge(choices: pd.DataFrame) -> list[tuple[str, bool]]:
        one = _best(choices, (first[0],), first[1], measure)
        other = _best(choices, others, rules, measure)
        if one is None or other is None:
            return []
        figures = f"{_NAMES[measure]} {one[0]:.3f} ({one[1]}), {other[0]:.3f} ({other[1]})"
        return [(figures, one[0] > other[0])]

    return judge


def better_for_every_k(first: str, others: Sequence[str], measure: str) -> Judge:
    """Judge that the mean of a method's runs exceeds all of some others, for every K."""

    def judge(choices: pd.DataFrame) -> list[tuple[str, bool]]:
        compare = better((first, ("mean",)), others, ("only",), measure)
        return [
            (f"K = {k}: {figures}", holds)
            for k, of_k in choices.groupby("k")
            for figures, holds in compare(of_k)
        ]

    return judge


def faster(first: str, second: str) -> Judge:
    """Judge that one run of a method takes less processor time than one of another."""

    def judge(choices: pd.DataFrame) -> list[tuple[str, bool]]:
        times = [choices.loc[choices["method"] == name, "seconds"] for name in (first, second)]
        if not all(map(len, times)):
            return []
        one, other = (float(of_method.mean()) for of_method in times)
        return [(f"{one:.3g} s, {other:.3g} s", one < other)]

    return judge


def mixture_reaches_paper(choices: pd.DataFrame) -> list[tuple[str, bool]]:
    """Judge that some mi-em has the F-measure that its paper reports."""
    paper = PAPER_F_MIXTURE.get(str(choices["dataset"].iloc[0]))
    best = _best(choices, ("mi-em",), ("mean",), "f_measure")
    if paper is None or best is None:
        return []
    return [(f"F {best[0]:.3f} ({best[1]}), paper {paper:.2f}", best[0] >= paper)]


def medoids_as_in_paper(choices: pd.DataFrame) -> list[tuple[str, bool]]:
    """Judge that some PAM is in the range of F-measures that the paper reports."""
    paper = PAPER_F_MEDOIDS.get(str(choices["dataset"].iloc[0]))
    ours = choices.loc[choices["method"].isin(_PAM), "f_measure"]
    if paper is None or not len(ours):
        return []
    low, high = paper
    inside = ours.between(low - 0.0005, high + 0.005).sum()
    figures = (
        f"F {ours.min():.3f} to {ours.max():.3f}, {inside} of {len(ours)} within the paper's "
        f"{low:.3f} to {high:.2f}"
    )
    return [(figures, bool(inside == len(ours)))]


def _best(
    choices: pd.DataFrame, methods: Sequence[str], rules: Sequence[str], measure: str
) -> tuple[float, str] | None:
    """Largest figure, and which method and features gave it."""
    rows = choices[choices["method"].isin(methods) & choices["rule"].isin(rules)]
    if not len(rows):
        return None
    at = rows.iloc[int(rows[measure].argmax())]
    setting = "" if pd.isna(at["C"]) else f", C = {at['C']:g}, l = {at['balance']:g}"
    return float(at[measure]), f"{at['method']}, {at['preparation']}{setting}"


_PEEKING = (
    "accuracy by the paper's rules, which look at the labels: best point of the grid (least J of "
    "the starts), best run of BAMIC, mean of k-means; best preparation of the features of each"
)
_LABEL_FREE = (
    "without labels: m3ic at the point of the grid where its starts agree most, BAMIC by least "
    "cost, mean of k-means; best preparation of the features of each"
)
_M3IC_BEST = ("m3ic", ("best",))
_M3IC_STABLE = ("m3ic", ("stable",))

M3IC_CLAIMS: tuple[Claim, ...] = (
    Claim(
        "m3ic has the paper's accuracy on Corel (54.0 %)",
        _PEEKING,
        reaches_paper("m3ic", ("best",)),
        datasets=("corel-eft",),
    ),
    Claim(
        "m3ic has the paper's accuracy on three of the four natural scenes (56.6, 63.2, 60.4, "
        "41.7 %)",
        _PEEKING + "; which classes the paper's four are is not known",
        reaches_paper("m3ic", ("best",)),
        datasets=_SCENES,
        share=0.75,
    ),
    Claim(
        "m3ic is more accurate than every BAMIC on most problems",
        _PEEKING,
        better(_M3IC_BEST, _BAMIC, ("best",)),
        share=_MOST,
    ),
    Claim(
        "m3ic is more accurate than k-means with majority vote on most problems",
        _PEEKING,
        better(_M3IC_BEST, ("kmeans-vote",), ("mean",)),
        share=_MOST,
    ),
    Claim(
        "m3ic is more accurate than cpm3c on most problems",
        _PEEKING,
        better(_M3IC_BEST, ("cpm3c",), ("best",)),
        share=_MOST,
    ),
    Claim(
        "m3ic has a higher NMI (geometric) than all others on most problems",
        _PEEKING.replace("accuracy", "NMI", 1),
        better(_M3IC_BEST, (*_BAMIC, "kmeans-vote", "cpm3c"), ("best", "mean"), "nmi_geometric"),
        share=_MOST,
    ),
    Claim(
        "without looking at labels m3ic is more accurate than every BAMIC on most problems",
        _LABEL_FREE,
        better(_M3IC_STABLE, _BAMIC, ("least",)),
        origin="this program",
        share=_MOST,
    ),
    Claim(
        "without looking at labels m3ic is more accurate than k-means with majority vote on most "
        "problems",
        _LABEL_FREE,
        better(_M3IC_STABLE, ("kmeans-vote",), ("mean",)),
        origin="this program",
        share=_MOST,
    ),
    Claim(
        "one start of m3ic takes less time than one run of BAMIC with the average distance",
        "mean processor time; distances count as part of a run",
        faster("m3ic", "bamic-avg"),
        origin="beside the paper",
        share=_MOST,
    ),
)

MI_EM_CLAIMS: tuple[Claim, ...] = (
    Claim(
        "mi-em has a higher F-measure than every PAM",
        "every K; mean of the runs; best preparation of the features of each",
        better_for_every_k("mi-em", _PAM, "f_measure"),
    ),
    Claim(
        "mi-em has a higher precision than every PAM",
        "every K; mean of the runs; best preparation of the features of each",
        better_for_every_k("mi-em", _PAM, "purity"),
    ),
    Claim(
        "mi-em has an F-measure of 0.63 on Musk 1",
        "mean of the runs; best K and preparation of the features",
        mixture_reaches_paper,
        datasets=tuple(PAPER_F_MIXTURE),
    ),
    Claim(
        "PAM has an F-measure of 0.341 to 0.41 on Musk 1",
        "every K, distance and preparation of the features",
        medoids_as_in_paper,
        datasets=tuple(PAPER_F_MEDOIDS),
    ),
)

CLAIMS: dict[BagExperiment, tuple[Claim, ...]] = {"m3ic": M3IC_CLAIMS, "mi-em": MI_EM_CLAIMS}
"""The lists of the reports."""
