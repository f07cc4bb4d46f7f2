from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from birdmodes.audio.find import find_recordings
from birdmodes.audio.read import ClipReader
from birdmodes.errors import AudioError
from birdmodes.io.printing import shown

needs_any_name = pytest.mark.skipif(sys.platform != "linux", reason="names may be any bytes there")


def touch(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x")


def test_folders_are_searched_for_audio_endings_in_any_case(tmp_path: Path) -> None:
    for name in ("b.WAV", "a.flac", "site 1/c.Mp3", "notes.txt", ".hidden.wav", "._b.WAV"):
        touch(tmp_path / name)
    found = find_recordings([tmp_path])
    assert [recording.name for recording in found] == ["a.flac", "b.WAV", "site 1/c.Mp3"]


def test_own_workspaces_and_galleries_are_passed_over(tmp_path: Path) -> None:
    for name in ("a.wav", "birdmodes-workspace/workspace.json", "birdmodes-workspace/x/cut.mp3"):
        touch(tmp_path / name)
    assert [recording.name for recording in find_recordings([tmp_path])] == ["a.wav"]


def test_a_loop_of_links_ends(tmp_path: Path) -> None:
    touch(tmp_path / "sub/a.wav")
    (tmp_path / "sub/loop").symlink_to(tmp_path, target_is_directory=True)
    assert [recording.name for recording in find_recordings([tmp_path])] == ["sub/a.wav"]


def test_a_file_that_is_named_is_taken_whatever_its_ending(tmp_path: Path) -> None:
    touch(tmp_path / "a.xyz")
    touch(tmp_path / "b.wav")
    found = find_recordings([tmp_path / "a.xyz", tmp_path / "b.wav", tmp_path])
    assert [recording.name for recording in found] == ["a.xyz", "b.wav"]


def test_bad_paths_are_named(tmp_path: Path) -> None:
    with pytest.raises(AudioError, match=r"nowhere: no such file or folder"):
        find_recordings([tmp_path / "nowhere"])
    with pytest.raises(AudioError, match=r"no recordings here"):
        find_recordings([tmp_path])
    touch(tmp_path / "x/a.wav")
    touch(tmp_path / "y/a.wav")
    with pytest.raises(AudioError, match=r"both called a\.wav: .*x.*y"):
        find_recordings([tmp_path / "x", tmp_path / "y"])


@pytest.mark.parametrize("ending", ["m4a", "AAC", "wma", "wac", "webm", "mp4"])
def test_sound_that_must_be_converted_is_not_passed_over(tmp_path: Path, ending: str) -> None:
    touch(tmp_path / f"a.{ending}")
    touch(tmp_path / "b.wav")
    assert [x.name for x in find_recordings([tmp_path])] == [f"a.{ending}", "b.wav"]
    touch(tmp_path / "a.flac")  # once it has been converted it is done
    assert [x.name for x in find_recordings([tmp_path])] == ["a.flac", "b.wav"]


def test_progress_is_told_while_a_folder_is_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("birdmodes.audio.find.PROGRESS_EVERY", 100)
    for number in range(210):
        (tmp_path / f"{number}.wav").touch()
    counts: list[int] = []
    find_recordings([tmp_path], counts.append)
    assert counts == [99, 199, 210]


def test_listing_opens_no_file_and_asks_for_no_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(50):
        touch(tmp_path / f"sub/{number}.wav")
    asked: list[str] = []
    original = os.stat

    def stat(path: Any, *args: Any, **options: Any) -> os.stat_result:
        asked.append(str(path))
        return original(path, *args, **options)

    monkeypatch.setattr(os, "stat", stat)
    assert len(find_recordings([tmp_path])) == 50
    assert not [path for path in asked if path.endswith(".wav")]
    assert asked


@pytest.fixture
def locked(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Make a folder one that cannot be listed, even for an administrator."""
    original = os.scandir
    folders = set()

    def scandir(path: Any = ".") -> Any:
        if str(path) in folders:
            raise PermissionError(13, "Permission denied", str(path))
        return original(path)

    monkeypatch.setattr(os, "scandir", scandir)
    return lambda folder: folders.add(str(folder))


def test_a_folder_that_cannot_be_listed_is_reported_with_the_recordings(
    tmp_path: Path, locked: Callable[[Path], None]
) -> None:
    touch(tmp_path / "a.wav")
    touch(tmp_path / "site 2/b.wav")
    locked(tmp_path / "site 2")
    found = find_recordings([tmp_path])
    assert [recording.name for recording in found] == ["a.wav", "site 2/"]
    with pytest.raises(AudioError, match=r"site 2: this folder cannot be listed \(Permission"):
        list(ClipReader(found[1].path, 22050, 10.0))


def test_a_given_folder_that_cannot_be_listed_is_an_error(
    tmp_path: Path, locked: Callable[[Path], None]
) -> None:
    locked(tmp_path)
    with pytest.raises(AudioError, match="this folder cannot be listed"):
        find_recordings([tmp_path])


@needs_any_name
def test_a_name_that_is_not_utf8_is_listed_and_refused_when_read(tmp_path: Path) -> None:
    touch(Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.wav")))
    (recording,) = find_recordings([tmp_path])
    assert recording.name == r"caf\xe9.wav"
    with pytest.raises(AudioError, match=r"caf\\xe9\.wav: the name has bytes that are not UTF-8"):
        list(ClipReader(recording.path, 22050, 10.0))


@needs_any_name
def test_messages_about_hostile_names_stay_on_one_line(tmp_path: Path) -> None:
    touch(tmp_path / "two\nlines\x1b[31m.wav")
    touch(tmp_path / ("long" * 60 + ".wav"))
    found = find_recordings([tmp_path])
    assert [recording.name[:4] for recording in found] == ["long", "two\n"]
    for recording in found:
        with pytest.raises(AudioError) as caught:
            list(ClipReader(recording.path, 22050, 10.0))
        assert str(caught.value).isprintable()
    assert shown("a\nb\x1b") == r"a\nb\x1b"


@needs_any_name
def test_what_is_no_regular_file_is_refused_and_does_not_block(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.wav"
    os.mkfifo(pipe)
    (recording,) = find_recordings([pipe])
    with pytest.raises(AudioError, match=r"pipe\.wav: is not a regular file"):
        list(ClipReader(recording.path, 22050, 10.0))


@needs_any_name
def test_links_that_lead_nowhere_are_reported_and_stop_nothing(tmp_path: Path) -> None:
    (tmp_path / "self.wav").symlink_to(tmp_path / "self.wav")
    (tmp_path / "gone.wav").symlink_to(tmp_path / "nowhere.wav")
    found = find_recordings([tmp_path])
    assert [recording.name for recording in found] == ["gone.wav", "self.wav"]
    for recording in found:
        with pytest.raises(AudioError, match=rf"{recording.name}: cannot be read"):
            list(ClipReader(recording.path, 22050, 10.0))


def test_paths_may_be_text_and_one_alone(tmp_path: Path) -> None:
    (tmp_path / "rec").mkdir()
    (tmp_path / "rec/a.wav").touch()
    (tmp_path / "b.wav").touch()
    expected = find_recordings([tmp_path / "rec"])
    assert [found.name for found in expected] == ["a.wav"]
    for paths in (str(tmp_path / "rec"), tmp_path / "rec", [str(tmp_path / "rec")]):
        assert find_recordings(paths) == expected
    assert len(find_recordings([str(tmp_path / "rec"), tmp_path / "b.wav"])) == 2
