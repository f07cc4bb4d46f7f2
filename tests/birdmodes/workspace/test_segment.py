from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import soundfile

from birdmodes.audio.read import find_recordings
from birdmodes.errors import WorkspaceError
from birdmodes.labels import fit_labels
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.segment import (
    Progress,
    SegmentSummary,
    _is_long,
    segment_recordings,
)
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.task import (
    LongRecording,
    SegmentOutcome,
    SegmentTask,
    segment_recording,
)

WriteRecording = Callable[..., Path]


def run(
    root: Path,
    folder: Path,
    *,
    workers: int = 1,
    bag: str = "auto",
    clip_s: float = 10.0,
    reports: list[Progress] | None = None,
) -> tuple[SegmentSummary, Workspace]:
    recordings = find_recordings([root])
    settings = Settings(SegmentationParameters(clip_s=clip_s), bag=bag)
    workspace = Workspace.prepare(folder, settings)
    summary = segment_recordings(
        recordings,
        fit_labels(recordings),
        workspace,
        workers=workers,
        on_progress=None if reports is None else reports.append,
    )
    return summary, workspace


@pytest.fixture
def recordings(write_recording: WriteRecording) -> Path:
    root = write_recording("a.wav", [2000, 4000]).parent
    write_recording("sub/b.flac", [3000], seed=1)
    write_recording("c.wav", [5000], seed=2)
    (root / "labels.csv").write_text("recording,species\na,Robin;Wren\nc.wav,\n")
    return root


def test_every_whistle_becomes_a_syllable_with_its_time_and_pitch(
    recordings: Path, tmp_path: Path
) -> None:
    _, workspace = run(recordings, tmp_path / "w")
    table = workspace.syllables()
    found = table[table["recording"] == "a.wav"]
    # whistles of 0.2 s start at 0.3, 0.8, ... 2.3 s, at 2 and 4 kHz in turn
    assert len(found) == 5
    for number, syllable in enumerate(found.itertuples()):
        middle = (syllable.start_s + syllable.end_s) / 2
        assert middle == pytest.approx(0.4 + 0.5 * number, abs=0.03)
        assert syllable.low_hz < (2000, 4000)[number % 2] < syllable.high_hz


def test_labels_go_with_their_recordings(recordings: Path, tmp_path: Path) -> None:
    _, workspace = run(recordings, tmp_path / "w")
    table = workspace.recordings().set_index("recording")
    assert list(table.index) == ["a.wav", "c.wav", "sub/b.flac"]
    assert list(table["species"]) == ["Robin;Wren", "", ""]
    assert list(table["labelled"]) == [True, True, False]


def test_any_number_of_workers_gives_the_same_tables(
    recordings: Path, tmp_path: Path, two_workers: int
) -> None:
    _, one = run(recordings, tmp_path / "one")
    _, two = run(recordings, tmp_path / "two", workers=two_workers)
    pd.testing.assert_frame_equal(one.syllables(), two.syllables())
    pd.testing.assert_frame_equal(one.recordings(), two.recordings())
    pd.testing.assert_frame_equal(one.patches("a.wav"), two.patches("a.wav"))
    shards = [sorted((each.folder / "syllables").iterdir()) for each in (one, two)]
    assert [path.read_bytes() for path in shards[0]] == [path.read_bytes() for path in shards[1]]
    windows = one.windows()
    assert windows is not None
    np.testing.assert_array_equal(windows, two.windows())
    assert windows.shape == (len(one.syllables()), 48, 24)
    assert windows.any(axis=(1, 2)).all()


