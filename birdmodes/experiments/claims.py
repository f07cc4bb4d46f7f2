"""What papers say of their results, and what follows from ours: lists that are checked.

A claim is data: its words, the sets that it is about and one of the judges of
:mod:`birdmodes.experiments.judges`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import pandas as pd

Status = Literal["holds", "does not hold", "not measured"]
Origin = Literal["paper", "beside the paper", "this program"]


@dataclass(frozen=True)
class Evidence:
    """One comparison: on which set, its figures as text, and whether it speaks for the claim."""

    dataset: str
    figures: str
    holds: bool


Judge = Callable[[pd.DataFrame], "list[tuple[str, bool]]"]
"""From the rows of one set to figures and whether they hold; empty when they were not measured."""


@dataclass(frozen=True)
class Claim:
    """A sentence that can be true or false of results.

    Attributes
    ----------
    text : str
        The sentence.
    test : str
        How it is judged.
    judge : callable
        Judges one set.
    origin : str
        Who says so.
    datasets : tuple of str
        Sets that it is about; every set when empty.
    share : float
        Share of the measured sets on which it must hold.
    """

    text: str
    test: str
    judge: Judge
    origin: Origin = "paper"
    datasets: tuple[str, ...] = ()
    share: float = 1.0


@dataclass(frozen=True)
class Verdict:
    """A claim and what became of it."""

    claim: Claim
    evidence: list[Evidence]

    @property
    def status(self) -> Status:
        """It holds when all that was measured on enough sets speaks for it."""
        if not self.evidence:
            return "not measured"
        by_set = self._by_set()
        enough = sum(by_set.values()) >= self.claim.share * len(by_set)
        return "holds" if enough else "does not hold"

    @property
    def extent(self) -> str:
        """On how many of the measured sets it holds."""
        by_set = self._by_set()
        return f"on {sum(by_set.values())} of {len(by_set)} sets" if by_set else ""

    def _by_set(self) -> dict[str, bool]:
        """Whether all evidence from a set speaks for the claim."""
        by_set: dict[str, bool] = {}
        for piece in self.evidence:
            by_set[piece.dataset] = by_set.get(piece.dataset, True) and piece.holds
        return by_set


def check_claims(runs: pd.DataFrame, claims: Sequence[Claim]) -> list[Verdict]:
    """Judge every claim by a table that has a column ``dataset``."""
    if "called" not in runs and "method" in runs:
        runs = runs.assign(called=runs["method"])  # once for all that is compared
    verdicts = []
    for claim in claims:
        evidence = []
        for dataset, of_set in runs.groupby("dataset", sort=False):
            if not claim.datasets or dataset in claim.datasets:
                found = claim.judge(of_set)
                evidence += [Evidence(str(dataset), figures, holds) for figures, holds in found]
        verdicts.append(Verdict(claim, evidence))
    return verdicts
