from __future__ import annotations

import dataclasses
import gzip
import hashlib
import sys
from pathlib import Path
from typing import Any

import pytest

from birdmodes.experiments.datasets import DATASETS, RawFile
from cli.main import main


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run the command; its exit code must be the one given; what it printed."""

    def call(*arguments: str, code: int = 0) -> str:
        monkeypatch.setattr(sys, "argv", ["birdmodes", "datasets", *arguments])
        with pytest.raises(SystemExit) as stop:
            main()
        printed = capsys.readouterr()
        assert (stop.value.code or 0) == code, printed
        return printed.out + printed.err

    return call


@pytest.fixture
def served(file_server: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A server that has the file of letter-frost, or what passes for it."""
    content = b"letters"
    digest = hashlib.sha256(content).hexdigest()
    local = DATASETS["letter-frost"].files[0].local
    file = RawFile("someone/letters", "c0ffee", "frost.mat", local, digest)
    info = dataclasses.replace(DATASETS["letter-frost"], files=(file,))
    monkeypatch.setitem(DATASETS, "letter-frost", info)
    path = file_server.folder / "someone/letters/c0ffee/frost.mat"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    return file_server


def test_list_says_what_is_here(run: Any, tmp_path: Path) -> None:
    lines = run("list", "--data-dir", str(tmp_path)).splitlines()
    rows = {line.split()[0]: line for line in lines if line}
    assert rows["hja-birdsong"].split()[1:6] == ["548", "199", "4,998", "38", "13"]
    assert rows["natural-scene"].split()[1:3] == ["2,000", "1,543"]
    assert "to be fetched" in rows["hja-birdsong"]
    assert "built in" in rows["digits-words"]
    assert str(tmp_path) in lines[-1]
    for file in DATASETS["hja-birdsong"].files:
        (tmp_path / file.local).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file.local).touch()
    output = run("list", "--data-dir", str(tmp_path))
    # Whole, its single-label bags, and its bags with several labels: of the same file.
    assert sum(" here " in line for line in output.splitlines()) == 3


def test_a_gzipped_file_is_listed_as_it_lies(run: Any, tmp_path: Path) -> None:
    (tmp_path / "sival").mkdir()
    (tmp_path / "sival/sival.data.gz").write_bytes(gzip.compress(b"3 4"))
    lines = run("list", "--data-dir", str(tmp_path)).splitlines()
    assert [line.split()[0] for line in lines if " here " in line] == ["sival"]
    output = run("info", "sival", "--data-dir", str(tmp_path), code=2)
    assert "sival.data.gz: not the published file of sival" in output


def test_fetch_downloads_once(served: Any, run: Any, tmp_path: Path) -> None:
    target = tmp_path / "data"
    output = run("fetch", "letter-frost", "digits-words", "--data-dir", str(target))
    assert "fetching letter-frost: 1 of 1" in output
    assert f"letter-frost: 1 file in {target}" in output
    assert "digits-words: built in" in output
    assert (target / DATASETS["letter-frost"].files[0].local).read_bytes() == b"letters"
    run("fetch", "letter-frost", "--data-dir", str(target))
    assert len(served.asked) == 1


def test_fetch_fails_in_one_line(served: Any, run: Any, tmp_path: Path) -> None:
    path = served.folder / "someone/letters/c0ffee/frost.mat"
    path.write_bytes(b"something else")
    output = run("fetch", "letter-frost", "--data-dir", str(tmp_path / "data"), code=2)
    assert "frost.mat: not the published file" in output
    path.unlink()
    output = run("fetch", "letter-frost", "--data-dir", str(tmp_path / "data"), code=2)
    assert output.count("\n") == 1
    assert "HTTP 404" in output


def test_names_are_checked_before_anything_is_downloaded(
    served: Any, run: Any, tmp_path: Path
) -> None:
    output = run("fetch", "letter-frost", "hja-birdsnog", "--data-dir", str(tmp_path), code=2)
    assert "did you mean 'hja-birdsong'?" in output
    assert served.asked == []


def test_info_of_the_built_in_set_is_complete(run: Any) -> None:
    output = run("info", "digits-words")
    lines = [line.split() for line in output.splitlines()]
    for figure in (["bags", "378"], ["instances", "980"], ["features", "64"], ["classes", "10"]):
        assert figure in lines
    assert ["labels", "per", "bag", "2.40"] in lines
    assert ["single-label", "bags", "26"] in lines
    for word in ("origin:", "cite:", "use:", "files:"):
        assert word in output


def test_info_downloads_nothing_and_says_how_to_fetch(
    run: Any, served: Any, tmp_path: Path
) -> None:
    output = run("info", "letter-frost", "--data-dir", str(tmp_path))
    assert "(not here)" in output
    assert "birdmodes datasets fetch letter-frost" in output
    assert "565" in output
    assert served.asked == []


def test_info_says_what_the_bags_are_grouped_by(run: Any, tmp_path: Path) -> None:
    output = run("info", "reuters-miml", "--data-dir", str(tmp_path))
    lines = [line for line in output.splitlines() if line.startswith("  reuters-")]
    names = [line.split()[0] for line in lines if ":" in line]
    assert names == [f"reuters-{number}:" for number in range(1, 7)]
    assert "label4, label5, label6, label7" in output
    assert "bags of a single class" not in run("info", "digits-words")


def test_info_names_what_lies_gzipped_and_not_hundreds_of_classes(run: Any, shared: Path) -> None:
    lines = run("info", "corel5k", "--data-dir", str(shared / "datasets")).splitlines()
    assert "  corel5k/test_1_blobs.gz" in lines
    assert "  corel5k/words" in lines
    assert any("and 334 more" in line for line in lines)
    assert ["single-label", "bags", "7"] in [line.split() for line in lines]


def test_info_of_a_damaged_set_is_an_error(run: Any, tmp_path: Path) -> None:
    path = tmp_path / DATASETS["msrc-v2"].files[0].local
    path.parent.mkdir(parents=True)
    path.write_bytes(b"half a fi")
    output = run("info", "msrc-v2", "--data-dir", str(tmp_path), code=2)
    assert f"{path}: not the published file of msrc-v2" in output
