from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import soundfile

from birdmodes.annotate.kept import FACTS, PROBABILITIES, RECORDINGS, SYLLABLES
from birdmodes.annotate.methods import ANNOTATORS
from birdmodes.annotate.run import AnnotateOptions, AnnotateResult, annotate_recordings
from birdmodes.annotate.table import RECORDING_COLUMNS, SYLLABLE_COLUMNS
from birdmodes.annotate.thresholds import Thresholds
from birdmodes.assign.model import read_training
from birdmodes.audio.read import find_recordings
from birdmodes.errors import (
    BirdmodesError,
    BusyError,
    ParameterError,
    WorkspaceError,
)
from birdmodes.export import ExportOptions, export_clustering
from birdmodes.io.locks import is_locked, single_writer
from birdmodes.labels import fit_labels
from birdmodes.modes.clustering import read_clustering
from birdmodes.modes.digest import assignments_digest
from birdmodes.modes.summary import kept_summary
from birdmodes.review.edits import Edit, Review
from birdmodes.review.history import apply_review
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.folder import LOCK
from birdmodes.workspace.segment import segment_recordings
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace

RATE_HZ = 22050
ROBIN_HZ, WREN_HZ = 2000.0, 6000.0


def write(path: Path, pitches_hz: list[float], seed: int, seconds: float = 4.0) -> None:
    """Whistles at the given pitches, a bit different each time, in faint noise."""
    rng = np.random.default_rng(seed)
    samples = 0.001 * rng.standard_normal(round(seconds * RATE_HZ))
    for number, start_s in enumerate(np.arange(0.3, seconds - 0.4, 0.5) if pitches_hz else []):
        t = np.arange(round(rng.uniform(0.18, 0.25) * RATE_HZ)) / RATE_HZ
        pitch = pitches_hz[number % len(pitches_hz)] * rng.uniform(0.97, 1.03)
        first = round(start_s * RATE_HZ)
        tone = 0.2 * np.hanning(t.size) * np.sin(2 * np.pi * (pitch * t + 300 * t**2))
        samples[first : first + t.size] += tone
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, samples, RATE_HZ)


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    folder = tmp_path_factory.mktemp("annotate")
    rows = ["recording,species"]
    for number in range(12):
        species, pitch = ("Robin", ROBIN_HZ) if number % 2 else ("Wren", WREN_HZ)
        write(folder / "old" / f"{number}.wav", [pitch], number)
        rows.append(f"{number}.wav,{species}")
    (folder / "old" / "labels.csv").write_text("\n".join(rows) + "\n")
    recordings = find_recordings([folder / "old"])
    workspace = Workspace.prepare(folder / "w", Settings(SegmentationParameters()))
    segment_recordings(recordings, fit_labels(recordings), workspace)
    return workspace


