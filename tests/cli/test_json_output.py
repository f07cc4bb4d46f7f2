"""Commands whose output scripts would read print JSON when asked to."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Call = Callable[..., tuple[int, str]]


def test_methods(call: Call) -> None:
    code, printed = call("methods", "--json")
    assert code == 0
    methods = {method["name"]: method for method in json.loads(printed)}
    assert methods["ldc"]["groups"] == "syllables"
    options = {option["name"]: option["default"] for option in methods["csp"]["options"]}
    assert options["alpha"] == "0.7"
    _, printed = call("methods", "csp", "--json")
    assert json.loads(printed) == [methods["csp"]]


def test_datasets(call: Call, tmp_path: Path) -> None:
    code, printed = call("datasets", "list", "--json", "--data-dir", tmp_path)
    assert code == 0
    sets = {each["name"]: each for each in json.loads(printed)}
    assert sets["hja-birdsong"]["classes"] == 13
    assert not sets["hja-birdsong"]["here"]
    assert sets["hja-birdsong"]["folder"] == str(tmp_path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Labels of one recording, a file that cannot be read, and one that holds none."""
    (tmp_path / "audio").mkdir()
    (tmp_path / "audio" / "a.wav").touch()
    (tmp_path / "labels").mkdir()
    (tmp_path / "labels" / "a.txt").write_text('0.5\t1.5\tWren\n2\t3\t=1+1 "é"\n')
    (tmp_path / "labels" / "b.txt").write_text("0.5\t1.5\tWren\n")
    (tmp_path / "labels" / "bad.txt").write_text("0.5\t1.5\tWren\n0.5\tlate\tWren\n")
    (tmp_path / "labels" / "notes.txt").write_text("dawn\n")
    return tmp_path


def test_labels(call: Call, folder: Path) -> None:
    code, printed = call("labels", folder / "labels", "--recordings", folder / "audio", "--json")
    assert code == 1  # one file could not be read, which is said on the other channel too
    content, end = json.JSONDecoder().raw_decode(printed)
    assert printed[:end].isascii()
    assert [file["not_found"] for file in content["files"]] == [0, 1]
    assert content["species"] == [
        {"name": "Wren", "labels": 2, "recordings": 2},
        {"name": '=1+1 "é"', "labels": 1, "recordings": 1},
    ]
    assert [Path(file["file"]).name for file in content["skipped"]] == ["notes.txt"]
    assert "bad.txt, line 2" in content["refused"][0]
    assert (content["fit"]["recordings"], content["fit"]["labelled"]) == (1, 1)


def test_labels_that_are_looked_at_alone(call: Call, folder: Path) -> None:
    code, printed = call("labels", folder / "labels" / "a.txt", "--json")
    assert code == 0
    content = json.loads(printed)
    assert "fit" not in content
    assert "not_found" not in content["files"][0]
