from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from birdmodes.pictures.scale import Scale, shared_scale

NYQUIST_HZ = 11025.0


def syllables(durations: list[float], low: float = 2000.0, high: float = 4000.0) -> pd.DataFrame:
    return pd.DataFrame(
        {"start_s": 1.0, "end_s": [1 + d for d in durations], "low_hz": low, "high_hz": high}
    )


def test_places_in_the_picture_run_from_the_upper_left_corner() -> None:
    scale = Scale(start_s=-0.1, end_s=0.9, low_hz=1000, high_hz=5000)
    assert (scale.x(-0.1), scale.x(0.4), scale.x(0.9)) == pytest.approx((0, 0.5, 1))
    assert (scale.y(5000), scale.y(4000), scale.y(1000)) == pytest.approx((0, 0.25, 1))


def test_one_very_long_syllable_is_cut_and_does_not_squeeze_the_others() -> None:
    scale = shared_scale(syllables([0.2] * 29 + [20.0]), NYQUIST_HZ)
    # nine tenths last 0.2 s at most, with a quarter of that as context on both sides
    assert (scale.start_s, scale.end_s) == pytest.approx((-0.05, 0.25))
    assert scale.cut_s(0.2) == 0.0
    assert scale.cut_s(20.0) == pytest.approx(19.75)


def test_even_the_longest_pictures_end() -> None:
    assert shared_scale(syllables([60.0] * 5), NYQUIST_HZ).width_s == pytest.approx(6.5)


def test_a_page_without_examples_has_a_scale() -> None:
    assert shared_scale(syllables([]), NYQUIST_HZ).high_hz == NYQUIST_HZ


def test_ticks_are_written_in_seconds_and_kilohertz() -> None:
    scale = Scale(start_s=-0.1, end_s=0.55, low_hz=1500, high_hz=8250)
    assert [tick.text for tick in scale.time_ticks()] == ["0.0", "0.2", "0.4"]
    assert [tick.text for tick in scale.frequency_ticks()] == ["2", "4", "6", "8"]
    assert [tick.value for tick in scale.frequency_ticks()] == [2000, 4000, 6000, 8000]


@given(
    st.lists(st.floats(0.01, 30), min_size=1, max_size=20),
    st.floats(0, 11000),
    st.floats(1, 11000),
)
def test_every_frequency_is_shown_and_ticks_lie_inside(
    durations: list[float], low: float, width: float
) -> None:
    high = min(low + width, NYQUIST_HZ)
    scale = shared_scale(syllables(durations, low, high), NYQUIST_HZ)
    assert 0 <= scale.low_hz <= low < high <= scale.high_hz <= NYQUIST_HZ
    assert scale.start_s < 0 < scale.end_s
    for ticks, first, last in (
        (scale.time_ticks(), scale.start_s, scale.end_s),
        (scale.frequency_ticks(), scale.low_hz, scale.high_hz),
    ):
        assert 2 <= len(ticks) <= 8
        assert all(first - 1e-6 <= tick.value <= last + 1e-6 for tick in ticks)
        assert len({tick.text for tick in ticks}) == len(ticks)
        assert all((tick.text[0] == "−") == (tick.value < -1e-9) for tick in ticks)
