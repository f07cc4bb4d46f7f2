"""What is picked from the tables of all ways: fold by fold, or as means."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from birdmodes.experiments.held_out.learners import LEARNERS
from birdmodes.experiments.instance_accuracy.entrants import ENTRANTS, MAJORITY
from birdmodes.experiments.instance_accuracy.work import CHOSEN

DEFAULT_ALPHAS: dict[str, float] = {"linear": 0.5, "kernel": 0.25}
"""Defaults of the package, of the two forms."""


def form_of(method: str) -> str:
    """Tell "linear" from "kernel" learners."""
    return "linear" if LEARNERS[method].most_instances is None else "kernel"


def with_rule_16(methods: Sequence[str]) -> list[str]:
    """Give those that have an axis for each class, in the order of the tables."""
    present = set(methods) - {MAJORITY}
    return [name for name in ENTRANTS if name in present and LEARNERS[name].class_model == "axes"]


def plain_rules(table: pd.DataFrame, candidates: str, told: Sequence[str]) -> pd.DataFrame:
    """Keep the rows without alpha: nearest means, and what stands for them.

    Parameters
    ----------
    table : pandas.DataFrame
        Of folds or of means.
    candidates : {"all", "bag"}
        Classes that an instance may be given.
    told : sequence of str
        What may be known of training bags.
    """
    plain = ~table["rule"].isin(["16", CHOSEN])
    return table[plain & (table["candidates"] == candidates) & table["told"].isin(told)]


def alpha_rows(table: pd.DataFrame, method: str, candidates: str = "all") -> pd.DataFrame:
    """Keep the rows of rule 16 of one method, with each fixed alpha."""
    fixed = (table["rule"] == "16") & (table["method"] == method)
    return table[fixed & (table["candidates"] == candidates)]
