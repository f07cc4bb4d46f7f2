from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest
from window_parts import write_sound

from birdmodes.app.contents import Look, site_of
from birdmodes.app.folders import checked_folder, is_on_a_disk, list_folder, places
from birdmodes.errors import AudioError

posix = pytest.mark.skipif(sys.platform == "win32", reason="not on Windows")


def names(folder: Path) -> list[str]:
    return [name for name, _ in list_folder(folder).inside]


def test_folders_are_listed_with_the_recordings_in_them(tmp_path: Path) -> None:
    for name in ("b", "A", ".hidden", "<i>"):
        (tmp_path / name).mkdir()
    for name in ("x.wav", "y.FLAC", "z.m4a", "notes.txt"):
        (tmp_path / name).touch()
    found = list_folder(tmp_path)
    assert [name for name, _ in found.inside] == ["<i>", "A", "b"]
    assert found.recordings == 3
    assert found.above[-1] == (tmp_path.name, str(tmp_path))
    assert found.above[0][1] == tmp_path.anchor


@posix
def test_nothing_but_folders_of_disks_is_entered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "good").mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "good")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "up").symlink_to(tmp_path)
    (tmp_path / "devices").symlink_to("/dev")
    (tmp_path / "processes").symlink_to("/proc")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(tmp_path)  # the path of a socket has to be short
        server.bind("socket")
        assert names(tmp_path) == ["good", "linked", "up"]
    # A link to what lies above is followed as often as somebody likes, and ends nowhere else.
    assert names(tmp_path / "up" / "up") == names(tmp_path)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("", "no path"),
        ("a\0b", "no path"),
        ("relative/folder", "whole path"),
        ("/no/such/folder", "cannot be reached"),
        ("~nobody-of-this-name/x", "cannot be reached|no such home|whole path"),
        pytest.param("/proc", "devices", marks=posix),
        pytest.param("/proc/self/fd", "devices", marks=posix),
        pytest.param("/dev", "devices", marks=posix),
        pytest.param("/etc/../proc/1", "devices", marks=posix),
        (__file__, "is a file"),
    ],
)
def test_what_is_no_folder_of_a_disk_is_refused(path: str, words: str) -> None:
    with pytest.raises(AudioError, match=words):
        checked_folder(path)


@posix
def test_a_link_that_goes_round_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(AudioError, match="cannot be reached"):
        list_folder(tmp_path / "loop")


def test_what_the_account_may_not_read_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "theirs").mkdir()
    # whoever runs the tests may be allowed everything
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "theirs")
    assert names(tmp_path) == ["mine"]
    with pytest.raises(AudioError, match="your account may not read"):
        checked_folder(tmp_path / "theirs")


def test_people_begin_at_home() -> None:
    assert places()[0] == ("Home", str(Path.home()))
    assert all(is_on_a_disk(Path(path).resolve()) for _, path in places())


def test_the_contents_of_a_folder_are_summed_up(recordings: Path) -> None:
    write_sound(recordings / "station 2" / "noon.wav", 2.0)
    look = Look(recordings)
    look.wait(20)
    found = look.so_far()
    assert found["complete"]
    assert (found["recordings"], found["looked_at"], found["n_unread"]) == (5, 5, 1)
    assert found["seconds"] == pytest.approx(0.5 + 0.5 + 1.0 + 2.0)
    assert found["days"] == {"2024-05-12": 1, "2024-05-13": 2}
    assert found["undated"] == 1
    assert found["sites"] == {"": 1, "MARSH": 2, "station 2": 1}
    ((name, reason),) = found["unread"]
    assert name == "bad.wav"
    assert "it is text" in reason


def test_sites_come_from_folders_names_or_recorders() -> None:
    assert site_of("A1/deep/x_20240512_043000.wav", "SN7") == "A1"
    assert site_of("SMM01-wood_20240512_043000.wav", "SN7") == "SMM01-wood"
    assert site_of("20240512_043000.wav", "SN7") == "SN7"
    assert site_of("noon.wav", "") == ""


def test_an_empty_folder_and_one_that_is_gone_are_told_of(tmp_path: Path) -> None:
    for folder, words in ((tmp_path, "no recordings here"), (tmp_path / "gone", "no such")):
        look = Look(folder)
        look.wait(20)
        assert words in look.so_far()["problem"]
        assert look.so_far()["complete"]
