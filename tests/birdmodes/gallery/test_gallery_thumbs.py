from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from birdmodes.gallery.media.thumbs import COLUMNS, HEIGHT, WIDTH, Sheet, thumb
from birdmodes.pictures.picture_files import COLOURS


def test_a_wide_patch_fills_the_width_and_keeps_its_shape() -> None:
    pixels = thumb(np.full((10, 100), 255, dtype=np.uint8))
    rows, columns = np.nonzero(pixels)
    assert (columns.min(), columns.max()) == (0, WIDTH - 1)
    assert len(set(rows)) == 5  # 48 / 100 * 10
    assert abs((rows.min() + rows.max()) / 2 - (HEIGHT - 1) / 2) <= 0.5


def test_a_high_patch_fills_the_height() -> None:
    pixels = thumb(np.full((72, 20), 255, dtype=np.uint8))
    rows, columns = np.nonzero(pixels)
    assert (rows.min(), rows.max()) == (0, HEIGHT - 1)
    assert len(set(columns)) == 10  # 36 / 72 * 20


@pytest.mark.parametrize("shape", [(1, 1), (1, 1000), (256, 1), (256, 1719)])
def test_any_patch_fits(shape: tuple[int, int]) -> None:
    pixels = thumb(np.full(shape, 200, dtype=np.uint8))
    assert pixels.shape == (HEIGHT, WIDTH)
    assert pixels.max() == COLOURS - 1


def test_high_frequencies_are_at_the_top_and_faint_sounds_look_faint() -> None:
    patch = np.zeros((36, 48), dtype=np.uint8)
    patch[30:, :10] = 17  # 4 dB of 60
    pixels = thumb(patch)
    assert np.argwhere(pixels)[:, 0].max() < HEIGHT / 2
    # 4 of at least 20 dB
    assert pixels.max() == round((COLOURS - 1) * 17 / 85)


def test_a_sheet_holds_its_thumbs_row_by_row() -> None:
    sheet = Sheet(COLUMNS + 2)
    bright = np.full((HEIGHT, WIDTH), COLOURS - 1, dtype=np.uint8)
    for cell in (COLUMNS + 1, *range(COLUMNS)):
        sheet.put(cell, bright * np.uint8(cell in (1, COLUMNS + 1)))
    assert sheet.missing == 1
    with Image.open(io.BytesIO(sheet.encode())) as image:
        assert image.size == (COLUMNS * WIDTH, 2 * HEIGHT)
        light = np.asarray(image.convert("L")).reshape(2, HEIGHT, COLUMNS, WIDTH)[:, 18, :, 24]
    assert np.argwhere(light < 128).tolist() == [[0, 1], [1, 1]]
