from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from algorithms import Bags, make_clusterer
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.metrics import normalized_mutual_info, purity
from algorithms.preprocessing import standardize
from birdmodes.errors import BirdmodesError
from birdmodes.experiments.data import Source
from birdmodes.experiments.papers.pei_fern import PEI_FERN, work
from birdmodes.experiments.tasks import Setting, Task, run_task
from birdmodes.experiments.work import instances
from birdmodes.experiments.work.instances import ENTRANTS, MEASURES, Entrant, read_instances

PROTOCOL = PEI_FERN.protocol("all", runs=2, n_init=3)


def task_of(path: Path, **changes: Any) -> Task:
    names = {"dataset": "blobs", "experiment": "clusters", "entrant": "csp"}
    varied = {"ks": (3, 4), "runs": (0, 1), "alpha": None, "share": 1.0, **changes}
    return Task(Setting(**(names | varied)), Source(path=path), PROTOCOL)


def without_seconds(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def test_rows_name_what_differs_and_have_every_measure(write_bags_file: Any) -> None:
    rows = run_task(work, task_of(write_bags_file())).rows
    assert [(row["k"], row["run"]) for row in rows] == [(3, 0), (4, 0), (3, 1), (4, 1)]
    for row in rows:
        assert (row["alpha"], row["labelled_share"]) == (0.7, 1.0)
        assert all(np.isfinite(row[measure]) for measure in MEASURES)


def test_figures_are_those_of_a_fit_of_its_own(write_bags_file: Any) -> None:
    path = write_bags_file()
    row = run_task(work, task_of(path, ks=(3,), runs=(0,), alpha=0.4)).rows[0]
    with np.load(path) as data:
        bags = Bags(standardize(data["X"]), data["bag"], data["bag_labels"])
        truth = data["y"]
    # The blobs are far apart, so that no start of k-means finds another solution.
    labels = make_clusterer("csp", n_clusters=3, alpha=0.4, graph="dense").fit(bags).labels_
    assert row["purity"] == pytest.approx(purity(truth, labels), abs=1e-5)
    assert row["nmi"] == pytest.approx(normalized_mutual_info(truth, labels), abs=1e-5)
    assert row["alpha"] == 0.4


def test_a_task_gives_the_same_rows_whatever_ran_before(write_bags_file: Any) -> None:
    path = write_bags_file()
    alone = run_task(work, task_of(path, runs=(1,))).rows
    together = run_task(work, task_of(path)).rows[2:]
    assert without_seconds(alone) == without_seconds(together)


def test_a_method_without_graph_and_embedding_is_fitted_for_each_run(write_bags_file: Any) -> None:
    path = write_bags_file()
    assert not ENTRANTS["ldc"].spectral
    outcome = run_task(work, task_of(path, entrant="ldc"))
    assert outcome.failure == ""
    assert [(row["k"], row["run"]) for row in outcome.rows] == [(3, 0), (4, 0), (3, 1), (4, 1)]
    assert all(row["purity"] > 0.6 for row in outcome.rows)


def test_baselines_of_the_list_give_the_classes_of_the_instances(write_bags_file: Any) -> None:
    task = task_of(write_bags_file(), entrant="random-of-list", ks=(3,))
    outcome = run_task(work, task)
    assert outcome.failure == ""
    assert [(row["k"], row["run"], row["alpha"]) for row in outcome.rows] == [
        (3, 0, None),
        (3, 1, None),
    ]
    bags = read_instances(task.source).bags
    assert min(row["accuracy"] for row in outcome.rows) > 1 / bags.n_classes


def test_labels_of_half_of_the_bags_change_the_result_of_csp_only(write_bags_file: Any) -> None:
    rng = np.random.default_rng(5)
    path = write_bags_file(X=rng.standard_normal((60, 4)))
    half, all_of_them = (
        run_task(work, task_of(path, experiment="labelled", ks=(3,), share=share)).rows
        for share in (0.5, 1.0)
    )
    assert [row["nmi"] for row in half] != [row["nmi"] for row in all_of_them]


def test_instances_of_unknown_class_are_not_scored(write_bags_file: Any) -> None:
    truth = np.full(60, -1)
    truth[0] = 1
    row = run_task(work, task_of(write_bags_file(y=truth))).rows[0]
    assert row["purity"] == 1.0


def test_what_a_method_cannot_do_is_a_failure_with_its_reason(
    write_bags_file: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(name: str, **parameters: Any) -> None:
        raise ClusteringError("too flat to cluster")

    monkeypatch.setattr(instances, "make_clusterer", refuse)
    outcome = run_task(work, task_of(write_bags_file()))
    assert outcome.failure == "too flat to cluster"
    assert outcome.rows == []


def test_warnings_of_methods_are_kept_once(
    write_bags_file: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Fitted:
        labels_ = np.zeros(60, dtype=np.int64)

        def fit(self, bags: Bags) -> Fitted:
            warnings.warn("many outliers", ClusteringWarning, stacklevel=1)
            warnings.warn("nothing to do with it", FutureWarning, stacklevel=1)
            return self

        def get_params(self) -> dict[str, Any]:
            return {}

    monkeypatch.setattr(Entrant, "spectral", False)
    monkeypatch.setattr(instances, "make_clusterer", lambda name, **_: Fitted())
    outcome = run_task(work, task_of(write_bags_file()))
    assert outcome.warnings == ["many outliers"]
    assert [row["alpha"] for row in outcome.rows] == [None] * 4


def test_a_set_without_truth_or_labels_is_refused(write_bags_file: Any) -> None:
    no_truth = write_bags_file("no-truth.npz", y=np.full(60, -1))
    with pytest.raises(BirdmodesError, match=r"no-truth\.npz: no instance has a known class"):
        read_instances(Source(path=no_truth))
    no_labels = write_bags_file(
        "no-labels.npz", bag_labels=np.zeros((20, 3)), labelled=np.zeros(20)
    )
    with pytest.raises(BirdmodesError, match=r"no-labels\.npz: no bag is labelled"):
        read_instances(Source(path=no_labels))


def test_fingerprints_tell_sets_apart(write_bags_file: Any) -> None:
    prints = [
        read_instances(Source(path=write_bags_file(name, seed=seed))).fingerprint
        for name, seed in (("a.npz", 0), ("b.npz", 0), ("c.npz", 1))
    ]
    assert prints[0] == prints[1] != prints[2]
