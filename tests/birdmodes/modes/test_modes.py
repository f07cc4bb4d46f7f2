from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np
import pandas as pd
import pytest

from algorithms import METHODS, Bags
from algorithms.base import InstanceClusterer
from algorithms.registry import Method
from algorithms.spectral.csp import CSP
from birdmodes.errors import BirdmodesError
from birdmodes.evaluation.scoring import score_clustering
from birdmodes.export.selection import Choice, select
from birdmodes.gallery.names import names_of_modes
from birdmodes.modes.clustering import Clustering, read_clustering, write_clustering
from birdmodes.modes.find import ClusterOptions, find_modes
from birdmodes.modes.words.shared_names import shared_species, whole_name, whole_species
from birdmodes.publication.material import chosen_modes
from birdmodes.segmentation import Segment
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.tables import ClipSegment, syllables_table

SPECIES = ("Dipper", "Robin", "Wren")
MODES_PER_SPECIES = 2
RAIN = len(SPECIES) * MODES_PER_SPECIES  # the last centre
CENTRES = np.random.default_rng(7).normal(0, 10, (RAIN + 1, len(FEATURE_NAMES)))


def syllable_of(mode: int, start_s: float, rng: np.random.Generator) -> Segment:
    patch = np.zeros((2, 2), dtype=np.uint8)
    features = CENTRES[mode] + rng.normal(0, 1, len(FEATURE_NAMES))
    return Segment(
        start_s, start_s + 0.1, 1000.0, 2000.0, features, patch, np.ones((2, 2), bool), False
    )


