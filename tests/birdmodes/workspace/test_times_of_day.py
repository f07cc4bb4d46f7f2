from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from birdmodes.workspace.times_of_day import (
    as_times,
    hours_of_day,
    recorded_hours,
    syllable_times,
    time_texts,
)


def recordings(*rows: tuple[str, str | None, float]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["recording", "recorded_at", "duration_s"])
    return table.assign(recorded_at=as_times(table["recorded_at"]))


def test_times_are_read_and_written_as_they_are_kept() -> None:
    texts = ["2021-12-31T23:59:58", "", "2021-05-02T04:00:00.250", "1999-01-01T00:00:00.000001"]
    times = as_times(pd.Series([*texts, None]))
    assert times[0] == pd.Timestamp(2021, 12, 31, 23, 59, 58)
    assert times.isna().tolist() == [False, True, False, False, True]
    assert time_texts(times).tolist() == [*texts, ""]


def test_a_syllable_starts_after_its_recording() -> None:
    table = recordings(
        ("a", "2021-12-31T23:59:58", 10.0), ("b", "", 10.0), ("c", None, 10.0),
        ("d", "2021-05-02T04:00:00.250", 10.0),
    )  # fmt: skip
    syllables = pd.DataFrame(
        {"recording": ["d", "a", "a", "b", "c", "d"], "start_s": [0.0, 1.9996, 7, 1, 1, 90000.5]}
    )
    times = syllable_times(syllables, table)
    assert list(times) == [
        "2021-05-02T04:00:00.250", "2022-01-01T00:00:00.000", "2022-01-01T00:00:05.000", "", "",
        "2021-05-03T05:00:00.750",
    ]  # fmt: skip
    assert list(hours_of_day(pd.Series(times))) == [4, 0, 0, -1, -1, 5]


def test_no_syllables_and_no_times_are_fine() -> None:
    nothing = pd.DataFrame({"recording": [], "start_s": []})
    assert len(syllable_times(nothing, recordings(("a", "", 1.0)))) == 0
    assert recorded_hours(recordings(("a", "", 1.0), ("b", None, 1.0))).sum() == 0
    assert list(hours_of_day(pd.Series(["", ""]))) == [-1, -1]


def test_recordings_are_split_at_full_hours() -> None:
    hours = recorded_hours(
        recordings(
            ("a", "2021-05-02T04:30:00", 3600.0),  # half an hour in each
            ("b", "2021-05-09T04:00:00", 900.0),  # another day
            ("c", "2021-05-02T23:59:50.500", 19.0),  # 9.5 s each before and after midnight
            ("d", "", 5000.0),
        )
    )
    expected = np.zeros(24)
    expected[4], expected[5] = 0.75, 0.5
    expected[23] = expected[0] = 9.5 / 3600
    np.testing.assert_allclose(hours, expected, atol=1e-12)


def test_a_recording_of_days_covers_every_hour() -> None:
    hours = recorded_hours(recordings(("a", "2021-05-02T22:00:00", 2 * 86400 + 3 * 3600.0)))
    expected = np.full(24, 2.0)
    expected[[22, 23, 0]] = 3
    np.testing.assert_allclose(hours, expected)


@pytest.mark.parametrize("seed", range(3))
def test_hours_agree_with_counting_minutes(seed: int) -> None:
    rng = np.random.default_rng(seed)
    starts = rng.integers(0, 1440, 20)
    minutes = rng.integers(0, 4000, 20)
    counted = np.zeros(24)
    for start, length in zip(starts, minutes, strict=True):
        for minute in range(start, start + length):
            counted[minute // 60 % 24] += 1 / 60
    rows = [
        (str(n), f"2021-05-02T{start // 60:02d}:{start % 60:02d}:00", 60.0 * length)
        for n, (start, length) in enumerate(zip(starts, minutes, strict=True))
    ]
    np.testing.assert_allclose(recorded_hours(recordings(*rows)), counted)
