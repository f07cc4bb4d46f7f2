"""How far syllables stand out from what sounds at the same time."""

from __future__ import annotations

import numpy as np
import pandas as pd

from birdmodes.modes.words.isolation import NEAR_S, isolation_db


def table(*rows: tuple[str, float, float, float, float]) -> pd.DataFrame:
    names = ["recording", "start_s", "end_s", "level_db", "beside_db"]
    return pd.DataFrame(rows, columns=names)


def test_the_loudest_near_sound_counts() -> None:
    found = isolation_db(
        table(
            ("a", 1.0, 1.2, 30, 0),
            ("a", 1.3, 1.5, 25, 0),  # 0.1 s behind the first
            ("a", 3.0, 3.2, 20, 12),  # alone, but for what is in its box
            ("b", 1.0, 1.2, 40, 0),  # of another recording
        )
    )
    assert found.tolist() == [5, -5, 8, 40]


def test_near_is_a_quarter_of_a_second() -> None:
    near = table(("a", 1.0, 1.2, 30, 0), ("a", 1.2 + NEAR_S - 0.01, 2.0, 10, 0))
    assert isolation_db(near).tolist() == [20, -20]
    far = table(("a", 1.0, 1.2, 30, 0), ("a", 1.2 + NEAR_S + 0.01, 2.0, 10, 0))
    assert isolation_db(far).tolist() == [30, 10]


def test_a_long_sound_is_near_to_all_that_it_covers() -> None:
    rows = [
        ("a", 0.0, 9.0, 35.0, 0.0),
        *(("a", start, start + 0.1, 20.0, 0.0) for start in (2.0, 7.0)),
    ]
    assert isolation_db(table(*rows)).tolist() == [15, -15, -15]


def test_it_is_as_comparing_all_with_all() -> None:
    rng = np.random.default_rng(1)
    start = rng.uniform(0, 20, 60)
    rows = pd.DataFrame(
        {
            "recording": rng.choice(["a", "b", "c"], 60),
            "start_s": start,
            "end_s": start + rng.uniform(0.02, 1.5, 60),
            "level_db": rng.uniform(0, 50, 60),
            "beside_db": rng.uniform(0, 20, 60),
        }
    )
    expected = []
    for row in rows.itertuples():
        near = rows[
            (rows["recording"] == row.recording)
            & (rows["start_s"] <= row.end_s + NEAR_S)
            & (rows["end_s"] > row.start_s - NEAR_S)
            & (rows.index != row.Index)
        ]
        expected.append(row.level_db - max([row.beside_db, *near["level_db"]]))
    np.testing.assert_allclose(isolation_db(rows), expected)


def test_nothing_is_no_trouble() -> None:
    assert isolation_db(table()).shape == (0,)
