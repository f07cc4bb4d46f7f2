from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile
import soxr

from birdmodes.audio.read import BLOCK_FRAMES, ClipReader, read_span
from birdmodes.errors import AudioError

RATE_HZ = 22050


def tone(seconds: float, rate_hz: int, pitch_hz: float = 1000.0) -> np.ndarray:
    return 0.5 * np.sin(2 * np.pi * pitch_hz * np.arange(round(seconds * rate_hz)) / rate_hz)


@pytest.mark.parametrize(
    ("ending", "subtype", "tolerance"),
    [
        ("wav", "PCM_U8", 1e-2),
        ("wav", "PCM_16", 1e-4),
        ("wav", "PCM_24", 1e-6),
        ("wav", "PCM_32", 1e-6),
        ("wav", "FLOAT", 1e-6),
        ("wav", "DOUBLE", 1e-6),
        ("FLAC", "PCM_16", 1e-4),
        ("flac", "PCM_24", 1e-6),
        ("Ogg", "VORBIS", 5e-2),
    ],
)
def test_every_format_gives_the_same_samples(
    tmp_path: Path, ending: str, subtype: str, tolerance: float
) -> None:
    expected = tone(1.0, RATE_HZ)
    path = tmp_path / f"a.{ending}"
    soundfile.write(path, expected, RATE_HZ, subtype=subtype, format=ending.upper())
    (clip,) = ClipReader(path, RATE_HZ, 10.0)
    assert clip.dtype == np.float32
    np.testing.assert_allclose(clip, expected, atol=tolerance)


def test_mp3_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.mp3"
    soundfile.write(path, tone(1.0, RATE_HZ), RATE_HZ, format="MP3")
    (clip,) = ClipReader(path, RATE_HZ, 10.0)
    peak_hz = np.argmax(np.abs(np.fft.rfft(clip))) * RATE_HZ / len(clip)
    assert peak_hz == pytest.approx(1000, abs=2)


def test_channels_are_averaged_or_one_is_chosen(tmp_path: Path) -> None:
    left, right = tone(0.5, RATE_HZ), np.zeros(RATE_HZ // 2)
    path = tmp_path / "stereo.wav"
    soundfile.write(path, np.column_stack([left[: len(right)], right]), RATE_HZ, subtype="FLOAT")
    (mixed,) = ClipReader(path, RATE_HZ, 10.0)
    (first,) = ClipReader(path, RATE_HZ, 10.0, channel=1)
    (second,) = ClipReader(path, RATE_HZ, 10.0, channel=2)
    np.testing.assert_allclose(mixed, left[: len(right)] / 2, atol=1e-6)
    np.testing.assert_allclose(first, left[: len(right)], atol=1e-6)
    assert not second.any()
    with pytest.raises(AudioError, match=r"stereo\.wav: has 2 channel.*--channel 3"):
        list(ClipReader(path, RATE_HZ, 10.0, channel=3))


@pytest.mark.parametrize("rate_hz", [8000, 16000, 44100, 48000, 96000])
def test_clips_join_to_what_resampling_the_whole_gives(tmp_path: Path, rate_hz: int) -> None:
    rng = np.random.default_rng(0)
    samples = (0.1 * rng.standard_normal(round(2.6 * rate_hz))).astype(np.float32)
    path = tmp_path / "a.wav"
    soundfile.write(path, samples, rate_hz, subtype="FLOAT")
    reader = ClipReader(path, RATE_HZ, 1.0)
    clips = list(reader)
    assert [len(clip) for clip in clips[:-1]] == [RATE_HZ, RATE_HZ]
    samples -= samples[:BLOCK_FRAMES].mean()
    expected = soxr.resample(samples, rate_hz, RATE_HZ, quality="HQ")
    joined = np.concatenate(clips)
    assert abs(len(joined) - len(expected)) <= 1
    common = min(len(joined), len(expected))
    np.testing.assert_allclose(joined[:common], expected[:common], atol=1e-4)
    assert reader.facts.duration_s == pytest.approx(2.6)
    assert reader.facts.sample_rate_hz == rate_hz


# Importing librosa in a new environment compiles for 24 s.
@pytest.mark.slow
def test_resampling_is_that_of_librosa(tmp_path: Path) -> None:
    import librosa

    samples = (0.1 * np.random.default_rng(0).standard_normal(3 * 48000)).astype(np.float32)
    path = tmp_path / "a.wav"
    soundfile.write(path, samples, 48000, subtype="FLOAT")
    samples -= samples[:BLOCK_FRAMES].mean()
    expected = librosa.resample(samples, orig_sr=48000, target_sr=RATE_HZ, res_type="soxr_hq")
    joined = np.concatenate(list(ClipReader(path, RATE_HZ, 1.0)))
    np.testing.assert_allclose(joined, expected, atol=1e-4)


@pytest.mark.parametrize(
    ("seconds", "lengths"),
    [
        (0.3, [0.3]),
        (2.0, [2.0]),
        (2.9, [2.9]),
        (3.0, [2.0, 1.0]),
        (4.5, [2.0, 2.5]),
        (5.5, [2.0, 2.0, 1.5]),
    ],
)
def test_a_short_rest_goes_with_the_clip_before(
    tmp_path: Path, seconds: float, lengths: list[float]
) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, tone(seconds, RATE_HZ), RATE_HZ, subtype="FLOAT")
    clips = list(ClipReader(path, RATE_HZ, 2.0))
    assert [len(clip) / RATE_HZ for clip in clips] == pytest.approx(lengths)
    np.testing.assert_allclose(np.concatenate(clips), tone(seconds, RATE_HZ), atol=1e-4)


