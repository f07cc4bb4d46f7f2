"""The experiment on the number of bags."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from algorithms.bags import Bags
from birdmodes.experiments.claims import check_claims
from birdmodes.experiments.data import Data
from birdmodes.experiments.papers.zhang_bags import ZHANG_BAGS, settings_of
from birdmodes.experiments.run import make_plan, run_experiment


def test_a_fifth_to_all_bags_of_the_smallest_class_are_drawn_from_each() -> None:
    truth = np.repeat([0, 1], [10, 30])
    bags = Bags(np.zeros((40, 1)), np.arange(40), np.eye(2)[truth])
    data = Data("any", bags, truth, of_bags=True)
    found = [s.of_class for s in settings_of(data, "m3ic", ZHANG_BAGS.protocol("m3ic-bags"))]
    assert found == [2, 4, 6, 8, 10]
    assert ZHANG_BAGS.protocol("m3ic-bags").runs == 100


def test_every_number_of_bags_is_measured(write_problem: Any, tmp_path: Path) -> None:
    plan = make_plan(
        "m3ic-bags", files=[write_problem()], methods=["m3ic", "kmeans-vote"], quick=True
    )
    summary = run_experiment(plan, tmp_path / "out").summary
    # Six bags of each of three classes: 2, 4, 5, 6 of each.
    assert sorted(set(summary["bags"])) == [6, 12, 15, 18]
    assert (summary["runs"] == 3).all()
    assert summary.loc[summary["bags"] == 18, "accuracy_mean"].min() > 0.6
    assert (tmp_path / "out" / "m3ic-bags.svg").is_file()


def test_accuracy_that_moves_by_more_than_five_points_changes_with_the_number() -> None:
    for accuracy, status in ((0.54, "holds"), (0.56, "does not hold")):
        rows = [
            {"dataset": "a", "method": "m3ic", "bags": bags, "accuracy": figure, "seconds": 1.0}
            for bags, figure in ((10, 0.5), (20, accuracy))
        ]
        assert check_claims(pd.DataFrame(rows), ZHANG_BAGS.claims)[0].status == status


def test_the_report_tells_how_many_draws_each_problem_has() -> None:
    protocol = ZHANG_BAGS.protocol("m3ic-bags")
    even = pd.DataFrame({"dataset": ["a", "a", "b", "b"], "run": [0, 1, 0, 1]})
    assert dict(ZHANG_BAGS.facts(protocol, [], even))["draws"] == "2"
    assert dict(ZHANG_BAGS.facts(protocol, [], even[:3]))["draws"] == "2 of a, 1 of b"
