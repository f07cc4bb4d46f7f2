"""Spectrograms as ink on paper."""

from __future__ import annotations

import numpy as np
import pytest

from birdmodes.pictures.ink import black_of, ink, level_in_box, window_ink
from birdmodes.pictures.picture_files import COLOURS
from birdmodes.pictures.pictures import SoundImage

BLACK = COLOURS - 1


def image(level: np.ndarray, first_s: float = 0.0, first_hz: float = 0.0) -> SoundImage:
    return SoundImage(level, first_s=first_s, first_hz=first_hz, frame_s=0.01, bin_hz=100.0)


def test_noise_is_paper_and_the_syllable_is_black() -> None:
    found = ink(np.array([[0.0, 8.0, 20.0, 32.0, 60.0]]), 32.0)[0].tolist()
    assert found == [0, 0, round(BLACK / 2), BLACK, BLACK]


def test_below_loud_sounds_no_echo_is_seen() -> None:
    found = ink(np.array([[26.0, 38.0, 50.0]]), 50.0)[0].tolist()
    assert found == [0, round(BLACK / 2), BLACK]  # 24 dB from paper to black


def test_faint_syllables_do_not_darken_noise() -> None:
    assert ink(np.array([[8.0, 12.0, 16.0]]), 9.0)[0].tolist() == [0, round(BLACK / 2), BLACK]


def test_high_frequencies_are_at_the_top() -> None:
    assert ink(np.array([[60.0], [0.0]]), 30.0)[:, 0].tolist() == [0, BLACK]


def test_the_level_of_a_syllable_is_not_that_of_a_click() -> None:
    level = np.zeros((40, 100))
    level[10:12, 20:60] = 25.0
    level[:, 30] = 55.0
    found = level_in_box(image(level), 0.2, 0.59, 900.0, 1300.0)
    assert found == pytest.approx(25.0)
    assert black_of(found) == pytest.approx(24.0)
    assert level_in_box(image(level), 5.0, 6.0, 900.0, 1300.0) == 0.0  # nothing is there


def test_a_stretch_is_cut_out_and_what_is_missing_is_paper() -> None:
    level = np.full((20, 100), 60.0)  # 0 to 1 s, 0 to 2 kHz
    found = window_ink(image(level), start_s=-0.5, width_s=2.0, top_hz=4000.0, black_db=30.0)
    assert found.shape == (40, 200)
    assert (found == BLACK).sum() == 20 * 100
    rows, columns = np.nonzero(found)
    assert (rows.min(), rows.max()) == (20, 39)  # the lower half
    assert (columns.min(), columns.max()) == (50, 149)


def test_an_image_that_begins_higher_up_stays_there() -> None:
    found = window_ink(image(np.full((10, 10), 60.0), first_hz=1000.0), 0.0, 0.1, 4000.0, 30.0)
    rows, _ = np.nonzero(found)
    assert (rows.min(), rows.max()) == (20, 29)


def test_nothing_of_another_time_is_drawn() -> None:
    assert not window_ink(image(np.full((10, 10), 60.0)), 7.0, 1.0, 4000.0, 30.0).any()
