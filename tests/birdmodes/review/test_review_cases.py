"""The cases of ``review_cases.json``, which the gallery's page runs as well."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from birdmodes.review.apply import apply_edits
from birdmodes.review.edits import Edit
from birdmodes.review.state import SET_ASIDE, ReviewState

CASES = json.loads((Path(__file__).parent / "review_cases.json").read_text(encoding="utf-8"))


def edits_of(rows: list[dict[str, Any]], first: int = 0) -> list[Edit]:
    return [
        Edit(
            f"{first + number:016x}",
            "2026-01-31T10:00:00Z",
            row["action"],
            {name: value for name, value in row.items() if name != "action"},
        )
        for number, row in enumerate(rows)
    ]


def start() -> ReviewState:
    modes = pd.DataFrame(CASES["modes"]).fillna({"background": False}).set_index("cluster")
    table = pd.DataFrame(CASES["syllables"].items(), columns=["syllable", "cluster"])
    return ReviewState(table.join(modes, on="cluster"))


@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: case["name"])
def test_edits_do_what_the_page_shows(case: dict[str, Any]) -> None:
    state = start()
    if "applied" in case:
        assert apply_edits(state, edits_of(case["applied"], 100)) == []
    problems: dict[str, str] = {}
    for number, edit in enumerate(edits_of(case["edits"])):
        conflicts = apply_edits(state, [edit], end_batch=False)
        if conflicts:
            problems[str(number)] = "; ".join(conflict.problem for conflict in conflicts)
    row = {name: number for number, name in enumerate(state.syllables)}
    where, review = state.where(), state.review()
    found = {
        name: [None if where[row[name]] < 0 else int(where[row[name]]), review[row[name]]]
        for name in case["syllables"]
    }
    assert found == case["syllables"]
    assert {
        number: state.clusters[int(number)].mode for number in case.get("names", {})
    } == case.get("names", {})
    assert problems == case.get("problems", {})
    assert set(SET_ASIDE) >= {mark for where, mark in found.values() if where is None}