def test_many_syllables_are_stored_some_at_a_time(
    recordings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, whole = run(recordings, tmp_path / "whole", clip_s=1.0, bag="recording")
    for module in ("tables", "segment"):
        monkeypatch.setattr(f"birdmodes.workspace.{module}.PACKED_ROWS", 1)
    summary, parts = run(recordings, tmp_path / "parts", clip_s=1.0, bag="recording")
    assert summary.syllables == len(parts.syllables()) == len(whole.syllables()) > 5
    pd.testing.assert_frame_equal(parts.syllables(), whole.syllables())
    pd.testing.assert_frame_equal(parts.recordings(), whole.recordings())
    pd.testing.assert_frame_equal(parts.patches("a.wav"), whole.patches("a.wav"))


def test_workers_share_the_last_long_recordings_and_store_the_same_bytes(
    recordings: Path, tmp_path: Path, two_workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, alone = run(recordings, tmp_path / "alone", clip_s=1.0)
    monkeypatch.setattr("birdmodes.workspace.segment.LONG_S", 2.0)
    monkeypatch.setattr("birdmodes.workspace.task._CLIPS_A_PART", 1)
    seen: list[str] = []
    parts_of = LongRecording.parts
    monkeypatch.setattr(
        LongRecording, "parts", lambda long: seen.append(long.task.recording.name) or parts_of(long)
    )
    summary, shared = run(recordings, tmp_path / "shared", clip_s=1.0, workers=two_workers + 2)
    assert seen == ["c.wav", "sub/b.flac"]
    assert (summary.segmented, summary.failed) == (3, [])
    pd.testing.assert_frame_equal(alone.recordings(), shared.recordings())
    shards = [sorted((each.folder / "syllables").iterdir()) for each in (alone, shared)]
    assert [path.read_bytes() for path in shards[0]] == [path.read_bytes() for path in shards[1]]


@pytest.mark.parametrize(("name", "is_shared"), [("a.wav", True), ("a.ogg", False)])
def test_only_decoders_that_do_not_crash_run_in_the_process_that_stores(
    name: str, is_shared: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    soundfile.write(tmp_path / name, np.zeros(4 * 8000), 8000)
    (recording,) = find_recordings([tmp_path])
    monkeypatch.setattr("birdmodes.workspace.segment.LONG_S", 2.0)
    assert _is_long(recording) == is_shared


def long_recording(root: Path) -> LongRecording:
    (recording,) = (found for found in find_recordings([root]) if found.name == "a.wav")
    return LongRecording(SegmentTask(recording, Settings(SegmentationParameters(clip_s=0.5)), 0, 0))


def test_parts_of_a_long_recording_may_come_in_any_order(
    recordings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("birdmodes.workspace.task._CLIPS_A_PART", 2)
    long = long_recording(recordings)
    parts = list(long.parts())
    for part in reversed(parts):
        assert long.outcome() is None
        long.add(part, segment_recording(part))
    whole, outcome = segment_recording(long.task), long.outcome()
    assert len(parts) == 3
    assert outcome is not None
    assert outcome.syllables is not None
    assert whole.syllables is not None
    assert (outcome.facts, outcome.n_clips) == (whole.facts, whole.n_clips)
    (table,), (expected,) = outcome.syllables.tables(), whole.syllables.tables()
    assert table.num_rows == 5
    assert table.equals(expected)


def test_a_long_recording_fails_with_the_first_of_its_parts_that_does(
    recordings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("birdmodes.workspace.task._CLIPS_A_PART", 1)
    long = long_recording(recordings)
    parts = long.parts()
    first = next(parts)
    long.add(first, SegmentOutcome(reason="the process reading it died"))
    assert list(parts) == []  # nothing is computed in vain
    outcome = long.outcome()
    assert outcome is not None
    assert outcome.reason == "the process reading it died"


def test_a_second_run_skips_what_is_done(recordings: Path, tmp_path: Path) -> None:
    first, workspace = run(recordings, tmp_path / "w")
    assert (first.segmented, first.skipped) == (3, 0)
    before = workspace.syllables()
    reports: list[Progress] = []
    second, workspace = run(recordings, tmp_path / "w", reports=reports)
    assert (second.segmented, second.skipped) == (0, 3)
    pd.testing.assert_frame_equal(workspace.syllables(), before)
    assert [report.done for report in reports] == [0, 1, 2, 3]


def test_a_changed_recording_is_done_again(
    recordings: Path, tmp_path: Path, write_recording: WriteRecording
) -> None:
    run(recordings, tmp_path / "w")
    write_recording("c.wav", [5000], seconds=2.0)
    summary, workspace = run(recordings, tmp_path / "w")
    assert (summary.segmented, summary.skipped) == (1, 2)
    duration = workspace.recordings().set_index("recording")["duration_s"]
    assert duration["c.wav"] == pytest.approx(2.0)


def test_new_labels_reach_recordings_that_are_skipped(recordings: Path, tmp_path: Path) -> None:
    run(recordings, tmp_path / "w")
    (recordings / "labels.csv").write_text("recording,species\nsub/b.flac,Dipper\n")
    summary, workspace = run(recordings, tmp_path / "w")
    assert summary.skipped == 3
    table = workspace.recordings().set_index("recording")
    assert list(table["species"]) == ["", "", "Dipper"]
    assert list(table["labelled"]) == [False, False, True]


def test_bad_recordings_are_listed_and_the_rest_is_done(recordings: Path, tmp_path: Path) -> None:
    (recordings / "bad.wav").write_bytes(b"RIFF nonsense")
    (recordings / "empty.mp3").write_bytes(b"")
    summary, workspace = run(recordings, tmp_path / "w")
    assert summary.segmented == 3
    assert [name for name, _ in summary.failed] == ["bad.wav", "empty.mp3"]
    errors = workspace.errors()
    assert list(errors["recording"]) == ["bad.wav", "empty.mp3"]
    assert set(errors["stage"]) == {"segment"}
    assert errors["reason"].str.contains("bad.wav: cannot be read as audio").any()

    (recordings / "bad.wav").unlink()
    (recordings / "empty.mp3").unlink()
    _, workspace = run(recordings, tmp_path / "w")
    assert len(workspace.errors()) == 2, "errors of recordings not in this run stay"


def test_an_error_that_no_longer_holds_goes_away(
    recordings: Path, tmp_path: Path, write_recording: WriteRecording
) -> None:
    (recordings / "bad.wav").write_bytes(b"RIFF nonsense")
    run(recordings, tmp_path / "w")
    write_recording("bad.wav", [2500])
    summary, workspace = run(recordings, tmp_path / "w")
    assert (summary.segmented, summary.failed) == (1, [])
    assert workspace.errors().empty


def test_a_long_recording_is_one_bag_and_a_short_one_a_clip(
    write_recording: WriteRecording, tmp_path: Path
) -> None:
    root = write_recording("long.wav", [2000, 4000], seconds=5.0).parent
    write_recording("short.wav", [3000], seconds=1.5)
    _, workspace = run(root, tmp_path / "auto", clip_s=2.0)
    assert set(workspace.syllables()["bag"]) == {"long.wav", "short.wav#0"}
    assert set(workspace.syllables()["clip"]) == {0, 1, 2}
    _, workspace = run(root, tmp_path / "clip", clip_s=2.0, bag="clip")
    assert set(workspace.syllables()["bag"]) == {
        "long.wav#0",
        "long.wav#1",
        "long.wav#2",
        "short.wav#0",
    }
    _, workspace = run(root, tmp_path / "recording", clip_s=2.0, bag="recording")
    assert set(workspace.syllables()["bag"]) == {"long.wav", "short.wav"}


def test_two_recordings_of_one_name_are_not_mixed(
    recordings: Path, tmp_path: Path, write_recording: WriteRecording
) -> None:
    write_recording("other/b.flac", [1000])
    run(recordings / "sub", tmp_path / "w")
    with pytest.raises(WorkspaceError, match=r"already has another recording called b\.flac"):
        run(recordings / "other", tmp_path / "w")


def test_a_moved_folder_is_not_segmented_again(recordings: Path, tmp_path: Path) -> None:
    run(recordings, tmp_path / "w")
    moved = recordings.rename(tmp_path / "moved")
    summary, workspace = run(moved, tmp_path / "w")
    assert summary.skipped == 3
    assert all(Path(path).exists() for path in workspace.recordings()["path"])


RUN = """
import sys
from pathlib import Path
from birdmodes.audio.read import find_recordings
from birdmodes.labels import fit_labels
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.segment import segment_recordings
from birdmodes.workspace.task import SegmentOutcome, SegmentTask, segment_recording
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace
recordings = find_recordings([Path(sys.argv[1])])
workspace = Workspace.prepare(Path(sys.argv[2]), Settings(SegmentationParameters()))
segment_recordings(recordings, fit_labels(recordings), workspace)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")
def test_a_killed_run_goes_on_and_ends_with_the_same_tables(
    write_recording: WriteRecording, tmp_path: Path
) -> None:
    for number in range(24):
        root = write_recording(f"{number:02}.wav", [2000 + 100 * number], seed=number).parent
    _, whole = run(root, tmp_path / "whole")
    marks = tmp_path / "killed/recordings"
    with subprocess.Popen(
        [sys.executable, "-c", RUN, str(root), str(tmp_path / "killed")]
    ) as child:
        while child.poll() is None and len(list(marks.glob("[!.]*.parquet"))) < 3:
            time.sleep(0.005)
        os.kill(child.pid, signal.SIGKILL)
    assert len(list(marks.glob("[!.]*.parquet"))) >= 3
    summary, resumed = run(root, tmp_path / "killed")
    assert summary.segmented + summary.skipped == 24
    assert summary.skipped >= 3
    pd.testing.assert_frame_equal(resumed.syllables(), whole.syllables())
    pd.testing.assert_frame_equal(resumed.recordings(), whole.recordings())


def test_a_recording_that_changes_while_it_is_read_is_not_kept(
    recordings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def and_change(task: SegmentTask) -> SegmentOutcome:
        outcome = segment_recording(task)
        if task.recording.name == "a.wav":
            with task.recording.path.open("ab") as file:
                file.write(b"more")
        elif task.recording.name == "c.wav":
            task.recording.path.unlink()
        return outcome

    monkeypatch.setattr("birdmodes.workspace.segment.segment_recording", and_change)
    summary, workspace = run(recordings, tmp_path / "w")
    assert [name for name, _ in summary.failed] == ["a.wav", "c.wav"]
    assert all("changed or vanished while it was read" in why for _, why in summary.failed)
    assert list(workspace.recordings()["recording"]) == ["sub/b.flac"]
    monkeypatch.undo()
    summary, workspace = run(recordings, tmp_path / "w")
    assert (summary.segmented, summary.skipped, summary.failed) == (1, 1, [])


@pytest.mark.parametrize("table", ["recordings", "syllables"])
@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "overwritten"])
def test_a_recording_without_a_readable_shard_is_done_again(
    recordings: Path, tmp_path: Path, table: str, damage: str
) -> None:
    _, workspace = run(recordings, tmp_path / "w")
    before = workspace.syllables()
    shard = next((workspace.folder / table).glob("a-*.parquet"))
    whole = shard.read_bytes()
    if damage == "missing":
        shard.unlink()
    else:
        shard.write_bytes({"empty": b"", "cut": whole[:-100], "overwritten": b"x" * 500}[damage])
    summary, workspace = run(recordings, tmp_path / "w")
    assert (summary.segmented, summary.skipped) == (1, 2)
    assert shard.read_bytes() == whole
    pd.testing.assert_frame_equal(workspace.syllables(), before)
