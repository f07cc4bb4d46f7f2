"""How methods bear species lists with false and missing species, beside baselines of the list.

Not of a paper: lists of detectors have false species, lists of people lack some.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from algorithms.disambiguation.list_baselines import LIST_BASELINES
from algorithms.graph import Affinity
from birdmodes.experiments.data import Data, load
from birdmodes.experiments.experiment import Brief, Measured, Protocol, Shown
from birdmodes.experiments.paper import read_experiment
from birdmodes.experiments.results import in_order
from birdmodes.experiments.tables import ReportTable, decimals, lay_out, mean_cells
from birdmodes.experiments.tasks import Row, Setting, Task, child_seed
from birdmodes.experiments.work.instances import (
    ENTRANTS,
    SETS,
    check_size,
    load_affinity,
    read_instances,
    rows_of_runs,
)
from birdmodes.experiments.work.sub_bags import wrong_lists
from birdmodes.experiments.work.tables import TABLES

NOISES: dict[str, list[float]] = TABLES["noises"]
"""Chance that an absent species is added to a list, and that a present one is taken away."""

NAMES = {name: each for name, each in ENTRANTS.items() if each.uses_labels}
_SHOWN = {"nmi": "NMI", "purity": "purity"}


def settings_of(data: Data, entrant: str, protocol: Protocol) -> Iterator[Setting]:
    """List the settings of one method on one set: its noise, a key of :data:`NOISES`, and run."""
    check_size(data)
    for noise in NOISES:
        for run in range(protocol.runs):
            yield Setting(dataset=data.name, entrant=entrant, noise=noise, run=run)


def work(task: Task) -> list[Row]:
    """Give the row of a task."""
    setting, protocol = task.setting, task.protocol
    data, entrant = load(read_instances, task.source), NAMES[setting.entrant]
    lists = child_seed(protocol.seed, setting.dataset, "lists", setting.run)
    false, missing = NOISES[setting.noise]
    bags = wrong_lists(data.bags, false, missing, lists)
    seed = child_seed(protocol.seed, setting.dataset, setting.entrant, setting.noise, setting.run)
    options = {"n_init": protocol.n_init} if entrant.spectral else {}

    def affinity() -> Affinity | None:
        return load_affinity(task.source, "dense", protocol.seed) if entrant.spectral else None

    where = ((lambda run: bags), (bags.n_classes,), (setting.run,), (lambda *parts: seed))
    return rows_of_runs(entrant, data.known_truth, affinity, *where, **options)


def show(texts: Mapping[str, str], folder: Path, measured: Measured) -> Shown:
    """Show NMI and purity of all methods by the noise, a table for each set and measure."""
    tables: list[ReportTable] = []
    for dataset, rows in measured.summary.groupby("dataset", sort=False):
        methods = in_order(rows["method"], list(NAMES))
        for measure, called in _SHOWN.items():
            columns = [
                (noise, mean_cells(rows[rows["noise"] == noise], measure, spread=False))
                for noise in in_order(rows["noise"], list(NOISES))
            ]
            tables.append(lay_out(f"{dataset}: {called}", methods, columns))
    return Shown(tables, [])


def brief_table(summary: pd.DataFrame) -> Brief:
    """Print NMI by the noise."""
    figures: dict[Any, float] = summary.set_index(["dataset", "method", "noise"])[
        "nmi_mean"
    ].to_dict()
    noises = in_order(summary["noise"], list(NOISES))
    rows = []
    for dataset, of_set in summary.groupby("dataset", sort=False):
        for method in in_order(of_set["method"], list(NAMES)):
            cells = (figures.get((dataset, method, noise)) for noise in noises)
            rows.append((str(dataset), method, *("" if c is None else decimals(c) for c in cells)))
    return Brief(("data set", "method", *noises), rows, 2, "NMI, K = C, by noise of the lists")


def _facts(protocol: Protocol, data: Sequence[Data], runs: pd.DataFrame) -> list[tuple[str, str]]:
    return [("draws of the lists", str(protocol.runs)), ("clusters", "K = C")]


NOISY_LISTS = read_experiment(
    "noisy-lists",
    values={"baselines": [{"name": name} for name in LIST_BASELINES]},
    problems=SETS,
    entrants=NAMES,
    settings=settings_of,
    work=work,
    show=show,
    brief=brief_table,
    facts=_facts,
    orders={"noise": tuple(NOISES)},
    title=lambda setting: f"{setting.dataset}, {setting.noise}, {setting.entrant}",
)
