from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from birdmodes.experiments.papers.zhang import ZHANG
from birdmodes.experiments.results import runs_table
from birdmodes.experiments.store import FinishedTask
from birdmodes.experiments.work.choices import choices_table, kept_runs
from birdmodes.experiments.work.grouping import BAG_MEASURES


def run(
    method: str, number: int, accuracy: float, objective: float, **where: Any
) -> dict[str, Any]:
    names = {"dataset": "birds", "preparation": "unit", "method": method, "k": 3, "run": number}
    figures = dict.fromkeys(BAG_MEASURES, accuracy)
    other = {
        "C": None,
        "balance": None,
        "groups": 3,
        "agreement": None,
        "largest_class": 0.4,
        "seconds": 1.0,
    }
    return {**names, **other, **figures, "objective": objective, **where}


def table(*rows: dict[str, Any]) -> pd.DataFrame:
    return runs_table(ZHANG, [FinishedTask(list(rows), setting={"entrant": ""})], ["birds"])


def grid(method: str = "m3ic") -> pd.DataFrame:
    """Three points of the grid and the defaults, two starts each."""
    rows = []
    points = [
        (None, None, 0.4, 0.2),
        (0.5, 0.0, 0.9, 0.5),
        (2.0, 0.0, 0.7, 0.8),
        (2.0, 1.0, 0.6, 0.8),
    ]
    for cost, balance, accuracy, agreement in points:
        at = {"C": cost, "balance": balance, "agreement": agreement}
        rows.append(run(method, 0, accuracy - 0.3, 2.0, **at))
        rows.append(run(method, 1, accuracy, 1.0, **at, seconds=3.0))
    return table(*rows)


def chosen(runs: pd.DataFrame) -> dict[str, Any]:
    choices = choices_table(runs)
    return {row["rule"]: row for row in choices.to_dict("records")}


def test_the_start_of_least_objective_is_kept() -> None:
    kept = kept_runs(grid())
    assert len(kept) == 4
    assert (kept["run"] == 1).all()


def test_a_start_with_an_empty_group_is_kept_only_if_there_is_no_other() -> None:
    first = table(run("m3ic", 0, 0.5, 1.0, groups=2), run("m3ic", 1, 0.6, 9.0))
    assert kept_runs(first)["run"].tolist() == [1]
    both = table(run("m3ic", 0, 0.5, 1.0, groups=2), run("m3ic", 1, 0.6, 9.0, groups=1))
    assert kept_runs(both)["run"].tolist() == [0]


def test_rules_choose_from_the_grid() -> None:
    rules = chosen(grid())
    assert set(rules) == {
        *("luckiest", "best", "starts", "points", "defaults", "stable"),
        *("mean over l", "mean over C"),
    }
    assert (rules["best"]["C"], rules["best"]["accuracy"]) == (0.5, 0.9)
    assert np.isnan(rules["defaults"]["C"])
    assert rules["defaults"]["accuracy"] == 0.4
    # Of the two points with equal agreement and C that with the smaller l.
    assert (rules["stable"]["C"], rules["stable"]["balance"]) == (2.0, 0.0)
    assert rules["stable"]["accuracy"] == 0.7
    # Time is a mean over starts, of which any may be the kept one.
    assert rules["best"]["seconds"] == 2.0


def test_the_luckiest_start_need_not_be_that_of_least_objective() -> None:
    runs = grid()
    runs.loc[(runs["C"] == 2.0) & (runs["run"] == 0), "accuracy"] = 0.95
    rules = chosen(runs)
    assert (rules["luckiest"]["C"], rules["luckiest"]["accuracy"]) == (2.0, 0.95)
    assert rules["best"]["accuracy"] == 0.9


def test_the_stable_choice_does_not_see_accuracy() -> None:
    runs = grid()
    worse = runs.assign(accuracy=np.linspace(1, 0, len(runs)))
    for column in ("C", "balance"):
        assert chosen(runs)["stable"][column] == chosen(worse)["stable"][column]


def test_the_best_run_of_bamic_is_not_that_of_least_cost() -> None:
    rules = chosen(table(run("bamic-avg", 0, 0.8, 7.0), run("bamic-avg", 1, 0.5, 5.0)))
    assert {name: row["accuracy"] for name, row in rules.items()} == {
        "best": 0.8,
        "least": 0.5,
        "mean": pytest.approx(0.65),
    }


def test_kmeans_is_averaged_and_pam_is_run_once() -> None:
    votes = chosen(table(run("kmeans-vote", 0, 0.8, 7.0), run("kmeans-vote", 1, 0.5, 5.0)))
    assert set(votes) == {"least", "mean"}
    assert votes["mean"]["accuracy"] == pytest.approx(0.65)
    assert set(chosen(table(run("pam-smd", 0, 0.8, 7.0)))) == {"only"}


def test_runs_come_in_the_order_of_the_report_whenever_computed() -> None:
    rows: list[Any] = grid().to_dict("records")
    others: list[Any] = table(run("kmeans-vote", 0, 0.8, 7.0)).to_dict("records")
    tasks = [FinishedTask([row], setting={"entrant": ""}) for row in [*others, *rows[::-1]]]
    runs = runs_table(ZHANG, tasks, ["birds"])
    assert list(runs.columns) == ZHANG.columns
    pd.testing.assert_frame_equal(runs[:-1], grid(), check_dtype=False)


def test_the_mean_over_points_stands_beside_the_best_of_so_many_starts() -> None:
    rules = chosen(grid())
    assert rules["points"]["accuracy"] == pytest.approx((0.9 + 0.7 + 0.6) / 3)
    assert np.isnan(rules["points"]["C"])
    assert rules["starts"]["accuracy"] == pytest.approx((0.9 + 0.7 + 0.6 + 0.6 + 0.4 + 0.3) / 6)
    # Three points with two starts each; the two starts of the defaults are not looked at.
    assert [rules[name]["runs"] for name in ("best", "points", "defaults")] == [6, 6, 2]


def test_means_over_one_parameter_are_given_for_each_value_of_the_other() -> None:
    choices = choices_table(grid())
    over_l = choices[choices["rule"] == "mean over l"].set_index("C")["accuracy"]
    assert over_l.to_dict() == {0.5: 0.9, 2.0: pytest.approx(0.65)}
    over_c = choices[choices["rule"] == "mean over C"].set_index("balance")["accuracy"]
    assert over_c.to_dict() == {0.0: pytest.approx(0.8), 1.0: 0.6}
