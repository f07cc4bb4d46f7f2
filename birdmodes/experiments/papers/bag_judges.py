"""Judges of claims on methods that group bags, by what rules choose from their runs.

Both sides have the best of the preparations of features, so that none is held back by its
features.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from birdmodes.experiments.claims import Judge
from birdmodes.experiments.judges import Found
from birdmodes.experiments.known import PAPER_F_MEDOIDS

_NAMES = {"accuracy": "accuracy", "nmi_geometric": "NMI", "f_measure": "F", "purity": "precision"}
BAMIC = ("bamic-min", "bamic-max", "bamic-avg")
PAM = ("pam-hausdorff", "pam-min-hausdorff", "pam-smd")

Chosen = tuple[Sequence[str], Sequence[str]]
"""Methods, and the rules that choose their results."""


def higher(first: Chosen, others: Chosen, measure: str = "accuracy") -> Judge:
    """Judge that the best of one side exceeds the best of another."""

    def judge(choices: pd.DataFrame) -> Found:
        one, other = (_best(choices, *side, measure) for side in (first, others))
        if one is None or other is None:
            return []
        figures = f"{_NAMES[measure]} {one[0]:.3f} ({one[1]}), {other[0]:.3f} ({other[1]})"
        return [(figures, one[0] > other[0])]

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


def faster(first: str, second: str) -> Judge:
    """Judge that one run of a method takes less processor time than one of another."""

    def judge(choices: pd.DataFrame) -> Found:
        times = [choices.loc[choices["method"] == name, "seconds"] for name in (first, second)]
        if not all(map(len, times)):
            return []
        one, other = (float(of_method.mean()) for of_method in times)
        return [(f"{one:.3g} s, {other:.3g} s", one < other)]

    return judge


def medoids_as_in_paper(choices: pd.DataFrame) -> Found:
    """Judge that every PAM is in the range of F-measures that the paper reports."""
    paper = PAPER_F_MEDOIDS.get(str(choices["dataset"].iloc[0]))
    ours = choices.loc[choices["method"].isin(PAM), "f_measure"]
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
