from __future__ import annotations

import pytest

from algorithms.errors import did_you_mean


@pytest.mark.parametrize(
    ("given", "suggestion"),
    [
        ("cps", " (did you mean 'csp'?)"),
        ("SPLEARN", " (did you mean 'splearn'?)"),
        ("wren", " (did you mean 'Wren'?)"),
        ("magic", ""),
        ("alpha", ""),
        ("", ""),
    ],
)
def test_the_nearest_name_is_suggested_if_any_is_near(given: str, suggestion: str) -> None:
    assert did_you_mean(given, ["sp", "splearn", "csp", "Wren", "graph"]) == suggestion
