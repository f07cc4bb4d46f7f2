"""The experiment of Zhang et al. (2011) on m3ic, and what it shares with that on mi-em.

References
----------
Zhang, Wang, Si & Li, Maximum margin multiple instance clustering with applications to image and
text clustering, IEEE Transactions on Neural Networks 22 (2011), section 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import pandas as pd

from algorithms.errors import did_you_mean
from birdmodes.errors import ParameterError
from birdmodes.experiments.data import Data
from birdmodes.experiments.experiment import Brief, Experiment, Measured, Protocol
from birdmodes.experiments.known import MARK, paper_of_zhang
from birdmodes.experiments.paper import read_paper
from birdmodes.experiments.papers.bag_judges import JUDGES
from birdmodes.experiments.results import in_order
from birdmodes.experiments.shown.bags import RULES_AND_FEATURES, show
from birdmodes.experiments.tasks import Setting
from birdmodes.experiments.work.bags import (
    CENTRED,
    ENTRANTS,
    PREPARATIONS,
    WITH_GRID,
    problems_of,
)
from birdmodes.experiments.work.choices import (
    FIGURES,
    OVER_C,
    OVER_L,
    RULES,
    SETTING_COLUMNS,
    choices_table,
)
from birdmodes.experiments.work.grouping import work

GRIDS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    "full": (
        tuple(2.0**power for power in range(-4, 5)),
        (0.0, 0.001, 0.01, 0.1, 1.0, 2.0, 3.0, 4.0, 5.0, 10.0),
    ),
    "coarse": ((0.0625, 0.25, 1.0, 4.0, 16.0), (0.0, 0.1, 1.0, 10.0)),
    "small": ((0.25, 4.0), (0.0, 1.0)),
}
"""Values of C and of l, rising: the paper's grid, and two parts of it."""


def cluster_counts(protocol: Protocol, n_classes: int) -> tuple[int, ...]:
    """Numbers of groups: as many as classes, and for mi-em 3 and 4 times as many, too.

    Of two classes that makes the 2, 6 and 8 of Kriegel et al.
    """
    factors = (1,) if protocol.experiment == "m3ic" else (1, 3, 4)
    return tuple(factor * n_classes for factor in factors)


def settings_of(data: Data, entrant: str, protocol: Protocol) -> Iterator[Setting]:
    """List the settings of one method on one problem.

    Methods that have C and l (cost, balance) are run on every point of the grid and with their
    defaults: then, and for the others, both are None.

    Raises
    ------
    ParameterError
        For features that are not known.
    """
    for name in protocol.features:
        if name not in PREPARATIONS:
            raise ParameterError(
                f"--features: there is no {name!r}{did_you_mean(name, PREPARATIONS)}: choose "
                f"from {', '.join(PREPARATIONS)}"
            )
    costs, balances = GRIDS[protocol.grid]
    for preparation in [known for known in PREPARATIONS if known in protocol.features]:
        for k in cluster_counts(protocol, data.bags.n_classes):
            points = [(None, None), *(product(costs, balances) if entrant in WITH_GRID else ())]
            for cost, balance in points:
                # Where l has no effect, one value of it says all.
                if preparation not in CENTRED or balance in (None, balances[0]):
                    names = {"dataset": data.name, "preparation": preparation, "entrant": entrant}
                    yield Setting(**names, k=k, cost=cost, balance=balance)


_MAIN = ("m3ic", "mi-em", "kmeans-vote")


def brief_table(summary: pd.DataFrame) -> Brief:
    """Print the figures of the methods that the papers are about, and of k-means."""
    chosen = summary[summary["method"].isin(_MAIN) & summary["rule"].isin(RULES)]
    columns = {
        "data set": "{dataset}",
        "features": "{preparation}",
        "method, rule": "{method}, {rule}",
        "K": "{k}",
        "accuracy": "{accuracy:.3f}",
        "NMI": "{nmi_geometric:.3f}",
        "F": "{f_measure:.3f}",
    }
    return Brief.of(chosen, columns, 3)


def without_subsets(measured: Measured) -> pd.DataFrame:
    """What claims are judged by: subsets have problems in common, and with those of the paper."""
    choices = measured.summary
    return choices[~choices["dataset"].str.contains(":")]


def facts_of_bags(
    protocol: Protocol, data: Sequence[Data], runs: pd.DataFrame
) -> list[tuple[str, str]]:
    """How the experiment was done, for the report."""
    if protocol.experiment == "mi-em":
        how_often = f"{protocol.mixture_runs} of mi-em; PAM has no randomness"
    else:
        how_often = (
            f"{protocol.starts} starts of m3ic, cpm3c and m3ic-kernel, {protocol.medoid_runs} runs "
            f"of BAMIC, {protocol.vote_runs} of kmeans-vote, {protocol.mixture_runs} of mi-em"
        )
    return [
        ("features", ", ".join(dict.fromkeys(runs["preparation"]))),
        ("runs", how_often),
        ("pairs of C and l", _grids(runs)),
    ]


def _grids(runs: pd.DataFrame) -> str:
    """Tell how many pairs of C and l were tried, by method and features."""
    searched = runs[runs["C"].notna()]
    names = ["method", "preparation", "dataset"]
    distinct = searched[[*names, "C", "balance"]].drop_duplicates()
    points = distinct.groupby(names, sort=False).size()
    said = []
    for method in in_order(searched["method"], list(ENTRANTS)):
        of_method: pd.Series[int] = points.loc[[method]].droplevel(0)
        for preparation in dict.fromkeys(of_method.index.get_level_values(0)):
            counts = of_method.loc[[preparation]]
            few, most = int(counts.min()), int(counts.max())
            extent = f"{few}" if few == most else f"{few} to {most}"
            said.append(f"{method}, {preparation}: {extent} on {len(counts)} problems")
    return "; ".join(said) or "none"


SHARED: dict[str, Any] = {
    "settings": settings_of,
    "work": work,
    "setting_columns": SETTING_COLUMNS,
    "figures": FIGURES,
    "summarise": choices_table,
    "brief": brief_table,
    "facts": facts_of_bags,
    "orders": {"preparation": list(PREPARATIONS)},
    "judged": without_subsets,
}
"""What both experiments on bags have in common."""

_PAPER = read_paper(
    "m3ic",
    JUDGES,
    accuracy=paper_of_zhang("accuracy"),
    nmi=paper_of_zhang("nmi_geometric"),
    OVER_C=OVER_C,
    OVER_L=OVER_L,
    MARK=MARK,
    RULES_AND_FEATURES=RULES_AND_FEATURES,
)

ZHANG = Experiment(
    problems=problems_of("m3ic"),
    entrants=ENTRANTS,
    show=partial(show, _PAPER.texts),
    **SHARED,
    **_PAPER.fields,
)
