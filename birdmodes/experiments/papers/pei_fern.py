"""The experiments of Pei & Fern (2013): alpha, the share of labelled bags, the number of clusters.

References
----------
Pei & Fern, Constrained instance clustering in multi-instance multi-label learning (2013), section
5.3 (alpha), 5.4.1 (labelled bags), 5.4.2 (number of clusters).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from algorithms.bags import Bags, IntArray
from algorithms.disambiguation.list_baselines import LIST_BASELINES
from algorithms.graph import Affinity
from birdmodes.experiments.data import Data, load
from birdmodes.experiments.experiment import Protocol
from birdmodes.experiments.judges import At, Part
from birdmodes.experiments.paper import read_experiment
from birdmodes.experiments.shown.instances import PARTS, at_c_clusters, brief_table, show
from birdmodes.experiments.tasks import Row, Setting, Task, child_seed
from birdmodes.experiments.work.instances import (
    ENTRANTS,
    SETS,
    Entrant,
    check_size,
    load_affinity,
    read_instances,
    rows_of_runs,
    with_labels_of_some,
)


def alphas(protocol: Protocol) -> list[float]:
    """Every alpha, 0 and 1 included."""
    n_steps = max(1, round(1 / protocol.alpha_step))
    return [round(step / n_steps, 6) for step in range(n_steps + 1)]


def cluster_counts(protocol: Protocol, n_classes: int, n_instances: int) -> list[int]:
    """Numbers of clusters from C to 2C, without repetition, below the number of instances."""
    spaced = np.linspace(n_classes, 2 * n_classes, protocol.k_steps)
    return sorted({round(float(k)) for k in spaced if round(float(k)) < n_instances})


def settings_of(data: Data, entrant: str, protocol: Protocol) -> Iterator[Setting]:
    """List the settings of one method on one set.

    Beside the part (experiment) they have the numbers of clusters (ks), all rounded from one
    embedding, the repetitions (runs), alpha, None for the method's default, and the share of the
    labelled bags that keep their labels.
    """
    check_size(data)
    for part in protocol.parts:
        yield from _settings_of_part(data, part, ENTRANTS[entrant], protocol)


def _settings_of_part(
    data: Data, part: str, entrant: Entrant, protocol: Protocol
) -> Iterator[Setting]:
    """List the settings of one part.

    What runs share is computed once per setting: the runs of a spectral method differ in the
    start of k-means alone, unless each has its own subset of labels. A method that is fitted
    anew for each run has a setting for each, so that little is lost when the program is stopped.
    """
    every = tuple(range(protocol.runs))
    one_by_one = [(run,) for run in every]
    ks = tuple(cluster_counts(protocol, data.bags.n_classes, data.bags.n_instances))

    def setting(
        ks: tuple[int, ...], runs: tuple[int, ...], alpha: float | None = None, share: float = 1.0
    ) -> Setting:
        names = {"dataset": data.name, "experiment": part, "entrant": entrant.name}
        return Setting(**names, ks=ks, runs=runs, alpha=alpha, share=share)

    if part == "alpha":
        if entrant.spectral and entrant.accepts("alpha"):
            for alpha in alphas(protocol):
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

    def affinity() -> Affinity | None:
        graph = (task.source, protocol.graph, protocol.seed)
        return load_affinity(*graph) if entrant.spectral else None

    def more(labels: IntArray, clusterer: Any) -> Row:
        alpha = None if clusterer is None else clusterer.get_params().get("alpha")
        return {"alpha": alpha, "labelled_share": setting.share}

    where = (partial(_bags_of_run, task), setting.ks, setting.runs, partial(_seed, task))
    truth = load(read_instances, task.source).known_truth
    return rows_of_runs(entrant, truth, affinity, *where, more=more, **options)


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


def _facts(protocol: Protocol, data: Sequence[Data], runs: pd.DataFrame) -> list[tuple[str, str]]:
    return [
        ("experiments", ", ".join(dict.fromkeys(runs["experiment"]))),
        ("runs", f"{protocol.runs}, each the best of {protocol.n_init} starts of k-means"),
        ("graph", protocol.graph),
    ]


def at_c(runs: pd.DataFrame) -> list[Part]:
    """Compare with K = C and all bags labelled."""
    return [("", at_c_clusters(runs))]


def at_fewest_labels(runs: pd.DataFrame) -> list[Part]:
    """Compare where the fewest bags are labelled, if that are not all."""
    labelled = runs[runs["experiment"] == "labelled"]
    fewest = labelled[labelled["labelled_share"] == labelled["labelled_share"].min()]
    return [("", fewest[fewest["labelled_share"] < 1])]


def most_and_fewest_labels(method: str) -> At:
    """Compare a method with itself: where the most and where the fewest bags are labelled."""

    def at(runs: pd.DataFrame) -> list[Part]:
        rows = runs[(runs["experiment"] == "labelled") & (runs["method"] == method)]
        share = rows["labelled_share"]
        if share.nunique() < 2:
            return []
        labels = np.select([share == share.max(), share == share.min()], ["most", "fewest"], "")
        return [("", rows.assign(labels=labels, called=share.map("{:.0%}".format)))]

    return at


def at_every_share(runs: pd.DataFrame) -> list[Part]:
    """Compare at every share of labelled bags; all of them where the share was not varied."""
    labelled = runs[runs["experiment"] == "labelled"]
    if labelled.empty:
        labelled = at_c_clusters(runs)
    return [(f"{share:.0%} labelled: ", here) for share, here in labelled.groupby("labelled_share")]


PEI_FERN = read_experiment(
    "pei-fern",
    (at_c, at_fewest_labels, most_and_fewest_labels, at_every_share),
    {"baselines": [{"name": name} for name in LIST_BASELINES]},
    problems=SETS,
    entrants=ENTRANTS,
    settings=settings_of,
    work=work,
    show=show,
    brief=brief_table,
    facts=_facts,
    orders={"experiment": PARTS},
    title=lambda setting: f"{setting.dataset}, {setting.experiment}, {setting.entrant}",
)
