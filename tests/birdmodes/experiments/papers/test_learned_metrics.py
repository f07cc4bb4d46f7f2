"""The experiment on learned metrics: what is run, what comes out, and going on."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import groupby
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from typer.testing import CliRunner

from algorithms import make_clusterer
from algorithms.bags import Bags
from algorithms.metric.mimlca import MIMLCA
from birdmodes.errors import ParameterError
from birdmodes.experiments.claims import Verdict
from birdmodes.experiments.data import Data, Source
from birdmodes.experiments.experiment import Measured, Protocol
from birdmodes.experiments.papers import learned_metrics
from birdmodes.experiments.papers.learned_metrics import (
    LEARNED_METRICS,
    merge_of,
    settings_of,
    summary_table,
    work,
)
from birdmodes.experiments.run import Plan, make_tasks
from birdmodes.experiments.shown.metrics import METRICS, OWN, at_k, gain_table, overview_table
from birdmodes.experiments.tasks import Setting, Task, child_seed, run_task
from birdmodes.experiments.work.instances import MEASURES, read_instances
from birdmodes.experiments.work.spaces import (
    labelled_bags,
    load_space,
    species_count,
    species_of_classes,
    within_species,
)
from cli.main import app

WriteBags = Callable[..., Path]
TINY = LEARNED_METRICS.protocol("metric", runs=2, merges=2, n_init=2)


def plan_of(path: Path, methods: tuple[str, ...] = ("sp", "mimlca")) -> Plan:
    entrants = LEARNED_METRICS.choose(methods)
    return Plan(LEARNED_METRICS, [Source(path=path)], entrants, TINY)


def tasks_of(plan: Plan) -> list[Task]:
    return make_tasks(plan, [read_instances(plan.sources[0])])


def settings_on(
    n_instances: int, n_classes: int, method: str, protocol: Protocol = TINY
) -> list[Setting]:
    """Settings of a method on a set of so many instances and classes."""
    labels = np.ones((n_instances, n_classes), dtype=bool)
    bags = Bags(np.zeros((n_instances, 1)), np.arange(n_instances), labels)
    return list(settings_of(Data("s", bags), method, protocol))


def five_classes(write_bags_file: WriteBags) -> Path:
    """Five round blobs; twelve features, eight of them loud noise."""
    rng = np.random.default_rng(0)
    bag = np.repeat(np.arange(20), 4)
    truth = (bag + np.tile([0, 0, 1, 1], 20) * (bag % 2)) % 5  # one class in a bag, or two
    labels = np.zeros((20, 5), dtype=np.uint8)
    labels[bag, truth] = 1
    X = np.hstack([5 * np.eye(5, 4)[truth], 10 * rng.standard_normal((80, 8))])
    X[:, :4] += 0.5 * rng.standard_normal((80, 4))
    return write_bags_file("five.npz", X=X, bag=bag, bag_labels=labels, y=truth)


def test_spectral_methods_meet_every_metric_and_others_stand_beside() -> None:
    csp = settings_on(100, 6, "csp")
    classes = [each for each in csp if each.part == "classes"]
    assert [(each.metric, each.k) for each in classes] == [(m, k) for m in METRICS for k in (6, 12)]
    assert {each.runs for each in classes} == {(0, 1)}
    merged = [each for each in csp if each.part == "sub-classes"]
    assert [(each.metric, merge_of(each)) for each in merged] == [
        (m, r) for m in METRICS for r in (0, 1)
    ]
    assert {each.k for each in merged} == {6}
    assert not [e for e in settings_on(100, 6, "spreg") if merge_of(e) >= 0]
    ldc = settings_on(100, 6, "ldc")
    assert {each.metric for each in ldc} == {OWN}
    assert [(each.k, each.runs) for each in ldc if each.part == "classes"] == [
        (6, (0,)), (6, (1,)), (12, (0,)), (12, (1,)),
    ]  # fmt: skip
    many = settings_on(100, 6, "ldc", TINY.but(runs=20))
    assert max(each.runs[0] for each in many) == 4
    keys = [each.key for each in csp + ldc]
    assert len(set(keys)) == len(keys)


def test_small_sets() -> None:
    # Three classes cannot be merged into species of several, 2C clusters need more instances.
    settings = settings_on(6, 3, "csp")
    assert {(each.k, each.part) for each in settings} == {(3, "classes")}
    for size in ((3, 3), (9, 0)):
        with pytest.raises(ParameterError, match="too few to benchmark"):
            settings_on(*size, "csp")


def test_tasks_of_one_space_follow_each_other(write_bags_file: WriteBags) -> None:
    plan = plan_of(five_classes(write_bags_file), ())
    tasks = tasks_of(plan)
    spaces = [
        space
        for space, _ in groupby(tasks, key=lambda task: LEARNED_METRICS.together(task.setting))
    ]
    assert len(set(spaces)) == len(spaces) > len(METRICS)
    assert spaces != sorted(spaces)


@pytest.mark.parametrize("n_classes", [4, 13, 24, 26])
def test_classes_are_merged_at_random_into_a_third_as_many_species(n_classes: int) -> None:
    species = species_of_classes(n_classes, "s", 0, 0)
    sizes = np.bincount(species)
    assert len(sizes) == species_count(n_classes) == round(n_classes / 3) + (n_classes == 4)
    assert sizes.min() >= 2
    assert sizes.max() - sizes.min() <= 1
    np.testing.assert_array_equal(species, species_of_classes(n_classes, "s", 0, 0))
    others = [species_of_classes(n_classes, "s", merge, seed) for merge, seed in ((1, 0), (0, 1))]
    if n_classes > 4:
        assert all((other != species).any() for other in others)


def test_a_bag_has_the_species_of_its_classes(write_bags_file: WriteBags) -> None:
    material = read_instances(Source(path=five_classes(write_bags_file)))
    assert labelled_bags(material, -1, 0) is material.bags
    species = species_of_classes(5, "five", 1, 0)
    merged = labelled_bags(material, 1, 0)
    for bag in range(20):
        present = {species[c] for c in range(5) if material.bags.labels[bag, c]}
        assert {s for s in range(2) if merged.labels[bag, s]} == present
    np.testing.assert_array_equal(merged.X, material.bags.X)


@pytest.mark.parametrize("merge", [-1, 0])
def test_the_space_is_that_of_the_metric_of_these_labels(
    write_bags_file: WriteBags, merge: int
) -> None:
    source = Source(path=five_classes(write_bags_file))
    bags = labelled_bags(read_instances(source), merge, 0)
    learned, affinity, _ = load_space(source, "mimlca-no-limit", merge, "dense", 0)
    L = MIMLCA(max_per_label=None).fit(bags).components_
    np.testing.assert_allclose(learned.X, bags.X @ L, atol=1e-12)
    assert learned.n_classes == (5 if merge < 0 else 2)
    assert affinity.n_instances == 80
    plain, _, seconds = load_space(source, "euclidean", merge, "dense", 0)
    np.testing.assert_array_equal(plain.X, bags.X)
    assert seconds == 0


def test_agreement_within_species_by_hand() -> None:
    species = np.array([0, 1, 0, 1])
    truth = np.array([0, 0, 2, 2, 1, 1, 3, 3, 3, -1])
    found = np.array([0, 0, 1, 1, 0, 0, 0, 0, 1, 1])
    # Within species 0 the clusters are the classes; within 1 hardly anything is found.
    inside = adjusted_rand_score([1, 1, 3, 3, 3], [0, 0, 0, 0, 1])
    assert within_species(truth, species, found) == pytest.approx((4 * 1.0 + 5 * inside) / 9)
    # How well species are told apart does not count.
    apart = found + 10 * species[truth]
    assert within_species(truth, species, apart) == within_species(truth, species, found)
    only = np.array([0, 0, 0, -1])
    assert np.isnan(within_species(only, species, np.array([0, 1, 0, 1])))


def test_rows_are_those_of_the_method_on_mapped_features(write_bags_file: WriteBags) -> None:
    path = five_classes(write_bags_file)
    plan = plan_of(path, ("csp",))
    task = next(
        task
        for task in tasks_of(plan)
        if (task.setting.metric, task.setting.part, task.setting.k) == ("mimlca", "classes", 5)
    )
    rows = run_task(work, task).rows
    material = read_instances(plan.sources[0])
    bags = material.bags
    mapped = Bags(bags.X @ MIMLCA().fit(bags).components_, bags.bag, bags.labels)
    # Apart as they are, any start of k-means finds the same.
    found = make_clusterer("csp", n_clusters=5).fit(mapped).labels_
    expected = normalized_mutual_info_score(material.truth, found)
    assert [row["nmi"] for row in rows] == pytest.approx([expected] * 2, abs=1e-5)
    assert [row["run"] for row in rows] == [0, 1]
    assert {row["ari_within"] for row in rows} == {None}
    # The setting names the rest.
    named = {"dataset", "part", "method", "metric"}
    assert set(LEARNED_METRICS.columns) == set(rows[0]) | named


def test_metrics_start_k_means_alike(
    write_bags_file: WriteBags, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds: dict[str, list[int]] = {}
    asked: list[int] = []

    def noting(*parts: str | int) -> int:
        seed = child_seed(*parts)
        asked.append(seed)
        return seed

    monkeypatch.setattr(learned_metrics, "child_seed", noting)
    plan = plan_of(five_classes(write_bags_file), ("sp",))
    for task in tasks_of(plan):
        if task.setting.part == "classes" and task.setting.k == 5:
            asked.clear()
            run_task(work, task)
            seeds[task.setting.metric] = list(asked)
    assert set(seeds) == set(METRICS)
    assert len({tuple(each) for each in seeds.values()}) == 1
    assert len(set(seeds["mimlca"])) == 3  # eigenvectors and two starts


def runs_of(**nmi: list[float]) -> pd.DataFrame:
    """Runs of csp on one set by metric, all measures the same."""
    rows = [
        {
            "dataset": "s", "part": "classes", "method": "csp", "metric": metric.replace("_", "-"),
            "options": "", "k": 3, "run": run, **dict.fromkeys(MEASURES, value),
            "ari_within": np.nan, "learning_seconds": 1.0, "seconds": 1.0,
        }
        for metric, values in nmi.items()
        for run, value in enumerate(values)
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=LEARNED_METRICS.columns)


def test_gains_are_means_of_paired_differences() -> None:
    runs = runs_of(euclidean=[0.1, 0.5, 0.3], mimlca_no_limit=[0.3, 0.6, 0.6])
    summary = summary_table(runs).set_index("metric")
    learned = summary.loc["mimlca-no-limit"]
    # differences 0.2, 0.1, 0.3: mean 0.2, deviation 0.1
    assert learned["nmi_gain"] == pytest.approx(0.2)
    assert learned["nmi_gain_se"] == pytest.approx(0.1 / np.sqrt(3))
    assert learned["nmi_mean"] == pytest.approx(0.5)
    assert np.isnan(summary.loc["euclidean", "nmi_gain"])
    table = gain_table(summary.reset_index(), "mimlca-no-limit", "nmi", 1)
    ((method, (cell,)),) = table.rows
    assert (method, cell.text, cell.best) == ("csp", "0.300 → 0.500 (+0.200)", True)
    ((metric, (cell,)),) = overview_table(summary.reset_index(), 1).rows
    assert (metric, cell.text, cell.best) == ("mimlca-no-limit", "+0.200, 1 of 1", True)


def by_text_of(runs: pd.DataFrame) -> dict[str, Verdict]:
    return {each.claim.text: each for each in LEARNED_METRICS.verdicts(Measured(runs, runs))}


def test_a_gain_within_its_error_does_not_count() -> None:
    runs = runs_of(euclidean=[0.1, 0.5], mimlca_no_limit=[0.3, 0.4])
    ((_, (cell,)),) = overview_table(summary_table(runs), 1).rows
    assert (cell.text, cell.best) == ("+0.050, 0 of 1", False)
    by_text = by_text_of(runs)
    assert by_text["the learned metric helps csp, K = C"].status == "does not hold"
    assert by_text["the learned metric helps sp, K = C"].status == "not measured"
    better = runs_of(euclidean=[0.1, 0.5], mimlca_no_limit=[0.3, 0.8])
    by_text = by_text_of(better)
    assert by_text["the learned metric helps csp, K = C"].status == "holds"


def test_the_multiple_of_c_is_that_of_the_set() -> None:
    table = pd.DataFrame(
        {"dataset": ["a", "a", "b", "a"], "part": [*["classes"] * 3, "sub-classes"],
         "k": [3, 6, 5, 3], "row": [0, 1, 2, 3]}
    )  # fmt: skip
    assert at_k(table, 1)["row"].tolist() == [0, 2]
    assert at_k(table, 2)["row"].tolist() == [1]


def test_the_command_tells_whether_it_helps(write_bags_file: WriteBags, tmp_path: Path) -> None:
    out = tmp_path / "out"
    arguments = ["--experiment", "metric", "--bags", str(five_classes(write_bags_file))]
    arguments += ["--methods", "sp,ldc", "--runs", "2", "--quick", "--jobs", "1"]
    answer = CliRunner().invoke(app, ["benchmark", *arguments, "--out", str(out)])
    assert answer.exit_code == 0, answer.output
    assert "K = C: mean gain in NMI" in answer.output
    assert "the learned metric helps sp, K = C (on 1 of 1 sets)" in answer.output
    report = (out / "report.md").read_text(encoding="utf-8")
    assert "## Does it help?" in report
    assert "NMI, K = C: Euclidean → mimlca-no-limit" in report
    assert "Classes merged: are modes hidden?" in report
    assert "--experiment metric --bags five.npz --methods sp,ldc --runs 2" in report
    html = (out / "report.html").read_text(encoding="utf-8")
    assert "Clustering in a learned metric".lower() in html.lower()
    settings = json.loads((out / "settings.json").read_text())
    assert settings["experiment"] == "metric"
    summary = pd.read_csv(out / "summary.csv")
    learned = summary[(summary["metric"] == "mimlca-no-limit") & (summary["part"] == "classes")]
    # Loud noise, which learned metrics leave out.
    assert learned.loc[learned["k"] == 5, "nmi_gain"].item() > 0.1
