from __future__ import annotations

import io
from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image, features

from birdmodes.pictures.picture_files import COLOURS, encode_picture, picture_ending


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


def test_paper_is_white_ink_is_black_and_the_bytes_are_the_same_each_time(ending: str) -> None:
    ink = np.full((64, 96), COLOURS // 2, dtype=np.uint8)
    ink[:32, :48], ink[:32, 48:] = 0, COLOURS - 1
    content = encode_picture(ink, 80)
    assert encode_picture(ink, 80) == content
    assert picture_ending() == ending
    with Image.open(io.BytesIO(content)) as image:
        assert image.format == ending[1:].upper()
        assert image.size == (96, 64)
        pixels = np.asarray(image.convert("RGB")).astype(int)
    assert pixels[10, 10].min() > 245
    assert pixels[10, 80].max() < 20
    assert np.ptp(pixels[50, 50]) < 5  # grey
    assert 110 < pixels[50, 50].mean() < 145
