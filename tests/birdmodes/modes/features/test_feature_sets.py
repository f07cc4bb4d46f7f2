"""Feature sets: what they hold, how they are scaled and kept, and what uses them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from algorithms.metrics import adjusted_rand_index
from algorithms.placement.placer import Placer
from birdmodes.annotate.evaluate import evaluate_workspace
from birdmodes.assign.as_clustering import as_clustering
from birdmodes.assign.model import read_training
from birdmodes.assign.table import Limits, place_syllables
from birdmodes.compare.comparison import compare_clusterings, content
from birdmodes.compare.page import to_html
from birdmodes.errors import FeatureError, WorkspaceError
from birdmodes.export.run import ExportOptions, export_clustering
from birdmodes.export.selection import Choice
from birdmodes.groups.find import GroupOptions, find_groups
from birdmodes.modes.clustering import read_clustering, used_features, write_clustering
from birdmodes.modes.features.describe import describe_syllables
from birdmodes.modes.features.material import SyllableMaterial
from birdmodes.modes.features.own import (
    PATCH_COLUMNS,
    cut_patches,
    modulation_spectra,
    patch_places,
)
from birdmodes.modes.features.sets import (
    BEST,
    FEATURE_SETS,
    PUBLISHED,
    default_features,
    parse_features,
    short_name,
)
from birdmodes.modes.features.space import FeatureSpace
from birdmodes.modes.find import ClusterOptions, find_modes
from birdmodes.modes.model import clustering_space, features_of
from birdmodes.segmentation import Segment
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.windows import N_BANDS, N_COLUMNS
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.tables import ClipSegment, syllables_table

ALL = ("briggs38", "mel", "modulation", "learned", "rhythm")
_RNG = np.random.default_rng(0)
_KINDS = _RNG.integers(0, 100, (3, N_BANDS, N_COLUMNS))


def commit(workspace: Workspace, name: str, kinds: list[int], species: str, seed: int) -> None:
    """A recording whose syllables differ by their windows alone."""
    rng = np.random.default_rng(seed)
    segments = [
        Segment(
            *(0.5 * place, 0.5 * place + 0.2, 1000.0, 2000.0),
            rng.standard_normal(len(FEATURE_NAMES)),
            np.zeros((2, 2), dtype=np.uint8),
            np.ones((2, 2), dtype=np.bool_),
            truncated=False,
            window=(_KINDS[kind] + rng.integers(0, 20, (N_BANDS, N_COLUMNS))).astype(np.uint8),
            place=np.array([0.5, np.inf, 0.5, np.inf, 1, 2, 3], dtype=np.float32),
        )
        for place, kind in enumerate(kinds)
    ]
    row = {
        "recording": name, "path": name, "size_bytes": 1, "mtime_ns": 1, "duration_s": 10.0,
        "sample_rate_hz": 22050, "channels": 1, "labelled": True, "species": species,
        "n_clips": 1, "bag_unit": "clip", "n_syllables": len(segments), "note": "",
    }  # fmt: skip
    found = [ClipSegment(0, 0.0, segment) for segment in segments]
    workspace.commit(row, syllables_table(name, found, "clip"))


def fill(folder: Path, names: str, first_seed: int = 0) -> Workspace:
    workspace = Workspace.prepare(folder, Settings(SegmentationParameters()))
    for number in range(6):
        kinds = [number % 2, 2, number % 2]
        species = ["Robin", "Wren"][number % 2]
        commit(workspace, f"{names}{number}.wav", kinds, species, first_seed + number)
    return workspace


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return fill(tmp_path_factory.mktemp("features") / "w", "r")


@pytest.fixture(scope="module")
def material(workspace: Workspace) -> SyllableMaterial:
    return SyllableMaterial(workspace)


def kinds_of(workspace: Workspace) -> list[int]:
    """What the syllables are, by recording and place."""
    table = workspace.syllables(["recording", "start_s"])
    number = table["recording"].str.extract(r"(\d)")[0].astype(int) % 2
    return np.where(table["start_s"] == 0.5, 2, number).tolist()


def with_embeddings(workspace: Workspace, path: Path, columns: int = 3) -> Path:
    """A table that tells the kinds of syllables apart."""
    kind = np.array(kinds_of(workspace))
    rng = np.random.default_rng(7)
    values = rng.standard_normal((3, columns))[kind] + 0.01 * rng.random((len(kind), columns))
    frame = pd.DataFrame(values, columns=[f"e{n}" for n in range(columns)])
    frame.insert(0, "syllable", workspace.syllables("syllable")["syllable"])
    frame.to_csv(path, index=False)
    return path


def test_every_set_has_the_columns_that_it_names(
    workspace: Workspace, material: SyllableMaterial, tmp_path: Path
) -> None:
    table = with_embeddings(workspace, tmp_path / "t.csv")
    n = len(material.syllables)
    sizes = {}
    for name, kind in FEATURE_SETS.items():
        learned = kind.learn(material, 0, str(table) if name == "table" else "")
        columns = learned.columns(material)
        assert columns.shape == (n, len(learned.column_names()))
        assert np.isfinite(columns).all()
        assert len(set(learned.column_names())) == columns.shape[1]
        sizes[name] = columns.shape[1]
    # 18 syllables vary in 17 directions
    of_windows = dict.fromkeys(("mel", "modulation", "learned"), 17)
    assert sizes == of_windows | {"briggs38": 38, "rhythm": 7, "table": 3}


def test_the_38_features_stay_as_they_are(workspace: Workspace) -> None:
    described = describe_syllables(workspace, PUBLISHED, "ldc")
    np.testing.assert_array_equal(described.features, workspace.bags().X)


def test_rhythm_is_the_logarithm_of_gaps_and_counts(material: SyllableMaterial) -> None:
    columns = FEATURE_SETS["rhythm"].learn(material, 0, "").columns(material)
    expected = [np.log(0.52), np.log(3.02)] * 2 + [np.log(2), np.log(3), np.log(4)]
    np.testing.assert_allclose(columns, np.tile(expected, (len(columns), 1)), rtol=1e-6)


def test_sets_are_brought_to_a_mean_variance_of_one(material: SyllableMaterial) -> None:
    space = FeatureSpace.learn(("briggs38", "mel"), material)
    columns = space.columns(material)
    X = space.standardized(columns)
    np.testing.assert_allclose(X.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(X[:, :38].var(axis=0), 1)
    assert X[:, 38:].var(axis=0).mean() == pytest.approx(1)
    # components keep their proportions
    ratio = X[:, 38:].std(axis=0) / columns[:, 38:].std(axis=0)
    np.testing.assert_allclose(ratio, ratio[0])
    np.testing.assert_allclose(space.scale(columns).transform(columns), X, atol=1e-9)


def test_a_space_survives_the_way_through_a_file(
    workspace: Workspace, material: SyllableMaterial, tmp_path: Path
) -> None:
    table = with_embeddings(workspace, tmp_path / "t.csv", columns=70)
    space = FeatureSpace.learn((*ALL, f"table:{table}"), material)
    np.savez(tmp_path / "m.npz", allow_pickle=False, **space.to_model())
    with np.load(tmp_path / "m.npz", allow_pickle=False) as stored:
        again = FeatureSpace.from_model(dict(stored))
    assert (again.columns(material) == space.columns(material)).all()
    assert again.described() == space.described()
    assert again.column_names == space.column_names
    assert again.called == [*ALL, "table:t.csv"]
    assert space.described()[1] == {
        "name": "mel", "columns": 17, "explained": pytest.approx(1, abs=0.01),
    }  # fmt: skip


def test_columns_depend_on_the_syllable_alone(material: SyllableMaterial, tmp_path: Path) -> None:
    space = FeatureSpace.learn(ALL, material)
    alone = Workspace.prepare(tmp_path / "alone", Settings(SegmentationParameters()))
    commit(alone, "r3.wav", [1, 2, 1], "", 3)
    rows = (material.syllables["recording"] == "r3.wav").to_numpy()
    assert (space.columns(SyllableMaterial(alone)) == space.columns(material)[rows]).all()


def test_patches_lie_where_the_syllable_is() -> None:
    columns = np.arange(N_COLUMNS, dtype=np.uint8)
    windows = np.tile(columns, (3, 2, 1))
    # one column is 17.5 ms; one more is taken at either side
    owner, first = patch_places(np.array([0.01, 0.06, 2.0]))
    patches = cut_patches(windows, owner, first)
    first = patches.reshape(len(patches), 2, PATCH_COLUMNS)[:, 0]
    assert first[owner == 0].tolist() == [[10, 11, 12, 13]]
    assert first[owner == 1].tolist() == [[9, 10, 11, 12], [10, 11, 12, 13], [11, 12, 13, 14]]
    assert first[owner == 2].tolist() == [list(range(n, n + 4)) for n in range(21)]
    assert (np.diff(owner) >= 0).all()


def test_modulation_spectra_by_the_sum_of_their_definition() -> None:
    windows = np.random.default_rng(0).integers(0, 256, (2, 6, 8), dtype=np.uint8)
    band, column = np.arange(6), np.arange(8)
    tapered = windows * (0.5 - 0.5 * np.cos(2 * np.pi * (column + 0.5) / 8))  # Hann
    expected = np.empty((2, 6, 4))
    for along_bands, along_time in np.ndindex(6, 4):
        turns = np.add.outer(along_bands * band / 12, along_time * column / 8)
        expected[:, along_bands, along_time] = np.abs(
            (tapered * np.exp(-2j * np.pi * turns)).sum(axis=(1, 2))
        )
    found = modulation_spectra(windows) / 2**14
    share = expected.reshape(2, -1) / tapered.sum(axis=(1, 2))[:, None]
    np.testing.assert_allclose(found, share, atol=2**-15)


def test_modulation_spectra_care_little_for_when_and_how_high() -> None:
    window = np.zeros((1, N_BANDS, N_COLUMNS), dtype=np.uint8)
    window[0, 10:13, 9:14] = [[40, 60, 80, 60, 40]] * 3
    higher, later = np.roll(window, 17, axis=1), np.roll(window, 2, axis=2)
    other = np.zeros_like(window)
    other[0, 10:25, 11:12] = 60
    spectra = modulation_spectra(np.concatenate([window, higher, later, other])).astype(np.float64)
    np.testing.assert_allclose(spectra[0], spectra[1], atol=1)
    assert np.abs(spectra[0] - spectra[2]).max() < 2**10
    assert np.abs(spectra[0] - spectra[3]).max() > 2**12


def test_modulation_spectra_look_past_the_sounds_beside() -> None:
    """What another bird sings at the window's edge changes little."""
    window = np.zeros((1, N_BANDS, N_COLUMNS), dtype=np.uint8)
    window[0, 10:13, 9:14] = [[40, 60, 80, 60, 40]] * 3
    crowded = window.copy()
    crowded[0, 30:34, [0, 1, N_COLUMNS - 1]] = 80
    alone, beside = modulation_spectra(np.concatenate([window, crowded])).astype(np.float64)
    assert np.abs(alone - beside).max() < 0.05 * alone.max()


