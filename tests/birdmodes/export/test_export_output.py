from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from birdmodes.errors import BirdmodesError
from birdmodes.export.output import NOTE, new_file, new_folder


def export(output: Path, text: Any = "a", **options: Any) -> None:
    with new_folder(output, {"clustering": "x"}, **options) as folder:
        (folder / "sub").mkdir()
        (folder / "sub" / "a.txt").write_text(text)


def test_the_folder_appears_with_a_note_of_its_files(tmp_path: Path) -> None:
    export(tmp_path / "new" / "out")
    note = json.loads((tmp_path / "new" / "out" / NOTE).read_text())
    assert note["clustering"] == "x"
    # SHA-256 of the letter a
    assert note["files"] == {
        "sub/a.txt": "ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"
    }


def test_an_export_as_it_was_written_is_replaced(tmp_path: Path) -> None:
    export(tmp_path / "out")
    export(tmp_path / "out", "b")
    assert (tmp_path / "out" / "sub" / "a.txt").read_text() == "b"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("name", ["sub/a.txt", "mine.txt"])
def test_work_done_in_an_export_is_not_lost(tmp_path: Path, name: str) -> None:
    export(tmp_path / "out")
    (tmp_path / "out" / name).write_text("corrected")
    with pytest.raises(BirdmodesError, match=rf"'{name}' was changed or added.*--overwrite"):
        export(tmp_path / "out", "b")
    assert (tmp_path / "out" / name).read_text() == "corrected"
    export(tmp_path / "out", "b", overwrite=True)
    assert (tmp_path / "out" / "sub" / "a.txt").read_text() == "b"


def test_a_folder_of_something_else_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(BirdmodesError, match="not empty and not an export"):
        export(tmp_path, overwrite=True)
    assert (tmp_path / "mine.txt").exists()


def test_what_fails_leaves_the_old_export(tmp_path: Path) -> None:
    export(tmp_path / "out")
    with pytest.raises(TypeError):
        export(tmp_path / "out", text=b"half")  # only text can be written
    assert (tmp_path / "out" / "sub" / "a.txt").read_text() == "a"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def write(output: Path, text: Any, *, overwrite: bool = False) -> None:
    with new_file(output, overwrite=overwrite) as temporary:
        temporary.write_text("half of")
        temporary.write_text(text)


def test_a_file_is_replaced_only_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "a.csv"
    write(path, "a")
    with pytest.raises(BirdmodesError, match=r"a\.csv: is there already; add --overwrite"):
        write(path, "b")
    with pytest.raises(TypeError):
        write(path, b"only text can be written", overwrite=True)
    assert path.read_text() == "a"
    write(path, "b", overwrite=True)
    assert path.read_text() == "b"
    assert [file.name for file in path.parent.iterdir()] == ["a.csv"]
    with pytest.raises(BirdmodesError, match="is a folder"):
        write(path.parent, "b")


def test_a_file_where_a_folder_should_go_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(BirdmodesError, match="is a file"):
        export(tmp_path / "file")
    with pytest.raises(BirdmodesError, match="cannot be written"):
        export(tmp_path / "file" / "out")
