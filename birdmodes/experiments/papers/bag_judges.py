"""Judges of claims on methods that group bags, by what rules choose from their runs.

Both sides have the best of the preparations of features, so that none is held back by its
features.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import gt, lt

import pandas as pd

from birdmodes.experiments.claims import Judge
from birdmodes.experiments.judges import At, Found, Value, at_each, compared, everywhere
from birdmodes.experiments.known import KRIEGELS_CLUSTERS, paper_of_kriegel
from birdmodes.experiments.tables import WORDS

_NAMES: dict[str, str] = WORDS["measures_of_groups"]

Chosen = tuple[Sequence[str], Sequence[str]]
"""Methods, and the rules that choose their results."""


def higher(
    first: Chosen,
    others: Chosen,
    measure: str = "accuracy",
    at: At = everywhere,
    *,
    low: bool = False,
) -> Judge:
    """Judge that the best of one side exceeds the best of another.

    Parameters
    ----------
    first, others : Chosen
        The sides.
    measure : str
        What is compared.
    at : callable
        Where they are compared.
    low : bool
        Whether the best is the least: then the first side has to be below the other.
    """
    one, other = (best_of(*side, measure, low=low) for side in (first, others))
    text = f"{_NAMES[measure]} {{first:.3f}} ({{one}}), {{second:.3f}} ({{other}})"
    return at_each(at, compared(one, other, text, lt if low else gt))


def reaches(
    methods: Sequence[str],
    rules: Sequence[str],
    measure: str,
    paper: Mapping[str, float],
    at: At = everywhere,
    *,
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
    at : callable
        Where they are compared.
    digits : int
        Digits that the paper gives.
    """

    def printed(choices: pd.DataFrame) -> tuple[float, str] | None:
        known = paper.get(str(choices["dataset"].iloc[0])) if len(choices) else None
        return None if known is None else (known, "paper")

    text = f"{_NAMES[measure]} {{first:.3f}} ({{one}}), paper {{second:.{digits}f}}"
    ours = best_of(methods, rules, measure)
    return at_each(at, compared(ours, printed, text, lambda one, known: round(one, 3) >= known))


def medoids_as_in_paper(choices: pd.DataFrame) -> Found:
    """Judge that every PAM is in the range of F-measures that the paper prints."""
    printed = paper_of_kriegel(str(choices["dataset"].iloc[0]), "pam", "f_measure")
    rows = choices[choices["method"].str.startswith("pam-") & (choices["k"] == KRIEGELS_CLUSTERS)]
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


def best_of(
    methods: Sequence[str], rules: Sequence[str], measure: str, *, low: bool = False
) -> Value:
    """Best figure, and which method and features gave it."""

    def value(choices: pd.DataFrame) -> tuple[float, str] | None:
        rows = choices[choices["method"].isin(methods) & choices["rule"].isin(rules)]
        if not len(rows):
            return None
        figures = rows[measure]
        at = rows.iloc[int(figures.argmin() if low else figures.argmax())]
        setting = "" if pd.isna(at["C"]) else f", C = {at['C']:g}, l = {at['balance']:g}"
        return float(at[measure]), f"{at['method']}, {at['preparation']}{setting}"

    return value


JUDGES = (higher, reaches, medoids_as_in_paper)
