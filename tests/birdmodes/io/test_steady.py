from __future__ import annotations

from pathlib import Path

import pytest

from birdmodes.errors import BusyError
from birdmodes.io.steady import ChangedError, tree_states, unchanged


def read_what_goes(path: Path) -> None:
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
