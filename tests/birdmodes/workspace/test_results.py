"""The store of results: whole or not at all, whatever fails or is killed on the way."""

from __future__ import annotations

import itertools
import os
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from birdmodes.errors import BusyError, DamagedError, WorkspaceError
from birdmodes.io.files import put_in_place, set_aside
from birdmodes.io.result_files import ResultReader
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.results import Kind, Results, replacing_files
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace

KIND = Kind("clusterings", "clustering", "none yet; make one", "make it again")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.prepare(tmp_path / "w", Settings(SegmentationParameters()))


@pytest.fixture
def store(workspace: Workspace) -> Results:
    return Results(workspace, KIND)


def put(store: Results, name: str, value: int) -> None:
    with store.replacing(name) as files:
        files.table("t.csv", pd.DataFrame({"n": [value]}))
        files.metrics({"value": value}, {})


def value(store: Results, name: str) -> int:
    def both(files: ResultReader) -> int:
        (row,) = files.table("t.csv", {"n": int})["n"]
        assert files.metrics()[0]["value"] == row
        return int(row)

    return store.read(name, both)


def hidden(store: Results) -> list[str]:
    folder = store.workspace.folder / KIND.folder
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


class Killed(BaseException):
    """The process is gone: nothing that follows is done."""


def die_at_rename(monkeypatch: pytest.MonkeyPatch, wanted: int) -> None:
    """Let a process die, with all that would clean up after it, just before a rename."""
    rename, seen = Path.rename, 0

    def counted(path: Path, target: Path) -> Path:
        nonlocal seen
        seen += 1
        if seen >= wanted:
            raise Killed
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", counted)
    monkeypatch.setattr("birdmodes.io.files.put_back", lambda target: None)
    monkeypatch.setattr("birdmodes.workspace.results.remove_unfinished", lambda folder: None)


@pytest.mark.parametrize("rename", [1, 2, 3])
def test_a_result_is_there_wherever_the_process_is_killed(
    store: Results, rename: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, "a", 1)
    with monkeypatch.context() as patched:
        die_at_rename(patched, rename)
        with pytest.raises(Killed):
            put(store, "a", 2)
    expected = 2 if rename == 3 else 1  # the third only puts the old one out of the way
    assert store.names() == ["a"]
    assert value(store, "a") == expected
    again = Results(Workspace.open(store.workspace.folder), KIND)  # by whatever comes next
    assert not [name for name in hidden(store) if name.startswith(".superseded-")]
    assert value(again, "a") == expected
    put(again, "a", 3)
    assert value(again, "a") == 3
    assert hidden(again) == []


def test_what_an_earlier_version_lost_between_its_renames_is_found_again(store: Results) -> None:
    put(store, "a", 1)
    folder = store.workspace.folder / KIND.folder
    (folder / "a").rename(folder / ".superseded-a")
    assert store.names() == ["a"]
    Workspace.open(store.workspace.folder)
    assert (folder / "a" / "metrics.json").is_file()


