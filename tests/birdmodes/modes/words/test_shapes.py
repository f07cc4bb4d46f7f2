"""Words for the shapes of syllables."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from birdmodes.modes.words.shapes import nouns, shapes

FLAT = {
    "start_hz": 4000.0,
    "pitch_hz": 4000.0,
    "end_hz": 4000.0,
    "bottom_hz": 3900.0,
    "top_hz": 4100.0,
    "width_hz": 200.0,
    "repeats_hz": 0.0,
    "duration_s": 0.2,
    "harmonics": 0,
}

ODD: dict[str, dict[str, Any]] = {
    "click": {"duration_s": 0.02, "width_hz": 3000.0, "bottom_hz": 2000.0, "top_hz": 6000.0},
    "buzz": {"width_hz": 3000.0, "bottom_hz": 2000.0, "top_hz": 6000.0},
    "burst": {"width_hz": 3000.0, "bottom_hz": 2000.0, "top_hz": 6000.0, "duration_s": 0.1},
    "rattle": {"repeats_hz": 20.0, "width_hz": 2000.0},
    "trill": {"repeats_hz": 20.0},
    "arched": {"start_hz": 3000.0, "end_hz": 3000.0},
    "dipped": {"start_hz": 5000.0, "end_hz": 5000.0},
    "rising": {"start_hz": 3500.0, "end_hz": 4500.0},
    "falling": {"start_hz": 4500.0, "end_hz": 3500.0},
    "wavering": {"bottom_hz": 3500.0, "top_hz": 4500.0},
    "flat": {},
    "": {"width_hz": 900.0},
}


@pytest.mark.parametrize("word", ODD)
def test_a_shape_has_its_word(word: str) -> None:
    assert shapes(pd.DataFrame([{**FLAT, **ODD[word]}])).tolist() == [word]


def test_a_small_step_of_a_low_sound_is_no_direction() -> None:
    low = {**FLAT, "start_hz": 1000.0, "pitch_hz": 1060.0, "end_hz": 1120.0}
    low |= {"bottom_hz": 1000.0, "top_hz": 1120.0}
    assert shapes(pd.DataFrame([low])).tolist() == ["flat"]


def test_nouns_go_by_width_and_harmonics() -> None:
    table = pd.DataFrame([FLAT, {**FLAT, "width_hz": 600.0}, {**FLAT, "harmonics": 2}])
    assert nouns(table).tolist() == ["whistle", "note", "harmonic stack"]
