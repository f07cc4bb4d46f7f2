"""Labels with times make clips bags of their own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from birdmodes.audio.read import find_recordings
from birdmodes.labels import FittedLabels, TimedLabel
from birdmodes.labels.fit import fit_labels
from birdmodes.labels.model import Confidence
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.bags import bags_table
from birdmodes.workspace.segment import SegmentSummary, segment_recordings
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace

TIMED = FittedLabels(
    {"a.wav": ("Robin", "Wren")},
    [],
    [],
    {"a.wav": (TimedLabel(0.2, 0.6, "Robin"), TimedLabel(1.9, 2.5, "Wren"))},
)
WHOLE = FittedLabels({"a.wav": ("Robin", "Wren")}, [], [])


@pytest.fixture
def root(write_recording: Callable[..., Path]) -> Path:
    # whistles of 0.2 s start at 0.3, 0.8, ... 2.3 s
    return write_recording("a.wav", [2000, 4000]).parent


def run(
    root: Path, folder: Path, labels: FittedLabels, bag: str = "auto"
) -> tuple[SegmentSummary, Workspace]:
    settings = Settings(SegmentationParameters(clip_s=1.0), bag=bag)
    workspace = Workspace.prepare(folder, settings)
    return segment_recordings(find_recordings([root]), labels, workspace), workspace


def bags_of(workspace: Workspace) -> list[tuple[str, str]]:
    table = bags_table(workspace.recordings())
    return list(zip(table["bag"], table["species"], strict=True))


CLIPS = [("a.wav#0", "Robin"), ("a.wav#1", "Wren"), ("a.wav#2", "Wren")]


@pytest.mark.parametrize("bag", ["auto", "clip"])
def test_each_clip_is_a_bag_with_what_was_heard_in_it(root: Path, tmp_path: Path, bag: str) -> None:
    _, workspace = run(root, tmp_path / "w", TIMED, bag)
    assert bags_of(workspace) == CLIPS
    syllables = workspace.syllables()
    assert list(syllables["bag"]) == [f"a.wav#{clip}" for clip in syllables["clip"]]
    bags = workspace.bags()
    assert bags.class_names == ("Robin", "Wren")
    assert bags.labels.tolist() == [[True, False], [False, True], [False, True]]


def test_a_whole_recording_may_be_asked_for(root: Path, tmp_path: Path) -> None:
    _, workspace = run(root, tmp_path / "w", TIMED, "recording")
    assert bags_of(workspace) == [("a.wav", "Robin;Wren")]
    assert set(workspace.syllables()["bag"]) == {"a.wav"}


def test_bags_follow_the_labels_of_a_later_run(root: Path, tmp_path: Path) -> None:
    _, workspace = run(root, tmp_path / "w", WHOLE)
    assert bags_of(workspace) == [("a.wav", "Robin;Wren")]
    before = workspace.syllables()
    summary, workspace = run(root, tmp_path / "w", TIMED)
    assert summary.skipped == 1
    assert bags_of(workspace) == CLIPS
    after = workspace.syllables()
    assert list(after["bag"]) == [f"a.wav#{clip}" for clip in after["clip"]]
    assert after.drop(columns="bag").equals(before.drop(columns="bag"))
    _, workspace = run(root, tmp_path / "w", WHOLE)
    assert workspace.syllables().equals(before)


def test_a_run_with_the_same_labels_writes_nothing(root: Path, tmp_path: Path) -> None:
    run(root, tmp_path / "w", TIMED)
    rows = list((tmp_path / "w" / "recordings").iterdir())
    written = [path.stat().st_mtime_ns for path in rows]
    run(root, tmp_path / "w", TIMED)
    assert [path.stat().st_mtime_ns for path in rows] == written


def test_labels_after_the_end_of_a_recording_are_told(root: Path, tmp_path: Path) -> None:
    late = FittedLabels(
        {"a.wav": ("Robin",)}, [], [], {"a.wav": (TimedLabel(50.0, 53.0, "Robin"),)}
    )
    summary, _ = run(root, tmp_path / "w", late)
    assert [name for name, _ in summary.notes] == ["a.wav"]
    assert "1 of 1 labels lie after its end" in summary.notes[0][1]


def test_confidences_of_a_real_table_weigh_the_lists(
    root: Path, tmp_path: Path, shared: Path
) -> None:
    name = "birdnetprocess_SiteA_20240101_120000.BirdNET.results.csv"
    recording = root / "birdnetprocess_SiteA_20240101_120000.wav"
    (root / "a.wav").rename(recording)
    labels = fit_labels(find_recordings([root]), shared / "formats" / "birdnet" / name)
    _, workspace = run(root, tmp_path / "w", labels)  # clips of a second; the robin: 1.5 to 4.5 s
    bags = workspace.bags()
    assert bags.weights is not None
    robin = bags.class_names.index("American Robin")
    assert bags.weights[:, robin].tolist() == [0, 0.95, 0.95]


def test_lists_without_confidences_have_no_weights(root: Path, tmp_path: Path) -> None:
    _, workspace = run(root, tmp_path / "w", TIMED)
    assert workspace.bags().weights is None
    told = replace(TIMED, confidences={"a.wav": (Confidence("Robin", 0.2, 0.6, 0.5),)})
    _, workspace = run(root, tmp_path / "told", told)
    assert workspace.bags().weights.tolist() == [[0.5, 0], [0, 1], [0, 1]]
    _, workspace = run(root, tmp_path / "whole", told, "recording")
    assert workspace.bags().weights.tolist() == [[0.5, 1]]
