from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis.extra.numpy import array_shapes, arrays

from birdmodes.pictures.picture_files import COLOURS
from birdmodes.pictures.pictures import (
    SoundImage,
    draw,
    first_bin,
    outline,
    patch_image,
    recording_image,
)
from birdmodes.pictures.scale import Scale
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.spectrogram import spectrogram

PARAMETERS = SegmentationParameters()
WIDTH, HEIGHT = 480, 280
SIZE = (HEIGHT, WIDTH)
SCALE = Scale(start_s=-0.1, end_s=0.5, low_hz=1000, high_hz=7000)


def noise_with_tone(rate_hz: int, start_s: float, end_s: float, tone_hz: float) -> np.ndarray:
    time = np.arange(4 * rate_hz) / rate_hz
    noise = 0.001 * np.random.default_rng(0).standard_normal(len(time))
    tone = 0.3 * np.sin(2 * np.pi * tone_hz * time) * ((time >= start_s) & (time < end_s))
    return (noise + tone).astype(np.float32)


@pytest.mark.parametrize("rate_hz", [22050, 44100, 96000])
def test_a_tone_is_drawn_at_its_time_and_frequency(rate_hz: int) -> None:
    samples = noise_with_tone(rate_hz, 2.0, 2.2, 4000.0)
    # the stretch begins 2 s before the syllable
    image = recording_image(samples, rate_hz, -2.0, PARAMETERS)
    bright = draw(image, SCALE, 0.0, float(image.level.max()), size=SIZE) > COLOURS // 2
    rows, columns = np.nonzero(bright)
    assert (rows.mean() + 0.5) / HEIGHT == pytest.approx(SCALE.y(4000.0), abs=0.01)
    window = PARAMETERS.window_s / SCALE.width_s
    assert columns.min() / WIDTH == pytest.approx(SCALE.x(0.0), abs=window)
    assert (columns.max() + 1) / WIDTH == pytest.approx(SCALE.x(0.2), abs=window)


def test_noise_is_about_zero_decibels() -> None:
    noise = noise_with_tone(22050, 0.0, 0.0, 1000.0)
    level = recording_image(noise, 22050, 0.0, PARAMETERS).level
    assert np.median(level) == pytest.approx(0.0, abs=3.0)


def test_silence_has_a_picture() -> None:
    image = recording_image(np.zeros(22050, dtype=np.float32), 22050, 0.0, PARAMETERS)
    assert draw(image, SCALE, 0.0, 20.0, size=SIZE).max() == 0


def test_a_stretch_shorter_than_a_window_has_an_empty_picture() -> None:
    image = recording_image(np.zeros(10, dtype=np.float32), 22050, 0.0, PARAMETERS)
    assert (draw(image, SCALE, 0.0, 20.0, size=SIZE) == 0).all()


def test_a_stored_patch_lies_where_the_recording_has_the_syllable() -> None:
    patch = np.full((10, 20), 255, dtype=np.uint8)
    low_hz = 3000.0
    picture = draw(patch_image(patch, low_hz, PARAMETERS), SCALE, 0.0, 60.0, size=SIZE)
    rows, columns = np.nonzero(picture == COLOURS - 1)
    high_hz = low_hz + 10 * PARAMETERS.bin_hz
    half_bin = PARAMETERS.bin_hz / 2 / SCALE.height_hz + 1 / HEIGHT
    assert rows.min() / HEIGHT == pytest.approx(SCALE.y(high_hz), abs=half_bin)
    assert (rows.max() + 1) / HEIGHT == pytest.approx(SCALE.y(low_hz), abs=half_bin)
    assert columns.min() / WIDTH == pytest.approx(SCALE.x(0.0), abs=1 / WIDTH)
    end_s = 20 * PARAMETERS.frame_s
    assert (columns.max() + 1) / WIDTH == pytest.approx(SCALE.x(end_s), abs=1 / WIDTH)
    assert set(np.unique(picture)) == {COLOURS - 1, 0}


def test_brightness_is_even_in_decibels() -> None:
    image = SoundImage(np.array([[0.0, 10, 20, 30, 40]]), 0.0, 4000.0, 0.1, 20000.0)
    row = draw(image, Scale(-0.05, 0.45, 3000, 5000), 10.0, 30.0, size=SIZE)[0]
    levels = row.reshape(5, -1)[:, WIDTH // 10]  # middles of the five columns
    assert levels.tolist() == pytest.approx([0, 0, (COLOURS - 1) / 2, COLOURS - 1, COLOURS - 1], 1)


def test_the_first_bin_is_found_from_the_lower_edge() -> None:
    spec = spectrogram(np.zeros(1000), PARAMETERS)
    for number in range(PARAMETERS.n_bins):
        low_hz, _ = spec.frequencies_hz(number, number + 1)
        assert first_bin(low_hz, PARAMETERS) == number


def test_a_rectangle_has_four_edges() -> None:
    mask = np.zeros((4, 5), dtype=bool)
    mask[1:3, 1:4] = True  # bins 1 and 2, frames 1 to 3
    assert sorted(re.findall("M[^M]+", outline(mask))) == ["M1 1h3", "M1 1v2", "M1 3h3", "M4 1v2"]


@given(arrays(bool, array_shapes(min_dims=2, max_dims=2, max_side=8)))
def test_the_upright_edges_of_an_outline_give_the_mask_back(mask: np.ndarray) -> None:
    crossings = np.zeros((mask.shape[0], mask.shape[1] + 1), dtype=int)
    for x, y, length in re.findall(r"M(\d+) (\d+)v(\d+)", outline(mask)):
        crossings[int(y) : int(y) + int(length), int(x)] += 1
    # inside is where an odd number of edges has been crossed from the left
    np.testing.assert_array_equal(np.cumsum(crossings, axis=1)[:, :-1] % 2 == 1, mask)
