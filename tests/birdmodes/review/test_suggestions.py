from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from birdmodes.review.suggestions import (
    BATCH,
    PER_CLUSTER,
    PER_RECORDING,
    label_next,
    smaller_parts,
    split_suggestions,
    uncertainty,
)


def blobs(sizes: list[int], distance: float = 20.0, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.vstack([rng.normal(distance * i, 1.0, (size, 2)) for i, size in enumerate(sizes)])


def unsure(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "syllable": [f"s{i}" for i in range(n)],
            "recording": [f"r{i % 40}" for i in range(n)],
            "cluster": rng.integers(0, 8, n),
            "mode": "m",
            "confidence": rng.random(n),
        }
    )


def test_splits_follow_the_groups_that_are_there_and_the_largest_is_first() -> None:
    points = blobs([10, 30, 20])
    groups = split_suggestions(points, np.zeros(60, dtype=int))[3]
    assert groups.tolist() == [2] * 10 + [0] * 30 + [1] * 20


def test_every_cluster_is_split_on_its_own() -> None:
    points = blobs([6, 4, 6, 4])
    cluster = np.repeat([5, 5, 9, 9], [6, 4, 6, 4])
    assert split_suggestions(points, cluster)[2].tolist() == ([0] * 6 + [1] * 4) * 2


def test_a_cluster_of_one_and_equal_points_stay_whole() -> None:
    points = np.array([[1.0], [3.0], [3.0], [3.0]])
    groups = split_suggestions(points, np.array([0, 1, 1, 1]))
    assert all((groups[k] == 0).all() for k in (2, 3, 4))


def test_splits_do_not_depend_on_the_order_of_rows() -> None:
    points = blobs([11, 17, 23, 29], distance=3.0)
    cluster = np.arange(80) % 2
    order = np.random.default_rng(1).permutation(80)
    for k, groups in split_suggestions(points, cluster).items():
        shuffled = np.empty(80, dtype=int)
        shuffled[order] = split_suggestions(points[order], cluster[order])[k]
        # Of groups of one size the numbers may be exchanged.
        assert len(set(zip(cluster, groups, shuffled, strict=True))) == 2 * k


def test_uncertainty_is_the_root_of_what_is_missing_to_full_confidence_and_the_border() -> None:
    points = np.array([[0.0], [2.0], [10.0], [12.0]])  # means 1 and 11
    table = pd.DataFrame(
        {"cluster": [0, 0, 1, 1], "mode": ["m", "m", "m", ""], "confidence": [1, 0.75, 0.0, 0.0]}
    )
    border = [np.sqrt(1 / 11**2), 1 / 9, 1 / 9, 1 / 11]
    doubt = [0.0, 0.5, 1.0, 0.5]
    expected = [0.9 * d + 0.1 * b for d, b in zip(doubt, border, strict=True)]
    assert uncertainty(points, table) == pytest.approx(expected)


def test_unsure_syllables_that_stand_for_many_come_first() -> None:
    points = np.vstack([blobs([50, 50]), [[500.0, 500.0]]])
    table = unsure(101)
    table["cluster"] = np.repeat([0, 1], [50, 51])
    # The second group is sure; the last syllable is unsure, but nothing is like it.
    table["confidence"] = np.repeat([0.4, 1.0, 0.4], [50, 50, 1])
    assert label_next(points, table)[0] < 50


def test_each_ten_hold_few_of_a_cluster_and_of_a_recording() -> None:
    rng = np.random.default_rng(0)
    table = unsure(800)
    chosen = label_next(rng.normal(size=(800, 3)), table, limit=100)
    assert len(set(chosen.tolist())) == 100
    for start in range(0, 100, BATCH):
        ten = table.iloc[chosen[start : start + BATCH]]
        assert ten["cluster"].value_counts().max() <= PER_CLUSTER
        assert ten["recording"].value_counts().max() <= PER_RECORDING


def test_reviewed_syllables_are_left_out_and_what_is_like_them_waits() -> None:
    points = blobs([30, 30])
    table = unsure(60).assign(cluster=np.repeat([0, 1], 30), confidence=0.5, review="")
    table.loc[: 29 - 1, "review"] = "good"
    chosen = label_next(points, table, reviewed={"s29", "s59"})
    assert set(chosen.tolist()) == set(range(30, 59))


def test_few_syllables_and_none_give_what_there_is() -> None:
    table = unsure(3)
    assert sorted(label_next(np.eye(3), table).tolist()) == [0, 1, 2]
    assert len(label_next(np.eye(3), table, reviewed=["s0", "s1", "s2"])) == 0
    assert len(label_next(np.empty((0, 2)), unsure(0))) == 0


def test_the_same_input_gives_the_same_answer() -> None:
    points = np.random.default_rng(3).normal(size=(3000, 4))
    table = unsure(3000)
    assert (label_next(points, table, limit=20) == label_next(points, table, limit=20)).all()


def test_a_mode_that_was_never_separated_is_asked_about_early_though_nothing_is_doubted() -> None:
    # Two kinds of sound in one cluster that is sure of itself, and a lot of doubtful noise.
    points = blobs([60, 15, 200], distance=30.0)
    table = pd.DataFrame(
        {
            "syllable": [f"s{i}" for i in range(275)],
            "recording": [f"r{i}" for i in range(275)],
            "cluster": np.repeat([0, 1], [75, 200]),
            "mode": np.repeat(["m", ""], [75, 200]),
            "confidence": np.repeat([1.0, 0.0], [75, 200]),
        }
    )
    asked = label_next(points, table, limit=10)
    assert ((asked >= 60) & (asked < 75)).any()


def test_parts_that_may_be_modes_have_half_of_an_average_cluster_largest_first() -> None:
    points = blobs([26, 14, 30, 18, 22, 10])
    cluster = np.repeat([4, 7, 9], [40, 48, 32])  # of 40 in the mean: at least 20
    assert smaller_parts(points, cluster) == []
    cluster = np.repeat([4, 7, 9, 9, 11, 12], [40, 48, 22, 10, 0, 0])
    points[:40] = blobs([20, 20])
    (part,) = smaller_parts(points, cluster)
    assert part.tolist() == list(range(20, 40))
    points[40:88] = blobs([25, 23])
    assert [part.tolist() for part in smaller_parts(points, cluster)] == [
        list(range(65, 88)),
        list(range(20, 40)),
    ]


def test_parts_of_clusters_of_thousands_are_those_of_a_sample() -> None:
    points = np.repeat([[0.0], [9.0], [0.0]], [1800, 1200, 1000], axis=0)
    (part,) = smaller_parts(points, np.repeat([0, 1], [3000, 1000]))
    assert len(part) == 400
    assert (part.min() >= 1800) & (part.max() < 3000)
