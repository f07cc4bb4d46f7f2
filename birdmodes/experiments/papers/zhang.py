"""The experiment of Zhang et al. (2011) on m3ic, and what it shares with that on mi-em.

References
----------
Zhang, Wang, Si & Li, Maximum margin multiple instance clustering with applications to image and
text clustering, IEEE Transactions on Neural Networks 22 (2011), section 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any

import pandas as pd

from algorithms.errors import did_you_mean
from birdmodes.errors import ParameterError
from birdmodes.experiments.data import Data
from birdmodes.experiments.experiment import EXTENT, Brief, Experiment, Measured, Protocol
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

_FEATURES = {"m3ic": "raw", "mi-em": "standardized"}
_QUICK_RUNS = {"starts": 2, "medoid_runs": 3, "vote_runs": 5, "mixture_runs": 2}


@dataclass(frozen=True, kw_only=True)
class BagProtocol(Protocol):
    """How often methods are run, where C and l are searched, and on which features.

    Attributes
    ----------
    experiment : {"m3ic", "mi-em"}
        Which experiment.
    starts : int
        Random starts of m3ic and cpm3c in each point of the grid.
    medoid_runs : int
        Runs of BAMIC.
    vote_runs : int
        Runs of k-means with majority vote.
    mixture_runs : int
        Runs of mi-em.
    grid : str
        A key of :data:`GRIDS`.
    features : tuple of str
        What is done to features; keys of :data:`~birdmodes.experiments.work.bags.PREPARATIONS`.

    Raises
    ------
    ParameterError
        For features that are not known.
    """

    experiment: str
    starts: int = 5
    medoid_runs: int = 10
    vote_runs: int = 50
    mixture_runs: int = 5
    grid: str = field(default="full", metadata=EXTENT)
    features: tuple[str, ...] = field(default=("raw",), metadata=EXTENT)

    def __post_init__(self) -> None:
        for name in self.features:
            if name not in PREPARATIONS:
                raise ParameterError(
                    f"--features: there is no {name!r}{did_you_mean(name, PREPARATIONS)}: choose "
                    f"from {', '.join(PREPARATIONS)}"
                )

    @classmethod
    def called(cls, name: str, quick: bool = False) -> BagProtocol:
        """Give the numbers of runs that an experiment asks for, or fewer of them, to try it out.

        Where mi-em is beside the paper, and takes longest, it is run once.
        """
        runs = _QUICK_RUNS if quick else {}
        if name == "m3ic":
            runs = {**runs, "mixture_runs": 1}
        grid = "small" if quick else "full"
        return cls(experiment=name, **runs, grid=grid, features=(_FEATURES[name],))

    def runs_of(self, entrant: str) -> int:
        """Tell how often a method is run in one setting."""
        field_of = ENTRANTS[entrant]
        return int(getattr(self, field_of)) if field_of else 1

    def cluster_counts(self, n_classes: int) -> tuple[int, ...]:
        """Numbers of groups: as many as classes, and for mi-em 3 and 4 times as many, too.

        Of two classes that makes the 2, 6 and 8 of Kriegel et al.
        """
        factors = (1,) if self.experiment == "m3ic" else (1, 3, 4)
        return tuple(factor * n_classes for factor in factors)


def settings_of(data: Data, entrant: str, protocol: BagProtocol) -> Iterator[Setting]:
    """List the settings of one method on one problem.

    Methods that have C and l (cost, balance) are run on every point of the grid and with their
    defaults: then, and for the others, both are None.
    """
    costs, balances = GRIDS[protocol.grid]
    for preparation in [known for known in PREPARATIONS if known in protocol.features]:
        for k in protocol.cluster_counts(data.bags.n_classes):
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
    protocol: BagProtocol, data: Sequence[Data], runs: pd.DataFrame
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
    "protocol": BagProtocol.called,
    "options": ("grid", "features"),
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
    name="m3ic",
    problems=problems_of("m3ic"),
    entrants=ENTRANTS,
    claims=_PAPER.claims,
    words=_PAPER.words,
    show=partial(show, _PAPER.texts),
    **SHARED,
)
