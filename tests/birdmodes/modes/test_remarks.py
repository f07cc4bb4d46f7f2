from __future__ import annotations

import pytest

from birdmodes.modes.counts.remarks import TO_MERGE, continuum_words, remark


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"k_from": "candidates"}, TO_MERGE),
        ({"k_from": "two per species"}, TO_MERGE),
        ({"k_from": "given"}, ""),
        ({}, ""),
        (
            {"k_from": "auto", "continua": ["Wren"], "k_per_species": {"Wren": 3}},
            "a continuum, cut in three",
        ),
        ({"k_from": "auto", "continua": ["Owl"], "k_per_species": {"Owl": 3}}, ""),
    ],
)
def test_what_is_said_of_the_modes_of_a_species(
    parameters: dict[str, object], expected: str
) -> None:
    assert remark(parameters, "Wren") == expected
    assert remark(parameters, "") == ""


def test_a_continuum_may_be_cut_more_often_than_there_are_words() -> None:
    assert continuum_words(5) == "a continuum, cut in 5"
