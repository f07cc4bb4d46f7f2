"""Which stretch of a recording a picture shows."""

from __future__ import annotations

import pandas as pd
import pytest

from birdmodes.pictures.windows import ContextScale, context_scale, place_window

SCALE = ContextScale(width_s=3.0, top_hz=10_000.0)
CLIP = (0.0, 10.0)


def syllables(*rows: tuple[float, float]) -> pd.DataFrame:
    """Each with its length and its highest frequency."""
    return pd.DataFrame(
        [
            {"start_s": 1.0, "end_s": 1.0 + length_s, "high_hz": high_hz}
            for length_s, high_hz in rows
        ]
    )


def test_pictures_are_three_seconds_long_and_as_high_as_nearly_all_sounds() -> None:
    scale = context_scale(syllables(*[(0.2, 7300.0)] * 99, (0.2, 10_500.0)), 11_025.0)
    assert (scale.width_s, scale.top_hz, scale.tile_s) == (3.0, 8000.0, 2.0)
    assert [tick.text for tick in scale.frequency_ticks()] == ["0", "2", "4", "6", "8"]


def test_long_syllables_make_longer_pictures() -> None:
    assert context_scale(syllables((4.0, 7000.0)), 11_025.0).width_s == 9.0
    # one in twenty is shown in part
    assert context_scale(syllables(*[(0.2, 7000.0)] * 19, (4.0, 7000.0)), 11_025.0).width_s == 3.0


def test_pictures_end_at_the_highest_frequency_there_is() -> None:
    assert context_scale(syllables((0.2, 10_900.0)), 11_025.0).top_hz == 11_000.0
    assert context_scale(syllables((0.2, 390.0)), 400.0).top_hz == 400.0
    assert context_scale(syllables((0.2, 1000.0)), 11_025.0).top_hz == 4000.0


def test_a_syllable_stands_in_the_middle() -> None:
    place = place_window((5.0, 5.2), (5.0, 5.2), CLIP, SCALE)
    assert place.start_s == pytest.approx(3.6)
    small = place.tile_start_s(SCALE)
    assert small == pytest.approx(5.1 - 1.0, abs=0.11)


def test_a_series_is_shown_whole_where_it_fits() -> None:
    place = place_window((5.0, 5.2), (4.9, 6.5), CLIP, SCALE)
    assert place.start_s == pytest.approx(5.7 - 1.5)
    place = place_window((5.0, 5.2), (1.0, 9.0), CLIP, SCALE)  # too long: the syllable counts
    assert place.start_s == pytest.approx(3.6)


@pytest.mark.parametrize(("start_s", "first_s"), [(0.1, 0.0), (9.8, 7.0)])
def test_pictures_stay_inside_the_clip(start_s: float, first_s: float) -> None:
    syllable = (start_s, start_s + 0.1)
    place = place_window(syllable, syllable, CLIP, SCALE)
    assert place.start_s == pytest.approx(first_s)
    small = place.tile_start_s(SCALE)
    assert small <= syllable[0] < syllable[1] <= small + SCALE.tile_s


def test_a_clip_shorter_than_a_picture_is_shown_from_its_start() -> None:
    assert place_window((0.5, 0.6), (0.5, 0.6), (0.0, 1.0), SCALE).start_s == 0.0


def test_what_is_longer_than_a_picture_is_shown_from_its_start() -> None:
    place = place_window((2.0, 8.0), (2.0, 8.0), CLIP, SCALE)
    assert place.start_s == pytest.approx(2.0 - 0.3)
    assert place.tile_start_s(SCALE) == pytest.approx(2.0 - 0.2, abs=0.11)