def test_a_rename_that_fails_leaves_the_earlier_result(
    store: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, "a", 1)
    rename = Path.rename

    def refuse(path: Path, target: Path) -> Path:
        if path.name == ".unfinished-a":
            raise PermissionError(13, "Permission denied", str(path))
        return rename(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", refuse)
        with pytest.raises(PermissionError):
            put(store, "a", 2)
    assert value(store, "a") == 1
    assert hidden(store) == []


def test_nobody_writes_while_another_does(store: Results) -> None:
    put(store, "a", 1)
    other = Results(Workspace.open(store.workspace.folder), KIND)
    with other.workspace.writing(), pytest.raises(BusyError, match="another birdmodes command"):
        put(store, "a", 2)
    assert value(store, "a") == 1


def test_who_holds_the_lock_may_write_and_ask_for_it_again(store: Results) -> None:
    with store.workspace.writing(), store.workspace.writing():
        put(store, "a", 1)
    assert value(store, "a") == 1


def test_another_thread_does_not_hold_the_lock_of_this_one(store: Results) -> None:
    refused: list[str] = []

    def write() -> None:
        try:
            put(store, "a", 2)
        except BusyError as error:
            refused.append(str(error))

    with store.workspace.writing():
        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
    assert len(refused) == 1
    assert store.names() == []


def test_the_newest_is_the_one_written_last_whatever_the_times_of_files(store: Results) -> None:
    for name in ("b", "c", "a", "b"):
        put(store, name, 1)
    folder = store.workspace.folder / KIND.folder
    for name, time_s in (("a", 3e8), ("b", 1e8), ("c", 2e8)):  # as after copying
        os.utime(folder / name / "metrics.json", (time_s, time_s))
    assert store.names() == ["c", "a", "b"]
    assert store.chosen(None) == "b"


def test_a_result_may_stay_what_it_was_among_the_others(store: Results) -> None:
    for name in ("a", "b", "c"):
        put(store, name, 1)
    with store.replacing("b", newest=False) as files:
        files.metrics({"value": 2}, {})
    assert store.names() == ["a", "b", "c"]
    with store.replacing("d", newest=False) as files:
        files.metrics({"value": 2}, {})
    assert store.names() == ["a", "b", "c", "d"]


def test_a_result_that_was_in_place_when_its_program_was_killed_is_the_newest(
    store: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(store, "b", 1)
    in_place = "birdmodes.workspace.results.put_in_place"

    def put_and_die(unfinished: Path, target: Path) -> None:
        put_in_place(unfinished, target)
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(in_place, put_and_die)
        with pytest.raises(Killed):
            put(store, "a", 1)
    assert store.names() == ["b", "a"]


def test_results_of_earlier_versions_come_first_by_the_times_of_files(store: Results) -> None:
    for name in ("b", "a"):
        put(store, name, 1)
    (store.workspace.folder / KIND.folder / "order.txt").unlink()
    put(store, "c", 1)
    (store.workspace.folder / KIND.folder / "order.txt").write_text("c\n")
    folder = store.workspace.folder / KIND.folder
    for name, time_s in (("a", 3e8), ("b", 4e8), ("c", 1e8)):
        os.utime(folder / name / "metrics.json", (time_s, time_s))
    assert store.names() == ["a", "b", "c"]


def test_a_result_that_is_replaced_while_it_is_read_is_read_again(store: Results) -> None:
    put(store, "a", 1)
    tables: list[int] = []

    def read(files: ResultReader) -> tuple[int, int]:
        (row,) = files.table("t.csv", {"n": int})["n"]
        if not tables:
            put(store, "a", 2)
        tables.append(row)
        return row, int(files.metrics()[0]["value"] or 0)

    assert store.read("a", read) == (2, 2)
    assert tables == [1, 2]


@pytest.mark.parametrize("lost", ["metrics.json", "model.npz"])
def test_a_result_that_has_lost_a_file_is_not_passed_over(store: Results, lost: str) -> None:
    put(store, "a", 1)
    with store.replacing("a") as files:
        files.metrics({"value": 1}, {})
        files.model({"x": np.zeros(2)}, {})
    (store.folder("a") / lost).unlink()
    assert store.names() == ["a"]
    with pytest.raises(DamagedError, match=rf"{lost}: damaged \(No such file"):
        store.read("a", lambda files: (files.metrics(), files.arrays()))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("features", [3, ["briggs38"], [{"columns": 38}], "briggs38"]),
        ("review", [3, [], {"batches": 3}, {"batches": ["1"]}, {"batches": None}]),
    ],
)
def test_parameters_that_others_go_by_are_what_was_written(
    store: Results, name: str, values: list[object]
) -> None:
    for wrong in values:
        with store.replacing("a") as files:
            files.metrics({"value": 1}, {name: wrong})
        with pytest.raises(DamagedError, match=rf"metrics\.json: damaged \({name} is not what"):
            store.read("a", lambda files: files.metrics())


