"""The experiment of Zhang et al. (2011), Fig. 1 to 3: accuracy and time against the number of bags.

References
----------
Zhang, Wang, Si & Li, Maximum margin multiple instance clustering with applications to image and
text clustering, IEEE Transactions on Neural Networks 22 (2011), section 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.figure import Figure

from algorithms import metrics
from algorithms.bags import IntArray
from algorithms.folds import choose_bags
from algorithms.registry import make_clusterer
from birdmodes.experiments.claims import Claim
from birdmodes.experiments.data import Data, Problems
from birdmodes.experiments.experiment import Brief, Experiment, Measured, Protocol, Shown
from birdmodes.experiments.figures import (
    COLOURS,
    MARKERS,
    STYLE,
    draw_deviations,
    name_panel,
    panels,
    write_figure,
)
from birdmodes.experiments.judges import Found
from birdmodes.experiments.known import marked
from birdmodes.experiments.report import Section, Words
from birdmodes.experiments.results import in_order, means_table
from birdmodes.experiments.tables import Cell, ReportTable, lay_out, percent, seconds
from birdmodes.experiments.tasks import DIGITS, Row, Setting, Stopwatch, Task, child_seed
from birdmodes.experiments.work.bags import BUILT_IN_PROBLEM, load_prepared, problems_of

FEATURES = "raw"
PROBLEMS = ("sival", "reuters-6", "natural-scene-4")
"""What is public of SIVAL stands for the paper's problem 6 of it."""

ENTRANTS: dict[str, dict[str, Any]] = {
    "m3ic": {"n_init": 5, "scaling": "none"},
    "kmeans-vote": {"n_init": 1},
    "bamic-min": {},
    "bamic-max": {},
    "bamic-avg": {},
}
"""Methods and their parameters; of m3ic the start of least J of five, with its default C and l."""

_STEPS = 5


@dataclass(frozen=True, kw_only=True)
class BagNumberProtocol(Protocol):
    """How often bags are drawn.

    Attributes
    ----------
    runs : int
        Draws for each number of bags.
    """

    runs: int = 100

    @classmethod
    def called(cls, name: str, quick: bool = False) -> BagNumberProtocol:
        """Give the protocol, or one of few draws."""
        return cls(runs=3) if quick else cls()


@dataclass(frozen=True)
class BagNumberSetting(Setting):
    """All draws of one number of bags.

    Attributes
    ----------
    dataset, entrant : str
        Problem and method.
    of_class : int
        Bags of each class.
    """

    dataset: str
    entrant: str
    of_class: int

    @property
    def title(self) -> str:
        """The problem, the number and the method."""
        return f"{self.dataset}, {self.of_class} bags of each class, {self.entrant}"


def settings_of(
    data: Data, entrant: str, protocol: BagNumberProtocol
) -> Iterator[BagNumberSetting]:
    """List the settings: a fifth to all bags of the smallest class, as many of every class."""
    fewest = int(np.bincount(data.known_truth).min())
    for number in sorted({max(2, round(fewest * step / _STEPS)) for step in range(1, _STEPS + 1)}):
        yield BagNumberSetting(data.name, entrant, number)


def work(task: Task) -> Iterator[Row]:
    """Give a row for each draw; every method sees the same bags."""
    setting, protocol = task.setting, task.protocol
    data = load_prepared(task.source, FEATURES)
    truth = data.known_truth
    k = data.bags.n_classes
    for run in range(protocol.runs):
        drawn = _drawn(truth, setting.of_class, _seed(protocol, "bags", setting, run))
        bags = choose_bags(data.bags, drawn)
        seed = _seed(protocol, setting.entrant, setting, run)
        clusterer: Any = make_clusterer(
            setting.entrant, n_clusters=k, random_state=seed, **ENTRANTS[setting.entrant]
        )
        with Stopwatch() as watch:
            labels = clusterer.fit(bags).labels_
        yield {
            "dataset": setting.dataset,
            "method": setting.entrant,
            "bags": k * setting.of_class,
            "run": run,
            "accuracy": round(metrics.clustering_accuracy(truth[drawn], labels), DIGITS),
            "seconds": round(watch.seconds, 4),
        }


def _seed(protocol: Any, what: str, setting: Any, run: int) -> int:
    return child_seed(protocol.seed, "m3ic-bags", what, setting.dataset, setting.of_class, run)


def _drawn(truth: IntArray, of_class: int, seed: int) -> Any:
    """As many bags of each class, at random."""
    rng = np.random.default_rng(seed)
    drawn = np.zeros(len(truth), dtype=np.bool_)
    for category in np.unique(truth):
        drawn[rng.choice(np.flatnonzero(truth == category), of_class, replace=False)] = True
    return drawn


COLUMNS = ("dataset", "method", "bags")
FIGURES = ("accuracy", "seconds")


