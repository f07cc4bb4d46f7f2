"""Clustering in a learned metric: whether it helps, and what it costs.

Pei & Fern's sets, runs and measures; see docs/benchmark.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import pandas as pd

from algorithms.bags import IntArray
from birdmodes.experiments.data import Data, load
from birdmodes.experiments.experiment import Measured, Protocol
from birdmodes.experiments.judges import STANDARD_ERRORS, with_names
from birdmodes.experiments.paper import read_experiment
from birdmodes.experiments.results import means_table
from birdmodes.experiments.shown.metrics import METRICS, OWN, brief_table, show
from birdmodes.experiments.tasks import DIGITS, Row, Setting, Task, child_seed
from birdmodes.experiments.work.instances import (
    ENTRANTS,
    MEASURES,
    SETS,
    check_size,
    read_instances,
    rows_of_runs,
)
from birdmodes.experiments.work.learners import EUCLIDEAN
from birdmodes.experiments.work.spaces import (
    labelled_bags,
    load_space,
    species_of_classes,
    within_species,
)

SUB_CLASS_METHODS = ("sp", "splearn-symmetric", "csp")
"""Spectral methods that are to find classes again that were merged."""

_MOST_RUNS_BESIDE = 5  # of methods that are fitted anew each time and hardly vary
_FEWEST_CLASSES = 4


def merge_of(setting: Setting) -> int:
    """Number of the merging of classes; -1 for none."""
    return int(setting.runs[0]) if setting.part == "sub-classes" else -1


def settings_of(data: Data, entrant: str, protocol: Protocol) -> Iterator[Setting]:
    """List the settings of one method on one set.

    Beside the names, that of the metric being "own" for methods that are not told one, they have
    the number of clusters (k), the repetitions (runs) and the part: whether the bags' labels are
    the classes, or classes merged; among sub-classes the run is the number of the merging.

    Parameters
    ----------
    data : Data
        The set. Among fewer than four classes no sub-classes are looked for.
    entrant : str
        A spectral method meets every metric; of these, sub-classes are looked for with three. Any
        other is beside them, for comparison, and fitted anew in each of at most 5 runs.
    protocol : Protocol
        How.

    Raises
    ------
    ParameterError
        When the set is too small.
    """
    check_size(data)
    spectral = ENTRANTS[entrant].spectral
    every = tuple(range(protocol.runs))
    one_by_one = [(run,) for run in every[:_MOST_RUNS_BESIDE]]
    n_classes = data.bags.n_classes
    sub_classes = n_classes >= _FEWEST_CLASSES and (not spectral or entrant in SUB_CLASS_METHODS)
    for metric in METRICS if spectral else (OWN,):
        names = {"dataset": data.name, "entrant": entrant, "metric": metric}
        for k in (n_classes, 2 * n_classes):
            if k < data.bags.n_instances and not (k > n_classes and ENTRANTS[entrant].is_baseline):
                for runs in [every] if spectral else one_by_one:
                    yield Setting(**names, k=k, runs=runs, part="classes")
        for merge in range(protocol.merges) if sub_classes else ():
            yield Setting(**names, k=n_classes, runs=(merge,), part="sub-classes")


def work(task: Task) -> list[Row]:
    """Give the rows of a task.

    The time is that of clustering, without reading the data, learning the metric (a column of its
    own) and building the graph, which tasks share.
    """
    setting, protocol = task.setting, task.protocol
    merge = merge_of(setting)
    data = load(read_instances, task.source)
    options, affinity, learning = {}, None, None
    if setting.metric == OWN:
        bags = labelled_bags(data, merge, protocol.seed)
    else:
        options = {"graph": protocol.graph, "n_init": protocol.n_init}
        space = (task.source, setting.metric, merge, protocol.graph, protocol.seed)
        bags, affinity, seconds = load_space(*space)
        learning = round(seconds, 3)

    def more(labels: IntArray, clusterer: Any) -> Row:
        within = None
        if merge >= 0:
            names = (data.bags.n_classes, setting.dataset, merge, protocol.seed)
            species = species_of_classes(*names)
            within = round(within_species(data.known_truth, species, labels), DIGITS)
        return {"ari_within": within, "learning_seconds": learning}

    where = ((lambda run: bags), (setting.k,), setting.runs, partial(_seed, task))
    entrant = ENTRANTS[setting.entrant]
    return rows_of_runs(entrant, data.known_truth, lambda: affinity, *where, more=more, **options)


def _seed(task: Task, *parts: str | int) -> int:
    """Seed of a run: the same for every metric, so that metrics can be compared run by run."""
    setting = task.setting
    names = (setting.dataset, "metric", setting.part, setting.entrant, setting.k)
    return child_seed(task.protocol.seed, *names, parts[-1])  # k is among the names


FIGURES = (*MEASURES, "ari_within")
_PAIRED_BY = ["dataset", "part", "method", "k", "run"]


def summary_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Average over runs, and compare each learned metric with the Euclidean one.

    Returns
    -------
    pandas.DataFrame
        The setting, ``runs`` (how many), and of every measure ``<measure>_mean``,
        ``<measure>_sd`` (sample standard deviation), ``<measure>_gain`` (mean over runs of the
        difference from the run of the same number with the Euclidean metric) and
        ``<measure>_gain_se`` (its standard error); ``learning_seconds`` and ``seconds``, means.
    """
    before = runs.loc[runs["metric"] == EUCLIDEAN, [*_PAIRED_BY, *FIGURES]]
    paired = runs.merge(before, on=_PAIRED_BY, how="left", suffixes=("", "_before"))
    for figure in FIGURES:
        gain = paired[figure] - paired[f"{figure}_before"]
        paired[f"{figure}_gain"] = gain.where(paired["metric"] != EUCLIDEAN)
    by = list(LEARNED_METRICS.setting_columns)
    means = means_table(paired, by, FIGURES).set_index(by)
    grouped = paired.groupby(by, sort=False, dropna=False)
    columns: dict[str, Any] = {"runs": means["runs"]}
    for figure in FIGURES:
        columns |= {name: means[name] for name in (f"{figure}_mean", f"{figure}_sd")}
        columns[f"{figure}_gain"] = grouped[f"{figure}_gain"].mean()
        columns[f"{figure}_gain_se"] = grouped[f"{figure}_gain"].sem(ddof=1)
    columns |= {name: grouped[name].mean() for name in ("learning_seconds", "seconds")}
    return pd.DataFrame(columns).reset_index()


