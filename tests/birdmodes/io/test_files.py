from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from birdmodes.io.files import (
    atomic_path,
    is_unsettled,
    put_in_place,
    remove_unfinished,
    safe_name,
    sweep_abandoned,
    write_text,
)

ENDED = 2**22 + 1
"""Number of a process that no system has."""


def test_a_failed_write_leaves_the_old_file_and_no_rest(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    write_text(target, "old")
    with pytest.raises(RuntimeError), atomic_path(target) as temporary:  # noqa: PT012
        temporary.write_text("half")
        raise RuntimeError
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_the_target_appears_only_when_all_is_written(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    with atomic_path(target) as temporary:
        temporary.write_text("new")
        assert not target.exists()
    assert target.read_text() == "new"


def test_an_error_of_the_disk_names_the_file_that_was_to_be_made(tmp_path: Path) -> None:
    target = tmp_path / "a.txt"
    with pytest.raises(OSError, match="No space left") as raised, atomic_path(target):
        # as pyarrow tells it: without a file name, and at length
        raise OSError(errno.ENOSPC, "Error writing bytes to file. Detail: ...")
    assert (raised.value.filename, raised.value.errno) == (str(target), errno.ENOSPC)
    with pytest.raises(OSError, match="other") as raised, atomic_path(target):
        raise OSError(errno.EIO, "Input/output error", "other")
    assert raised.value.filename == "other"


@pytest.mark.skipif(sys.platform == "win32", reason="who has ended cannot be told there")
def test_who_writes_the_same_again_sweeps_what_killed_programs_left_of_it(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as running:
        stay = [
            tmp_path / f".unfinished-{running.pid}-a.csv",
            tmp_path / f".unfinished-{ENDED}-b.csv",
            tmp_path / ".unfinished-a.csv",
        ]
        gone = [
            tmp_path / f".unfinished-{ENDED}-a.csv",
            tmp_path / f".unfinished-{ENDED}-.superseded-a.csv",
        ]
        for path in (*stay, gone[0]):
            path.touch()
        gone[1].mkdir()
        (gone[1] / "b.txt").touch()
        write_text(tmp_path / "a.csv", "new")
        assert sorted(tmp_path.iterdir()) == sorted([*stay, tmp_path / "a.csv"])
        with atomic_path(tmp_path / "b.csv", sweep=False) as temporary:
            temporary.touch()
        assert stay[1].exists()
        sweep_abandoned(tmp_path)
        assert not stay[1].exists()
        assert stay[0].exists()
        sweep_abandoned(tmp_path / "nowhere")
        running.communicate(b"\n")


def test_what_a_killed_run_left_is_removed(tmp_path: Path) -> None:
    kill = (
        "import os, sys; from pathlib import Path; from birdmodes.io.files import atomic_path\n"
        "with atomic_path(Path(sys.argv[1])) as temporary:\n"
        "    temporary.write_text('half'); os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", kill, str(tmp_path / "a.txt")], check=False)
    (left,) = tmp_path.iterdir()
    assert left.read_text() == "half"
    remove_unfinished(tmp_path)
    assert not list(tmp_path.iterdir())


@given(st.text(), st.text())
def test_safe_names_are_plain_and_keep_names_apart(one: str, other: str) -> None:
    name = safe_name(one)
    assert name.isascii()
    assert all(letter.isalnum() or letter in "-_" for letter in name)
    assert 13 < len(name) + 1 <= 62
    assert (safe_name(one) == safe_name(other)) == (one == other)


@pytest.mark.parametrize(
    "hostile", ["../../etc/passwd", "CON", "a/b", '"<script>', "", ".", "x" * 999]
)
def test_hostile_names_stay_in_the_folder(tmp_path: Path, hostile: str) -> None:
    path = tmp_path / safe_name(hostile)
    path.write_text("x")
    assert path.parent.resolve() == tmp_path.resolve()
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_takes_the_place_of_another_or_leaves_it(tmp_path: Path) -> None:
    target, new = tmp_path / "g", tmp_path / "new"
    target.mkdir()
    (target / "a").write_text("old")
    with pytest.raises(OSError, match="new"):
        put_in_place(new, target)  # there is none
    assert (target / "a").read_text() == "old"
    new.mkdir()
    (new / "b").write_text("new")
    put_in_place(new, target)
    assert [path.name for path in tmp_path.iterdir()] == ["g"]
    assert [path.name for path in target.iterdir()] == ["b"]


def test_a_folder_that_is_moved_away_while_it_is_looked_at_is_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".superseded-a").mkdir()
    assert is_unsettled(tmp_path)

    def gone(path: str) -> None:
        raise FileNotFoundError(2, "No such file or directory", path)

    monkeypatch.setattr(os, "listdir", gone)
    monkeypatch.setattr(os, "scandir", gone)
    assert not is_unsettled(tmp_path)
