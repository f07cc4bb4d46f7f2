"""Recordings whose headers count too few or too many samples, or lack a byte."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile

from birdmodes.audio.read import ClipReader, read_span

RATE = 16_000
SECONDS = 3
SOUND = np.random.default_rng(0).normal(0, 0.05, SECONDS * RATE).astype(np.float32)


def written(folder: Path, ending: str, subtype: str | None = None) -> tuple[Path, bytearray]:
    path = folder / f"x.{ending}"
    soundfile.write(path, SOUND, RATE, format="OGG" if ending == "opus" else None, subtype=subtype)
    return path, bytearray(path.read_bytes())


def read(path: Path, content: bytes) -> tuple[float, str]:
    path.write_bytes(content)
    reader = ClipReader(path, RATE, 10.0)
    samples = sum(map(len, reader))
    assert reader.facts.duration_s == pytest.approx(samples / RATE, abs=0.001)
    return samples / RATE, reader.facts.note


def with_flac_length(content: bytearray, samples: int) -> bytes:
    content[21] = content[21] & 0xF0 | samples >> 32
    content[22:26] = struct.pack(">I", samples & 0xFFFFFFFF)
    return bytes(content)


@pytest.mark.parametrize("announced", [1, 44, 20_000])
def test_a_flac_that_counts_too_few_samples_is_read_whole(tmp_path: Path, announced: int) -> None:
    path, content = written(tmp_path, "flac")
    duration_s, note = read(path, with_flac_length(content, announced))
    assert duration_s == SECONDS
    assert f"the length in its header is too short ({announced} of" in note
    span, _ = read_span(path, 2.0, 2.5)
    np.testing.assert_allclose(span, SOUND[2 * RATE : 2 * RATE + RATE // 2], atol=1e-4)


def test_a_flac_that_counts_a_few_too_many_or_has_a_tag_is_not_called_truncated(
    tmp_path: Path,
) -> None:
    path, content = written(tmp_path, "flac")
    assert read(path, bytes(content) + b"TAG" + b"x" * 125) == (SECONDS, "")
    duration_s, note = read(path, with_flac_length(content, SECONDS * RATE + 22))
    assert duration_s == SECONDS
    assert note == "its header gives 22 samples more than there are: read all, 3 s"


@pytest.mark.parametrize("seconds", [SECONDS, 1])
def test_a_flac_that_follows_another_is_not_left_out_silently(tmp_path: Path, seconds: int) -> None:
    path, content = written(tmp_path, "flac")
    soundfile.write(path, SOUND[: seconds * RATE], RATE)
    duration_s, note = read(path, bytes(content) + path.read_bytes())
    assert duration_s == SECONDS
    assert "another FLAC follows in the file and is left out" in note


@pytest.mark.parametrize("announced", [0, 1, 50])
def test_an_mp3_that_counts_too_few_frames_is_read_whole(tmp_path: Path, announced: int) -> None:
    path, content = written(tmp_path, "mp3")
    whole, note = read(path, content)
    assert note == ""
    mark = max(content.find(b"Xing"), content.find(b"Info"))
    content[mark + 8 : mark + 12] = struct.pack(">I", announced)
    duration_s, note = read(path, content)
    assert duration_s == pytest.approx(whole, abs=0.1)
    assert "too short" in note if announced else "never written" in note


def test_mp3s_one_after_the_other_are_read_to_the_end(tmp_path: Path) -> None:
    path, content = written(tmp_path, "mp3")
    assert read(path, content + content)[0] == pytest.approx(2 * SECONDS, abs=0.2)


@pytest.mark.parametrize(("subtype", "ending"), [("VORBIS", "ogg"), ("OPUS", "opus")])
def test_a_damaged_last_page_is_told(tmp_path: Path, subtype: str, ending: str) -> None:
    path, content = written(tmp_path, ending, subtype)
    assert read(path, content)[1] == ""
    for place, byte in ((-9, content[-9] ^ 0xFF), (content.rfind(b"OggS") + 6, 7)):
        damaged = bytearray(content)
        damaged[place] = byte
        duration_s, note = read(path, damaged)
        assert duration_s < SECONDS
        assert note.startswith("damaged: ")


@pytest.mark.parametrize("announced", [None, 0, 44])
@pytest.mark.parametrize(("ending", "sound"), [("wav", b"data"), ("aiff", b"SSND")])
def test_an_odd_chunk_without_its_pad_byte_before_the_sound(
    tmp_path: Path, ending: str, sound: bytes, announced: int | None
) -> None:
    path, content = written(tmp_path, ending)
    order = "<" if ending == "wav" else ">"
    at = content.find(sound)
    if announced is not None:
        content[at + 4 : at + 8] = struct.pack(f"{order}I", announced)
    odd = b"note" + struct.pack(f"{order}I", 5) + b"abcde"
    duration_s, note = read(path, content[:at] + odd + content[at:])
    assert duration_s == SECONDS
    assert bool(note) == (announced is not None)
    span, _ = read_span(path, 1.0, 1.5)
    np.testing.assert_allclose(span, SOUND[RATE : RATE + RATE // 2], atol=1e-4)