@pytest.fixture(scope="module")
def new(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("new")
    write(folder / "20240512_050000.wav", [ROBIN_HZ], 100)
    write(folder / "b" / "long.wav", [ROBIN_HZ, ROBIN_HZ, WREN_HZ], 101, seconds=20.5)
    write(folder / "silent.wav", [], 103)
    write(folder / "wren.wav", [WREN_HZ], 102)
    return folder


def test_what_is_annotated_again_is_corrected_again(
    labelled: Workspace, new: Path, tmp_path: Path
) -> None:
    annotate(labelled, tmp_path / "a", find_recordings([new / "wren.wav"]))
    there = Workspace.open(tmp_path / "a")
    made = read_clustering(there)
    (number,) = made.modes.loc[made.modes["mode"] == "Wren", "cluster"]
    rename = Edit("0" * 16, "2026-01-01T10:00:00Z", "rename", {"cluster": number, "name": "trill"})
    apply_review(there, Review(made.name, assignments_digest(made.assignments), "", (rename,)))
    annotate(labelled, tmp_path / "a", find_recordings([new]))
    now = read_clustering(there)
    assert now.assignments["recording"].nunique() > made.assignments["recording"].nunique()
    assert "Wren trill" in now.modes["mode"].tolist()
    assert kept_summary(there, made.name) is not None
    log = there.folder / "review" / "log.jsonl"
    log.write_text("{")
    with pytest.raises(WorkspaceError, match=r"log\.jsonl: damaged"):
        annotate(labelled, tmp_path / "a", find_recordings([new]))


def annotate(
    labelled: Workspace, output: Path, recordings, method: str = "ldc", workers: int = 1, **limits
) -> AnnotateResult:
    options = AnnotateOptions(method, Thresholds(**limits), n_folds=3)
    return annotate_recordings(labelled, recordings, output, options, workers=workers)


@pytest.fixture(scope="module")
def annotated(labelled, new, tmp_path_factory: pytest.TempPathFactory) -> AnnotateResult:
    return annotate(labelled, tmp_path_factory.mktemp("out") / "new", find_recordings([new]))


@pytest.fixture
def segmented(annotated, tmp_path: Path) -> Path:
    """A copy of the workspace of new recordings, so that they need not be segmented again."""
    shutil.copytree(annotated.paths[0].parent, tmp_path / "o")
    for name in (RECORDINGS, SYLLABLES, FACTS):
        (tmp_path / "o" / name).unlink()
    return tmp_path / "o"


@pytest.mark.parametrize("method", ["ldc", "mimlca"])
def test_new_syllables_get_the_species_they_sound_like(
    labelled, new, segmented, method: str
) -> None:
    result = annotate(labelled, segmented, find_recordings([new]), method)
    readable = pd.read_csv(segmented / SYLLABLES, keep_default_na=False)
    table = pd.read_parquet(segmented / PROBABILITIES)
    background = ["probability background"] if method == "ldc" else []
    names = ["probability Robin", "probability Wren", *background]
    assert list(table.columns) == [*SYLLABLE_COLUMNS, *names]
    assert list(readable.columns[8:14]) == [
        "confidence", "best", "second", "second_probability", "third", "third_probability",
    ]  # fmt: skip
    assert list(readable["best"]) == list(table["best"])
    ranked = np.sort(table[names].to_numpy(), axis=1)[:, ::-1]
    assert np.allclose(readable["second_probability"], ranked[:, 1])
    seconds = [row[f"probability {name}"] for (_, row), name in zip(
        table.iterrows(), readable["second"], strict=True
    )]  # fmt: skip
    assert np.allclose(seconds, ranked[:, 1])
    assert set(readable["third"]) <= ({"Robin", "Wren", "background"} if background else {""})
    assert len(table) == len(result.syllables) > 40
    whistle = table["end_s"] - table["start_s"] > 0.1
    expected = np.where(table["low_hz"] < 4000, "Robin", "Wren")
    assert (table["best"] == expected)[whistle].mean() > 0.95
    sums = table[names].sum(axis=1)
    assert np.allclose(sums, 1, atol=1e-5)
    assert np.allclose(table["confidence"], table[names].max(axis=1))


@pytest.mark.parametrize("method", list(ANNOTATORS))
def test_recordings_get_their_species(labelled, new, segmented, method: str) -> None:
    # of two species citation-knn gives each half of the votes
    result = annotate(labelled, segmented, find_recordings([new]), method, score=0.4)
    table = pd.read_csv(segmented / RECORDINGS, keep_default_na=False)
    assert list(table.columns) == RECORDING_COLUMNS
    present = table[table["decision"] == "present"].groupby("recording")["species"].agg(set)
    assert present.to_dict() == {
        "20240512_050000.wav": {"Robin"}, "b/long.wav": {"Robin", "Wren"}, "wren.wav": {"Wren"}
    }  # fmt: skip
    assert len(table) == 8, "silent recordings have scores too"
    assert (table.groupby("recording")["score"].diff().dropna() <= 0).all(), "likeliest first"
    assert result.species["recordings"].tolist() == [2, 2]
    # two clips of the long recording, in each of which the Robin sings
    rows = table.set_index(["recording", "species"])
    assert rows.loc[("b/long.wav", "Robin"), "bags_present"] == 2
    of_syllables = ANNOTATORS[method].of_syllables
    assert (segmented / SYLLABLES).exists() == of_syllables
    if of_syllables:
        best = rows.loc[("wren.wav", "Wren"), "best_syllable"]
        assert best.startswith("wren.wav#")
        assert rows.loc[("silent.wav", "Wren"), "best_syllable"] == ""


def test_what_is_said_of_syllables_adds_up(annotated: AnnotateResult) -> None:
    table = annotated.syllables
    named = table[table["kind"] == "species"]
    assert (named["species"] == named["best"]).all()
    assert annotated.species["syllables"].sum() == len(named)
    assert annotated.recordings["syllables"].sum() == len(named)
    assert sum(annotated.facts["kinds"].values()) == len(table)
    assert table.set_index("recording")["recorded_at"]["20240512_050000.wav"].iloc[0].startswith(
        "2024-05-12T05:00:00."
    )  # fmt: skip


def test_syllables_below_the_confidence_are_unsure(labelled, new, segmented) -> None:
    recordings = find_recordings([new])
    result = annotate(labelled, segmented, recordings, confidence=0.99, score=0.0)
    table = result.syllables
    assert 0 < (table["kind"] == "unsure").sum() < len(table)
    below = (table["confidence"] < 0.99) | (table["likeness"] < 0.05)
    assert ((table["kind"] == "unsure") == below).all()
    assert ((table["kind"] == "unsure") == (table["species"] == "unsure")).all()
    assert set(result.recordings["decision"]) == {"present"}
    with pytest.raises(ParameterError, match="min-confidence must be from 0 to 1"):
        annotate(labelled, segmented, recordings, confidence=1.5)


@pytest.mark.parametrize("method", list(ANNOTATORS))
def test_what_is_said_of_a_recording_does_not_depend_on_the_others(
    labelled, new, segmented, method: str
) -> None:
    recordings = find_recordings([new])
    tables = [RECORDINGS, SYLLABLES][: 1 + ANNOTATORS[method].of_syllables]
    annotate(labelled, segmented, recordings, method)
    whole = {name: (segmented / name).read_text().splitlines() for name in tables}
    for recording in recordings[:3]:
        Workspace.open(segmented).forget(recording.name)
    annotate(labelled, segmented, recordings[3:], method)
    for name in tables:
        own = [line for line in whole[name][1:] if recordings[3].name in line]
        assert len(own) > 1
        assert (segmented / name).read_text().splitlines() == [whole[name][0], *own]


def test_stopping_and_order_change_nothing(labelled, new, annotated, tmp_path) -> None:
    recordings = find_recordings([new])
    first = annotate(labelled, tmp_path / "o", recordings[2:])
    assert (first.summary.segmented, first.summary.skipped) == (2, 0)
    second = annotate(labelled, tmp_path / "o", recordings[::-1])
    assert (second.summary.segmented, second.summary.skipped) == (2, 2)
    for path in annotated.paths:
        assert (tmp_path / "o" / path.name).read_bytes() == path.read_bytes()


def test_the_result_can_be_exported(labelled, annotated, tmp_path) -> None:
    output = Workspace.open(annotated.paths[0].parent)
    clustering = read_clustering(output)
    kept = kept_summary(output, clustering.name)
    assert kept is not None, "info need not count it again"
    assert kept.base == assignments_digest(clustering.assignments)
    assert clustering.name == "annotated-ldc"
    assert set(clustering.modes["mode"]) >= {"Robin", "Wren"}
    named = annotated.syllables[annotated.syllables["kind"] == "species"]
    wanted = ExportOptions("raven")
    result = export_clustering(output, clustering, tmp_path / "raven", wanted)
    assert result.syllables == len(named)
    table = pd.read_csv(tmp_path / "raven" / "wren.Table.1.selections.txt", sep="\t")
    of_wren = named[named["recording"] == "wren.wav"]
    assert table["Species"].tolist() == of_wren["species"].tolist()
    assert table["Confidence"].tolist() == pytest.approx(of_wren["confidence"].tolist())


def test_when_and_where_each_species_was_heard(annotated: AnnotateResult) -> None:
    rows = annotated.recordings.set_index(["recording", "species"])
    named = annotated.syllables[annotated.syllables["kind"] == "species"]
    of_wren = named[(named["recording"] == "b/long.wav") & (named["species"] == "Wren")]
    found = rows.loc[("b/long.wav", "Wren")]
    assert found["syllables"] == len(of_wren) > 5
    assert found["first_start_s"] == of_wren["start_s"].min()
    assert found["last_end_s"] == of_wren["end_s"].max() > 15
    assert (found["bags"], rows.loc[("wren.wav", "Wren"), "bags"]) == (2, 1)
    silent = rows.loc[("silent.wav", "Wren")]
    assert np.isnan([silent["first_start_s"], silent["last_end_s"]]).all()
    assert rows.loc[("20240512_050000.wav", "Robin"), "recorded_at"] == "2024-05-12T05:00:00"
    assert (rows["recorded_at"] != "").sum() == 2, "nothing is made up"


def test_sounds_unlike_all_that_was_learned_from_are_unsure(labelled, tmp_path) -> None:
    rng = np.random.default_rng(0)
    samples = 0.001 * rng.standard_normal(4 * RATE_HZ)
    for first in range(3000, 80000, 12000):  # bursts of noise, nothing like a whistle
        samples[first : first + 4000] += 0.2 * rng.standard_normal(4000)
    (tmp_path / "odd").mkdir()
    soundfile.write(tmp_path / "odd" / "bursts.wav", samples, RATE_HZ)
    recordings = find_recordings([tmp_path / "odd"])
    for method in ("ldc", "mimlca"):
        strict = annotate(labelled, tmp_path / "o", recordings, method, confidence=0.0)
        assert len(strict.syllables) > 3
        assert (strict.syllables["likeness"] < 0.05).all()
        assert set(strict.syllables["kind"]) == {"unsure"}
        assert set(strict.syllables["unsure"]) == {"unlike anything"}
        assert strict.facts["unsure"] == {"unlike anything": len(strict.syllables)}
        assert strict.facts["unlike_recordings"] == 1
        assert set(strict.recordings["decision"]) == {"absent"}
        assert strict.species["syllables"].tolist() == [0, 0]
        lax = annotate(labelled, tmp_path / "o", recordings, method, confidence=0.0, likeness=0.0)
        assert "unsure" not in set(lax.syllables["kind"])
        assert (set(lax.syllables["unsure"]), lax.facts["unlike_recordings"]) == ({""}, 0)


def test_a_table_of_another_method_does_not_stay(labelled, new, segmented) -> None:
    recordings = find_recordings([new])
    annotate(labelled, segmented, recordings)
    assert (segmented / SYLLABLES).exists()
    annotate(labelled, segmented, recordings, "citation-knn")
    assert not (segmented / SYLLABLES).exists()


def test_names_in_the_tables_are_no_formulas(labelled, tmp_path) -> None:
    write(tmp_path / "new" / "=1+1.wav", [ROBIN_HZ], 200)
    result = annotate(labelled, tmp_path / "o", find_recordings([tmp_path / "new"]))
    for path in (path for path in result.paths if path.suffix == ".csv"):
        cells = pd.read_csv(path, keep_default_na=False).astype(str)
        assert "./=1+1.wav" in set(cells["recording"])
        assert not cells.map(lambda cell: cell.startswith("=")).any(axis=None)


def test_nothing_is_said_of_probabilities_that_were_not_tried_out(make_workspace, tmp_path) -> None:
    for n_recordings, warned in ((1, True), (2, False)):
        workspace = make_workspace(
            *[(f"{n}.wav", [[0, 0]], "Robin") for n in range(n_recordings)],
            *[(f"{n}x.wav", [[1, 1]], "Wren") for n in range(n_recordings)],
        )
        result = annotate(workspace, tmp_path / f"o{n_recordings}", [])
        told = any("nothing tells what the probabilities are worth" in w for w in result.warnings)
        assert told == warned


def test_recordings_that_were_learned_from_are_told(labelled, tmp_path) -> None:
    old = find_recordings([labelled.folder.parent / "old"])[:2]
    result = annotate(labelled, tmp_path / "o", old)
    assert result.warnings[0].startswith("2 of these recordings are among those learned from")


def test_what_cannot_be_is_refused_before_anything_is_segmented(
    labelled, new, tmp_path, annotated
) -> None:
    recordings = find_recordings([new])
    with pytest.raises(WorkspaceError, match="name another folder with --output"):
        annotate(labelled, labelled.folder, recordings)
    with pytest.raises(ParameterError, match="no annotation method"):
        annotate(labelled, tmp_path / "o", recordings, "csp")
    (tmp_path / "file").touch()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "diary.txt").touch()
    for output, what in (("file", "is a file"), ("full", "not empty, and not a workspace")):
        with pytest.raises(WorkspaceError, match=f"{what}; name another folder with --output"):
            annotate(labelled, tmp_path / output, recordings)
    shutil.copytree(labelled.folder, tmp_path / "labelled")
    with pytest.raises(WorkspaceError, match="species lists, which would be lost; name another"):
        annotate(labelled, tmp_path / "labelled", recordings)
    annotations = Workspace.open(annotated.paths[0].parent)
    with pytest.raises(BirdmodesError, match="0 recordings with a species list"):
        annotate(annotations, tmp_path / "o", recordings)
    with pytest.raises(WorkspaceError, match="is itself what 'birdmodes annotate' wrote"):
        read_training(annotations, read_clustering(annotations))
    assert not (tmp_path / "o").exists()


