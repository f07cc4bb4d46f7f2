"""What the paper says of its results, and what follows from ours: a list that is checked.

A claim is data: its words, the sets that it is about and a function from the runs of a set to
evidence. Whether one mean exceeds another is judged by the runs, paired by their number (which
have the same labelled bags): the mean difference against twice its standard error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pandas as pd

from birdmodes.experiments.results import at_c_clusters

STANDARD_ERRORS = 2.0
"""A difference counts when it exceeds so many standard errors."""

TOLERANCE = 0.01
"""A method is as good as another when it falls short by no more than this or so many errors."""

FLAT_RANGE = 0.05
"""Mean purity counts as insensitive to alpha when it moves by no more than this."""

_JUDGED_BY = {"nmi": "NMI", "purity": "purity"}

Status = Literal["holds", "does not hold", "not measured"]
Origin = Literal["paper", "beside the paper", "this program"]


@dataclass(frozen=True)
class Evidence:
    """One comparison: on which set, its figures as text, and whether it speaks for the claim."""

    dataset: str
    figures: str
    holds: bool


Judge = Callable[[pd.DataFrame], "list[tuple[str, bool]]"]
"""From the runs of one set to figures and whether they hold; empty when they were not measured."""


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


def check_claims(runs: pd.DataFrame, claims: Sequence[Claim] | None = None) -> list[Verdict]:
    """Judge every claim by the runs of :func:`birdmodes.experiments.results.runs_table`."""
    verdicts = []
    for claim in CLAIMS if claims is None else claims:
        evidence = []
        for dataset, of_set in runs.groupby("dataset", sort=False):
            if not claim.datasets or dataset in claim.datasets:
                found = claim.judge(of_set)
                evidence += [Evidence(str(dataset), figures, holds) for figures, holds in found]
        verdicts.append(Verdict(claim, evidence))
    return verdicts


def better(first: str, second: str, *, or_equal: bool = False) -> Judge:
    """Judge that `first` exceeds `second` with K = C and all bags labelled.

    With `or_equal`, that it does not fall short of it.
    """

    def judge(runs: pd.DataFrame) -> list[tuple[str, bool]]:
        return compare(at_c_clusters(runs), first, second, or_equal)

    return judge


def better_with_few_labels(first: str, second: str, *, or_equal: bool = False) -> Judge:
    """Judge the same where the fewest bags are labelled."""

    def judge(runs: pd.DataFrame) -> list[tuple[str, bool]]:
        labelled = runs[runs["experiment"] == "labelled"]
        fewest = labelled[labelled["labelled_share"] == labelled["labelled_share"].min()]
        return compare(fewest[fewest["labelled_share"] < 1], first, second, or_equal)

    return judge


def better_at_every_k(first: str, second: str) -> Judge:
    """Judge that `first` exceeds `second` at every number of clusters."""

    def judge(runs: pd.DataFrame) -> list[tuple[str, bool]]:
        found = []
        for k, of_k in runs[runs["experiment"] == "clusters"].groupby("k"):
            found += [
                (f"K = {k}: {figures}", holds)
                for figures, holds in compare(of_k, first, second, False)
            ]
        return found

    return judge


def more_labels_help(method: str) -> Judge:
    """Judge that a method does better with all bags labelled than with the fewest."""

    def judge(runs: pd.DataFrame) -> list[tuple[str, bool]]:
        of_method = runs[(runs["experiment"] == "labelled") & (runs["method"] == method)]
        shares = sorted(of_method["labelled_share"].unique())
        if len(shares) < 2:
            return []
        most, fewest = (
            of_method[of_method["labelled_share"] == share].assign(method=f"{share:.0%}")
            for share in (shares[-1], shares[0])
        )
        both = pd.concat([most, fewest])
        return compare(both, f"{shares[-1]:.0%}", f"{shares[0]:.0%}", False)

    return judge


def flat_in_alpha(method: str, lowest: float, highest: float) -> Judge:
    """Judge that mean purity moves little while alpha is in a range."""

    def judge(runs: pd.DataFrame) -> list[tuple[str, bool]]:
        varied = runs[(runs["experiment"] == "alpha") & (runs["method"] == method)]
        inside = varied[varied["alpha"].between(lowest, highest)]
        means = inside.groupby("alpha")["purity"].mean()
        if len(means) < 2:
            return []
        span = float(means.max() - means.min())
        without = varied.loc[varied["alpha"] == 0, "purity"]
        beside = f", {without.mean():.3f} at alpha 0" if len(without) else ""
        figures = (
            f"mean purity {means.min():.3f} to {means.max():.3f} over {len(means)} values of "
            f"alpha{beside}"
        )
        return [(figures, span <= FLAT_RANGE)]

    return judge


def compare(
    runs: pd.DataFrame,
    first: str,
    second: str,
    or_equal: bool,
    measures: Mapping[str, str] = _JUDGED_BY,
) -> list[tuple[str, bool]]:
    """Compare two methods, run by run.

    Parameters
    ----------
    runs : pandas.DataFrame
        Of one setting; columns method, run and the measures.
    first, second : str
        The methods: whether the first exceeds the second.
    or_equal : bool
        Whether it is enough that it does not fall short of it.
    measures : mapping of str to str
        Columns to compare by, and what they are called.

    Returns
    -------
    list of (str, bool)
        Figures and whether they speak for the first, by measure; empty with less than two runs.
    """
    by_run = [runs[runs["method"] == name].set_index("run") for name in (first, second)]
    found = []
    for measure, called in measures.items():
        pairs = pd.concat([table[measure] for table in by_run], axis=1, join="inner").to_numpy()
        if len(pairs) < 2:
            return []
        differences = pairs[:, 0] - pairs[:, 1]
        mean = float(differences.mean())
        error = float(differences.std(ddof=1) / np.sqrt(len(differences)))
        margin = STANDARD_ERRORS * error
        figures = (
            f"{called} {first} {pairs[:, 0].mean():.3f}, {second} "
            f"{pairs[:, 1].mean():.3f}, difference {mean:+.3f} (s.e. {error:.3f})"
        )
        as_good = mean >= -max(margin, TOLERANCE)
        found.append((figures, as_good if or_equal else mean > margin))
    return found


_MSRC_AND_LETTERS = ("msrc-v2", "letter-carroll", "letter-frost")
_AT_C = "K = C, all bags labelled; NMI and purity; "
_EXCEEDS = f"mean paired difference above {STANDARD_ERRORS:g} standard errors"
_NOT_BELOW = (
    f"falls short by no more than {TOLERANCE:g} or {STANDARD_ERRORS:g} standard errors of the "
    "mean paired difference"
)

CLAIMS: tuple[Claim, ...] = (
    Claim("csp is better than sp on every set", _AT_C + _EXCEEDS, better("csp", "sp")),
    Claim(
        "csp is at least as good as spreg",
        _AT_C + _NOT_BELOW,
        better("csp", "spreg", or_equal=True),
    ),
    Claim(
        "csp is better than splearn (additive normalisation, as compared in the paper) on MSRC "
        "and the letters",
        _AT_C + _EXCEEDS,
        better("csp", "splearn"),
        datasets=_MSRC_AND_LETTERS,
    ),
    Claim(
        "csp is better than splearn with symmetric normalisation, too",
        _AT_C + _EXCEEDS + "; the paper does not compare with this one",
        better("csp", "splearn-symmetric"),
        origin="beside the paper",
    ),
    Claim(
        "the purity of csp is insensitive to alpha from 0.5 to 1",
        f"K = C, all bags labelled; mean purity moves by no more than {FLAT_RANGE:g}",
        flat_in_alpha("csp", 0.5, 1.0),
    ),
    Claim(
        "more labelled bags help csp",
        "K = C; NMI and purity with the most against the fewest labelled bags; " + _EXCEEDS,
        more_labels_help("csp"),
    ),
    Claim(
        "without the must-link and cannot-link pairs csp is still better than sp",
        _AT_C + _EXCEEDS,
        better("csp-no-pairs", "sp"),
    ),
    Claim(
        "csp is at least as good as csp without the pairs",
        _AT_C + _NOT_BELOW,
        better("csp", "csp-no-pairs", or_equal=True),
    ),
    Claim(
        "csp is better than sp with more clusters than classes, too",
        "every K from C to 2C, all bags labelled; NMI and purity; " + _EXCEEDS,
        better_at_every_k("csp", "sp"),
    ),
    Claim(
        "ldc is better than csp",
        _AT_C + _EXCEEDS,
        better("ldc", "csp"),
        origin="this program",
    ),
    Claim(
        "ldc is better than csp with more clusters than classes, too",
        "every K from C to 2C, all bags labelled; NMI and purity; " + _EXCEEDS,
        better_at_every_k("ldc", "csp"),
        origin="this program",
    ),
    Claim(
        "ldc is at least as good as sp with the fewest labelled bags",
        "K = C; NMI and purity; " + _NOT_BELOW,
        better_with_few_labels("ldc", "sp", or_equal=True),
        origin="this program",
    ),
    Claim(
        "mimlca is better than csp",
        _AT_C + _EXCEEDS,
        better("mimlca", "csp"),
        origin="beside the paper",
    ),
    Claim(
        "ldc is better than mimlca",
        _AT_C + _EXCEEDS,
        better("ldc", "mimlca"),
        origin="this program",
    ),
    Claim(
        "ldc is better than mimlca without a limit",
        _AT_C + _EXCEEDS,
        better("ldc", "mimlca-no-limit"),
        origin="this program",
    ),
)
"""The list of the report."""