def test_samples_that_are_no_sound_become_silence_with_a_note(tmp_path: Path) -> None:
    samples = tone(0.5, RATE_HZ)
    samples[100:110] = np.nan
    samples[200] = np.inf
    samples[201] = -1e15
    path = tmp_path / "a.wav"
    soundfile.write(path, samples, RATE_HZ, subtype="FLOAT")
    reader = ClipReader(path, RATE_HZ, 10.0)
    (clip,) = reader
    assert np.abs(clip).max() < 2
    assert reader.facts.note == (
        "samples that are no numbers, or over 1e+12 times full scale, are taken for silence: "
        "12 of them"
    )
    assert np.abs(read_span(path, 0, 1)[0]).max() < 2


def test_float_samples_far_above_full_scale_are_read_and_known_apart(tmp_path: Path) -> None:
    reader = {}
    for name, factor in (("int32", 2.0**31), ("most", 1e11), ("twice", 2e11)):
        path = tmp_path / f"{name}.wav"
        soundfile.write(path, factor * tone(0.5, RATE_HZ), RATE_HZ, subtype="FLOAT")
        reader[name] = ClipReader(path, RATE_HZ, 10.0)
        (clip,) = reader[name]
        np.testing.assert_allclose(clip / factor, tone(0.5, RATE_HZ), atol=1e-3)
    assert {each.facts.note for each in reader.values()} == {""}
    assert len({each.facts.fingerprint for each in reader.values()}) == 3


@pytest.mark.parametrize("rate_hz", [8000, RATE_HZ, 48000])
def test_a_constant_offset_is_removed_without_a_click(tmp_path: Path, rate_hz: int) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, np.full(3 * rate_hz, 0.5), rate_hz, subtype="FLOAT")
    (clip,) = ClipReader(path, RATE_HZ, 10.0)
    assert np.abs(clip).max() < 1e-6


def test_a_span_is_read_at_the_files_own_rate(tmp_path: Path) -> None:
    samples = tone(2.0, 48000)
    path = tmp_path / "a.wav"
    soundfile.write(path, samples, 48000, subtype="FLOAT")
    span, rate = read_span(path, 0.5, 0.75)
    assert rate == 48000
    np.testing.assert_allclose(span, samples[24000:36000], atol=1e-6)
    before, _ = read_span(path, -1.0, 0.1)
    assert len(before) == 4800
    beyond, _ = read_span(path, 1.9, 5.0)
    assert len(beyond) == 4800
    assert len(read_span(path, 7.0, 8.0)[0]) == 0


# The peak of the process itself: ru_maxrss would begin with that of the one that started it.
MEASURE = """
import re, sys
from pathlib import Path
from birdmodes.audio.read import ClipReader
total = sum(len(clip) for clip in ClipReader(Path(sys.argv[1]), 22050, 10.0))
status = Path("/proc/self/status").read_text()
print(total, re.search(r"VmHWM:\\s+(\\d+) kB", status)[1])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_reading_a_long_recording_takes_no_more_memory_than_a_short_one(tmp_path: Path) -> None:
    peaks = {}
    for minutes in (1, 20):
        path = tmp_path / f"{minutes}.wav"
        with soundfile.SoundFile(path, "w", 48000, 1, "PCM_16") as file:
            for _ in range(minutes):
                file.write(np.zeros(60 * 48000, dtype=np.int16))
        answer = subprocess.run(
            [sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True
        )
        total, peak_kib = map(int, answer.stdout.split())
        assert total == minutes * 60 * RATE_HZ
        peaks[minutes] = peak_kib / 1024
    assert peaks[20] - peaks[1] < 20  # MB; the whole would be 230


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_thousand_channels_take_no_more_memory_than_one(tmp_path: Path) -> None:
    path = tmp_path / "wide.wav"
    soundfile.write(path, np.zeros((2, 1000)), RATE_HZ, subtype="PCM_U8")
    content = bytearray(path.read_bytes())
    frames = BLOCK_FRAMES
    content[-2004:-2000] = (1000 * frames).to_bytes(4, "little")
    path.write_bytes(content)
    os.truncate(path, len(content) + 1000 * (frames - 2))
    answer = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path)], capture_output=True, text=True, check=True
    )
    total, peak_kib = map(int, answer.stdout.split())
    assert total == frames
    assert peak_kib / 1024 < 200  # a block of that many frames is 250 MB
