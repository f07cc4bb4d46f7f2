"""Ogg files of several streams, and with damaged pages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from birdmodes.audio.ogg import Slice, links
from birdmodes.audio.read import ClipReader, read_span

RATE_HZ = 22050


def stream(path: Path, seconds: float, pitch_hz: float, rate_hz: int = RATE_HZ) -> bytes:
    t = np.arange(round(seconds * rate_hz)) / rate_hz
    noise = 0.02 * np.random.default_rng(0).standard_normal(t.size)
    soundfile.write(path, 0.3 * np.sin(2 * np.pi * pitch_hz * t) + noise, rate_hz, format="OGG")
    return path.read_bytes()


def read(path: Path) -> tuple[float, str]:
    reader = ClipReader(path, RATE_HZ, 10.0)
    return sum(len(clip) for clip in reader) / RATE_HZ, reader.facts.note


def pitch_of(samples: np.ndarray, rate_hz: int) -> float:
    return float(np.abs(np.fft.rfft(samples)).argmax() * rate_hz / samples.size)


def test_streams_that_follow_each_other_are_read_one_after_the_other(tmp_path: Path) -> None:
    path = tmp_path / "a.ogg"
    path.write_bytes(stream(path, 2.0, 1000) + stream(path, 3.0, 2000))
    assert [link.frames for link in links(path)] == [2 * RATE_HZ, 3 * RATE_HZ]
    seconds, note = read(path)
    assert seconds == pytest.approx(5.0, abs=0.01)
    assert note == "2 Ogg streams in one file, read one after the other"
    for at, pitch in ((0.5, 1000), (3.0, 2000)):
        samples, rate = read_span(path, at, at + 1.0)
        assert samples.size == rate
        assert pitch_of(samples, rate) == pytest.approx(pitch, abs=5)


def test_a_stream_of_another_rate_is_not_taken_for_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.ogg"
    path.write_bytes(stream(path, 2.0, 1000) + stream(path, 3.0, 2000, 44100))
    seconds, note = read(path)
    assert seconds == pytest.approx(2.0, abs=0.01)
    assert note == "what follows in the file has another rate or other channels and is left out"


@pytest.mark.parametrize("damage", ["length of a page", "half is missing", "between"])
def test_streams_behind_damage_are_read_too(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "a.ogg"
    first, second = bytearray(stream(path, 4.0, 1000)), stream(path, 3.0, 2000)
    if damage == "length of a page":
        pages = [at for at in range(len(first)) if first.startswith(b"OggS", at)]
        first[pages[len(pages) // 2] + 30] ^= 0xFF
    elif damage == "half is missing":
        del first[len(first) // 2 :]
    else:
        first += bytes(777)
    path.write_bytes(first + second)
    seconds, note = read(path)
    assert seconds > 4.5
    assert "2 Ogg streams" in note
    assert note.startswith("damaged: only") == (damage != "between")
    samples, rate = read_span(path, seconds - 2.0, seconds - 1.0)
    assert pitch_of(samples, rate) == pytest.approx(2000, abs=5)


def test_a_damaged_last_page_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.ogg"
    content = bytearray(stream(path, 4.0, 1000))
    page = content.rfind(b"OggS")
    content[page + 60] ^= 0xFF
    path.write_bytes(content)
    seconds, note = read(path)
    assert seconds < 4
    assert note.startswith("damaged: only")


def test_a_slice_is_a_file_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(bytes(range(100)))
    with Slice(path, 10, 30) as part:
        assert part.read(5) == bytes(range(10, 15))
        assert part.tell() == 5
        assert part.seek(-4, 2) == 16
        assert part.read(100) == bytes(range(26, 30))
        assert part.read(1) == b""


def test_a_page_that_has_only_begun_ends_the_search(tmp_path: Path) -> None:
    whole = stream(tmp_path / "a.ogg", 1.0, 2000)
    (tmp_path / "b.ogg").write_bytes(whole + b"OggS" + bytes(20))
    assert len(links(tmp_path / "b.ogg")) == 1


def test_a_file_that_is_no_ogg_has_no_streams(tmp_path: Path) -> None:
    path = tmp_path / "a.ogg"
    path.write_bytes(b"RIFF" + bytes(100))
    assert links(path) == []


def test_a_chain_and_a_damaged_page_of_the_shared_cases(shared: Path) -> None:
    folder = shared / "cases" / "R-inputs"
    assert read(folder / "ogg_chain.ogg")[0] == pytest.approx(4.0, abs=0.01)
    seconds, note = read(folder / "ogg_flip.ogg")
    assert seconds == pytest.approx(1.25, abs=0.01)
    assert "only 1.25 s of 2 s" in note
