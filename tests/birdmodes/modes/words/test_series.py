"""How syllables follow each other."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from birdmodes.modes.words.series import Series, run_numbers, series_of


def members(
    *recordings: list[float], length_s: float = 0.1, pitch_hz: float = 4000
) -> pd.DataFrame:
    """Syllables that begin at these seconds of recordings 0, 1, ..."""
    rows = [
        {"recording": f"r{number}", "start_s": start_s, "end_s": start_s + length_s}
        for number, starts in enumerate(recordings)
        for start_s in starts
    ]
    return pd.DataFrame(rows).assign(pitch_hz=float(pitch_hz))


def test_neighbours_have_one_number_until_a_gap_or_a_recording_ends() -> None:
    table = members([0.0, 0.3, 0.6, 2.0], [2.2])
    assert run_numbers(table).tolist() == [0, 0, 0, 1, 2]
    shuffled = table.sample(frac=1, random_state=3)
    numbers = pd.Series(run_numbers(shuffled), shuffled.index).sort_index()
    assert numbers.tolist() == [0, 0, 0, 1, 2]


def test_long_syllables_may_be_further_apart() -> None:
    assert len(set(run_numbers(members([0.0, 0.7], length_s=0.1)))) == 2
    assert len(set(run_numbers(members([0.0, 0.7], length_s=0.4)))) == 1


def test_another_pitch_ends_a_series() -> None:
    table = members([0.0, 0.3, 0.6])
    table["pitch_hz"] = [4000.0, 4900.0, 6300.0]  # 22 % up, then 29 %
    assert run_numbers(table).tolist() == [0, 0, 1]


def test_series_are_told_with_their_length_and_period() -> None:
    table = members(list(np.arange(4) * 0.25), list(5 + np.arange(4) * 0.25), [1.0])
    found = series_of(table)
    assert found.length == 4
    assert found.period_s == pytest.approx(0.25)
    assert found.short == "series of 4"
    assert found.long == "series of 4, one every 0.25 s"


def test_pairs_are_told() -> None:
    found = series_of(members([0.0, 0.2, 3.0, 3.2], [9.0]))
    assert (found.length, found.short, found.long) == (2, "pairs", "pairs, 0.20 s apart")


def test_lonely_ones_are_no_series() -> None:
    found = series_of(members([0.0, 3.0, 6.0, 6.2], [0.0], [1.0]))  # two of six in a pair
    assert found == Series()
    assert (found.short, found.long) == ("", "")
    assert series_of(members([1.0])) == Series()
