"""What is there is not made again; what is killed goes on; workers do not matter."""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from birdmodes.gallery import build_gallery
from birdmodes.gallery.folder import MARKER
from birdmodes.gallery.media import draw_task, material
from birdmodes.pictures.source import Source


def contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def read_names(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Recordings that are read, one for each clip."""
    names: list[str] = []
    read = draw_task.read_clip

    def noted(source: Source, *place: Any) -> Any:
        names.append(source.recording)
        return read(source, *place)

    monkeypatch.setattr(draw_task, "read_clip", noted)
    return names


def test_a_second_build_makes_nothing(
    case: Any, tmp_path: Path, read_names: list[str], recording_names: list[str]
) -> None:
    output = tmp_path / "gallery"
    first = build_gallery(case.workspace, case.clustering, output)
    assert sorted(read_names) == sorted(recording_names)
    assert (first.unchanged, first.new) == (0, len(contents(output)))
    marker = output / MARKER
    os.utime(marker, (1, 1))
    states = {path: path.stat() for path in output.rglob("*") if path.is_file()}
    read_names.clear()
    second = build_gallery(case.workspace, case.clustering, output)
    assert read_names == []
    assert (second.new, second.unchanged) == (0, first.new)
    assert dataclasses.replace(second, new=first.new, unchanged=0) == first
    # It says of itself that it is of now, so that what is older, and left out, is not asked for.
    assert marker.stat().st_mtime > 1
    del states[marker]
    for path, before in states.items():
        assert path.stat().st_mtime_ns == before.st_mtime_ns, path


def test_another_clustering_keeps_the_clips(case: Any, built: Any, tmp_path: Path) -> None:
    output = shutil.copytree(built.index.parent, tmp_path / "gallery")
    table, modes = case.clustering.assignments, case.clustering.modes
    merged = dataclasses.replace(
        case.clustering,
        assignments=table.assign(cluster=table["cluster"].replace(1, 0)),
        modes=modes[modes["cluster"] != 1],
    )
    before = contents(output)
    result = build_gallery(case.workspace, merged, output)
    after = contents(output)
    clips = [name for name in before if name.startswith(("clips/", "thumbs/"))]
    assert len(clips) == 4 * 2 + 1
    assert all(after[name] == before[name] for name in clips)
    assert result.unchanged >= len(clips)
    fresh = build_gallery(case.workspace, merged, tmp_path / "fresh")
    assert contents(fresh.index.parent) == after


def test_only_a_recording_that_has_changed_is_read_again(
    make_case: Callable[[], Any],
    tmp_path: Path,
    read_names: list[str],
    recording_names: list[str],
) -> None:
    case = make_case()
    output = tmp_path / "gallery"
    build_gallery(case.workspace, case.clustering, output)
    read_names.clear()
    os.utime(case.recording(2), ns=(1, 1))
    rows = case.workspace.recordings().to_dict("records")
    row = next(row for row in rows if row["recording"] == recording_names[2])
    unknown = {name: None for name, value in row.items() if value != value}  # NaN
    case.workspace.commit({**row, **unknown, "mtime_ns": 1}, None)
    result = build_gallery(case.workspace, case.clustering, output)
    assert read_names == [recording_names[2]]
    assert result.warnings == []
    fresh = build_gallery(case.workspace, case.clustering, tmp_path / "fresh")
    assert contents(fresh.index.parent) == contents(output)


def test_a_build_that_was_killed_goes_on(
    case: Any, built: Any, tmp_path: Path, read_names: list[str]
) -> None:
    output = tmp_path / "gallery"

    def kill(done: int, total: int, recording: str) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_gallery(case.workspace, case.clustering, output, on_progress=kill)
    assert not output.exists()
    assert len(read_names) == 2
    build_gallery(case.workspace, case.clustering, output)
    assert len(read_names) == 4
    assert contents(output) == contents(built.index.parent)
    assert [path.name for path in tmp_path.iterdir()] == ["gallery"]


def test_what_other_settings_have_left_does_not_get_in(
    case: Any, built: Any, tmp_path: Path
) -> None:
    output = tmp_path / "gallery"

    def kill(done: int, total: int, recording: str) -> None:
        raise KeyboardInterrupt

    other = dataclasses.replace(
        case.clustering, modes=case.clustering.modes.iloc[:1].reset_index(drop=True)
    )
    with pytest.raises(KeyboardInterrupt):
        build_gallery(case.workspace, other, output, examples=1, on_progress=kill)
    build_gallery(case.workspace, case.clustering, output)
    assert contents(output) == contents(built.index.parent)


def test_workers_make_the_same_bytes(
    case: Any,
    grouping: Any,
    grouped: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    two_workers: int,
) -> None:
    monkeypatch.setattr(material, "WORTH_WORKERS", 1)
    output = tmp_path / "gallery"
    build_gallery(case.workspace, case.clustering, output, grouping=grouping, workers=two_workers)
    assert contents(output) == contents(grouped)


def test_a_recording_that_kills_its_worker_is_shown_from_the_workspace(
    case: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, recording_names: list[str]
) -> None:
    def dying(function: Any, tasks: Any, *, workers: int) -> Iterator[Any]:
        for task in tasks:
            dies = task.source.recording == recording_names[1]
            yield task, None if dies else function(task)

    monkeypatch.setattr(material, "run_tasks", dying)
    result = build_gallery(case.workspace, case.clustering, tmp_path / "gallery")
    assert (result.sounds, result.pictures) == (3, 15 + 4)
    (warning,) = result.warnings
    assert recording_names[1] in warning


def test_a_recording_that_is_gone_keeps_what_the_gallery_has(
    make_case: Callable[[], Any], tmp_path: Path
) -> None:
    case = make_case()
    output = tmp_path / "gallery"
    build_gallery(case.workspace, case.clustering, output)
    before = contents(output)
    case.recording(1).unlink()
    result = build_gallery(case.workspace, case.clustering, output)
    assert result.warnings == []
    assert contents(output) == before


def test_clips_that_have_no_room_are_left_out_and_counted(
    case: Any, tmp_path: Path, built: Any
) -> None:
    # All that is no clip is taken to need 1.13 MB, and a clip of 3 s 48 kB.
    result = build_gallery(
        case.workspace, case.clustering, tmp_path / "gallery", max_size_mb=1.25, examples=2
    )
    assert 0 < result.sounds < 4
    (warning,) = result.warnings
    assert f"{4 - result.sounds} of 4 clips" in warning
    assert "--max-size 2" in warning
    assert len(list((tmp_path / "gallery" / "clips").iterdir())) == 2 * result.sounds
    assert result.pictures == 8 + 4
    none = build_gallery(case.workspace, case.clustering, tmp_path / "gallery", max_size_mb=1)
    assert none.sounds == 0
    assert none.pictures == built.pictures
    again = build_gallery(case.workspace, case.clustering, tmp_path / "gallery")
    assert contents(again.index.parent) == contents(built.index.parent)
