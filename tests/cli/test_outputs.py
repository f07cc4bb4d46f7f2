"""What a command writes for people never takes the place of something else."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Call = Callable[..., tuple[int, str]]

COMMANDS: dict[str, tuple[str, ...]] = {
    "compare": ("compare", "two", "three"),
    "csv": ("export", "-f", "csv", "--overwrite"),
    "parquet": ("export", "-f", "parquet", "--overwrite"),
    "raven": ("export", "-f", "raven", "--overwrite"),
    "train-segmenter": ("train-segmenter",),
}


@pytest.fixture
def here(call: Call, small_workspace: Path) -> Path:
    for name, k in (("two", 2), ("three", 3)):
        words = ("--k", k, "--name", name, "--stability-runs", 0)
        assert call("cluster", "-w", small_workspace, *words)[0] == 0
    (small_workspace / "review").mkdir()
    (small_workspace / "review" / "log.jsonl").write_text("")
    return small_workspace


def contents(folder: Path) -> dict[Path, bytes]:
    kept = (path for path in folder.rglob("*") if path.is_file() and "gathered" not in path.parts)
    return {path: path.read_bytes() for path in kept}


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_workspace_keeps_is_not_written_over(call: Call, here: Path, command: str) -> None:
    before = contents(here)
    shard = next((here / "syllables").iterdir())
    for place in (
        *("workspace.json", "lock", "review/log.jsonl", "clusterings/two", "clusterings/new"),
        *(
            "segmenter.npz",
            "evaluations/new.csv",
            "exports/../errors.csv",
            f"syllables/{shard.name}",
        ),
    ):
        where = ("-w", here, "-o", here / place)
        if command == "train-segmenter":
            where = ("RECORDINGS", "MASKS", "--model", here / place)
        code, said = call(*COMMANDS[command], *where)
        assert code == 2, place
        assert f"is where the workspace {here} keeps its own; name another place" in said
    assert contents(here) == before


def test_a_page_takes_the_place_of_a_page_alone(call: Call, here: Path, tmp_path: Path) -> None:
    words = (*COMMANDS["compare"], "-w", here, "-o")
    page = tmp_path / "page.html"
    assert call(*words, page)[0] == 0
    assert call(*words, page)[0] == 0
    for content in (b"RIFF\0\0\0\0WAVE", b"recording,species\n", b"<!doctype html><p>a diary</p>"):
        page.write_bytes(content)
        code, said = call(*words, page)
        assert (code, "page.html: is there already, and is not a page of bird" in said) == (2, True)
        assert page.read_bytes() == content
    page.write_bytes(b"")
    assert call(*words, page)[0] == 0
