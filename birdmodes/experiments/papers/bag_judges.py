"""Judges of claims on methods that group bags, by what rules choose from their runs.

Both sides have the best of the preparations of features, so that none is held back by its
features.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from birdmodes.experiments.claims import Judge
from birdmodes.experiments.judges import Found
from birdmodes.experiments.known import KRIEGELS_CLUSTERS, paper_of_kriegel
from birdmodes.experiments.work.choices import OVER_C, WHOLE

_NAMES = {
    "accuracy": "accuracy",
    "nmi_geometric": "NMI",
    "f_measure": "F",
    "purity": "precision",
    "average_entropy": "entropy",
}
BAMIC = ("bamic-min", "bamic-max", "bamic-avg")
PAM = ("pam-hausdorff", "pam-min-hausdorff", "pam-smd")

Chosen = tuple[Sequence[str], Sequence[str]]
"""Methods, and the rules that choose their results."""


def higher(first: Chosen, others: Chosen, measure: str = "accuracy", low: bool = False) -> Judge:
    """Judge that the best of one side exceeds the best of another.

    Parameters
    ----------
    first, others : Chosen
        The sides.
    measure : str
        What is compared.
    low : bool
        Whether the best is the least: then the first side has to be below the other.
    """

    def judge(choices: pd.DataFrame) -> Found:
        one, other = (_best(choices, *side, measure, low=low) for side in (first, others))
        if one is None or other is None:
            return []
        figures = f"{_NAMES[measure]} {one[0]:.3f} ({one[1]}), {other[0]:.3f} ({other[1]})"
        return [(figures, one[0] < other[0] if low else one[0] > other[0])]

    return judge


def for_every_k(judge: Judge) -> Judge:
    """Judge the same at every number of groups."""
    return lambda choices: [
        (f"K = {k}: {figures}", holds)
        for k, of_k in choices.groupby("k")
        for figures, holds in judge(of_k)
    ]


def reaches(
    methods: Sequence[str],
    rules: Sequence[str],
    measure: str,
    paper: Mapping[str, float],
    digits: int = 3,
) -> Judge:
    """Judge that a method has the figure of its paper, with the best of the preparations.

    Parameters
    ----------
    methods, rules : sequence of str
        The method, and the rules that choose its result.
    measure : str
        What is compared.
    paper : mapping
        The paper's figures by data set.
    digits : int
        Digits that the paper gives.
    """

    def judge(choices: pd.DataFrame) -> Found:
        known = paper.get(str(choices["dataset"].iloc[0]))
        best = _best(choices, methods, rules, measure)
        if known is None or best is None:
            return []
        figures = f"{_NAMES[measure]} {best[0]:.3f} ({best[1]}), paper {known:.{digits}f}"
        return [(figures, round(best[0], 3) >= known)]

    return judge


def takes_at_most(first: str, second: str, times: float = 1.0) -> Judge:
    """Judge that one run of a method takes at most so many times the time of one of another.

    By processor time, a mean over all settings that were run.
    """

    def judge(choices: pd.DataFrame) -> Found:
        rows = choices[choices["rule"].isin(WHOLE)]
        mean = [rows.loc[rows["method"] == name, "seconds"] for name in (first, second)]
        if not all(map(len, mean)):
            return []
        one, other = (float(of_method.mean()) for of_method in mean)
        return [(f"{one:.3g} s, {other:.3g} s, {one / other:.2g} times", one <= times * other)]

    return judge


def moves_little(rule: str, column: str, most: float, at_most: float = float("inf")) -> Judge:
    """Judge that mean accuracy moves by no more than `most` over one parameter of the grid.

    Parameters
    ----------
    rule : str
        Rows that hold means over the other parameter.
    column : {"C", "balance"}
        The parameter.
    most : float
        What counts as little.
    at_most : float
        Values above it do not count.
    """

    def judge(choices: pd.DataFrame) -> Found:
        rows = choices[(choices["method"] == "m3ic") & (choices["rule"] == rule)]
        found: Found = []
        for preparation, here in rows.groupby("preparation", sort=False):
            figures = here.loc[here[column] <= at_most, "accuracy"]
            if len(figures) > 1:
                low, high = float(figures.min()), float(figures.max())
                text = f"{preparation}: mean accuracy {low:.3f} to {high:.3f}"
                found.append((f"{text} over {len(figures)} values", high - low <= most))
        return found

    return judge


def worse_beyond(at: float) -> Judge:
    """Judge that mean accuracy is lower where l is above a value than where it is not."""

    def judge(choices: pd.DataFrame) -> Found:
        rows = choices[(choices["method"] == "m3ic") & (choices["rule"] == OVER_C)]
        found: Found = []
        for preparation, here in rows.groupby("preparation", sort=False):
            beyond = here["balance"] > at
            if beyond.any() and not beyond.all():
                low, high = (float(here.loc[side, "accuracy"].mean()) for side in (~beyond, beyond))
                text = f"{preparation}: mean accuracy {low:.3f} up to l = {at:g}, {high:.3f} beyond"
                found.append((text, high < low))
        return found

    return judge


def of_clusters(k: int, judge: Judge) -> Judge:
    """Judge by the rows of one number of groups."""
    return lambda choices: judge(choices[choices["k"] == k]) if (choices["k"] == k).any() else []


def medoids_as_in_paper(choices: pd.DataFrame) -> Found:
    """Judge that every PAM is in the range of F-measures that the paper prints."""
    printed = paper_of_kriegel(str(choices["dataset"].iloc[0]), "pam", "f_measure")
    rows = choices[choices["method"].isin(PAM) & (choices["k"] == KRIEGELS_CLUSTERS)]
    ours = rows["f_measure"]
    if printed is None or not len(ours):
        return []
    low, high = printed
    inside = ours.between(low - 0.0005, high + 0.005).sum()
    figures = (
        f"F {ours.min():.3f} to {ours.max():.3f}, {inside} of {len(ours)} within the paper's "
        f"{low:.3f} to {high:.2f}"
    )
    return [(figures, bool(inside == len(ours)))]


def _best(
    choices: pd.DataFrame,
    methods: Sequence[str],
    rules: Sequence[str],
    measure: str,
    *,
    low: bool = False,
) -> tuple[float, str] | None:
    """Best figure, and which method and features gave it."""
    rows = choices[choices["method"].isin(methods) & choices["rule"].isin(rules)]
    if not len(rows):
        return None
    figures = rows[measure]
    at = rows.iloc[int(figures.argmin() if low else figures.argmax())]
    setting = "" if pd.isna(at["C"]) else f", C = {at['C']:g}, l = {at['balance']:g}"
    return float(at[measure]), f"{at['method']}, {at['preparation']}{setting}"
