"""The experiment on ambiguous bags and wrong lists."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from birdmodes.experiments.claims import Claim, check_claims
from birdmodes.experiments.data import Data, Source
from birdmodes.experiments.experiment import Measured
from birdmodes.experiments.papers.ambiguity import (
    AMBIGUITY,
    gap_grows,
    loses_little,
    settings_of,
)
from birdmodes.experiments.run import make_plan, run_experiment
from birdmodes.experiments.work.folds import read_with_truth


@pytest.fixture
def data(write_bags_file: Any) -> Data:
    return read_with_truth(Source(path=write_bags_file()))


def test_lists_are_wrong_for_those_who_learn_from_them(data: Data) -> None:
    protocol = AMBIGUITY.protocol("ambiguity", True)

    def kinds(entrant: str) -> set[tuple[str, float]]:
        return {(s.size, s.errors) for s in settings_of(data, entrant, protocol)}

    sizes = {("1.45", 0.0), ("2.4", 0.0), ("as published", 0.0)}
    assert kinds("mlca") == kinds("euclidean") == sizes
    assert kinds("mimlca") == sizes | {("1.45", 0.1), ("1.45", 0.3)}


def test_a_run_gives_the_same_figures_in_any_order(write_bags_file: Any, tmp_path: Path) -> None:
    path = write_bags_file()
    methods = ["euclidean", "mlca", "mimlca", "mimlca-rounds", "mlca-kmeans-with-list"]
    plan = make_plan("ambiguity", files=[path], methods=methods, quick=True)
    summary = run_experiment(plan, tmp_path / "all").summary
    assert set(summary["method"]) == set(methods)
    # mlca knows the classes, and blobs this far apart are found from lists, too.
    at = summary.set_index(["method", "size", "errors", "means"])["share_right_mean"]
    assert at["mlca", "as published", 0.0, "own"] > 0.85
    assert at["mimlca", "1.45", 0.0, "own"] > 0.85
    assert at["mimlca", "1.45", 0.3, "own"] <= at["mimlca", "1.45", 0.0, "own"] + 0.05
    alone = make_plan("ambiguity", files=[path], methods=["mimlca"], quick=True)
    one = run_experiment(alone, tmp_path / "one").summary
    same = summary[summary["method"] == "mimlca"].reset_index(drop=True)
    timed = [name for name in summary if "seconds" in name]
    pd.testing.assert_frame_equal(one.drop(columns=timed), same.drop(columns=timed))


def row(method: str, accuracy: float, size: str = "1.45", **where: Any) -> dict[str, Any]:
    told = "instances" if method == "mlca" else "bags"
    base = {"dataset": "a", "method": method, "size": size, "errors": 0.0, "told": told}
    return {**base, "means": "own", "fold": 0, "accuracy": accuracy, **where}


def test_the_gap_to_mlca_is_compared_between_whole_bags_and_the_smallest() -> None:
    rows = [row("mlca", 0.7), row("mimlca", 0.69)]
    rows += [row("mlca", 0.7, "as published"), row("mimlca", 0.6, "as published")]
    judged = Claim("it grows", "", gap_grows)
    (verdict,) = check_claims(pd.DataFrame(rows), [judged])
    assert verdict.status == "holds"
    assert verdict.evidence[0].figures == "gap +0.010 at 1.45, +0.100 as published"


def test_near_is_two_points_on_bags_as_small_as_the_papers() -> None:
    for accuracy, status in ((0.681, "holds"), (0.679, "does not hold")):
        table = pd.DataFrame([row("mlca", 0.7), row("mimlca", accuracy)])
        assert AMBIGUITY.verdicts(Measured(table, table))[0].status == status


def test_every_learner_is_known_and_none_of_the_list_is_left_out() -> None:
    assert AMBIGUITY.choose([]) == list(AMBIGUITY.entrants)
    assert np.all([f"mlca-{name}-of-list" in AMBIGUITY.entrants for name in ("random",)])
    assert "mlca-csp-with-list" in AMBIGUITY.entrants


def test_wrong_lists_may_cost_three_points() -> None:
    rows = [row("mimlca", 0.70), row("mimlca", 0.68, errors=0.1), row("mimlca", 0.66, errors=0.3)]
    (verdict,) = check_claims(pd.DataFrame(rows), [Claim("little", "", loses_little)])
    assert [piece.holds for piece in verdict.evidence] == [True, False]
    assert verdict.evidence[0].figures == "errors 0.1: accuracy 0.680, 0.700 without, lost +0.020"
