"""The sample recordings are what their labels, their truth and their README say."""

from __future__ import annotations

import csv
import io
from collections import Counter
from itertools import combinations
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest
import soundfile
from scipy import signal

from birdmodes.evaluation.truth import match_syllables, read_truth
from birdmodes.labels import read_labels
from birdmodes.segmentation import segment_clip
from birdmodes.segmentation.parameters import SegmentationParameters


@pytest.fixture(scope="module")
def truth(folder: Path) -> pd.DataFrame:
    return read_truth(folder / "truth.csv")


@pytest.fixture(scope="module")
def labels(folder: Path) -> dict[str, set[str]]:
    rows = read_labels(folder / "recordings" / "labels.csv")
    return {row.recording: set(row.species) for row in rows}


@pytest.fixture(scope="module")
def audio(folder: Path) -> dict[str, tuple[np.ndarray, int]]:
    paths = sorted((folder / "recordings").glob("*.flac"))
    return {path.name: soundfile.read(path, dtype="int16") for path in paths}


@pytest.fixture(scope="module", params=[6, pytest.param(None, marks=pytest.mark.slow)])
def made(script: ModuleType, request: pytest.FixtureRequest) -> list[Any]:
    """The first recordings; all of them take seconds."""
    return [script.make_recording(plan) for plan in script.PLANS[: request.param]]


# What is in the folder


def test_recordings_are_ten_seconds_mono_and_small(
    folder: Path, audio: dict[str, tuple[np.ndarray, int]]
) -> None:
    assert len(audio) == 30
    assert {rate for _, rate in audio.values()} == {16_000, 22_050}
    assert all(samples.shape == (10 * rate,) for samples, rate in audio.values())
    files = list(folder.rglob("*.flac"))
    assert sum(path.stat().st_size for path in files) < 8e6


def test_no_recording_is_clipped(audio: dict[str, tuple[np.ndarray, int]]) -> None:
    assert all(np.abs(samples.astype(int)).max() < 32_000 for samples, _ in audio.values())


def test_labels_name_exactly_the_species_of_the_truth(
    labels: dict[str, set[str]], truth: pd.DataFrame
) -> None:
    singing = truth.groupby("recording")["species"].agg(set).to_dict()
    assert labels == {name: singing.get(name, set()) for name in labels}


def test_some_recordings_are_unlabelled_and_some_have_no_species(
    labels: dict[str, set[str]],
    truth: pd.DataFrame,
    audio: dict[str, tuple[np.ndarray, int]],
) -> None:
    unlabelled = set(audio) - set(labels)
    assert len(unlabelled) == 2
    assert unlabelled <= set(truth["recording"])
    assert sum(not species for species in labels.values()) == 2


def test_label_sets_tell_every_two_species_apart(labels: dict[str, set[str]]) -> None:
    species = set().union(*labels.values())
    for one, other in combinations(sorted(species), 2):
        kinds = Counter((one in here, other in here) for here in labels.values())
        assert min(kinds[pair] for pair in ((True, True), (True, False), (False, True))) >= 1


def test_every_species_has_two_or_three_modes_with_enough_syllables(truth: pd.DataFrame) -> None:
    sizes = truth.groupby(["species", "mode"]).size()
    assert set(sizes.groupby("species").size()) == {2, 3}
    assert sizes.groupby("species").ngroups == 6
    assert sizes.min() >= 12
    recordings = truth.groupby(["species", "mode"])["recording"].nunique()
    assert recordings.min() >= 4


def test_true_syllables_lie_inside_their_recording(
    truth: pd.DataFrame, audio: dict[str, tuple[np.ndarray, int]]
) -> None:
    nyquist = truth["recording"].map(lambda name: audio[name][1] / 2)
    assert (truth["end_s"] < 10).all()
    assert (truth["high_hz"] <= nyquist).all()


def test_true_boxes_hold_more_than_the_background(
    truth: pd.DataFrame, audio: dict[str, tuple[np.ndarray, int]]
) -> None:
    excess_db = []
    for name, rows in truth.groupby("recording"):
        samples, rate = audio[name]
        hz, time, power = signal.spectrogram(samples.astype(float), rate, "hann", 512, 384)
        for row in rows.itertuples():
            band = power[(hz >= row.low_hz) & (hz <= row.high_hz)].mean(axis=0)
            inside = band[(time >= row.start_s) & (time <= row.end_s)].mean()
            excess_db.append(10 * np.log10(inside / np.median(band)))
    assert min(excess_db) > 5.0
    assert np.ptp(np.percentile(excess_db, [5, 95])) > 15.0  # near and far birds


# How it was made


def test_the_script_makes_the_same_recordings_again(
    made: list[Any], audio: dict[str, tuple[np.ndarray, int]]
) -> None:
    for recording in made:
        samples, rate = audio[f"{recording.name}.flac"]
        assert recording.rate == rate
        np.testing.assert_array_equal(recording.samples, samples)


def test_the_script_makes_the_same_tables_again(
    folder: Path, script: ModuleType, made: list[Any]
) -> None:
    text = (folder / "truth.csv").read_bytes().decode("utf-8")
    rows = [row for recording in made for row in script.truth_rows(recording)]
    known = list(csv.reader(io.StringIO(text, newline="")))[1:]
    names = {f"{recording.name}.flac" for recording in made}
    assert [row for row in known if row[0] in names] == rows != []
    assert len(made) < len(script.PLANS) or known == rows
    assert "\r" not in text
    listed = (folder / "recordings" / "labels.csv").read_bytes().decode("utf-8")
    assert list(csv.reader(io.StringIO(listed)))[1:] == script.labels_rows(script.PLANS)


def test_the_command_writes_the_same_files_each_time(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script, "PLANS", script.PLANS[:2])
    script.main([str(tmp_path / "one")])
    script.main([str(tmp_path / "two")])
    script.main([str(tmp_path / "three"), "--seed", "7"])

    def files(name: str) -> dict[str, bytes]:
        root = tmp_path / name
        paths = sorted(path for path in root.rglob("*") if path.is_file())
        return {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}

    assert files("one") == files("two")
    assert len(files("one")) == 4
    assert files("one")["truth.csv"] != files("three")["truth.csv"]


# What the default segmentation finds in it


def test_default_segmentation_finds_nine_tenths_of_the_true_syllables(
    truth: pd.DataFrame, audio: dict[str, tuple[np.ndarray, int]]
) -> None:
    parameters = SegmentationParameters.preset("default")
    rows = []
    for name, (samples, rate) in audio.items():
        samples = samples / 32768.0
        if rate != parameters.sample_rate_hz:
            samples = signal.resample(samples, 10 * parameters.sample_rate_hz)
        rows += [
            (name, found.start_s, found.end_s, found.low_hz, found.high_hz)
            for found in segment_clip(samples, parameters)
        ]
    columns = ["recording", "start_s", "end_s", "low_hz", "high_hz"]
    match = match_syllables(pd.DataFrame(rows, columns=columns), truth, audio)
    assert match.recall >= 0.9
    assert match.precision is not None
    assert match.precision >= 0.8
