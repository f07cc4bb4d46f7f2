"""``cluster --metric``: the metric that is learned, what is kept of it, and what follows."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

from algorithms import Bags, make_clusterer
from algorithms.bags import own_bags
from algorithms.metric.mimlca import MIMLCA
from algorithms.metrics import adjusted_rand_index
from algorithms.placement.placer import Placer
from birdmodes.assign.model import read_training
from birdmodes.assign.table import Limits, place_syllables
from birdmodes.errors import BirdmodesError, ParameterError
from birdmodes.gallery.words.explanations import repeat_commands
from birdmodes.gallery.words.run_facts import run_facts
from birdmodes.info.workspace import workspace_info
from birdmodes.modes import find as modes_module
from birdmodes.modes.clustering import Clustering, learned_metric, read_clustering, write_clustering
from birdmodes.modes.find import ClusterOptions, find_modes
from birdmodes.modes.knowledge import Knowledge, with_knowledge
from birdmodes.modes.learned_metric import METRICS, check_metric, learn_metric
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.workspace.store import Workspace

MakeWorkspace = Callable[..., Workspace]
BY_METRIC = ClusterOptions(method="csp", k=4, metric="mimlca", stability_runs=0)


@pytest.fixture
def workspace(make_workspace: MakeWorkspace) -> Workspace:
    """Two species of two kinds of syllables each, alone or together, and a bag without a list."""
    return make_workspace(
        *((f"r{n}.wav", [[0, 1, 0, 1]], "Robin") for n in range(4)),
        *((f"w{n}.wav", [[2, 3, 2]], "Wren") for n in range(4)),
        *((f"b{n}.wav", [[0, 2, 1, 3]], "Robin;Wren") for n in range(4)),
        ("unlabelled.wav", [[0, 3]], None),
    )


def without_metric(clustering: Clustering) -> Clustering:
    """As an earlier version stored it."""
    model = {name: array for name, array in clustering.model.items() if name != "metric_map"}
    parameters = {name: value for name, value in clustering.parameters.items() if name != "metric"}
    return dataclasses.replace(clustering, model=model, parameters=parameters)


def test_it_clusters_the_features_mapped_by_hand(workspace: Workspace) -> None:
    clustering = find_modes(workspace, BY_METRIC).clustering
    assert clustering.name == "csp-mimlca-k4"
    assert clustering.parameters["metric"] == "mimlca"
    bags = workspace.bags()
    L = MIMLCA(max_per_label=None).fit(bags).components_
    by_hand = Bags(bags.X @ L, bags.bag, bags.labels, bags.labelled)
    expected = make_clusterer("csp", n_clusters=4, random_state=0).fit(by_hand).labels_
    found = clustering.assignments["cluster"].to_numpy()
    assert adjusted_rand_index(expected, found) == pytest.approx(1.0)
    np.testing.assert_allclose(clustering.model["metric_map"], L)
    # What is told of the syllables stays what was measured.
    np.testing.assert_allclose(clustering.model["features"], bags.X, rtol=1e-6, atol=1e-6)


def test_without_it_nothing_is_kept(workspace: Workspace) -> None:
    clustering = find_modes(workspace, dataclasses.replace(BY_METRIC, metric="euclidean"))
    assert clustering.clustering.name == "csp-k4"
    assert clustering.clustering.parameters["metric"] == "euclidean"
    assert "metric_map" not in clustering.clustering.model
    assert not any("metric" in warning for warning in clustering.warnings)
    ldc = find_modes(workspace, ClusterOptions(k=4, stability_runs=0)).clustering
    assert ldc.parameters["metric"] is None


@pytest.mark.parametrize(
    ("method", "metric"),
    [("sp", "mimlca"), ("splearn", "mildml"), ("spreg", "mimlca"), ("csp-no-pairs", "miml")],
)
def test_every_metric_serves_every_method_that_goes_by_distances(
    workspace: Workspace, method: str, metric: str
) -> None:
    options = dataclasses.replace(BY_METRIC, method=method, metric=metric, k=2)
    clustering = find_modes(workspace, options).clustering
    assert clustering.name == f"{method}-{metric}-k2"


def test_the_number_of_modes_is_found_in_the_features(workspace: Workspace) -> None:
    options = dataclasses.replace(BY_METRIC, k="auto")
    clustering = find_modes(workspace, options).clustering
    assert clustering.name == "csp-mimlca-auto"
    assert clustering.parameters["k_per_species"] == {"Robin": 2, "Wren": 2}
    named = dataclasses.replace(BY_METRIC, k=None, k_per_species=1)
    assert find_modes(workspace, named).clustering.name == "csp-mimlca-per-species"


def test_it_warns_that_modes_may_be_hidden(workspace: Workspace) -> None:
    said = [text for text in find_modes(workspace, BY_METRIC).warnings if "metric" in text]
    assert len(said) == 1
    assert "may hide its modes" in said[0]
    one_each = dataclasses.replace(BY_METRIC, k=2)
    assert not [text for text in find_modes(workspace, one_each).warnings if "metric" in text]


def test_repetitions_learn_it_anew_with_their_seeds(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    seeds = []

    def noting(bags: Bags, metric: str, seed: int) -> object:
        seeds.append(seed)
        return learn_metric(bags, metric, seed)

    monkeypatch.setattr(modes_module, "learn_metric", noting)
    options = dataclasses.replace(BY_METRIC, seed=5, stability_runs=2, metric="mildml")
    assert find_modes(workspace, options).clustering.metrics["stability"] is not None
    assert seeds == [5, 6, 7]


def test_it_is_learned_from_corrections_too(workspace: Workspace) -> None:
    knowledge = Knowledge(species={0: "Wren", 17: ""}, mode={0: (0, 0), 1: (0, 1)})
    for method in ("csp", "splearn"):  # splearn reads what is known by itself
        options = dataclasses.replace(BY_METRIC, method=method, knowledge=knowledge)
        clustering = find_modes(workspace, options).clustering
        told = own_bags(with_knowledge(workspace.bags(), knowledge))
        L = MIMLCA(max_per_label=None).fit(told).components_
        np.testing.assert_allclose(clustering.model["metric_map"], L)
        assert clustering.parameters["with_review"]["species_known"] == 1


@pytest.mark.parametrize("method", ["ldc", "mimlca", "m3ic"])
def test_methods_that_it_has_no_meaning_for_refuse(workspace: Workspace, method: str) -> None:
    with pytest.raises(ParameterError) as refusal:
        find_modes(workspace, dataclasses.replace(BY_METRIC, method=method))
    assert f"no meaning for method {method}" in str(refusal.value)
    assert "sp, splearn, spreg, csp, csp-no-pairs" in str(refusal.value)
    assert "\n" not in str(refusal.value)
    check_metric(method, "euclidean")


def test_an_unknown_metric_is_refused(workspace: Workspace) -> None:
    with pytest.raises(ParameterError) as refusal:
        find_modes(workspace, dataclasses.replace(BY_METRIC, metric="mimcla"))
    assert "no metric 'mimcla' (did you mean 'mimlca'?)" in str(refusal.value)


@pytest.mark.parametrize("metric", METRICS[1:])
def test_without_labels_it_says_what_to_do(make_workspace: MakeWorkspace, metric: str) -> None:
    unlabelled = make_workspace(
        *((f"{n}.wav", [[0, 1]], None) for n in range(4)),
        ("silent.wav", [[]], "Wren"),
    )
    with pytest.raises(BirdmodesError) as refusal:
        find_modes(unlabelled, dataclasses.replace(BY_METRIC, k=2, metric=metric))
    assert f"--metric {metric} is learned from species lists" in str(refusal.value)
    assert "birdmodes segment --labels labels.csv" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_its_own_syllables_are_assigned_where_they_were(workspace: Workspace) -> None:
    write_clustering(workspace, find_modes(workspace, BY_METRIC).clustering)
    clustering = read_clustering(workspace, "csp-mimlca-k4")
    training = read_training(workspace, clustering)
    raw = workspace.syllables(FEATURE_NAMES).to_numpy(dtype=float)
    standardised = (raw - raw.mean(axis=0)) / raw.std(axis=0)
    expected = standardised @ clustering.model["metric_map"]
    np.testing.assert_allclose(training.places(raw), expected, atol=1e-9)
    np.testing.assert_allclose(training.X, expected, rtol=1e-4, atol=1e-5)
    # A row by itself is the same, bit for bit, as among others.
    np.testing.assert_array_equal(training.places(raw[3:4]), training.places(raw)[3:4])
    placer = Placer.fit(training.X, training.cluster, training.group, training.allowed)
    table = place_syllables(workspace, training, placer, Limits(threshold=0.0, novelty=1e9)).table
    same = table["cluster"].to_numpy() == clustering.assignments["cluster"].to_numpy()
    assert same.mean() > 0.9


def test_models_of_earlier_versions_are_still_read(workspace: Workspace) -> None:
    options = dataclasses.replace(BY_METRIC, metric="euclidean")
    now = find_modes(workspace, options, "now").clustering
    earlier = dataclasses.replace(without_metric(now), name="earlier")
    for clustering in (now, earlier):
        write_clustering(workspace, clustering)
    raw = workspace.syllables(FEATURE_NAMES).to_numpy(dtype=float)
    standardised = (raw - raw.mean(axis=0)) / raw.std(axis=0)
    for name in ("now", "earlier"):
        training = read_training(workspace, read_clustering(workspace, name))
        assert training.metric_map is None
        np.testing.assert_allclose(training.places(raw), standardised, atol=1e-12)
        np.testing.assert_allclose(training.X, standardised, rtol=1e-5, atol=1e-6)
    assert learned_metric(read_clustering(workspace, "earlier").parameters) == ""
    assert {each.metric for each in workspace_info(workspace.folder).clusterings} == {""}


def test_it_is_told_wherever_the_run_is(workspace: Workspace) -> None:
    clustering = find_modes(workspace, BY_METRIC).clustering
    write_clustering(workspace, clustering)
    assert [each.metric for each in workspace_info(workspace.folder).clusterings] == ["mimlca"]
    facts = {fact.label: fact.value for fact in run_facts(workspace, clustering)}
    assert facts["Metric"] == "mimlca"
    again, _ = repeat_commands("w", clustering.name, clustering.parameters)
    assert "--method csp --metric mimlca --k 4" in again
    plain = find_modes(workspace, dataclasses.replace(BY_METRIC, metric="euclidean")).clustering
    assert "--metric" not in repeat_commands("w", plain.name, plain.parameters)[0]
    assert "Metric" not in {fact.label for fact in run_facts(workspace, plain)}