def store(
    workspace: Workspace, name: str, modes: list[int], species: str | None, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    found = [
        ClipSegment(0, 0.0, syllable_of(mode, 0.2 * number, rng))
        for number, mode in enumerate(modes)
    ]
    workspace.commit(
        {
            "recording": name,
            "path": name,
            "size_bytes": 1,
            "mtime_ns": 1,
            "duration_s": 10.0,
            "sample_rate_hz": 22050,
            "channels": 1,
            "labelled": species is not None,
            "species": species or "",
            "n_clips": 1,
            "bag_unit": "clip",
            "n_syllables": len(found),
            "note": "",
        },
        syllables_table(name, found, "clip"),
    )


@pytest.fixture(scope="module")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """30 recordings of one or two of three species, whose two modes each are far apart."""
    folder = tmp_path_factory.mktemp("modes") / "w"
    made = Workspace.prepare(folder, Settings(SegmentationParameters()))
    rng = np.random.default_rng(0)
    for number in range(30):
        present = [number % 3] if number % 2 else [number % 3, (number + 1) % 3]
        modes = [2 * species + mode for species in present for mode in (0, 1) for _ in range(3)]
        rng.shuffle(modes)
        labels = ";".join(sorted(SPECIES[species] for species in present))
        store(made, f"{number:02}.wav", modes, labels, number)
    return made


@pytest.fixture
def workspace(made_once: Workspace, tmp_path: Path) -> Workspace:
    """A copy of that workspace, to be changed."""
    return Workspace.open(shutil.copytree(made_once.folder, tmp_path / "w"))


@pytest.fixture(scope="module")
def six_modes(made_once: Workspace) -> Clustering:
    """The modes of that workspace."""
    return find_modes(made_once, ClusterOptions(k=6, stability_runs=0)).clustering


def test_the_method_is_ldc_unless_told(six_modes: Clustering) -> None:
    assert six_modes.name == "ldc-k6"
    assert six_modes.parameters["method"] == "ldc"


@pytest.mark.parametrize("method", ["ldc", "csp", "mimlca"])
def test_modes_get_the_species_they_belong_to(workspace: Workspace, method: str) -> None:
    clustering = find_modes(workspace, ClusterOptions(method=method, k=6)).clustering
    assert clustering.name == f"{method}-k6"
    assert list(clustering.modes["mode"]) == [
        f"{species} mode {number}" for species in SPECIES for number in (1, 2)
    ]
    # which true mode a syllable is of can be told from its features' nearest centre
    features = workspace.syllables(FEATURE_NAMES).to_numpy(dtype=float)
    distance = np.linalg.norm(features[:, None] - CENTRES[None], axis=2)
    true_species = [SPECIES[mode // 2] for mode in distance.argmin(axis=1)]
    assert list(clustering.assignments["species"]) == true_species
    assert (clustering.modes["confidence"] > 0.9).all()
    assert clustering.metrics["stability"] == pytest.approx(1.0)


def test_every_species_has_candidates_unless_told(workspace: Workspace) -> None:
    clustering = find_modes(workspace, ClusterOptions(stability_runs=0)).clustering
    assert clustering.parameters["k"] == 12
    assert clustering.parameters["k_per_species"] == dict.fromkeys(SPECIES, 4)
    assert clustering.metrics["stability"] is None


@pytest.mark.parametrize("method", ["ldc", "csp", "mimlca"])
def test_auto_finds_how_many_modes_each_species_has(tmp_path: Path, method: str) -> None:
    workspace = Workspace.prepare(tmp_path / "w", Settings(SegmentationParameters()))
    for number in range(8):
        store(workspace, f"gull{number}.wav", [RAIN] * 4, "Gull", number)
        store(workspace, f"wren{number}.wav", [4, 5, 4, 5], "Wren", 50 + number)
    options = ClusterOptions(method=method, k="auto", stability_runs=0)
    clustering = find_modes(workspace, options).clustering
    assert clustering.name == f"{method}-auto"
    expected = {"Gull": 1, "Wren": 2}
    assert clustering.parameters["k_per_species"] == expected
    assert clustering.parameters["k_from"] == "auto"
    assert clustering.parameters["k"] == 3
    assert dict(clustering.modes["species"].value_counts()) == expected
    assert clustering.k_curves is not None
    folder = write_clustering(workspace, clustering)
    assert (folder / "k_curves.csv").read_text().startswith("species,syllables,k,kinds,bouts,")
    figure = (folder / "k_curves.svg").read_text()
    assert "Gull: 1" in figure
    read = read_clustering(workspace, f"{method}-auto").k_curves
    pd.testing.assert_frame_equal(read, clustering.k_curves, check_dtype=False)


def test_the_number_of_modes_can_be_given_for_each_species(workspace: Workspace) -> None:
    options = ClusterOptions(k_per_species={"Wren": 1}, stability_runs=0)
    clustering = find_modes(workspace, options).clustering
    assert clustering.name == "ldc-per-species"
    assert clustering.parameters["k"] == 5
    expected = {"Dipper": 2, "Robin": 2, "Wren": 1}
    assert clustering.parameters["k_per_species"] == expected
    assert dict(clustering.modes["species"].value_counts()) == expected
    assert clustering.parameters["k_from"] == "per species"
    assert clustering.k_curves is None


class _PerClass(CSP):
    """A method that takes the number of clusters of each class."""

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        random_state: int = 0,
        clusters_per_class: Sequence[int] | None = None,
    ) -> None:
        super().__init__(n_clusters, random_state=random_state)
        self.clusters_per_class = clusters_per_class

    def fit(self, bags: Bags) -> Self:
        assert self.clusters_per_class == [3, 3, 3]
        assert self.n_clusters == 9
        return super().fit(bags)


class _PerClassMethod(Method):
    def load(self) -> type[InstanceClusterer]:
        return _PerClass


def test_methods_that_take_the_number_of_each_species_get_it(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(METHODS, "each", _PerClassMethod("each", "instance", "", "", ""))
    options = ClusterOptions(method="each", k_per_species=3, stability_runs=0)
    assert find_modes(workspace, options).clustering.parameters["k"] == 9


def test_options_of_the_method_are_recorded_as_given(workspace: Workspace) -> None:
    options = ClusterOptions("csp", k=6, method_parameters={"alpha": 0.5}, stability_runs=0)
    parameters = find_modes(workspace, options).clustering.parameters
    assert parameters["options"] == {"alpha": 0.5}
    assert parameters["alpha_effective"] == 0.5
    assert parameters["k_from"] == "given"
    assert parameters["k_per_species"] is None


def test_modes_are_numbered_by_size(workspace: Workspace) -> None:
    store(workspace, "more.wav", [3] * 12, "Robin", 99)
    modes = find_modes(workspace, ClusterOptions(k=6, stability_runs=0)).clustering.modes
    robin = modes[modes["species"] == "Robin"]
    assert list(robin["mode"]) == ["Robin mode 1", "Robin mode 2"]
    assert robin["syllables"].iloc[0] == robin["syllables"].iloc[1] + 12


def test_same_seed_same_result(workspace: Workspace) -> None:
    options = ClusterOptions(k=7, seed=3, stability_runs=2)
    first, second = (find_modes(workspace, options) for _ in range(2))
    pd.testing.assert_frame_equal(first.clustering.assignments, second.clustering.assignments)
    assert first.clustering.metrics == second.clustering.metrics


def test_the_most_central_syllable_of_each_cluster_is_marked(six_modes: Clustering) -> None:
    table = six_modes.assignments
    for _, members in table.groupby("cluster"):
        ranks = np.sort(members["centrality"].to_numpy())[::-1]
        expected = 1 - np.arange(len(members)) / len(members)
        np.testing.assert_allclose(ranks, expected, atol=1e-6)


@pytest.mark.parametrize("method", ["ldc", "csp"])
def test_a_sound_in_every_recording_is_background(tmp_path: Path, method: str) -> None:
    """Rain falls in recordings whatever sings there, also where nothing does."""
    workspace = Workspace.prepare(tmp_path / "rainy", Settings(SegmentationParameters()))
    for number in range(36):
        sings = number < 30
        modes = [2 * (number % 3), 2 * (number % 3) + 1] * 3 if sings else []
        species = SPECIES[number % 3] if sings else ""
        store(workspace, f"{number:02}.wav", [*modes, RAIN, RAIN, RAIN], species, number)
    modes = find_modes(workspace, ClusterOptions(method, k=7, stability_runs=0)).clustering.modes
    background = modes[modes["background"]]
    assert list(background["syllables"]) == [108]
    assert list(background["species"]) == [""]
    assert set(modes.loc[~modes["background"], "species"]) == set(SPECIES)


def rained_on(workspace: Workspace) -> Workspace:
    """Let it rain on ten more recordings, each of one species; none is without a species."""
    for number in range(10):
        modes = [2 * (number % 3), 2 * (number % 3) + 1, RAIN, RAIN]
        store(workspace, f"rain{number}.wav", modes, SPECIES[number % 3], 200 + number)
    return workspace


def test_ldc_has_background_unless_told(workspace: Workspace) -> None:
    rained_on(workspace)
    found = find_modes(workspace, ClusterOptions(k=7, stability_runs=0)).clustering
    background = found.modes[found.modes["background"]]
    assert list(background["syllables"]) == [20]
    assert list(background["species"]) == [""]
    assert list(background["mode"]) == [""]
    of_rain = found.assignments[found.assignments["species"] == ""]
    assert of_rain["recording"].str.startswith("rain").all()
    assert (of_rain["confidence"] == 0).all()
    assert found.parameters["options"] == {}

    options = ClusterOptions(k=7, method_parameters={"background": "off"}, stability_runs=0)
    without = find_modes(workspace, options).clustering
    assert not without.modes["background"].any()
    assert (without.assignments["species"] != "").all()
    assert without.parameters["options"] == {"background": "off"}


@pytest.mark.parametrize("k", [8, 12])
def test_every_mode_of_ldc_is_only_where_its_species_is(workspace: Workspace, k: int) -> None:
    rained_on(workspace)
    clustering = find_modes(workspace, ClusterOptions(k=k, stability_runs=0)).clustering
    listed = workspace.recordings().set_index("recording")["species"]
    named = clustering.assignments[clustering.assignments["species"] != ""]
    for recording, species in zip(named["recording"], named["species"], strict=True):
        assert species in listed[recording].split(";")
    modes = clustering.modes[~clustering.modes["background"]]
    assert (modes["consistency"] == 1).all()
    assert set(modes["species"]) == set(SPECIES)


def test_the_confidence_of_a_mode_of_ldc_is_the_mean_of_its_syllables(
    workspace: Workspace,
) -> None:
    for number in range(10):  # sounds that may be of any of three species
        store(workspace, f"trio{number}.wav", [RAIN] * 5, "Heron;Rail;Stork", number)
    options = ClusterOptions(k=7, method_parameters={"background": "off"}, stability_runs=0)
    clustering = find_modes(workspace, options).clustering
    means = clustering.assignments.groupby("mode")["confidence"].mean()
    modes = clustering.modes.set_index("mode")["confidence"]
    np.testing.assert_allclose(modes, means[modes.index], atol=1e-5)
    assert modes.min() < 0.5 < 0.9 < modes.max()


def of_lists(folder: Path, lists: list[str]) -> Workspace:
    """Recordings of all six modes, with any lists."""
    made = Workspace.prepare(folder, Settings(SegmentationParameters()))
    for number, labels in enumerate(lists):
        store(made, f"{number:02}.wav", [0, 1, 2, 3, 4, 5] * 2, labels, number)
    return made


@pytest.mark.parametrize("method", ["ldc", "csp"])
def test_one_list_of_several_species_names_nothing(tmp_path: Path, method: str) -> None:
    made = of_lists(tmp_path / "w", ["Owl;Robin;Wren"])
    result = find_modes(made, ClusterOptions(method=method, k=6, stability_runs=0))
    modes = result.clustering.modes
    assert (modes[["species", "mode"]] == "").all(axis=None)
    assert not modes["background"].any()
    assert (result.clustering.assignments["confidence"] == 0).all()
    assert not any("no cluster for" in line for line in result.warnings)


@pytest.mark.parametrize("method", ["ldc", "csp"])
def test_the_one_species_of_all_lists_is_certain_and_not_tested(
    tmp_path: Path, method: str
) -> None:
    made = of_lists(tmp_path / "w", ["Wren"] * 5)
    modes = find_modes(made, ClusterOptions(method=method, k=6, stability_runs=0)).clustering.modes
    assert (modes["species"] == "Wren").all()
    assert (modes["confidence"] == 1).all()
    assert modes["p_value"].isna().all()


def test_modes_of_species_that_are_always_listed_together_may_be_of_either(
    tmp_path: Path,
) -> None:
    made = of_lists(tmp_path / "w", ["Owl;Robin", "Robin;Owl", "Wren"] * 3)
    result = find_modes(
        made, ClusterOptions(k=6, stability_runs=0, method_parameters={"background": "off"})
    )
    modes = result.clustering.modes
    assert set(modes["species"]) == {"Owl", "Wren"}
    assert set(modes["or_species"][modes["species"] == "Owl"]) == {"Robin"}
    assert set(modes["or_species"][modes["species"] == "Wren"]) == {""}
    assert whole_name("Owl mode 2", "Owl", "Robin") == "Owl or Robin mode 2"
    assert not any("no cluster for" in line for line in result.warnings)
    write_clustering(made, result.clustering)
    read = read_clustering(made).modes
    assert read["or_species"].tolist() == result.clustering.modes["or_species"].tolist()
    for asked in ("Owl", "Owl or Robin"):
        rows = select(made, result.clustering, Choice(species=(asked,), min_confidence=0)).rows
        assert set(rows["species"]) == {"Owl or Robin"}
        assert set(rows["mode"]) <= {f"Owl or Robin mode {number}" for number in range(1, 6)}
    of_wren = select(made, result.clustering, Choice(species=("Wren",), min_confidence=0)).rows
    assert set(of_wren["species"]) == {"Wren"}
    headings = {names.name for names in names_of_modes(modes, {}).values()}
    assert {"Owl or Robin A", "Wren A"} <= headings
    pages = chosen_modes(result.clustering, Choice(species=("Owl",)))
    assert [whole_species(name, shared_species(rows)) for name, rows in pages.items()] == [
        "Owl or Robin"
    ]


@pytest.mark.parametrize("method", ["ldc", "csp", "sp"])
def test_without_labels_modes_have_no_species_and_are_not_background(
    tmp_path: Path, method: str
) -> None:
    unlabelled = Workspace.prepare(tmp_path / "u", Settings(SegmentationParameters()))
    for number in range(8):
        store(unlabelled, f"{number}.wav", [0, 1, 0, 1], None, number)
    result = find_modes(unlabelled, ClusterOptions(method, k=2, stability_runs=0))
    modes = result.clustering.modes
    assert list(modes["syllables"]) == [16, 16]
    assert list(modes["species"]) == ["", ""]
    assert list(modes["mode"]) == ["", ""]
    assert not modes["background"].any()
    assert any("8 of 8 bags have no labels" in warning for warning in result.warnings)


@pytest.mark.parametrize("method", ["ldc", "csp", "mimlca"])
def test_bags_without_syllables_and_labels_are_kept(workspace: Workspace, method: str) -> None:
    store(workspace, "silent.wav", [], "Robin", 0)
    store(workspace, "unknown.wav", [0, 1], None, 1)
    bags, syllables = workspace.bags(), workspace.syllables()
    assert bags.n_bags == 32
    assert bags.labelled.sum() == 31
    assert len(syllables) == bags.n_instances
    result = find_modes(workspace, ClusterOptions(method, k=6, stability_runs=0))
    assert any("1 of 32 bags have no labels" in warning for warning in result.warnings)
    unknown = result.clustering.assignments.query("recording == 'unknown.wav'")
    assert list(unknown["species"]) == ["Dipper", "Dipper"]


@pytest.mark.parametrize("method", ["ldc", "csp"])
def test_modes_that_species_share_are_pointed_out(workspace: Workspace, method: str) -> None:
    for number in range(10):
        store(workspace, f"duet{number}.wav", [RAIN] * 5, "Heron;Rail;Stork", number)
    result = find_modes(workspace, ClusterOptions(method, k=7, stability_runs=0))
    assert any("1 of 7 modes have a confidence below 0.5" in warning for warning in result.warnings)


def test_species_without_a_cluster_are_pointed_out(workspace: Workspace) -> None:
    result = find_modes(workspace, ClusterOptions("csp", k=2, stability_runs=0))
    assert any("no cluster for" in warning for warning in result.warnings)


def test_impossible_requests_are_one_line(tmp_path: Path, workspace: Workspace) -> None:
    with pytest.raises(BirdmodesError, match=r"400"):
        find_modes(workspace, ClusterOptions(k=400))
    with pytest.raises(
        BirdmodesError, match=r"^k=2 is below the 3 classes.*use k=3.*another method"
    ):
        find_modes(workspace, ClusterOptions(k=2))
    with pytest.raises(BirdmodesError, match="no method"):
        find_modes(workspace, ClusterOptions(method="magic"))
    with pytest.raises(BirdmodesError, match="no parameter 'alpha'"):
        find_modes(workspace, ClusterOptions(method="sp", method_parameters={"alpha": 1.0}))
    empty = Workspace.prepare(tmp_path / "empty", Settings(SegmentationParameters()))
    with pytest.raises(BirdmodesError, match="no syllables to cluster"):
        find_modes(empty, ClusterOptions())
    store(empty, "a.wav", [0, 1, 2], None, 0)
    with pytest.raises(BirdmodesError, match="must be given with --k"):
        find_modes(empty, ClusterOptions())


def test_scores_against_the_truth_are_perfect_for_perfect_clusters(
    made_once: Workspace, six_modes: Clustering, tmp_path: Path
) -> None:
    truth = six_modes.assignments[
        ["recording", "start_s", "end_s", "low_hz", "high_hz", "species", "mode"]
    ]
    path = tmp_path / "truth.csv"
    truth.to_csv(path, index=False)
    scored, warnings = score_clustering(made_once, six_modes, path)
    assert warnings == []
    for name in ("recall", "precision", "species_purity", "mode_purity", "mode_nmi"):
        assert scored.metrics[f"truth_{name}"] == pytest.approx(1.0), name


def test_a_result_can_be_written_and_read(workspace: Workspace, six_modes: Clustering) -> None:
    write_clustering(workspace, six_modes)
    read = read_clustering(workspace, "ldc-k6")
    pd.testing.assert_frame_equal(read.modes, six_modes.modes, check_dtype=False)
    assert read.parameters == six_modes.parameters
    np.testing.assert_array_equal(read.model["class_names"], SPECIES)
