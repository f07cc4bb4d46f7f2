"""Clustering in a learned metric: whether it helps, and what it costs.

Pei & Fern's sets, runs and measures; see docs/benchmark.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import pandas as pd

from algorithms.bags import IntArray
from birdmodes.experiments.claims import Claim
from birdmodes.experiments.data import Data, load
from birdmodes.experiments.experiment import Experiment, Protocol
from birdmodes.experiments.judges import EXCEEDS, NOT_BELOW, At, exceeds
from birdmodes.experiments.report import Words
from birdmodes.experiments.results import means_table
from birdmodes.experiments.shown.metrics import MAIN_TEXT, METRICS, OWN, at_k, brief_table, show
from birdmodes.experiments.tasks import DIGITS, Row, Setting, Stopwatch, Task, child_seed
from birdmodes.experiments.work.instances import (
    ENTRANTS,
    MEASURES,
    SETS,
    Graph,
    check_size,
    cluster_runs,
    read_instances,
    score,
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


@dataclass(frozen=True, kw_only=True)
class MetricProtocol(Protocol):
    """How often everything is repeated.

    Attributes
    ----------
    experiment : str
        Which experiment.
    runs : int
        Starts of k-means.
    merges : int
        How often classes are merged at random, to be looked for as sub-classes.
    n_init : int
        Starts of k-means in one run, the best of which counts.
    graph : {"dense", "knn", "auto"}
        Affinity graph of the spectral methods.
    """

    experiment: str = "metric"
    runs: int = 20
    merges: int = 4
    n_init: int = 5
    graph: Graph = "dense"

    @classmethod
    def called(cls, name: str, quick: bool = False) -> MetricProtocol:
        """Give the protocol, or one of fewer runs, to try it out in minutes."""
        return cls(experiment=name, runs=3, merges=2) if quick else cls(experiment=name)


@dataclass(frozen=True)
class MetricSetting(Setting):
    """Some runs of one method with one metric.

    Attributes
    ----------
    dataset, entrant, metric : str
        Names; the metric is "own" for methods that are not told one.
    k : int
        Number of clusters.
    runs : tuple of int
        Which repetitions. Among sub-classes, the number of the merging.
    part : {"classes", "sub-classes"}
        Whether the bags' labels are the classes, or classes merged.
    """

    dataset: str
    entrant: str
    metric: str
    k: int
    runs: tuple[int, ...]
    part: Literal["classes", "sub-classes"] = "classes"

    @property
    def title(self) -> str:
        """The set, the method and its metric."""
        metric = "" if self.metric == OWN else f" with {self.metric}"
        return f"{self.dataset}, {self.part}, {self.entrant}{metric}"

    @property
    def space(self) -> tuple[str, str, int]:
        """What tasks with the same learned metric have in common."""
        return self.dataset, self.metric, self.merge

    @property
    def merge(self) -> int:
        """Number of the merging of classes; -1 for none."""
        return self.runs[0] if self.part == "sub-classes" else -1


def settings_of(data: Data, entrant: str, protocol: MetricProtocol) -> Iterator[MetricSetting]:
    """List the settings of one method on one set.

    Parameters
    ----------
    data : Data
        The set. Among fewer than four classes no sub-classes are looked for.
    entrant : str
        A spectral method meets every metric; of these, sub-classes are looked for with three. Any
        other is beside them, for comparison, and fitted anew in each of at most 5 runs.
    protocol : MetricProtocol
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
        base = (data.name, entrant, metric)
        for k in (n_classes, 2 * n_classes):
            if k < data.bags.n_instances and not (k > n_classes and ENTRANTS[entrant].is_baseline):
                for runs in [every] if spectral else one_by_one:
                    yield MetricSetting(*base, k, runs)
        for merge in range(protocol.merges) if sub_classes else ():
            yield MetricSetting(*base, n_classes, (merge,), "sub-classes")


def work(task: Task) -> Iterator[Row]:
    """Give the rows of a task.

    The time is that of clustering, without reading the data, learning the metric (a column of its
    own) and building the graph, which tasks share.
    """
    setting, protocol = task.setting, task.protocol
    options, affinity, learning = {}, None, None
    if setting.metric == OWN:
        data = load(read_instances, task.source)
        bags = labelled_bags(data, setting.merge, protocol.seed)
    else:
        options = {"graph": protocol.graph, "n_init": protocol.n_init}
        names = (setting.metric, setting.merge)
        space = load_space(task.source, *names, protocol.graph, protocol.seed)
        bags, affinity, learning = space.bags, space.affinity, round(space.seconds, 3)
    with Stopwatch() as watch:
        found = cluster_runs(
            ENTRANTS[setting.entrant],
            lambda run: bags,
            affinity,
            (setting.k,),
            setting.runs,
            partial(_seed, task),
            **options,
        )
        rows = [_row(task, run, labels) for _, run, labels, _ in found]
    times = {"learning_seconds": learning, "seconds": round(watch.seconds / len(rows), 3)}
    yield from ({**row, **times} for row in rows)


def _seed(task: Task, *parts: str | int) -> int:
    """Seed of a run: the same for every metric, so that metrics can be compared run by run."""
    setting = task.setting
    names = (setting.dataset, "metric", setting.part, setting.entrant, setting.k)
    return child_seed(task.protocol.seed, *names, parts[-1])  # k is among the names


