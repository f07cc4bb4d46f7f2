"""Masks: pictures and boxes, and which recording they belong to."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from birdmodes.audio.read import AudioFacts, RecordingFile
from birdmodes.errors import ModelError
from birdmodes.labels.formats.boxes import Box
from birdmodes.training import find_paint
from birdmodes.training.paint import PaintedBoxes, PaintedImage

FACTS = AudioFacts(sample_rate_hz=8000, channels=1, duration_s=10.0, note="")

RAVEN = (
    "Selection\tView\tChannel\tBegin Time (s)\tEnd Time (s)\tLow Freq (Hz)\tHigh Freq (Hz)\tnote\n"
    "1\tSpectrogram 1\t1\t1.5\t2.5\t1000.0\t2000.0\tsong\n"
    "1\tWaveform 1\t1\t1.5\t2.5\t1000.0\t2000.0\tsong\n"
    "2\tSpectrogram 1\t1\t3\t4.25\t500\t750\n"
)
SONG, CALL = Box(1.5, 2.5, 1000.0, 2000.0), Box(3.0, 4.25, 500.0, 750.0)


def picture(path: Path) -> Path:
    """Four rows of 1 kHz, ten columns of 1 s; bright in row 1, columns 2 and 3."""
    image = np.full((4, 10), 127, dtype=np.uint8)
    image[1, 2:4] = 128
    Image.fromarray(image).save(path)
    return path


@pytest.mark.parametrize("name", ["m.bmp", "m.png"])
def test_pictures_begin_at_0_hz_unless_told(tmp_path: Path, name: str) -> None:
    path = picture(tmp_path / name)
    hertz = np.array([0.0, 999, 1001, 1999, 2001, 3999, 4000, 9000])
    seconds = np.array([0.0, 1.99, 2.01, 3.99, 4.01, 9.99, 10.5])
    upright = PaintedImage(path).at(hertz, seconds, FACTS)
    expected = np.zeros((8, 7), dtype=bool)
    expected[2:4, 2:4] = True
    np.testing.assert_array_equal(upright, expected)
    turned = PaintedImage(path, top_is_high=True).at(hertz, seconds, FACTS)
    expected[:] = False
    expected[4, 2:4] = True
    np.testing.assert_array_equal(turned, expected)


def test_coloured_pictures_are_read_by_brightness(tmp_path: Path) -> None:
    image = np.zeros((1, 2, 3), dtype=np.uint8)
    image[0, 1] = 255
    Image.fromarray(image).save(tmp_path / "m.png")
    found = PaintedImage(tmp_path / "m.png").at(np.array([0.0]), np.array([1.0, 9.0]), FACTS)
    np.testing.assert_array_equal(found, [[False, True]])


def test_what_is_no_picture_is_refused(tmp_path: Path) -> None:
    (tmp_path / "m.png").write_text("hello")
    with pytest.raises(ModelError, match=r"m\.png: not a picture"):
        PaintedImage(tmp_path / "m.png").at(np.zeros(1), np.zeros(1), FACTS)
    content = picture(tmp_path / "cut.bmp").read_bytes()
    (tmp_path / "cut.bmp").write_bytes(content[:-20])
    with pytest.raises(ModelError, match=r"cut\.bmp: the picture cannot be read"):
        PaintedImage(tmp_path / "cut.bmp").at(np.zeros(1), np.zeros(1), FACTS)


def test_boxes_hold_the_frames_and_bins_within() -> None:
    hertz, seconds = np.arange(0, 4000, 250.0), np.arange(0, 10, 0.5)
    found = PaintedBoxes((SONG,)).at(hertz, seconds, FACTS)
    rows, columns = np.nonzero(found)
    assert set(hertz[rows]) == {1000, 1250, 1500, 1750}
    assert set(seconds[columns]) == {1.5, 2.0}
    assert not PaintedBoxes(()).at(hertz, seconds, FACTS).any()


def recordings(*names: str) -> list[RecordingFile]:
    return [RecordingFile(name, Path("/r") / name, Path("/r")) for name in names]


def test_masks_find_their_recordings(tmp_path: Path) -> None:
    picture(tmp_path / "a.png")
    picture(tmp_path / "c.png")
    (tmp_path / "notes.txt").write_text("pictures make this no table")
    found, warnings = find_paint(recordings("x/a.wav", "x/b.wav"), [tmp_path])
    assert [(one.recording.name, one.paint) for one in found] == [
        ("x/a.wav", PaintedImage(tmp_path / "a.png"))
    ]
    assert len(warnings) == 2
    assert "1 masks are for no recording here" in warnings[0]
    assert "1 recordings have no mask and are left out (x/b.wav)" in warnings[1]


def test_tables_find_their_recordings(tmp_path: Path) -> None:
    (tmp_path / "a.Table.1.selections.txt").write_text(RAVEN)
    (tmp_path / "b.csv").write_text(
        "recording,start_s,end_s,low_hz,high_hz\nb.wav,3,4.25,500,750\n"
    )
    found, warnings = find_paint(recordings("a.wav", "b.wav"), [tmp_path])
    assert [one.paint for one in found] == [PaintedBoxes((SONG, CALL)), PaintedBoxes((CALL,))]
    assert warnings == []


def test_masks_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    here = recordings("x/a.wav", "y/a.wav", "b.wav")
    with pytest.raises(ModelError, match="no such file"):
        find_paint(here, [tmp_path / "nothing"])
    with pytest.raises(ModelError, match="no masks here"):
        find_paint(here, [tmp_path])
    strange = picture(tmp_path / "z.png")
    with pytest.raises(ModelError, match="none of the 1 masks here"):
        find_paint(here, [strange])
    with pytest.raises(ModelError, match="'a' fits 2 recordings"):
        find_paint(here, [picture(tmp_path / "a.png")])
    two = [picture(tmp_path / "b.png"), picture(tmp_path / "b.bmp")]
    with pytest.raises(ModelError, match=r"b\.wav has another picture"):
        find_paint(here, two)
    (tmp_path / "b.txt").write_text(RAVEN)
    with pytest.raises(ModelError, match=r"b\.wav has boxes too"):
        find_paint(here, [two[0], tmp_path / "b.txt"])
