from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics import adjusted_rand_score

from algorithms.bagwise.cpm3c import CPM3C
from algorithms.errors import ClusteringWarning
from algorithms.metrics import clustering_accuracy, normalized_mutual_info
from birdmodes.experiments.data import Source
from birdmodes.experiments.papers.zhang import ZHANG
from birdmodes.experiments.tasks import Outcome, Setting, Task, child_seed, run_task
from birdmodes.experiments.work import grouping
from birdmodes.experiments.work.bags import load_prepared

PROTOCOL = ZHANG.protocol("m3ic", starts=3, medoid_runs=2, vote_runs=4, mixture_runs=1)

MakeTask = Callable[..., Task]


def run_bag_task(task: Task) -> Outcome:
    return run_task(grouping.work, task)


@pytest.fixture
def make_task(write_problem: Callable[..., Path]) -> MakeTask:
    source = Source(path=write_problem())

    def make(method: str, **changes: Any) -> Task:
        names = {"dataset": "blobs", "preparation": "standardized", "entrant": method}
        setting = Setting(**{**names, "k": 3, "cost": None, "balance": None, **changes})
        return Task(setting, source, PROTOCOL)

    return make


@pytest.mark.parametrize(
    ("method", "n_runs"),
    [("cpm3c", 3), ("bamic-max", 2), ("kmeans-vote", 4), ("mi-em", 1), ("pam-smd", 1)],
)
def test_every_run_has_a_row(make_task: MakeTask, method: str, n_runs: int) -> None:
    outcome = run_bag_task(make_task(method))
    assert outcome.failure == ""
    assert [row["run"] for row in outcome.rows] == list(range(n_runs))
    for row in outcome.rows:
        assert np.isfinite(row["objective"])
        assert 0 <= row["accuracy"] <= 1
        assert (row["C"], row["balance"]) == (None, None)
        assert row["largest_class"] == pytest.approx(1 / 3, abs=1e-5)


def test_a_row_has_the_figures_of_a_fit_with_its_parameters(
    make_task: MakeTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds: list[int] = []

    def noting(*parts: Any) -> int:
        seeds.append(child_seed(*parts))
        return seeds[-1]

    monkeypatch.setattr(grouping, "child_seed", noting)
    task = make_task("cpm3c", cost=4.0, balance=0.1)
    row = run_bag_task(task).rows[1]
    problem = load_prepared(task.source, "standardized")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ClusteringWarning)
        fitted = CPM3C(3, random_state=seeds[1], C=4.0, balance=0.1, n_init=1, scaling="none").fit(
            problem.bags
        )
    assert (row["C"], row["balance"]) == (4.0, 0.1)
    assert row["objective"] == pytest.approx(fitted.objective_, rel=1e-5)
    assert row["accuracy"] == round(clustering_accuracy(problem.truth, fitted.labels_), 5)
    nmi = normalized_mutual_info(problem.truth, fitted.labels_, "geometric")
    assert row["nmi_geometric"] == round(nmi, 5)


def test_every_point_of_the_grid_has_starts_of_its_own(
    make_task: MakeTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def noting(*parts: Any) -> int:
        seen.append(child_seed(*parts))
        return seen[-1]

    monkeypatch.setattr(grouping, "child_seed", noting)
    run_bag_task(make_task("cpm3c", cost=4.0, balance=0.0))
    first, seen[:] = seen.copy(), []
    run_bag_task(make_task("cpm3c", cost=0.5, balance=1.0))
    assert len(set(first) | set(seen)) == 6


def test_bamic_sums_the_distances_to_its_medoids(make_task: MakeTask) -> None:
    task = make_task("bamic-min")
    bags = load_prepared(task.source, "standardized").bags
    X = [bags.X[bags.bag == m] for m in range(bags.n_bags)]
    D = np.array([[cdist(a, b).min() for b in X] for a in X])
    for row in run_bag_task(task).rows:
        # The least any three medoids can cost bounds it from below, one medoid from above.
        best = min(
            D[[a, b, c]].min(axis=0).sum() for a in range(18) for b in range(a) for c in range(b)
        )
        assert best - 1e-4 <= row["objective"] <= D.sum(axis=0).min()


def test_agreement_is_the_mean_rand_index_with_the_other_starts(
    make_task: MakeTask, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = [
        np.repeat([0, 1, 2], 6),
        np.repeat([2, 0, 1], 6),
        np.tile([0, 1, 2], 6),
    ]

    class Fake:
        objective_ = 1.0

        def __init__(self, *_: Any, **parameters: Any) -> None:
            self.labels_ = groups[len(made)]
            made.append(self)

        def fit(self, bags: Any) -> None:
            """The groups are there already."""

    made: list[Fake] = []
    monkeypatch.setattr(grouping, "make_clusterer", Fake)
    rows = run_bag_task(make_task("cpm3c")).rows
    apart = adjusted_rand_score(groups[0], groups[2])
    assert rows[0]["agreement"] == pytest.approx((1 + apart) / 2, abs=1e-5)
    assert rows[2]["agreement"] == pytest.approx(apart, abs=1e-5)
    # All bags in one group agree with themselves, which is worth nothing.
    made.clear()
    groups[:] = [np.zeros(18, dtype=np.int64)] * 3
    rows = run_bag_task(make_task("cpm3c")).rows
    assert [row["agreement"] for row in rows] == [0, 0, 0]
    assert [row["groups"] for row in rows] == [1, 1, 1]


@pytest.mark.parametrize("method", ["bamic-avg", "pam-smd"])
def test_too_many_groups_are_a_failure_with_a_reason(make_task: MakeTask, method: str) -> None:
    outcome = run_bag_task(make_task(method, k=19))
    assert outcome.rows == []
    assert "19" in outcome.failure