CELLS = {"n": int, "x": float, "word": str}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("n,x,word,n\n1,2,a,1\n", "two columns n"),
        ("n,x,word,x\n1,2,a,1\n", "two columns x"),
        ("n,x,word\n1e400,2,a\n", "not what its column holds"),
        ("n,x,word\n99999999999999999999,2,a\n", "not what its column holds"),
    ],
)
def test_a_table_is_told_to_be_damaged_in_whole_and_in_parts(
    store: Results, text: str, what: str, recwarn: pytest.WarningsRecorder
) -> None:
    put(store, "a", 1)
    (store.folder("a") / "t.csv").write_text(text)
    for read in (
        lambda files: files.table("t.csv", CELLS),
        lambda files: list(files.table_parts("t.csv", CELLS, (), 10)),
    ):
        with pytest.raises(DamagedError, match=what):
            store.read("a", read)
    assert not recwarn.list, "a warning of a library is one line too many"


def test_names_and_absence_are_told_in_the_words_of_the_kind(store: Results) -> None:
    with pytest.raises(WorkspaceError, match="w: none yet; make one"):
        store.chosen(None)
    put(store, "a", 1)
    with pytest.raises(WorkspaceError, match="no clustering 'b'; there are: a"):
        store.chosen("b")
    with pytest.raises(WorkspaceError, match=r"clustering name '\.\./b'"):
        put(store, "../b", 1)
    (store.workspace.folder / KIND.folder / "a" / "t.csv").unlink()
    with pytest.raises(DamagedError, match=r"t\.csv: damaged \(No such file.*\); make it again"):
        value(store, "a")


@pytest.mark.parametrize("killed_at", range(4))
def test_files_side_by_side_are_replaced_together(
    workspace: Workspace, killed_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = workspace.folder / "evaluations"

    def write(text: str) -> None:
        with replacing_files(workspace, folder, "e") as files:
            for name in ("e.csv", "e.json"):
                (files / name).write_text(text)

    write("old")
    seen = 0

    def dying(rename: object) -> object:
        def counted(path: Path, target: Path) -> Path:
            nonlocal seen
            seen += 1
            if seen > killed_at:
                raise Killed
            return rename(path, target)  # type: ignore[operator, no-any-return]

        return counted

    with monkeypatch.context() as patched:
        patched.setattr(Path, "rename", dying(Path.rename))
        patched.setattr(Path, "replace", dying(Path.replace))
        patched.setattr("birdmodes.io.files._remove", lambda path: None)
        if killed_at < 3:
            with pytest.raises(Killed):
                write("new")
        else:
            write("new")
    Workspace.open(workspace.folder)
    assert {path.read_text() for path in folder.glob("e.*")} == {"old" if killed_at < 1 else "new"}
    write("newest")
    assert {path.read_text() for path in folder.glob("e.*")} == {"newest"}
    assert sorted(path.name for path in folder.iterdir()) == ["e.csv", "e.json"]


@pytest.mark.parametrize("look", [1, 2])
def test_a_result_is_among_the_names_while_it_is_replaced(
    store: Results, monkeypatch: pytest.MonkeyPatch, look: int
) -> None:
    put(store, "two", 1)
    target = store.folder("two")
    aside = target.rename(set_aside(target))
    is_file, looks = Path.is_file, itertools.count()

    def put_back_before_one(path: Path) -> bool:
        if next(looks) == look:
            aside.rename(target)
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", put_back_before_one)
    assert store.names() == ["two"]


def test_a_result_that_is_replaced_again_and_again_is_not_read_in_parts(store: Results) -> None:
    put(store, "two", 0)
    values = iter(range(1, 10))

    def replaced_meanwhile(files: ResultReader) -> int:
        (row,) = files.table("t.csv", {"n": int})["n"]
        put(store, "two", next(values))
        return int(row)

    with pytest.raises(BusyError, match="replaces the clustering 'two' again and again"):
        store.read("two", replaced_meanwhile)
    assert next(values) == 4
