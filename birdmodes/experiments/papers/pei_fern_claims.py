"""What Pei & Fern (2013) say of their experiments, and what we ask besides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pandas as pd

from algorithms.disambiguation.list_baselines import LIST_BASELINES
from birdmodes.experiments.claims import Claim, Judge
from birdmodes.experiments.judges import (
    EXCEEDS,
    NMI_AND_PURITY,
    NOT_BELOW,
    At,
    Found,
    exceeds,
    flat,
)
from birdmodes.experiments.shown.instances import at_c_clusters

COMPARABLE = 0.05
"""Two methods are comparable when their means differ by no more than this."""

FLAT_RANGE = 0.05
"""Mean purity counts as insensitive to alpha when it moves by no more than this."""

Part = tuple[str, pd.DataFrame]


def at_c(runs: pd.DataFrame) -> list[Part]:
    """Compare with K = C and all bags labelled."""
    return [("", at_c_clusters(runs))]


def at_fewest_labels(runs: pd.DataFrame) -> list[Part]:
    """Compare where the fewest bags are labelled, if that are not all."""
    labelled = runs[runs["experiment"] == "labelled"]
    fewest = labelled[labelled["labelled_share"] == labelled["labelled_share"].min()]
    return [("", fewest[fewest["labelled_share"] < 1])]


def at_every_k(runs: pd.DataFrame) -> list[Part]:
    """Compare at every number of clusters."""
    clusters = runs[runs["experiment"] == "clusters"]
    return [(f"K = {k}: ", of_k) for k, of_k in clusters.groupby("k")]


def over_alpha(method: str, runs: pd.DataFrame) -> list[Part]:
    """Look at one method while alpha is varied."""
    return [("", runs[(runs["experiment"] == "alpha") & (runs["method"] == method)])]


def more_labels_help(method: str) -> Judge:
    """Judge that a method does better with all bags labelled than with the fewest."""

    def judge(runs: pd.DataFrame) -> list[tuple[str, bool]]:
        rows = runs[(runs["experiment"] == "labelled") & (runs["method"] == method)]
        shares = sorted(rows["labelled_share"].unique())
        if len(shares) < 2:
            return []
        rows = rows.assign(called=rows["labelled_share"].map("{:.0%}".format))
        return exceeds(f"{shares[-1]:.0%}", f"{shares[0]:.0%}")(rows)

    return judge


_HIGHER = "the mean over runs is higher"
_AT_C = "K = C, all bags labelled; NMI and purity; "
_AT_EVERY_K = "every K from C to 2C, all bags labelled; NMI and purity; "
_LETTERS = ("letter-carroll", "letter-frost")
_HJA = ("hja-birdsong", "hja-birdsong-several")
_MSRC_AND_LETTERS = ("msrc-v2", "letter-carroll", "letter-frost")


def _exceeds(text: str, first: str, second: str, more: str = "", **fields: Any) -> Claim:
    return Claim(text, _AT_C + EXCEEDS + more, exceeds(first, second, at_c), **fields)


def _not_below(text: str, first: str, second: str, **fields: Any) -> Claim:
    return Claim(text, _AT_C + NOT_BELOW, exceeds(first, second, at_c, or_equal=True), **fields)


def of_means(first: str, second: str, at: At, speaks: Callable[[float], bool]) -> Judge:
    """Judge by the difference of the means of two methods."""

    def judge(runs: pd.DataFrame) -> Found:
        found: Found = []
        for before, rows in at(runs):
            for measure, called in NMI_AND_PURITY.items():
                means = rows.groupby("method")[measure].mean()
                if {first, second} <= set(means.index):
                    one, other = float(means[first]), float(means[second])
                    text = f"{before}{called} {first} {one:.3f}, {second} {other:.3f}"
                    found.append((text, speaks(one - other)))
        return found

    return judge


def comparable(first: str, second: str, at: At) -> Judge:
    """Judge that neither of two methods is behind the other by more than :data:`COMPARABLE`."""
    return of_means(first, second, at, lambda difference: abs(difference) <= COMPARABLE)


def higher_mean(first: str, second: str, at: At) -> Judge:
    """Judge that the mean of a method is higher than that of another."""
    return of_means(first, second, at, lambda difference: difference > 0)


def at_every_share(runs: pd.DataFrame) -> list[Part]:
    """Compare at every share of labelled bags; all of them where the share was not varied."""
    labelled = runs[runs["experiment"] == "labelled"]
    if labelled.empty:
        labelled = at_c_clusters(runs)
    return [(f"{share:.0%} labelled: ", here) for share, here in labelled.groupby("labelled_share")]


def above_c(runs: pd.DataFrame) -> list[Part]:
    """Compare at every number of clusters above that of classes."""
    return at_every_k(runs)[1:]


def _on_hja() -> Iterator[Claim]:
    """What the paper says of csp and splearn on HJA, for either form of splearn."""
    for name in ("splearn", "splearn-symmetric"):
        fields: dict[str, Any] = {"datasets": _HJA}
        yield Claim(
            f"csp is comparable with {name} on HJA with K = C, at all shares of labelled bags",
            f"K = C; means of NMI and purity differ by no more than {COMPARABLE:g}",
            comparable("csp", name, at_every_share),
            **fields,
        )
        yield Claim(
            f"{name} excels csp on HJA with more clusters than classes",
            "every K above C, all bags labelled; means of NMI and purity are higher",
            higher_mean(name, "csp", above_c),
            **fields,
        )


def _at_every_k(text: str, first: str, second: str, **fields: Any) -> Claim:
    return Claim(text, _AT_EVERY_K + EXCEEDS, exceeds(first, second, at_every_k), **fields)


_OURS: dict[str, Any] = {"origin": "this program"}
_BESIDE: dict[str, Any] = {"origin": "beside the paper"}

CLAIMS: tuple[Claim, ...] = (
    *_on_hja(),
    Claim(
        "spreg gains nothing over sp on the letters",
        f"{_AT_C}means differ by no more than {COMPARABLE:g}",
        comparable("spreg", "sp", at_c),
        datasets=_LETTERS,
    ),
    *(
        Claim(
            f"{name} is worse than sp on the letters",
            _AT_C + _HIGHER,
            higher_mean("sp", name, at_c),
            datasets=_LETTERS,
        )
        for name in ("splearn", "splearn-symmetric")
    ),
    _exceeds("csp is better than sp on every set", "csp", "sp"),
    _not_below("csp is at least as good as spreg", "csp", "spreg"),
    _exceeds(
        "csp is better than splearn (additive normalisation, as compared in the paper) on MSRC "
        "and the letters",
        "csp",
        "splearn",
        datasets=_MSRC_AND_LETTERS,
    ),
    _exceeds(
        "csp is better than splearn with symmetric normalisation, too",
        "csp",
        "splearn-symmetric",
        "; the paper does not compare with this one",
        **_BESIDE,
    ),
    Claim(
        "the purity of csp is insensitive to alpha from 0.5 to 1",
        f"K = C, all bags labelled; mean purity moves by no more than {FLAT_RANGE:g}",
        flat("alpha", 0.5, 1.0, "purity", FLAT_RANGE, partial(over_alpha, "csp")),
    ),
    Claim(
        "more labelled bags help csp",
        "K = C; NMI and purity with the most against the fewest labelled bags; " + EXCEEDS,
        more_labels_help("csp"),
    ),
    _exceeds(
        "without the must-link and cannot-link pairs csp is still better than sp",
        "csp-no-pairs",
        "sp",
    ),
    _not_below("csp is at least as good as csp without the pairs", "csp", "csp-no-pairs"),
    _at_every_k("csp is better than sp with more clusters than classes, too", "csp", "sp"),
    _exceeds("ldc is better than csp", "ldc", "csp", **_OURS),
    _at_every_k(
        "ldc is better than csp with more clusters than classes, too", "ldc", "csp", **_OURS
    ),
    Claim(
        "ldc is at least as good as sp with the fewest labelled bags",
        "K = C; NMI and purity; " + NOT_BELOW,
        exceeds("ldc", "sp", at_fewest_labels, or_equal=True),
        **_OURS,
    ),
    _exceeds("mimlca is better than csp", "mimlca", "csp", **_BESIDE),
    _exceeds("ldc is better than mimlca", "ldc", "mimlca", **_OURS),
    _exceeds("ldc is better than mimlca without a limit", "ldc", "mimlca-no-limit", **_OURS),
    *(
        Claim(
            f"{method} is better than {name}, which knows little but the list",
            _AT_C + _HIGHER,
            higher_mean(method, name, at_c),
            **fields,
        )
        for method, fields in (("ldc", _OURS), ("csp", _BESIDE))
        for name in LIST_BASELINES
    ),
)