def summary_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Average over draws."""
    return means_table(runs, COLUMNS, FIGURES)


LITTLE = 0.05
"""Accuracy changes little when its mean moves by no more than this."""


def changes_little(runs: pd.DataFrame) -> Found:
    """Judge that the mean accuracy of m3ic depends little on the number of bags."""
    means = runs[runs["method"] == "m3ic"].groupby("bags")["accuracy"].mean()
    if len(means) < 2:
        return []
    low, high = float(means.min()), float(means.max())
    return [(f"mean accuracy {low:.3f} to {high:.3f}", high - low <= LITTLE)]


def faster_than_bamic(runs: pd.DataFrame) -> Found:
    """Judge that with all bags m3ic takes less time than every BAMIC."""
    most = runs[runs["bags"] == runs["bags"].max()].groupby("method")["seconds"].mean()
    rivals = most[most.index.str.startswith("bamic")]
    if "m3ic" not in most.index or rivals.empty:
        return []
    text = f"{most['m3ic']:.3g} s, {rivals.min():.3g} s ({rivals.idxmin()})"
    return [(text, bool(most["m3ic"] < rivals.min()))]


CLAIMS = (
    Claim(
        "the accuracy of m3ic changes little with the number of bags (Fig. 1 to 3)",
        f"mean over draws moves by no more than {LITTLE:g}",
        changes_little,
    ),
    Claim(
        "with as many bags as there are m3ic is faster than every BAMIC (Fig. 1 to 3)",
        "mean processor time; five starts of m3ic; BAMIC with its distances",
        faster_than_bamic,
    ),
)


def show(folder: Path, measured: Measured) -> Shown:
    """Show accuracy and time against the number of bags."""
    summary = measured.summary
    tables = [
        _table(summary, str(name), measure)
        for name in dict.fromkeys(summary["dataset"])
        for measure in FIGURES
    ]
    caption = (
        "Accuracy (%) and seconds of processor time against the number of bags, as many of each "
        "class; means over draws, ± 1 standard deviation."
    )
    drawn = write_figure(folder, "m3ic-bags", draw(summary), caption)
    return Shown(tables, [Section("Against the number of bags", drawn, [])])


def _table(summary: pd.DataFrame, dataset: str, measure: str) -> ReportTable:
    here = summary[summary["dataset"] == dataset]
    text = percent if measure == "accuracy" else seconds
    columns = [
        (
            f"{number} bags",
            {
                str(name): Cell(text(figure))
                for name, figure in zip(rows["method"], rows[f"{measure}_mean"], strict=True)
            },
        )
        for number, rows in here.groupby("bags")
    ]
    what = "accuracy (%)" if measure == "accuracy" else "seconds"
    return lay_out(f"{marked(dataset)}: {what}", in_order(here["method"], list(ENTRANTS)), columns)


def draw(summary: pd.DataFrame) -> Figure:
    """Draw accuracy above, time below, a column for each problem."""
    datasets = list(dict.fromkeys(summary["dataset"]))
    with rc_context(STYLE):
        figure, grid = panels(2 * len(datasets), len(datasets), 2.9, 2.4, (0, 0.5))
        places = [(measure, dataset) for measure in FIGURES for dataset in datasets]
        for axes, (measure, dataset) in zip(grid, places, strict=True):
            here = summary[summary["dataset"] == dataset]
            factor = 100 if measure == "accuracy" else 1
            for number, method in enumerate(in_order(here["method"], list(ENTRANTS))):
                rows = here[here["method"] == method].sort_values("bags")
                mean, deviation = (
                    factor * rows[f"{measure}_{e}"].to_numpy() for e in ("mean", "sd")
                )
                style = {"color": COLOURS[number], "marker": MARKERS[number], "markersize": 3}
                axes.plot(rows["bags"], mean, label=method, **style)
                draw_deviations(axes, rows["bags"].to_numpy(), mean, deviation, COLOURS[number])
            name_panel(axes, marked(dataset))
            axes.set_ylabel("accuracy (%)" if measure == "accuracy" else "seconds")
            axes.set_xlabel("bags")
        handles, labels = grid[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=5, frameon=False)
    return figure


def _brief(summary: pd.DataFrame) -> Brief:
    rows: list[tuple[str, ...]] = [
        (
            str(row["dataset"]),
            str(row["method"]),
            str(row["bags"]),
            f"{row['accuracy_mean']:.3f}",
            f"{row['seconds_mean']:.3g}",
        )
        for row in summary.to_dict("records")
    ]
    return Brief(("data set", "method", "bags", "accuracy", "seconds"), rows, 2)


def _facts(
    protocol: BagNumberProtocol, data: Sequence[Data], runs: pd.DataFrame
) -> list[tuple[str, str]]:
    draws = runs.groupby("dataset", sort=False)["run"].nunique()
    told = [f"{number} of {name}" for name, number in draws.items()]
    return [
        ("draws", str(draws.iloc[0]) if draws.nunique() == 1 else ", ".join(told)),
        ("features", FEATURES),
        ("C and l", "the defaults of m3ic"),
    ]


_OF_ZHANG = problems_of("m3ic")

ZHANG_BAGS = Experiment(
    name="m3ic-bags",
    problems=Problems(
        built_in=BUILT_IN_PROBLEM,
        groups={"all": lambda: PROBLEMS},
        check=_OF_ZHANG.check,
        read=_OF_ZHANG.read,
        kind="problems",
    ),
    entrants=ENTRANTS,
    protocol=BagNumberProtocol.called,
    options=("runs",),
    settings=settings_of,
    work=work,
    setting_columns=COLUMNS,
    figures=FIGURES,
    summarise=summary_table,
    claims=CLAIMS,
    words=Words(
        title="Benchmark: m3ic and the number of bags",
        main_title="Accuracy and time against the number of bags (the paper's Fig. 1 to 3)",
        main_text=(
            "As many bags of each class, drawn at random; features as published. Problems with * "
            "are not the paper's. m3ic: of five starts that of least J, default C and l (the paper "
            "does not say which it took)."
        ),
        claims_title="What the paper says, checked",
    ),
    show=show,
    brief=_brief,
    facts=_facts,
)