def test_nothing_is_learned_from_what_another_command_is_changing(labelled, new, tmp_path) -> None:
    with (
        single_writer(labelled.folder / LOCK),
        pytest.raises(BusyError, match="another birdmodes command is writing here"),
    ):
        annotate(labelled, tmp_path / "a", find_recordings([new]))
    row = next((labelled.folder / "recordings").iterdir())
    status = row.stat()
    with pytest.raises(BusyError, match="has changed it meanwhile"), labelled.reading():
        os.utime(row, ns=(0, 0))  # as one that has been segmented anew
    os.utime(row, ns=(status.st_atime_ns, status.st_mtime_ns))


def test_the_facts_are_kept(annotated: AnnotateResult) -> None:
    facts = json.loads((annotated.paths[0].parent / FACTS).read_text(encoding="utf-8"))
    assert facts["annotated_by"] == "ldc"
    assert facts["species"] == ["Robin", "Wren"]
    assert facts["left_out"]["micro_f1"] > 0.8
    assert facts["recordings"] == 4
    assert (facts["species_found"], facts["min_likeness"]) == (2, 0.05)
    assert facts["learned_from"]["recordings"] == 12


def test_so_many_workers_segment_the_new_recordings(
    labelled: Workspace, new: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That their number changes nothing is shown where they are at work."""
    asked = []

    def spied(*args: Any, workers: int, **options: Any) -> Any:
        asked.append(workers)
        return segment_recordings(*args, workers=1, **options)

    monkeypatch.setattr("birdmodes.annotate.run.segment_recordings", spied)
    annotate(labelled, tmp_path / "o", find_recordings([new])[:1], workers=3)
    assert asked == [3]


def test_nobody_else_begins_to_write_the_output_while_it_is_learned(
    labelled: Workspace, new: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = []

    def refuse(*_: object) -> None:
        held.append(is_locked(tmp_path / "a" / LOCK))
        raise BirdmodesError("too little to learn from")

    monkeypatch.setattr("birdmodes.annotate.run.cross_validate", refuse)
    for _ in range(2):
        with pytest.raises(BirdmodesError, match="too little to learn from"):
            annotate(labelled, tmp_path / "a", find_recordings([new]))
        assert not (tmp_path / "a").exists()
    assert held == [True, True]
