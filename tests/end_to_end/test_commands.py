"""The commands as a user types them, on recordings made on the spot.

A program is started where that is the point: workers and Ctrl-C; the window starts the usual order
of commands. All else calls the command in this process, since a start takes longer than what it
tests.
"""

from __future__ import annotations

import contextlib
import csv
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import sleep

import numpy as np
import pyarrow.parquet as pq
import pytest
import soundfile
from typer.testing import CliRunner

from cli.main import app

RATE_HZ = 22050
BIRDMODES = [sys.executable, "-c", "from cli.main import main; main()"]


Run = Callable[..., str]


@pytest.fixture
def run(call: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run birdmodes in a folder; its exit code must be `code`; all that it printed."""

    def run_here(folder: Path, *arguments: str, code: int = 0) -> str:
        monkeypatch.chdir(folder)
        given, output = call(*arguments)
        assert given == code, output
        assert "Traceback" not in output
        return output

    return run_here


def song(rng: np.random.Generator, kind: str) -> np.ndarray:
    """One syllable: a whistle, a rising or a falling chirp."""
    seconds = rng.uniform(0.18, 0.22)
    time = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    pitch_hz = {
        "whistle": 2000 + 0 * time,
        "rise": 4000 + 8000 * time,
        "fall": 7500 - 8000 * time,
    }[kind]
    phase = 2 * np.pi * np.cumsum(pitch_hz * rng.uniform(0.98, 1.02)) / RATE_HZ
    return 0.2 * np.hanning(len(time)) * np.sin(phase)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve recordings of two species: one whistles, one rises and falls."""
    root = tmp_path_factory.mktemp("field")
    (root / "recordings").mkdir()
    rows = []
    kinds = {"Piper": ["whistle"], "Slider": ["rise", "fall"]}
    for number in range(12):
        rng = np.random.default_rng(number)
        samples = 0.001 * rng.standard_normal(4 * RATE_HZ)
        species = [["Piper"], ["Slider"], ["Piper", "Slider"]][number % 3]
        choices = [kind for name in species for kind in kinds[name]]
        for place in range(7):
            syllable = song(rng, choices[place % len(choices)])
            first = round((0.3 + 0.5 * place) * RATE_HZ)
            samples[first : first + len(syllable)] += syllable
        soundfile.write(root / f"recordings/{number:02}.wav", samples, RATE_HZ)
        rows.append(f"{number:02},{';'.join(species)}")
    (root / "recordings/labels.csv").write_text("recording,species\n" + "\n".join(rows) + "\n")
    return root


@pytest.fixture(scope="module")
def clustered(folder: Path) -> Path:
    """The folder after segment and cluster."""
    of_species = ("--k-per-species", "Piper=1", "--k-per-species", "Slider=2")
    for words in (
        ("segment", "recordings", "--workers", "1"),
        ("cluster", *of_species, "--name", "ldc-k3"),
    ):
        with contextlib.chdir(folder):
            answer = CliRunner().invoke(app, words)
        assert answer.exit_code == 0, answer.output
    return folder


def test_the_usual_order_of_commands_finds_the_modes(clustered: Path) -> None:
    rows = list(
        csv.DictReader(
            (clustered / "birdmodes-workspace/clusterings/ldc-k3/assignments.csv").open()
        )
    )
    # noise alone gives a syllable now and then; the planted ones begin every half second
    planted = [row for row in rows if (float(row["start_s"]) - 0.25) % 0.5 < 0.2]
    assert len(planted) == 12 * 7
    assert len(rows) <= 12 * 7 + 2
    assert {row["mode"] for row in rows} == {"Piper mode 1", "Slider mode 1", "Slider mode 2"}
    for row in planted:
        middle_hz = (float(row["low_hz"]) + float(row["high_hz"])) / 2
        assert (row["species"] == "Piper") == (middle_hz < 3000)


def test_the_tables_have_the_columns_that_others_rely_on(clustered: Path) -> None:
    workspace = clustered / "birdmodes-workspace"
    recordings = pq.read_schema(next((workspace / "recordings").glob("*.parquet"))).names
    assert {
        "recording", "path", "duration_s", "sample_rate_hz", "channels", "labelled", "species",
        "n_syllables",
    } <= set(recordings)  # fmt: skip
    syllables = pq.read_schema(next((workspace / "syllables").glob("*.parquet"))).names
    assert {
        "syllable", "recording", "clip", "bag", "start_s", "end_s", "low_hz", "high_hz",
        "freq-gini", "hog-15", "patch", "mask",
    } <= set(syllables)  # fmt: skip
    with (workspace / "clusterings/ldc-k3/assignments.csv").open() as file:
        columns = next(csv.reader(file))
    assert columns[:10] == [
        "syllable", "recording", "start_s", "end_s", "low_hz", "high_hz", "cluster", "species",
        "mode", "confidence",
    ]  # fmt: skip
    metrics = json.loads((workspace / "clusterings/ldc-k3/metrics.json").read_text())
    assert metrics["parameters"]["k"] == 3
    assert metrics["metrics"]["modes"] == 3


def test_a_gallery_is_written(run: Run, clustered: Path) -> None:
    output = run(clustered, "gallery", "--workers", "1")
    index = clustered / "birdmodes-workspace/gallery/ldc-k3/index.html"
    assert str(index.relative_to(clustered)) in output
    assert "Piper" in index.read_text(encoding="utf-8")


def test_segmenting_again_skips_and_other_parameters_are_refused(run: Run, clustered: Path) -> None:
    assert "12 recordings done before" in run(clustered, "segment", "recordings")
    output = run(clustered, "segment", "recordings", "--clip-seconds", "5", code=2)
    assert "--restart" in output
    assert len(output.strip().splitlines()[-1]) < 400


def test_a_refused_setting_leaves_no_workspace(run: Run, folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "w"
    run(folder, "segment", "recordings", "-w", str(target), "--set", "method=magic", code=2)
    assert not target.exists()


def test_whole_numbers_can_be_set(run: Run, folder: Path, tmp_path: Path) -> None:
    target = tmp_path / "w"
    options = ["--set", "sample_rate_hz=16000", "--workers", "1"]
    run(folder, "segment", "recordings", "-w", str(target), *options)
    settings = json.loads((target / "workspace.json").read_text())
    assert settings["segmentation"]["sample_rate_hz"] == 16000


def test_a_truth_that_does_not_fit_is_refused_before_clustering(run: Run, clustered: Path) -> None:
    header = "recording,start_s,end_s,low_hz,high_hz,species,mode"
    (clustered / "other.csv").write_text(f"{header}\nelsewhere.wav,1,2,,,Wren,song\n")
    output = run(clustered, "cluster", "--k", "3", "--truth", "other.csv", code=2)
    assert "elsewhere.wav" in output
    assert "clusters" not in output


def test_bags_are_explained(run: Run, folder: Path, tmp_path: Path) -> None:
    options = ["--clip-seconds", "2", "--workers", "1"]
    output = run(folder, "segment", "recordings", "-w", str(tmp_path / "w"), *options)
    assert "12 recordings longer than a clip are one bag each" in output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["segment", "nowhere"], "nowhere: no such file or folder"),
        (["segment", "recordings", "--labels", "none.csv"], "none.csv: cannot be read"),
        (["segment", "recordings", "--set", "zeal=1"], "zeal"),
        (["segment", "recordings", "--set", "seed_z"], "NAME=VALUE"),
        (["segment", "recordings", "--set", "method=magic", "-w", "new"], "no segmenter 'magic'"),
        (["segment", "recordings", "--sample-rate", "7"], "sample_rate_hz"),
        (["segment", "recordings", "-w", "recordings"], "not empty and not a workspace"),
        (["segment", "recordings", "-w", "recordings/00.wav/w"], "00.wav"),
        (["cluster", "-w", "nowhere"], "no workspace here"),
        (["cluster", "--method", "magic"], "no method 'magic'"),
        (["cluster", "--k", "100000"], "100000"),
        (["cluster", "--name", "../../x"], "clustering name"),
        (["cluster", "--truth", "none.csv"], "none.csv"),
        (["gallery", "--clustering", "none"], "no clustering 'none'"),
        (["gallery", "-o", "recordings"], "recordings"),
    ],
)
def test_mistakes_get_one_line_and_exit_code_2(
    run: Run, clustered: Path, arguments: list[str], message: str
) -> None:
    assert message in run(clustered, *arguments, code=2)