def test_silence_has_an_empty_modulation_spectrum() -> None:
    assert not modulation_spectra(np.zeros((1, N_BANDS, N_COLUMNS), dtype=np.uint8)).any()


@pytest.mark.parametrize(
    "names", [("mel",), ("modulation",), ("learned",), ("mel", "rhythm"), BEST]
)
def test_sounds_that_only_windows_tell_apart_are_clustered_by_them(
    workspace: Workspace, names: tuple[str, ...]
) -> None:
    def agreement(features: tuple[str, ...]) -> float:
        options = ClusterOptions("sp", k=3, stability_runs=0, features=features)
        found = find_modes(workspace, options).clustering
        assert [one["name"] for one in found.parameters["features"]] == list(features)
        return adjusted_rand_index(kinds_of(workspace), found.assignments["cluster"].to_numpy())

    assert agreement(names) > 0.8 > agreement(PUBLISHED)


def test_what_is_used_where_nothing_is_said(workspace: Workspace) -> None:
    for method, expected in (("ldc", BEST), ("csp", PUBLISHED)):
        found = find_modes(workspace, ClusterOptions(method, k=3, stability_runs=0))
        assert [one["name"] for one in found.clustering.parameters["features"]] == list(expected)
        assert found.clustering.name == f"{method}-k3"
        assert not any("earlier birdmodes" in text for text in found.warnings)


