from __future__ import annotations

from pathlib import Path

import pytest

from birdmodes.errors import BusyError
from birdmodes.io.locks import single_writer
from birdmodes.io.steady import ChangedError, Check, steadily, tree_states, unchanged


def read_what_goes(path: Path, check: Check | None = None) -> None:
    if check is not None:
        check()
    path.unlink()
    raise KeyError("2")


def test_what_has_changed_is_told_also_as_what_came_of_it(tmp_path: Path) -> None:
    (tmp_path / "rows" / "a").mkdir(parents=True)
    (tmp_path / "rows" / "a" / "1").write_text("one")
    (tmp_path / "rest").write_text("not looked at")
    with unchanged(tmp_path, "rows", "missing"):
        (tmp_path / "rest").write_text("may change")
    with pytest.raises(ChangedError, match="has changed it meanwhile"), unchanged(tmp_path, "rows"):
        (tmp_path / "rows" / "2").write_text("new")
    with pytest.raises(BusyError, match="do this again") as caught, unchanged(tmp_path, "rows"):
        read_what_goes(tmp_path / "rows" / "2")
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(KeyError), unchanged(tmp_path, "rows"):
        raise KeyError("a fault of ours")


def test_states_are_of_files_by_name(tmp_path: Path) -> None:
    (tmp_path / "b").write_text("12")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "c").write_text("1")
    (tmp_path / "a").write_text("1")
    assert [state[:2] for state in tree_states(tmp_path)] == [["a", 1], ["b", 2]]
    assert [state[:2] for state in tree_states(tmp_path / "b")] == [["b", 2]]
    assert tree_states(tmp_path / "none") == []


def test_what_changes_when_all_is_read_does_not_matter(tmp_path: Path) -> None:
    with unchanged(tmp_path, "rows") as check:
        check()
        (tmp_path / "rows").write_text("new")
    with pytest.raises(KeyError), unchanged(tmp_path, "rows") as check:
        read_what_goes(tmp_path / "rows", check)
    with unchanged(tmp_path, "rows") as check:
        (tmp_path / "rows").write_text("new")
        with pytest.raises(ChangedError):
            check()
        (tmp_path / "rows").unlink()


def test_a_lock_that_nobody_holds_tells_of_all_who_write(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with unchanged(tmp_path, "rows", lock=lock):
        (tmp_path / "rows").write_text("by somebody who has no lock, which is not seen")
    with pytest.raises(ChangedError), unchanged(tmp_path, "rows", lock=lock), single_writer(lock):
        pass
    # Where somebody holds it all the time, the files are looked at.
    with single_writer(lock):
        with unchanged(tmp_path, "rows", lock=lock):
            pass
        with pytest.raises(ChangedError), unchanged(tmp_path, "rows", lock=lock):
            (tmp_path / "rows").write_text("changed")


def test_what_changes_meanwhile_is_made_again_a_few_times(tmp_path: Path) -> None:
    tries: list[int] = []

    def make(check: Check) -> str:
        tries.append(len(tries))
        if len(tries) <= changes:
            (tmp_path / "rows").write_text("x" * len(tries))
        return f"made {len(tries)}"

    changes = 0
    assert steadily(make, lambda: unchanged(tmp_path, "rows")) == ("made 1", False)
    changes = len(tries) + 1
    assert steadily(make, lambda: unchanged(tmp_path, "rows")) == ("made 3", True)
    changes = 100
    with pytest.raises(ChangedError, match="do this again"):
        steadily(make, lambda: unchanged(tmp_path, "rows"))
    assert len(tries) == 6