def test_a_bad_recording_among_good_ones_gives_exit_code_1(
    folder: Path, tmp_path: Path, run: Run
) -> None:
    (tmp_path / "mixed").mkdir()
    for name in ("00.wav", "01.wav"):
        (tmp_path / "mixed" / name).write_bytes((folder / "recordings" / name).read_bytes())
    (tmp_path / "mixed/bad.wav").write_text("version https://git-lfs.github.com/spec/v1")
    output = run(tmp_path, "segment", "mixed", "--workers", "1", code=1)
    assert "bad.wav: " in output
    assert "git lfs pull" in output
    with (tmp_path / "birdmodes-workspace/errors.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert (row["recording"], row["stage"]) == ("bad.wav", "segment")


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")
def test_ctrl_c_stops_cleanly(folder: Path, tmp_path: Path) -> None:
    for number in range(40):
        source = folder / f"recordings/{number % 12:02}.wav"
        (tmp_path / f"{number:02}.wav").write_bytes(source.read_bytes())
    with subprocess.Popen(
        [*BIRDMODES, "segment", str(tmp_path), "-w", str(tmp_path / "w"), "--workers", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as child:
        while child.poll() is None and not list((tmp_path / "w/recordings").glob("[!.]*")):
            sleep(0.01)
        os.killpg(child.pid, signal.SIGINT)
        output, errors = child.communicate(timeout=60)
    assert child.returncode == 130, output + errors
    assert "the same command goes on" in output
    assert "Traceback" not in errors
