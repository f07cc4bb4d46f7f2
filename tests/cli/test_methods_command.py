from __future__ import annotations

from collections.abc import Callable

import pytest

from algorithms import METHODS

Call = Callable[..., tuple[int, str]]


def words(text: str) -> str:
    """Text without its line breaks and indents."""
    return " ".join(text.split())


def test_the_list_names_every_method_its_paper_and_its_options(call: Call) -> None:
    code, output = call("methods")
    assert code == 0
    blocks = output.split("\n\n")
    assert len(blocks) == len(METHODS) + 1
    for block, (name, method) in zip(blocks, METHODS.items(), strict=False):
        groups = {"instance": "syllables", "bag": "whole recordings"}[method.kind]
        assert block.startswith(f"{name}  (groups {groups})\n")
        assert words(method.paper) in words(block)
        assert words(method.summary) in words(block)
    assert "alpha=0.7" in blocks[list(METHODS).index("csp")]


def test_one_method_is_explained_with_all_its_options(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    code, output = call("methods", "csp")
    assert code == 0
    assert "\n  centering=paper\n    Q as published" in output
    assert "(paper or exact)" in words(output)
    assert max(map(len, output.splitlines())) <= 60 + 2
    assert "n_clusters" not in output


def test_an_unknown_method_suggests_the_nearest(call: Call) -> None:
    code, output = call("methods", "spp")
    assert code == 2
    assert "no method 'spp' (did you mean 'sp'?); there are, for syllables: sp, " in output
