"""The experiment of Zhang et al. (2011), Fig. 1 to 3: accuracy and time against the number of bags.

References
----------
Zhang, Wang, Si & Li, Maximum margin multiple instance clustering with applications to image and
text clustering, IEEE Transactions on Neural Networks 22 (2011), section 4.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from algorithms import metrics
from algorithms.bags import IntArray
from algorithms.folds import choose_bags
from algorithms.registry import make_clusterer
from birdmodes.experiments.data import Data
from birdmodes.experiments.experiment import Measured, Protocol, Shown
from birdmodes.experiments.figures import (
    COLOURS,
    MARKERS,
    draw_deviations,
    legend_above,
    name_panel,
    panels,
    write_figure,
)
from birdmodes.experiments.known import marked
from birdmodes.experiments.paper import read_experiment
from birdmodes.experiments.report import Section
from birdmodes.experiments.results import in_order
from birdmodes.experiments.tables import ReportTable, lay_out, mean_cells, percent, seconds
from birdmodes.experiments.tasks import DIGITS, Row, Setting, Stopwatch, Task, child_seed
from birdmodes.experiments.work.bags import load_prepared, problems_of

FEATURES = "raw"
PROBLEMS = ("sival", "reuters-6", "natural-scene-4")
"""What is public of SIVAL stands for the paper's problem 6 of it."""

_STEPS = 5


def settings_of(data: Data, entrant: str, protocol: Protocol) -> Iterator[Setting]:
    """List the settings: a fifth to all bags of the smallest class, as many of every class."""
    fewest = int(np.bincount(data.known_truth).min())
    for number in sorted({max(2, round(fewest * step / _STEPS)) for step in range(1, _STEPS + 1)}):
        yield Setting(dataset=data.name, entrant=entrant, of_class=number)


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
            setting.entrant, n_clusters=k, random_state=seed, **ZHANG_BAGS.entrants[setting.entrant]
        )
        with Stopwatch() as watch:
            labels = clusterer.fit(bags).labels_
        yield {
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


FIGURES = ("accuracy", "seconds")


def show(texts: Mapping[str, str], folder: Path, measured: Measured) -> Shown:
    """Show accuracy and time against the number of bags."""
    summary = measured.summary
    tables = [
        _table(summary, str(name), measure)
        for name in dict.fromkeys(summary["dataset"])
        for measure in FIGURES
    ]
    drawn = write_figure(folder, "m3ic-bags", texts["figure"], draw, summary)
    return Shown(tables, [Section("Against the number of bags", drawn, [])])


def _table(summary: pd.DataFrame, dataset: str, measure: str) -> ReportTable:
    here = summary[summary["dataset"] == dataset]
    text = percent if measure == "accuracy" else seconds
    columns = [
        (f"{number} bags", mean_cells(rows, measure, text, spread=False, fewest=None))
        for number, rows in here.groupby("bags")
    ]
    what = "accuracy (%)" if measure == "accuracy" else "seconds"
    return lay_out(f"{marked(dataset)}: {what}", _methods(here), columns)


def _methods(rows: pd.DataFrame) -> list[str]:
    return in_order(rows["method"], list(ZHANG_BAGS.entrants))


def draw(summary: pd.DataFrame) -> Figure:
    """Draw accuracy above, time below, a column for each problem."""
    datasets = list(dict.fromkeys(summary["dataset"]))
    figure, grid = panels(2 * len(datasets), len(datasets), 2.9, 2.4, (0, 0.5))
    places = [(measure, dataset) for measure in FIGURES for dataset in datasets]
    for axes, (measure, dataset) in zip(grid, places, strict=True):
        here = summary[summary["dataset"] == dataset]
        factor = 100 if measure == "accuracy" else 1
        for number, method in enumerate(_methods(here)):
            rows = here[here["method"] == method].sort_values("bags")
            mean, deviation = (factor * rows[f"{measure}_{e}"].to_numpy() for e in ("mean", "sd"))
            style = {"color": COLOURS[number], "marker": MARKERS[number], "markersize": 3}
            axes.plot(rows["bags"], mean, label=method, **style)
            draw_deviations(axes, rows["bags"].to_numpy(), mean, deviation, COLOURS[number])
        name_panel(axes, marked(dataset))
        axes.set_ylabel("accuracy (%)" if measure == "accuracy" else "seconds")
        axes.set_xlabel("bags")
    legend_above(figure, grid[0].get_legend_handles_labels(), 5)
    return figure


def _facts(protocol: Protocol, data: Sequence[Data], runs: pd.DataFrame) -> list[tuple[str, str]]:
    draws = runs.groupby("dataset", sort=False)["run"].nunique()
    told = [f"{number} of {name}" for name, number in draws.items()]
    return [
        ("draws", str(draws.iloc[0]) if draws.nunique() == 1 else ", ".join(told)),
        ("features", FEATURES),
        ("C and l", "the defaults of m3ic"),
    ]


ZHANG_BAGS = read_experiment(
    "m3ic-bags",
    problems=replace(problems_of("m3ic"), every=PROBLEMS),
    settings=settings_of,
    work=work,
    show=show,
    facts=_facts,
    title=lambda at: f"{at.dataset}, {at.of_class} bags of each class, {at.entrant}",
)
