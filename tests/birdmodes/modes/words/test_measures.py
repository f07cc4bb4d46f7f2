"""Measurements of drawn syllables, whose values are known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from birdmodes.modes.words.measures import Measures, measure
from birdmodes.segmentation import PATCH_RANGE_DB

FIRST_HZ, BIN_HZ, FRAME_S = 2000.0, 50.0, 0.01


def drawn(
    pitch_hz: Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]],
    duration_s: float = 0.3,
    level_db: float = 40.0,
    n_bins: int = 80,
    half_width: int = 1,
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_]]:
    """A line of some bins along a course, whose middle is 6 dB louder than its sides."""
    n_frames = round(duration_s / FRAME_S)
    patch = np.zeros((n_bins, n_frames), dtype=np.uint8)
    mask = np.zeros(patch.shape, dtype=bool)
    rows = np.round((pitch_hz(np.linspace(0, 1, n_frames)) - FIRST_HZ) / BIN_HZ).astype(int)
    for frame, row in enumerate(rows):
        for offset in range(-half_width, half_width + 1):
            patch[row + offset, frame] = pixel(level_db - 6 * (offset != 0))
            mask[row + offset, frame] = True
    return patch, mask


def pixel(level_db: float) -> int:
    return max(0, round(255 * level_db / PATCH_RANGE_DB))


def measured(patch: npt.NDArray[np.uint8], mask: npt.NDArray[np.bool_]) -> Measures:
    return measure(patch, mask, FIRST_HZ, BIN_HZ, FRAME_S)


def test_a_rising_line_has_its_ends_and_its_middle() -> None:
    found = measured(*drawn(lambda share: 3000 + 2000 * share))
    # medians over the first fifth, the rest between, and the last fifth
    assert found.start_hz == pytest.approx(3200, abs=60)
    assert found.pitch_hz == pytest.approx(4000, abs=60)
    assert found.end_hz == pytest.approx(4800, abs=60)
    assert found.bottom_hz == pytest.approx(3100, abs=60)
    assert found.top_hz == pytest.approx(4900, abs=60)
    assert found.width_hz == 3 * BIN_HZ
    assert found.level_db == pytest.approx(40, abs=0.3)
    assert (found.repeats_hz, found.harmonics) == (0, 0)


def test_one_click_does_not_set_the_level() -> None:
    patch, mask = drawn(lambda share: 0 * share + 3000, level_db=20)
    patch[40, 7], mask[40, 7] = 255, True
    assert measured(patch, mask).level_db == pytest.approx(20, abs=0.3)


def test_what_lies_in_the_box_without_belonging_to_it_is_measured_apart() -> None:
    patch, mask = drawn(lambda share: 0 * share + 3000, level_db=30)
    assert measured(patch, mask).beside_db == 0
    patch[60:63] = pixel(25)
    assert measured(patch, mask).beside_db == pytest.approx(25, abs=0.3)


@pytest.mark.parametrize("rate_hz", [12.5, 20, 25])
def test_repeats_are_counted(rate_hz: float) -> None:
    patch, mask = drawn(lambda share: 0 * share + 3000, duration_s=0.8)
    period = round(1 / rate_hz / FRAME_S)
    for frame in range(patch.shape[1]):
        if frame % period >= period / 2:
            patch[:, frame], mask[:, frame] = 0, False
    assert measured(patch, mask).repeats_hz == pytest.approx(1 / (period * FRAME_S), rel=0.01)


def test_a_steady_sound_does_not_repeat() -> None:
    assert measured(*drawn(lambda share: 0 * share + 3000, duration_s=0.8)).repeats_hz == 0


def test_harmonics_are_counted() -> None:
    patch, mask = drawn(lambda share: 0 * share + 2500, n_bins=160)
    assert measured(patch, mask).harmonics == 0
    for multiple in (2, 3):
        row = round((multiple * 2500 - FIRST_HZ) / BIN_HZ)
        patch[row], mask[row] = pixel(34), True
    assert measured(patch, mask).harmonics == 2
    patch[mask & (patch < pixel(39))] = pixel(20)  # too faint, beside a peak of 40 dB
    assert measured(patch, mask).harmonics == 0


def test_what_is_as_faint_as_noise_has_a_pitch_all_the_same() -> None:
    found = measured(*drawn(lambda share: 0 * share + 3000, level_db=2))
    assert found.pitch_hz == 3000
    assert found.level_db == pytest.approx(2, abs=0.3)


def test_a_syllable_of_one_frame_can_be_measured() -> None:
    found = measured(*drawn(lambda share: 0 * share + 3000, duration_s=FRAME_S))
    assert (found.start_hz, found.pitch_hz, found.end_hz) == (3000, 3000, 3000)