def test_an_old_workspace_goes_on_with_the_38_and_says_so(
    make_workspace: Callable[..., Workspace],
) -> None:
    old = make_workspace(*((f"{n}.wav", [[n % 2] * 3], ["Robin", "Wren"][n % 2]) for n in range(6)))
    found = find_modes(old, ClusterOptions(k=2, stability_runs=0))
    assert [one["name"] for one in found.clustering.parameters["features"]] == ["briggs38"]
    (told,) = [text for text in found.warnings if "earlier birdmodes" in text]
    assert "segment --restart" in told
    for name in ("mel", "modulation", "learned", "rhythm"):
        with pytest.raises(WorkspaceError, match="segment --restart"):
            find_modes(old, ClusterOptions(k=2, stability_runs=0, features=(name,)))


def test_a_clustering_keeps_the_features_that_it_was_made_with(
    workspace: Workspace, tmp_path: Path
) -> None:
    options = ClusterOptions("csp", k=3, stability_runs=0, features=("mel", "rhythm"))
    clustering = find_modes(workspace, options).clustering
    assert clustering.name == "csp-mel-rhythm-k3"
    write_clustering(workspace, clustering)
    read = read_clustering(workspace, clustering.name)
    space = FeatureSpace.from_model(read.model)
    X = space.standardized(space.columns(SyllableMaterial(workspace)))
    np.testing.assert_allclose(features_of(workspace, read), X, atol=1e-6)
    without = dataclasses.replace(
        read, model={key: array for key, array in read.model.items() if key != "embedding"}
    )
    np.testing.assert_allclose(clustering_space(workspace, without), X, atol=1e-6)
    # recordings that it has not seen are placed by the same features
    training = read_training(workspace, read)
    placer = Placer.fit(training.X, training.cluster, training.group, training.allowed)
    new = fill(tmp_path / "new", "n", first_seed=100)
    placed = place_syllables(new, training, placer, Limits(threshold=0.0, novelty=100.0)).table
    assert adjusted_rand_index(kinds_of(new), placed["best"].factorize()[0]) == 1
    kinds = pd.Series(kinds_of(workspace)).groupby(read.assignments["cluster"]).first()
    assert kinds.loc[placed["cluster"]].tolist() == kinds_of(new)


