from __future__ import annotations

import numpy as np
import pandas as pd

from birdmodes.review.representatives import (
    BATCH,
    PER_CLUSTER,
    PER_RECORDING,
    representatives,
)
from birdmodes.review.suggestions import label_next


def table_of(sizes: list[int], confidence: list[float], modes: list[str]) -> pd.DataFrame:
    n = sum(sizes)
    return pd.DataFrame(
        {
            "syllable": [f"s{i}" for i in range(n)],
            "recording": [f"r{i}" for i in range(n)],
            "cluster": np.repeat(np.arange(len(sizes)), sizes),
            "mode": np.repeat(modes, sizes),
            "confidence": np.repeat(confidence, sizes),
        }
    )


def asked_clusters(table: pd.DataFrame, count: int, shares: np.ndarray | None = None) -> list[int]:
    points = np.random.default_rng(0).normal(size=(len(table), 2))
    chosen = representatives(points, table, np.zeros(len(table), dtype=bool), count, shares)
    return table["cluster"].to_numpy()[chosen].tolist()


def test_clusters_take_turns_by_how_many_are_in_them_and_how_doubtful_their_names_are() -> None:
    table = table_of([40, 20, 20], [0.5, 0.5, 0.5], ["m", "m", "m"])
    shares = np.array([[0.75, 0.25, 0.0], [0.4, 0.4, 0.2], [0.8, 0.0, 0.2]])
    # Doubts of .5, 1 and .4 make 20, 20 and 8: by 1, 2, 3 questions 20, 10, 20/3, and 8 is between.
    assert asked_clusters(table, 7, shares) == [0, 1, 0, 1, 2, 0, 1]


def test_without_shares_confidences_say_what_is_doubtful() -> None:
    table = table_of([20, 20], [0.9, 0.4], ["m", "m"])  # 2 and 12
    assert asked_clusters(table, 4) == [1, 1, 1, 0]  # three of a cluster in ten, if others can


def test_clusters_that_joined_later_have_no_shares_and_named_ones_no_doubt() -> None:
    table = table_of([20, 20, 20], [1.0, 0.9, 0.4], ["m", "m", "m"])
    shares = np.array([[0.5, 0.5], [0.8, 0.2]])  # 20 * .01, 20 * .4 and 20 * .6
    assert asked_clusters(table, 5, shares) == [2, 1, 2, 1, 2]


def test_what_has_no_species_is_asked_about_as_an_average_name() -> None:
    table = table_of([30, 30, 60], [0.0, 0.0, 0.75], ["", "m", "m"])
    # Doubts of 1 and .25, in the mean .5, which the first has: 15, 30 and 15.
    assert asked_clusters(table, 4) == [1, 0, 1, 2]


def test_the_first_question_of_a_cluster_is_in_its_larger_part_and_the_next_in_the_rest() -> None:
    points = np.array([[-1.0], [0.0], [1.0], [0.1], [9.0], [9.2]])
    table = table_of([6], [0.5], ["m"])
    first, second = representatives(points, table, np.zeros(6, dtype=bool), 2).tolist()
    assert first in (0, 1, 2, 3)
    assert second in (4, 5)


def test_what_is_known_is_not_asked_and_counts_as_an_answer() -> None:
    table = table_of([10, 8], [0.5, 0.5], ["m", "m"]).assign(review="")
    table.loc[:1, "review"] = "good"
    points = np.random.default_rng(1).normal(size=(18, 2))
    chosen = label_next(points, table, method="csp").tolist()
    assert sorted(chosen) == list(range(2, 18))
    assert chosen[0] >= 10  # 8 / 1 comes before 10 / 3


def test_each_ten_hold_few_of_a_cluster_and_of_a_recording() -> None:
    table = table_of([30] * 8, [0.5] * 8, ["m"] * 8)
    table["recording"] = [f"r{i % 11}" for i in range(240)]
    points = np.random.default_rng(2).normal(size=(240, 3))
    chosen = representatives(points, table, np.zeros(240, dtype=bool), 100)
    assert len(set(chosen.tolist())) == 100
    for start in range(0, 100, BATCH):
        ten = table.iloc[chosen[start : start + BATCH]]
        assert ten["cluster"].value_counts().max() <= PER_CLUSTER
        assert ten["recording"].value_counts().max() <= PER_RECORDING


def test_clusters_of_thousands_are_asked_about_by_a_sample() -> None:
    points = np.random.default_rng(3).normal(size=(3000, 2))
    table = table_of([3000], [0.5], ["m"])
    first = int(representatives(points, table, np.zeros(3000, dtype=bool), 1)[0])
    assert np.linalg.norm(points[first]) < 0.5


def test_only_methods_that_name_clusters_by_lists_are_asked_about_names() -> None:
    table = table_of([20, 20], [1.0, 0.2], ["m", "m"])
    points = np.random.default_rng(4).normal(size=(40, 2))
    by_lists = representatives(points, table, np.zeros(40, dtype=bool), 20)
    asked = {name: label_next(points, table, limit=20, method=name) for name in ("csp", "ldc")}
    assert (asked["csp"] == by_lists).all()
    assert (asked["ldc"] != by_lists).any()


def test_each_fifth_question_is_about_a_part_that_nobody_was_asked_about() -> None:
    table = table_of([40, 40, 20], [0.2, 1.0, 1.0], ["m", "m", "m"])
    table["recording"] = "r"
    points = np.random.default_rng(5).normal(size=(100, 2))
    known = np.zeros(100, dtype=bool)
    known[79] = True
    parts = [np.arange(60, 80), np.arange(40, 60), np.arange(90, 100)]
    chosen = representatives(points, table, known, 25, None, parts)
    asked = [int(np.flatnonzero([row in part for part in parts])[0]) for row in chosen[[4, 9]]]
    assert asked == [1, 2]  # of the first part one is known already
    assert set(chosen[[14, 19, 24]].tolist()) <= set(range(40))  # none is left


def test_modes_that_lists_are_sure_of_and_were_never_separated_are_asked_about_early() -> None:
    table = table_of([60, 60, 20, 20], [0.2, 1.0, 1.0, 1.0], ["m"] * 4)
    points = np.random.default_rng(6).normal(size=(160, 2))
    points[:, 0] += 30.0 * table["cluster"].to_numpy()
    points[100:120, 1] += 9.0
    asked = label_next(points, table, method="csp", limit=5).tolist()
    assert (asked[0] < 60, 100 <= asked[4] < 120) == (True, True)
