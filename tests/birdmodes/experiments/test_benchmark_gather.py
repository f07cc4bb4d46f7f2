from __future__ import annotations

from dataclasses import dataclass

import pytest

from birdmodes.errors import BirdmodesError
from birdmodes.experiments.gather import counted_warnings, read_all, shuffled, warnings_of
from birdmodes.experiments.store import FinishedTask


@dataclass(frozen=True)
class Data:
    name: str


def check(source: str) -> tuple[Data, str]:
    return Data(source.partition("/")[2]), f"print of {source}"


def test_data_of_one_name_are_refused() -> None:
    found = read_all(["a/x", "a/y"], check, "sets")
    assert found == ([Data("x"), Data("y")], {"x": "print of a/x", "y": "print of a/y"})
    with pytest.raises(BirdmodesError, match="two sets are called x: give each once, rename files"):
        read_all(["a/x", "a/y", "b/x"], check, "sets")


def test_tasks_are_shuffled_by_the_seed_alone() -> None:
    once, again, other = (shuffled(range(20), seed) for seed in (3, 3, 4))
    assert once == again != other
    assert sorted(once) == sorted(other) == list(range(20))
    assert once != list(range(20))


def test_each_warning_is_counted_once_a_task() -> None:
    setting = {"dataset": "birds", "entrant": "csp"}
    said = [["slow"], ["slow", "odd"], []]
    finished = [FinishedTask(setting, [], 0.0, texts) for texts in said]
    assert warnings_of(finished) == {"birds, csp: slow": 2, "birds, csp: odd": 1}
    assert counted_warnings(finished) == [
        "birds, csp: odd (in 1 settings)",
        "birds, csp: slow (in 2 settings)",
    ]
