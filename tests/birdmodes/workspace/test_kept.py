"""Answers that are kept so that ``info`` is fast."""

from __future__ import annotations

from pathlib import Path

import pytest

from birdmodes.workspace.summaries.kept import keep, kept

ANSWER = {"modes": 3, "species": ["Robin", "Zaunkönig"], "share": 0.1, "none": None}


def test_an_answer_is_recalled_while_what_it_is_of_is_as_it_was(tmp_path: Path) -> None:
    assert kept(tmp_path, "x", ["a", "b"]) is None
    keep(tmp_path, "x", ["a", "b"], ANSWER)
    assert kept(tmp_path, "x", ["a", "b"]) == ANSWER
    assert kept(tmp_path, "x", ["a", "c"]) is None
    assert kept(tmp_path, "y", ["a", "b"]) is None


def test_an_answer_of_which_a_bit_has_changed_does_not_count(tmp_path: Path) -> None:
    keep(tmp_path, "x", ["a"], ANSWER)
    [file] = (tmp_path / "gathered").iterdir()
    whole = file.read_bytes()
    for place in range(len(whole) * 8):
        changed = bytearray(whole)
        changed[place // 8] ^= 1 << place % 8
        file.write_bytes(changed)
        assert kept(tmp_path, "x", ["a"]) in (None, ANSWER), bytes(changed)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"of": ["a"], "answer": {"modes": 3}}'])
def test_what_is_no_answer_does_not_count(tmp_path: Path, content: str) -> None:
    (tmp_path / "gathered").mkdir()
    (tmp_path / "gathered" / "summary-x.json").write_text(content)
    assert kept(tmp_path, "x", ["a"]) is None