def _judged(measured: Measured) -> pd.DataFrame:
    """Name methods by their metric, and tell how many times as many clusters as classes."""
    runs = with_names("metric", [OWN], " by {}", measured)
    return runs.assign(times=runs["k"] // runs.groupby(["dataset", "part"])["k"].transform("min"))


def _facts(protocol: Protocol, data: Sequence[Data], runs: pd.DataFrame) -> list[tuple[str, str]]:
    found = set(runs["metric"])
    return [
        ("metrics", ", ".join(name for name in METRICS if name in found)),
        ("runs", f"{protocol.runs}, each the best of {protocol.n_init} starts of k-means"),
        ("mergings of classes", str(protocol.merges)),
        ("graph", protocol.graph),
    ]


LEARNED_METRICS = read_experiment(
    "metric",
    values={
        "of_sub_classes": [{"method": method} for method in SUB_CLASS_METHODS],
        "STANDARD_ERRORS": STANDARD_ERRORS,
    },
    problems=SETS,
    entrants=ENTRANTS,
    settings=settings_of,
    work=work,
    figures=(*FIGURES, "learning_seconds", "seconds"),
    summarise=summary_table,
    show=show,
    brief=brief_table,
    facts=_facts,
    judged=_judged,
    orders={"metric": [*METRICS, OWN]},
    title=lambda at: (
        f"{at.dataset}, {at.part}, {at.entrant}"
        + ("" if at.metric == OWN else f" with {at.metric}")
    ),
    # Those with the same learned metric.
    together=lambda at: (at.dataset, at.metric, merge_of(at)),
)