def _row(task: Task, run: int, found: IntArray) -> Row:
    setting = task.setting
    data = load(read_instances, task.source)
    within = None
    if setting.merge >= 0:
        species = species_of_classes(
            data.bags.n_classes, setting.dataset, setting.merge, task.protocol.seed
        )
        within = round(within_species(data.known_truth, species, found), DIGITS)
    return {
        "dataset": setting.dataset,
        "part": setting.part,
        "method": setting.entrant,
        "metric": setting.metric,
        "options": ENTRANTS[setting.entrant].options,
        "k": setting.k,
        "run": run,
        **score(data.known_truth, found),
        "ari_within": within,
    }


SETTING_COLUMNS = ("dataset", "part", "method", "metric", "options", "k")
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
    by = list(SETTING_COLUMNS)
    means = means_table(paired, by, FIGURES).set_index(by)
    grouped = paired.groupby(by, sort=False, dropna=False)
    columns: dict[str, Any] = {"runs": means["runs"]}
    for figure in FIGURES:
        columns |= {name: means[name] for name in (f"{figure}_mean", f"{figure}_sd")}
        columns[f"{figure}_gain"] = grouped[f"{figure}_gain"].mean()
        columns[f"{figure}_gain_se"] = grouped[f"{figure}_gain"].sem(ddof=1)
    columns |= {name: grouped[name].mean() for name in ("learning_seconds", "seconds")}
    return pd.DataFrame(columns).reset_index()


RECIPE = "mimlca-no-limit"
"""The metric of ``birdmodes cluster --metric mimlca``."""

_METHODS = ("sp", "splearn", "splearn-symmetric", "spreg", "csp-no-pairs", "csp")
_AT = {1: "K = C", 2: "K = 2C"}


def by_metric(method: str, times: int) -> At:
    """Compare the metrics of a method, K being a multiple of C."""

    def at(runs: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
        here = at_k(runs, times)
        here = here[here["method"] == method]
        return [("", here.assign(called=here["metric"]))]

    return at


def beside_others(runs: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """Compare methods by a metric with those that take none, K = C."""
    here = at_k(runs, 1)
    by = here["metric"].map(lambda name: "" if name == OWN else f" by {name}")
    return [("", here.assign(called=here["method"] + by))]


def among_sub_classes(method: str) -> At:
    """Compare the metrics of a method where classes were merged."""

    def at(runs: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
        inside = runs[(runs["part"] == "sub-classes") & (runs["method"] == method)]
        return [("", inside.assign(called=inside["metric"]))]

    return at


CLAIMS: tuple[Claim, ...] = (
    *(
        Claim(
            f"the learned metric helps {method}, {_AT[times]}",
            f"metric {RECIPE} against Euclidean, all bags labelled; NMI and purity; {EXCEEDS}",
            exceeds(RECIPE, EUCLIDEAN, by_metric(method, times)),
            origin="this program",
        )
        for times in _AT
        for method in _METHODS
    ),
    *(
        Claim(
            f"{method} by the metric of mimlca is at least as good as mimlca itself",
            f"K = C, no limit for both, all bags labelled; NMI and purity; {NOT_BELOW}",
            exceeds(f"{method} by {RECIPE}", "mimlca-no-limit", beside_others, or_equal=True),
            origin="this program",
        )
        for method in ("splearn-symmetric", "csp")
    ),
    *(
        Claim(
            f"ldc is better than {method} by the metric of mimlca",
            f"K = C, metric {RECIPE}, all bags labelled; NMI and purity; {EXCEEDS}",
            exceeds("ldc", f"{method} by {RECIPE}", beside_others),
            origin="this program",
        )
        for method in ("splearn-symmetric", "csp")
    ),
    *(
        Claim(
            f"the learned metric does not hide modes from {method}",
            f"classes merged at random, labels are the merged ones; metric {RECIPE} against "
            f"Euclidean; adjusted Rand index of classes within species; {NOT_BELOW}",
            exceeds(
                RECIPE,
                EUCLIDEAN,
                among_sub_classes(method),
                {"ari_within": "ARI within species"},
                or_equal=True,
            ),
            origin="this program",
        )
        for method in SUB_CLASS_METHODS
    ),
)


def _facts(
    protocol: MetricProtocol, data: Sequence[Data], runs: pd.DataFrame
) -> list[tuple[str, str]]:
    found = set(runs["metric"])
    return [
        ("metrics", ", ".join(name for name in METRICS if name in found)),
        ("runs", f"{protocol.runs}, each the best of {protocol.n_init} starts of k-means"),
        ("mergings of classes", str(protocol.merges)),
        ("graph", protocol.graph),
    ]


LEARNED_METRICS = Experiment(
    name="metric",
    problems=SETS,
    entrants=ENTRANTS,
    protocol=MetricProtocol.called,
    options=("runs", "n_init", "graph"),
    settings=settings_of,
    work=work,
    setting_columns=SETTING_COLUMNS,
    figures=(*FIGURES, "learning_seconds", "seconds"),
    summarise=summary_table,
    claims=CLAIMS,
    words=Words(
        title="Benchmark: clustering in a learned metric",
        main_title="Does it help?",
        main_text=MAIN_TEXT,
        claims_title="What is to be known, checked",
    ),
    show=show,
    brief=brief_table,
    facts=_facts,
    orders={"metric": [*METRICS, OWN]},
    together=lambda setting: setting.space,
)
