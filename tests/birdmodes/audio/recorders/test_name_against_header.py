"""Where name and header disagree, and recordings whose clock or time is not what it seems."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile

from birdmodes.audio.read import ClipReader, read_span
from birdmodes.audio.recorders import recorder_facts
from birdmodes.audio.recorders.triggered import is_unexpanded

RATE_HZ = 16_000


def chunk(name: bytes, content: bytes, pad: bool = True) -> bytes:
    return name + struct.pack("<I", len(content)) + content + b"\0" * (pad and len(content) % 2)


def wav(samples: np.ndarray, *chunks: bytes, rate_hz: int = RATE_HZ) -> bytes:
    form = struct.pack("<HHIIHH", 1, 1, rate_hz, 2 * rate_hz, 2, 16)
    data = (samples * 32767).astype("<i2").tobytes()
    content = b"WAVE" + chunk(b"fmt ", form) + chunk(b"data", data) + b"".join(chunks)
    return chunk(b"RIFF", content)


def tone(pitch_hz: float, seconds: float = 1.0) -> np.ndarray:
    t = np.arange(round(seconds * RATE_HZ)) / RATE_HZ
    return 0.3 * np.sin(2 * np.pi * pitch_hz * t)


def audiomoth(comment: str) -> bytes:
    return chunk(b"LIST", b"INFO" + chunk(b"ICMT", comment.encode() + b"\0"))


@pytest.mark.parametrize(
    ("name", "comment", "disagree"),
    [
        ("20191105_053000.WAV", "06:30:00 05/11/2019 (UTC+5:30)", True),
        ("20191105_053000.WAV", "05:30:00 05/11/2019 (UTC+5:30)", False),
        ("20191105_010000.WAV", "06:30:00 05/11/2019 (UTC+5:30)", False),  # the name is UTC
        ("20191105_053001.WAV", "05:30:00 05/11/2019 (UTC)", False),
        ("dawn.WAV", "06:30:00 05/11/2019 (UTC)", False),
    ],
)
def test_a_name_that_disagrees_with_the_header_is_told(
    tmp_path: Path, name: str, comment: str, disagree: bool
) -> None:
    path = tmp_path / name
    path.write_bytes(
        wav(tone(1000), audiomoth(f"Recorded at {comment} by AudioMoth 0123456789ABCDEF at"))
    )
    note = recorder_facts(name, path).note
    assert bool(note) == disagree
    if disagree:
        assert "its name says 2019-11-05T05:30:00" in note
        assert "its header 2019-11-05T06:30:00 +05:30" in note


def silence(n_blocks: int) -> np.ndarray:
    """The block that stands for `n_blocks` of silence."""
    bits = [1 if n_blocks >> bit & 1 else -1 for bit in range(32)]
    return np.array(bits + [0] * 224) / 32767


def test_a_triggered_recording_without_its_silence_is_not_dated(tmp_path: Path) -> None:
    name = "20240512_043000T.WAV"
    sound = tone(1000)[: 256 * 60]
    unexpanded, expanded = tmp_path / name, tmp_path / "b" / name
    expanded.parent.mkdir()
    comment = audiomoth("Recorded at 04:30:00 12/05/2024 (UTC) by AudioMoth 0123456789ABCDEF at")
    unexpanded.write_bytes(wav(np.concatenate([sound, silence(844), sound]), comment))
    expanded.write_bytes(wav(np.concatenate([sound, np.zeros(2560), sound]), comment))
    facts = recorder_facts(name, unexpanded)
    assert facts.recorded_at == ""
    assert "expand it first" in facts.note
    assert facts.device == "0123456789ABCDEF"
    assert recorder_facts(name, expanded).recorded_at == "2024-05-12T04:30:00"
    assert recorder_facts(name, expanded).note == ""
    assert not is_unexpanded("20240512_043000.WAV", unexpanded)


@pytest.mark.parametrize("pad", [True, False])
def test_guano_is_found_behind_an_odd_chunk_with_and_without_pad_byte(
    tmp_path: Path, pad: bool
) -> None:
    path = tmp_path / "a.wav"
    guano = chunk(b"guan", b"GUANO|Version:1.0\nTimestamp:2024-05-12T04:30:00+02:00\nSerial:7\n")
    path.write_bytes(wav(tone(1000), chunk(b"note", b"odd", pad), guano))
    assert recorder_facts("a.wav", path).device == "7"


def test_a_time_expanded_recording_has_the_frequencies_and_times_of_the_sound(
    tmp_path: Path,
) -> None:
    path = tmp_path / "bat.wav"
    guano = chunk(b"guan", b"GUANO|Version:1.0\nTE:10\nSamplerate:160000\n")
    path.write_bytes(wav(tone(2000, seconds=3.0), guano))
    reader = ClipReader(path, 160_000, 10.0)
    (clip,) = reader
    assert reader.facts.sample_rate_hz == 160_000
    assert reader.facts.duration_s == pytest.approx(0.3)
    assert "expanded 10 times" in reader.facts.note
    assert np.abs(np.fft.rfft(clip)).argmax() / 0.3 == pytest.approx(20_000, abs=10)
    samples, rate = read_span(path, 0.1, 0.2)
    assert (len(samples), rate) == (16_000, 160_000)


@pytest.mark.parametrize("text", ["TE:1", "TE:0", "TE:fast", "TE:10\nSamplerate:16000", ""])
def test_a_recording_that_is_not_expanded_is_read_as_it_is(tmp_path: Path, text: str) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(wav(tone(2000), chunk(b"guan", f"GUANO|Version:1.0\n{text}\n".encode())))
    reader = ClipReader(path, RATE_HZ, 10.0)
    list(reader)
    assert reader.facts.sample_rate_hz == RATE_HZ
    assert reader.facts.note == ""


def test_comments_of_frontier_labs(tmp_path: Path) -> None:
    path = tmp_path / "a.flac"
    soundfile.write(path, tone(1000), RATE_HZ)
    content = path.read_bytes()
    comments = [
        b"RecordingStart=2019-05-08 02:00:00+1000",
        b"SensorLocation=-27.3866 +152.8761",
        b"SensorUid=00015220",
    ]
    vendor = b"Frontier Labs"
    body = struct.pack("<I", len(vendor)) + vendor + struct.pack("<I", len(comments))
    body += b"".join(struct.pack("<I", len(text)) + text for text in comments)
    block = bytes([4]) + len(body).to_bytes(3, "big") + body
    assert content[4] == 0  # STREAMINFO, 34 bytes, and others behind it
    path.write_bytes(content[:42] + block + content[42:])
    facts = recorder_facts("a.flac", path)
    assert (facts.recorded_at, facts.utc_offset) == ("2019-05-08T02:00:00", "+10:00")
    assert (facts.device, facts.recorder) == ("00015220", "Frontier Labs")
    assert (facts.latitude, facts.longitude) == (-27.3866, 152.8761)
    assert soundfile.info(path).frames == RATE_HZ


@pytest.mark.parametrize(
    ("name", "recorded_at", "utc_offset", "note"),
    [
        ("F10-times/201905 8T020000+1000_REC.flac", "2019-05-08T02:00:00", "+10:00", ""),
        ("F10-times/20191105_053000.WAV", "2019-11-05T06:30:00", "+05:30", "its name says"),
        ("F10-times/AM12_2024-05-12T04-30-00.000Z.wav", "2024-05-12T04:30:00", "+00:00", ""),
        (
            "F10-times/sg639_MHI_Apr2023_230411-221029.038.wav",
            *("2023-04-11T22:10:29.038", "", ""),
        ),
        ("F05-twav/20240512_043000T.WAV", "", "", "expand it first"),
        ("F12-pad/with.wav", "2024-05-12T04:30:00", "+02:00", ""),
        ("F12-pad/without.wav", "2024-05-12T04:30:00", "+02:00", ""),
    ],
)
def test_times_of_the_shared_cases(
    shared: Path, name: str, recorded_at: str, utc_offset: str, note: str
) -> None:
    facts = recorder_facts(name, shared / "cases" / name)
    assert (facts.recorded_at, facts.utc_offset) == (recorded_at, utc_offset)
    assert note in facts.note
    assert bool(note) == bool(facts.note)


def test_time_expansion_of_the_shared_case(shared: Path) -> None:
    reader = ClipReader(shared / "cases" / "F10-times" / "bat.wav", 192_000, 10.0)
    list(reader)
    assert reader.facts.sample_rate_hz == 220_500
    assert reader.facts.duration_s == pytest.approx(0.2)
