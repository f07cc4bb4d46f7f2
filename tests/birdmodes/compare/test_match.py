from __future__ import annotations

import numpy as np
import pandas as pd

from birdmodes.compare.match import match_boxes


def boxes(*rows: tuple[str, float, float, float, float]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["recording", "start_s", "end_s", "low_hz", "high_hz"])


def pairs(first: pd.DataFrame, second: pd.DataFrame) -> list[tuple[int, int]]:
    return [(int(a), int(b)) for a, b in zip(*match_boxes(first, second), strict=True)]


def test_the_same_box_in_the_same_recording_matches() -> None:
    first = boxes(("a", 0, 1, 1000, 2000), ("b", 0, 1, 1000, 2000))
    second = boxes(("b", 0, 1, 1000, 2000), ("c", 0, 1, 1000, 2000))
    assert pairs(first, second) == [(1, 0)]


def test_half_of_all_that_both_cover_must_be_common() -> None:
    first = boxes(("a", 0, 1, 1000, 2000), ("a", 5, 6, 1000, 2000))
    # 1 of 2 s in common; 0.98 of 2.02 s
    second = boxes(("a", 0, 2, 1000, 2000), ("a", 5.02, 7.02, 1000, 2000))
    assert pairs(first, second) == [(0, 0)]


def test_sounds_of_one_moment_are_told_apart_by_frequency() -> None:
    first = boxes(("a", 0, 1, 1000, 2000), ("a", 0, 1, 5000, 6000))
    assert pairs(first, first.iloc[::-1]) == [(0, 1), (1, 0)]


def test_the_best_pairs_come_first_and_each_syllable_is_in_one() -> None:
    first = boxes(("a", 0, 1, 1000, 2000), ("a", 0.2, 1.2, 1000, 2000))
    second = boxes(
        ("a", 0.2, 1.2, 1000, 2000),
    )
    assert pairs(first, second) == [(1, 0)]


def test_long_syllables_that_began_long_before_are_found() -> None:
    rng = np.random.default_rng(0)
    starts = rng.uniform(0, 100, 300)
    lengths = rng.exponential(1.0, 300) + 0.01
    low = rng.uniform(0, 8000, 300)
    table = pd.DataFrame(
        {
            "recording": "a", "start_s": starts, "end_s": starts + lengths,
            "low_hz": low, "high_hz": low + 500,
        }
    )  # fmt: skip
    order = rng.permutation(300)
    rows, columns = match_boxes(table, table.iloc[order])
    assert rows.tolist() == list(range(300))
    assert (order[columns] == rows).all()


def test_nothing_in_common_is_no_pair() -> None:
    assert pairs(boxes(("a", 0, 1, 0, 10)), boxes(("b", 0, 1, 0, 10))) == []
    assert pairs(boxes(("a", 0, 1, 0, 10)), boxes()) == []
