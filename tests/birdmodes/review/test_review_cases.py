"""The cases of ``review_cases.json``, which the gallery's page runs as well."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from birdmodes.review.apply import apply_edits
from birdmodes.review.box_edits import Boxes, MisfitError
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
    where, review = state.where(), state.review()

    def now(name: str) -> str | list[Any]:
        row = state.row_of(name)
        if name not in state:
            return "gone"
        return [None if where[row] < 0 else int(where[row]), review[row]]

    found = {name: now(name) for name in case["syllables"]}
    assert found == case["syllables"]
    assert {
        number: state.clusters[int(number)].mode for number in case.get("names", {})
    } == case.get("names", {})
    assert problems == case.get("problems", {})
    aside = {now[1] for now in found.values() if now[0] is None}
    assert aside <= {*SET_ASIDE, "" if "boxes" in case else "noise"}


@pytest.mark.parametrize(
    "case", [case for case in CASES["cases"] if "boxes" in case], ids=lambda case: case["name"]
)
def test_boxes_are_where_the_page_shows_them(case: dict[str, Any]) -> None:
    boxes = Boxes({name: tuple(box) for name, box in CASES["boxes"].items()})
    for edit in edits_of(case["edits"]):
        with contextlib.suppress(MisfitError):
            boxes.apply(edit)
    found = {name: boxes.box.get(name) for name in case["boxes"]}
    assert found == {name: box and tuple(box) for name, box in case["boxes"].items()}


def test_a_mode_that_is_called_as_its_species_stays_so_when_edits_are_applied() -> None:
    state = start()
    row = {"action": "new-mode", "cluster": 10, "species": "Robin", "name": ""}
    assert apply_edits(state, edits_of([row | {"syllables": ["r.wav#00007"]}])) == []
    assert [state.clusters[number].mode for number in (5, 10)] == ["Robin", "Robin mode 2"]
