from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image, features

from birdmodes.pictures.picture_files import COLOURS, NOTHING, encode_picture, picture_ending


@pytest.fixture(params=["webp", "png"])
def ending(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Pillow with WebP, and without."""
    kind: str = request.param
    if kind == "webp" and not features.check("webp"):
        pytest.skip("this Pillow has no WebP")
    monkeypatch.setattr(features, "check", lambda name: kind == "webp")
    picture_ending.cache_clear()
    yield f".{kind}"
    picture_ending.cache_clear()


def test_a_picture_has_the_colours_and_the_same_bytes_each_time(ending: str) -> None:
    colours = np.full((64, 96), NOTHING, dtype=np.uint8)
    colours[:32, :48], colours[:32, 48:] = 0, COLOURS - 1
    content = encode_picture(colours, 80)
    assert encode_picture(colours, 80) == content
    assert picture_ending() == ending
    with Image.open(io.BytesIO(content)) as image:
        assert image.format == ending[1:].upper()
        assert image.size == (96, 64)
        pixels = np.asarray(image.convert("RGB")).astype(int)
    assert pixels[10, 10].sum() < 40  # black
    assert pixels[10, 80].sum() > 560  # nearly white
    assert np.ptp(pixels[50, 50]) < 30  # grey
    assert 120 < pixels[50, 50].sum() < 260
