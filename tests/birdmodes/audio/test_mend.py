"""Headers whose length of the sound is wrong: all that is there is read, and it is told."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile

from birdmodes.audio.mend import find_mended
from birdmodes.audio.read import ClipReader, read_span

RATE_HZ = 22050
SECONDS = 2.0
SAMPLES = 0.1 * np.random.default_rng(0).standard_normal(round(SECONDS * RATE_HZ))

# Format and byte order; what stands before the length; how the length is written, what it counts
# beside the sound.
CONTAINERS = {
    "WAV": ("WAV", "FILE", b"data", "<I", 0),
    "RIFX": ("WAV", "BIG", b"data", ">I", 0),
    "WAVEX": ("WAVEX", "FILE", b"data", "<I", 0),
    "RF64": ("RF64", "FILE", b"ds64" + struct.pack("<IQ", 28, 88296), "<Q", 0),
    "W64": ("W64", "FILE", b"data\xf3\xac\xd3\x11\x8c\xd1\x00\xc0\x4f\x8e\xdb\x8a", "<Q", 24),
    "AIFF": ("AIFF", "FILE", b"SSND", ">I", 8),
    "AU": ("AU", "FILE", b".snd\0\0\0\x18", ">I", 0),
    "AU, little": ("AU", "LITTLE", b"dns.\x18\0\0\0", "<I", 0),
    "SVX": ("SVX", "FILE", b"BODY", ">I", 0),
    "CAF": ("CAF", "FILE", b"data", ">q", 4),
}


def written(path: Path, container: str, length: int | None, behind: bytes = b"") -> Path:
    """Write a recording whose header announces `length` bytes of sound."""
    format_, endian, mark, number, more = CONTAINERS[container]
    soundfile.write(path, SAMPLES, RATE_HZ, "PCM_16", endian, format_)
    content = bytearray(path.read_bytes())
    at = content.index(mark) + len(mark)
    assert struct.unpack_from(number, content, at)[0] == 2 * SAMPLES.size + more
    if length is not None:
        struct.pack_into(number, content, at, length + more)
    path.write_bytes(content + behind)
    return path


def read(path: Path) -> tuple[int, str]:
    reader = ClipReader(path, RATE_HZ, 10.0)
    return sum(len(clip) for clip in reader), reader.facts.note


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("length", [0, 44, 40_000])
def test_too_short_a_length_does_not_hide_the_sound(
    tmp_path: Path, container: str, length: int
) -> None:
    path = written(tmp_path / "a.bin", container, length)
    count, note = read(path)
    assert count == SAMPLES.size
    assert note.endswith("read all that is there, 2 s")
    span, rate = read_span(path, 1.0, 1.5)
    assert rate == RATE_HZ
    np.testing.assert_allclose(span, SAMPLES[RATE_HZ : RATE_HZ + RATE_HZ // 2], atol=1e-4)


@pytest.mark.parametrize("container", [name for name in CONTAINERS if name != "CAF"])
def test_a_little_too_large_a_length_is_not_called_truncated(
    tmp_path: Path, container: str
) -> None:
    count, note = read(written(tmp_path / "a.bin", container, 2 * SAMPLES.size + 44))
    assert count == SAMPLES.size
    assert "truncated" not in note
    assert "more than there are: read all, 2 s" in note


@pytest.mark.parametrize("container", CONTAINERS)
def test_a_right_length_is_left_as_it_is(tmp_path: Path, container: str) -> None:
    path = written(tmp_path / "a.bin", container, None)
    assert find_mended(path) is None
    assert read(path) == (SAMPLES.size, "")


@pytest.mark.parametrize("container", ["WAV", "RIFX", "AIFF"])
def test_a_chunk_behind_the_sound_is_not_sound(tmp_path: Path, container: str) -> None:
    order = CONTAINERS[container][3][0]
    chunk = b"junk" + struct.pack(f"{order}I", 6000) + bytes(range(256)) * 23 + bytes(112)
    path = written(tmp_path / "a.bin", container, None, behind=chunk)
    assert find_mended(path) is None
    assert read(path) == (SAMPLES.size, "")


def test_zeros_up_to_the_end_of_a_sector_are_not_sound(tmp_path: Path) -> None:
    path = written(tmp_path / "a.wav", "WAV", None, behind=bytes(30_000))
    assert read(path) == (SAMPLES.size, "")


def test_bw64_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "a.wav", "RF64", None)
    path.write_bytes(b"BW64" + path.read_bytes()[4:])
    assert read(path) == (SAMPLES.size, "")


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("good.wav", ""),
        ("size1.wav", "too short (1 of 176400 bytes)"),
        ("size44.wav", "too short (44 of 176400 bytes)"),
        ("ds64_0.rf64", "never written"),
        ("ssnd0.aiff", "read all that is there, 4 s"),
        ("fl005_44_too_many.wav", "22 samples more than there are: read all, 4 s"),
    ],
)
def test_wrong_lengths_of_recorders(shared: Path, name: str, says: str) -> None:
    count, note = read(shared / "cases" / "F03-length" / name)
    assert count == 4 * RATE_HZ
    assert says in note
    assert bool(says) == bool(note)
