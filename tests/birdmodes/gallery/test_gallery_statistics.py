from __future__ import annotations

import pandas as pd
import pytest

from birdmodes.pictures.statistics import Spread, peak_frequency_hz, sound_statistics
from birdmodes.segmentation.parameters import SegmentationParameters

BRIGGS = SegmentationParameters.preset("briggs2012")


def test_spread_is_median_and_nine_tenths() -> None:
    # 0, 1, ..., 100: the q % quantile is q
    assert Spread.of(range(101)) == Spread(median=50.0, low=5.0, high=95.0)


def test_spread_of_one_value_is_that_value() -> None:
    assert Spread.of([0.3]) == Spread(0.3, 0.3, 0.3)


def test_peak_frequency_counts_bins_of_the_published_front_end() -> None:
    # at 16 kHz and 512 samples a bin is 31.25 Hz and the highest of 256 is 7968.75 Hz
    assert peak_frequency_hz([0.0, 9 / 255, 1.0], BRIGGS) == pytest.approx([0, 281.25, 7968.75])


def test_statistics_of_a_group_are_in_seconds_and_hertz() -> None:
    syllables = pd.DataFrame(
        {
            "start_s": [1.0, 2.0, 3.0],
            "end_s": [1.1, 2.3, 3.2],
            "low_hz": [1000.0, 1100.0, 1200.0],
            "high_hz": [2000.0, 2000.0, 2000.0],
            "freq-max": [0.5, 0.5, 0.5],
        }
    )
    statistics = sound_statistics(syllables, BRIGGS)
    assert statistics is not None
    # between the sorted values .1, .2, .3 the 5 % quantile is a tenth of the way to the second
    assert statistics.duration_s.median == pytest.approx(0.2)
    assert statistics.duration_s.low == pytest.approx(0.11)
    assert statistics.duration_s.high == pytest.approx(0.29)
    assert statistics.low_hz.median == 1100.0
    assert statistics.high_hz == Spread(2000.0, 2000.0, 2000.0)
    assert statistics.peak_hz.median == pytest.approx(3984.375)


def test_no_syllables_have_no_statistics() -> None:
    columns = ["start_s", "end_s", "low_hz", "high_hz", "freq-max"]
    assert sound_statistics(pd.DataFrame(columns=columns, dtype=float), BRIGGS) is None
