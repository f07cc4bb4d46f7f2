"""The experiments of Pei & Fern (2013): alpha, the share of labelled bags, the number of clusters.

References
----------
Pei & Fern, Constrained instance clustering in multi-instance multi-label learning (2013), section
5.3 (alpha), 5.4.1 (labelled bags), 5.4.2 (number of clusters).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from algorithms.bags import Bags, IntArray
from algorithms.disambiguation.list_baselines import LIST_BASELINES
from birdmodes.experiments.data import Data, load
from birdmodes.experiments.experiment import EXTENT, Experiment, Protocol
from birdmodes.experiments.paper import read_paper
from birdmodes.experiments.papers.pei_fern_judges import PLACES
from birdmodes.experiments.results import means_table
from birdmodes.experiments.shown.instances import PARTS, brief_table, show
from birdmodes.experiments.tasks import Row, Setting, Stopwatch, Task, child_seed
from birdmodes.experiments.work.instances import (
    ENTRANTS,
    MEASURES,
    SETS,
    Entrant,
    Graph,
    check_size,
    cluster_runs,
    load_affinity,
    read_instances,
    score,
    with_labels_of_some,
)


@dataclass(frozen=True, kw_only=True)
class PeiFernProtocol(Protocol):
    """What is varied, how finely, and how often.

    Attributes
    ----------
    runs : int
        Repetitions of everything random.
    alpha_step : float
        alpha goes from 0 to 1 in steps of this.
    shares : tuple of float
        Shares of labelled bags, rising; the last one is 1.
    k_steps : int
        Numbers of clusters from C to 2C.
    n_init : int
        Starts of k-means in one run, the best of which counts.
    graph : {"dense", "knn", "auto"}
        Affinity graph of the spectral methods.
    parts : tuple of str
        Which of the three are run.
    """

    runs: int = 20
    alpha_step: float = 0.005
    shares: tuple[float, ...] = (0.2, 0.4, 0.6, 0.8, 1.0)
    k_steps: int = 7
    n_init: int = 5
    graph: Graph = "dense"
    parts: tuple[str, ...] = field(default=PARTS, metadata=EXTENT)

    QUICK: ClassVar = {"runs": 3, "alpha_step": 0.05, "shares": (0.2, 0.6, 1.0), "k_steps": 3}

    @classmethod
    def called(cls, name: str, quick: bool = False) -> PeiFernProtocol:
        """Give the protocol of one of the three, or of all."""
        return replace(super().called(name, quick), parts=PARTS if name == "all" else (name,))

    @property
    def alphas(self) -> list[float]:
        """Every alpha, 0 and 1 included."""
        n_steps = max(1, round(1 / self.alpha_step))
        return [round(step / n_steps, 6) for step in range(n_steps + 1)]

    def cluster_counts(self, n_classes: int, n_instances: int) -> list[int]:
        """Numbers of clusters from C to 2C, without repetition, below the number of instances."""
        spaced = np.linspace(n_classes, 2 * n_classes, self.k_steps)
        return sorted({round(float(k)) for k in spaced if round(float(k)) < n_instances})


def settings_of(data: Data, entrant: str, protocol: PeiFernProtocol) -> Iterator[Setting]:
    """List the settings of one method on one set.

    Beside the part (experiment) they have the numbers of clusters (ks), all rounded from one
    embedding, the repetitions (runs), alpha, None for the method's default, and the share of the
    labelled bags that keep their labels.
    """
    check_size(data)
    for part in protocol.parts:
        yield from _settings_of_part(data, part, ENTRANTS[entrant], protocol)


def _settings_of_part(
    data: Data, part: str, entrant: Entrant, protocol: PeiFernProtocol
) -> Iterator[Setting]:
    """List the settings of one part.

    What runs share is computed once per setting: the runs of a spectral method differ in the
    start of k-means alone, unless each has its own subset of labels. A method that is fitted
    anew for each run has a setting for each, so that little is lost when the program is stopped.
    """
    every = tuple(range(protocol.runs))
    one_by_one = [(run,) for run in every]
    ks = tuple(protocol.cluster_counts(data.bags.n_classes, data.bags.n_instances))

    def setting(
        ks: tuple[int, ...], runs: tuple[int, ...], alpha: float | None = None, share: float = 1.0
    ) -> Setting:
        names = {"dataset": data.name, "experiment": part, "entrant": entrant.name}
        return Setting(**names, ks=ks, runs=runs, alpha=alpha, share=share)

    if part == "alpha":
        if entrant.takes_alpha:
            for alpha in protocol.alphas:
                yield setting(ks[:1], every, alpha=alpha)
    elif part == "labelled":
        for share in protocol.shares:
            same = entrant.spectral and (share == 1 or not entrant.uses_labels)
            for runs in [every] if same else one_by_one:
                yield setting(ks[:1], runs, share=share)
    else:
        # Must-link pairs exist for K = C only, so that K > C may need another embedding.
        groups = [ks[:1], ks[1:]] if entrant.spectral else [(k,) for k in ks]
        if entrant.is_baseline:
            groups = groups[:1]
        for group in filter(None, groups):
            for runs in [every] if entrant.spectral else one_by_one:
                yield setting(group, runs)


def work(task: Task) -> list[Row]:
    """Give the rows of a task: one for each run and number of clusters."""
    setting, protocol = task.setting, task.protocol
    entrant = ENTRANTS[setting.entrant]
    options = {} if setting.alpha is None else {"alpha": setting.alpha}
    for name in ("graph", "n_init"):
        if entrant.accepts(name):
            options[name] = getattr(protocol, name)
    bags_of, seed_of = partial(_bags_of_run, task), partial(_seed, task)
    with Stopwatch() as watch:
        affinity = None
        if entrant.spectral:
            affinity = load_affinity(task.source, protocol.graph, protocol.seed)
        found = cluster_runs(
            entrant, bags_of, affinity, setting.ks, setting.runs, seed_of, **options
        )
        rows = [_row(task, *each) for each in found]
    return [{**row, "seconds": round(watch.seconds / len(rows), 3)} for row in rows]


def _bags_of_run(task: Task, run: int) -> Bags:
    """Bags with the labels of this run; always all when the method does not look at them."""
    bags = load(read_instances, task.source).bags
    setting = task.setting
    if not ENTRANTS[setting.entrant].uses_labels:
        return bags
    return with_labels_of_some(bags, setting.share, run, setting.dataset, task.protocol.seed)


def _seed(task: Task, *parts: str | int) -> int:
    setting = task.setting
    names = (setting.dataset, setting.experiment, setting.entrant, setting.alpha, setting.share)
    return child_seed(task.protocol.seed, *names, *parts)


def _row(task: Task, k: int, run: int, found: IntArray, clusterer: Any) -> Row:
    setting = task.setting
    return {
        "dataset": setting.dataset,
        "experiment": setting.experiment,
        "method": setting.entrant,
        "options": ENTRANTS[setting.entrant].options,
        "alpha": None if clusterer is None else clusterer.get_params().get("alpha"),
        "labelled_share": setting.share,
        "k": k,
        "run": run,
        **score(load(read_instances, task.source).known_truth, found),
    }


SETTING_COLUMNS = ("dataset", "experiment", "method", "options", "alpha", "labelled_share", "k")
FIGURES = (*MEASURES, "seconds")


def _facts(
    protocol: PeiFernProtocol, data: Sequence[Data], runs: pd.DataFrame
) -> list[tuple[str, str]]:
    return [
        ("experiments", ", ".join(dict.fromkeys(runs["experiment"]))),
        ("runs", f"{protocol.runs}, each the best of {protocol.n_init} starts of k-means"),
        ("graph", protocol.graph),
    ]


_PAPER = read_paper("pei-fern", PLACES, baselines=[{"name": name} for name in LIST_BASELINES])

PEI_FERN = Experiment(
    name="all",
    problems=SETS,
    entrants=ENTRANTS,
    protocol=PeiFernProtocol.called,
    options=("runs", "n_init", "graph"),
    settings=settings_of,
    work=work,
    setting_columns=SETTING_COLUMNS,
    figures=FIGURES,
    summarise=partial(means_table, by=SETTING_COLUMNS, measures=FIGURES, without=("seconds_sd",)),
    claims=_PAPER.claims,
    words=_PAPER.words,
    show=partial(show, _PAPER.texts),
    brief=brief_table,
    facts=_facts,
    orders={"experiment": PARTS},
    files=("experiment", "dataset"),
    title=lambda setting: f"{setting.dataset}, {setting.experiment}, {setting.entrant}",
)