def test_exports_and_comparisons_tell_the_features(workspace: Workspace, tmp_path: Path) -> None:
    by_mel, by_38 = (
        find_modes(workspace, ClusterOptions("sp", k=3, stability_runs=0, features=name)).clustering
        for name in ("mel", "briggs38")
    )
    options = ExportOptions("parquet", Choice(background=True, min_confidence=0.0), features=True)
    export_clustering(workspace, by_mel, tmp_path / "m.parquet", options)
    table = pd.read_parquet(tmp_path / "m.parquet").set_index("syllable")
    mel = [name for name in table if name.startswith("mel-")]
    assert len(mel) == 17
    assert list(table)[-55:] == [*FEATURE_NAMES, *mel]
    rows = by_mel.assignments["syllable"]
    np.testing.assert_array_equal(table.loc[rows, mel], by_mel.model["features"])
    raw = workspace.syllables(["syllable", *FEATURE_NAMES]).set_index("syllable")
    pd.testing.assert_frame_equal(table.loc[raw.index, FEATURE_NAMES], raw)
    export_clustering(workspace, by_38, tmp_path / "b.parquet", options)
    assert list(pd.read_parquet(tmp_path / "b.parquet"))[-38:] == FEATURE_NAMES
    told = content(compare_clusterings(by_mel, by_38))
    assert (told["first"]["features"], told["second"]["features"]) == (["mel"], ["briggs38"])
    assert "described by mel in the first, by briggs38 in the second." in to_html(
        compare_clusterings(by_mel, by_38)
    )


def test_what_is_placed_keeps_the_features_that_it_was_placed_by(
    workspace: Workspace, tmp_path: Path
) -> None:
    clustering = find_modes(workspace, ClusterOptions(k=2, stability_runs=0)).clustering
    training = read_training(workspace, clustering)
    new = fill(tmp_path / "new", "n", first_seed=100)
    placer = Placer.fit(training.X, training.cluster, training.group, training.allowed)
    placed = place_syllables(new, training, placer, Limits(threshold=0.0, novelty=100.0))
    made = as_clustering(
        placed.table, placed.features, clustering, training, {"assigned_from": "x"}
    )
    expected = training.scale.transform(training.space.columns(SyllableMaterial(new)))
    np.testing.assert_allclose(features_of(new, made), expected, atol=1e-5)
    assert used_features(made.parameters) == list(BEST)


