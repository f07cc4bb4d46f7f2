"""The experiments on methods that group bags: m3ic (Zhang et al.), mi-em (Kriegel et al.).

References
----------
Kriegel, Pryakhin & Schubert, An EM-approach for clustering multi-instance objects, PAKDD 2006,
section 5.

Zhang, Wang, Si & Li, Maximum margin multiple instance clustering with applications to image and
text clustering, IEEE Transactions on Neural Networks 22 (2011), section 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product

import pandas as pd

from algorithms.errors import did_you_mean
from birdmodes.errors import ParameterError
from birdmodes.experiments.data import Data
from birdmodes.experiments.experiment import Measured, Protocol
from birdmodes.experiments.known import KRIEGELS_CLUSTERS, MARK, paper_of_zhang, published
from birdmodes.experiments.paper import read_experiment
from birdmodes.experiments.papers.bag_judges import JUDGES
from birdmodes.experiments.results import in_order
from birdmodes.experiments.shown import group_numbers
from birdmodes.experiments.shown.bags import RULES_AND_FEATURES, show
from birdmodes.experiments.tasks import Setting
from birdmodes.experiments.work.bags import (
    CENTRED,
    ENTRANTS,
    OF_MI_EM,
    PREPARATIONS,
    WITH_GRID,
    problems_of,
)
from birdmodes.experiments.work.choices import (
    FIGURES,
    OVER_C,
    OVER_L,
    SETTING_COLUMNS,
    WHOLE,
    choices_table,
)
from birdmodes.experiments.work.grouping import work
from birdmodes.experiments.work.tables import TABLES

GRIDS: dict[str, tuple[tuple[float, ...], tuple[float, ...]]] = {
    name: (tuple(grid["C"]), tuple(grid["l"])) for name, grid in TABLES["grids"].items()
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


_bag_experiment = partial(
    read_experiment,
    judges=JUDGES,
    settings=settings_of,
    work=work,
    setting_columns=SETTING_COLUMNS,
    figures=FIGURES,
    summarise=choices_table,
    facts=facts_of_bags,
    orders={"preparation": list(PREPARATIONS)},
    judged=without_subsets,
)

ZHANG = _bag_experiment(
    "m3ic",
    values={
        "accuracy": paper_of_zhang("accuracy"),
        "nmi": paper_of_zhang("nmi_geometric"),
        "OVER_C": OVER_C,
        "OVER_L": OVER_L,
        "WHOLE": WHOLE,
        "MARK": MARK,
        "RULES_AND_FEATURES": RULES_AND_FEATURES,
    },
    problems=problems_of("m3ic"),
    entrants=ENTRANTS,
    show=show,
)

_PRINTED = published("kriegel").query("method == 'mi-em' and measure == 'f_measure'")

KRIEGEL = _bag_experiment(
    "mi-em",
    values={
        "printed": _PRINTED.set_index("set")["lowest"].to_dict(),
        "KRIEGELS_CLUSTERS": KRIEGELS_CLUSTERS,
        "RULES_AND_FEATURES": RULES_AND_FEATURES,
    },
    problems=problems_of("mi-em"),
    entrants=dict.fromkeys(OF_MI_EM),
    show=group_numbers.show,
)