def test_a_table_of_features_is_used_and_another_for_new_recordings(
    workspace: Workspace, tmp_path: Path
) -> None:
    table = with_embeddings(workspace, tmp_path / "t.csv")
    options = ClusterOptions("sp", k=3, stability_runs=0, features=(f"table:{table}",))
    clustering = find_modes(workspace, options).clustering
    assert clustering.name == "sp-table-k3"
    clusters = clustering.assignments["cluster"].to_numpy()
    assert adjusted_rand_index(kinds_of(workspace), clusters) == 1
    table.unlink()  # what it said of these syllables is known
    training = read_training(workspace, clustering)
    new = fill(tmp_path / "new", "n", first_seed=100)
    other = with_embeddings(new, tmp_path / "other.csv")
    training = dataclasses.replace(training, space=training.space.with_table(other))
    placer = Placer.fit(training.X, training.cluster, training.group, training.allowed)
    placed = place_syllables(new, training, placer, Limits(threshold=0.0, novelty=100.0)).table
    assert adjusted_rand_index(kinds_of(new), placed["cluster"].to_numpy()) == 1
    wide = with_embeddings(new, tmp_path / "wide.csv", columns=4)
    with pytest.raises(FeatureError, match=r"wide.csv: has other columns \(4\)"):
        training.space.with_table(wide).columns(SyllableMaterial(new))


def test_a_table_without_use_is_refused(material: SyllableMaterial, tmp_path: Path) -> None:
    space = FeatureSpace.learn(("mel",), material)
    assert space.with_table(None) is space
    with pytest.raises(FeatureError, match="no table of features was learned from"):
        space.with_table(tmp_path / "t.csv")


def test_methods_for_whole_recordings_and_evaluations_say_their_features(
    workspace: Workspace,
) -> None:
    how = GroupOptions("kmeans-vote", 2, stability_runs=0, features=("mel",))
    grouping = find_groups(workspace, how).grouping
    assert grouping.name == "kmeans-vote-mel-k2"
    assert [one["name"] for one in grouping.parameters["features"]] == ["mel"]
    found = evaluate_workspace(workspace, "ldc", n_folds=2, features=("mel", "briggs38"))
    assert [one["name"] for one in found.parameters["features"]] == ["briggs38", "mel"]


def test_names_are_read_as_they_are_written() -> None:
    assert parse_features([]) is None
    assert parse_features(None) is None
    assert parse_features("mel") == ("mel",)
    assert parse_features(["rhythm, mel", "briggs38"]) == ("briggs38", "mel", "rhythm")
    assert parse_features(["table:a,b.csv"]) == ("table:a,b.csv",)
    assert parse_features(["mel,table:x.npz"]) == ("mel", "table:x.npz")
    assert default_features("ldc") == BEST
    assert parse_features([",".join(BEST)]) == BEST
    assert short_name(None, "ldc") == short_name(BEST, "ldc") == short_name(PUBLISHED, "csp") == ""
    assert short_name(("mel", "table:x.npz"), "ldc") == "-mel-table"


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["mell"], "no feature set 'mell' (did you mean 'mel'?); there are: briggs38, mel"),
        (["mel:x"], "no feature set 'mel:x'"),
        ([""], "no feature set ''"),
        (["table"], "table: say which file"),
        (["table:"], "table: say which file"),
        (["mel,mel"], "mel is named twice"),
        (["table:a", "table:b"], "only one table can be used"),
    ],
)
def test_names_that_are_none_are_refused(texts: list[str], message: str) -> None:
    with pytest.raises(FeatureError) as caught:
        parse_features(texts)
    assert message in str(caught.value)


def test_a_model_with_sets_that_are_not_known_is_refused(material: SyllableMaterial) -> None:
    model = FeatureSpace.learn(("mel",), material).to_model()
    assert FeatureSpace.from_model({}).called == ["briggs38"]
    for wrong in ('[{"name": "smell"}]', "[", "3"):
        with pytest.raises(FeatureError, match="cannot be read"):
            FeatureSpace.from_model({**model, "feature_sets": np.array(wrong)})
    model.pop("feature_sets/mel/components")
    with pytest.raises(FeatureError, match="cannot be read"):
        FeatureSpace.from_model(model)
