"""Damaged recordings: what is there is used, and what is wrong is said in one line."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import soundfile

from birdmodes.audio.read import BLOCK_FRAMES, ClipReader, read_span
from birdmodes.errors import AudioError

RATE_HZ = 22050


def noise(seconds: float, channels: int = 1) -> npt.NDArray[np.float64]:
    rng = np.random.default_rng(0)
    return 0.1 * rng.standard_normal((round(seconds * RATE_HZ), channels))


def write(path: Path, seconds: float = 3.0, **options: str) -> npt.NDArray[np.float32]:
    """Write noise; give what an undamaged file decodes to."""
    soundfile.write(path, noise(seconds), RATE_HZ, **options)
    samples: npt.NDArray[np.float32] = soundfile.read(path, dtype="float32")[0]
    return samples


def read(path: Path) -> tuple[npt.NDArray[np.float32], str]:
    reader = ClipReader(path, RATE_HZ, 10.0)
    return np.concatenate(list(reader)), reader.facts.note


def assert_is_start_of(samples: npt.NDArray[np.float32], whole: npt.NDArray[np.float32]) -> None:
    expected = whole[: len(samples)] - whole[: min(len(samples), BLOCK_FRAMES)].mean()
    np.testing.assert_allclose(samples, expected, atol=1e-6)


def wav(
    data: bytes = b"\1\2" * 1000,
    channels: int = 1,
    rate_hz: int = RATE_HZ,
    bits: int = 16,
    codec: int = 1,
    data_size: int | None = None,
    byte_rate: int | None = None,
    align: int | None = None,
) -> bytes:
    """Make a WAV file, with what a damaged header may claim."""
    align = channels * bits // 8 & 0xFFFF if align is None else align
    byte_rate = rate_hz * align & 0xFFFFFFFF if byte_rate is None else byte_rate
    size = len(data) if data_size is None else data_size
    form = struct.pack("<HHIIHH", codec, channels, rate_hz, byte_rate, align, bits)
    head = b"RIFF" + struct.pack("<I", (size + 36) & 0xFFFFFFFF) + b"WAVE"
    return head + b"fmt \x10\0\0\0" + form + b"data" + struct.pack("<I", size) + data


@pytest.mark.parametrize(
    ("format_", "subtype"),
    [
        ("WAV", "PCM_16"),
        ("WAV", "PCM_24"),
        ("WAVEX", "FLOAT"),
        ("RF64", "PCM_16"),
        ("W64", "PCM_16"),
        ("AIFF", "PCM_16"),
        ("AU", "PCM_16"),
        ("FLAC", "PCM_16"),
    ],
)
def test_a_truncated_recording_gives_what_is_there_and_says_so(
    tmp_path: Path, format_: str, subtype: str
) -> None:
    path = tmp_path / "a.bin"
    whole = write(path, seconds=6.0, format=format_, subtype=subtype)
    samples, note = read(path)
    assert (len(samples), note) == (6 * RATE_HZ, "")
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    samples, note = read(path)
    assert len(samples) / RATE_HZ == pytest.approx(3.0, abs=0.2)
    assert_is_start_of(samples, whole)
    assert f"{len(samples) / RATE_HZ:.3g} s of 6 s" in note


def test_a_truncated_ogg_says_so_though_it_announces_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.ogg"
    whole = write(path, seconds=20.0)
    assert read(path)[1] == ""
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    samples, note = read(path)
    assert 5 < len(samples) / RATE_HZ < 11
    assert_is_start_of(samples[:BLOCK_FRAMES], whole)
    assert note.startswith("truncated: its end is missing")


def test_a_flac_is_read_up_to_where_it_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "a.flac"
    whole = write(path, seconds=9.0)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 3000] = bytes(3000)
    path.write_bytes(content)
    samples, note = read(path)
    assert len(samples) % 4096 == 0  # whole frames of the encoder, all that are before the damage
    assert 4.0 < len(samples) / RATE_HZ < 4.6
    assert_is_start_of(samples, whole)
    assert note.startswith(f"damaged: only the first {len(samples) / RATE_HZ:.3g} s of 9 s")
    span, _ = read_span(path, 3.5, 4.0)
    np.testing.assert_array_equal(span, whole[round(3.5 * RATE_HZ) : 4 * RATE_HZ])


def test_an_ogg_that_is_damaged_in_between_says_that_times_are_off(tmp_path: Path) -> None:
    path = tmp_path / "a.ogg"
    write(path, seconds=20.0)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    del content[middle : middle + 20000]
    path.write_bytes(content)
    samples, note = read(path)
    assert 10 < len(samples) / RATE_HZ < 19.9
    assert "of 20.0 s could be read" in note
    assert "timed early" in note


def test_blocks_and_stretches_of_an_mp3_have_no_seams(tmp_path: Path) -> None:
    path = tmp_path / "a.mp3"
    # Loud bursts take more than their share of bits: frames lean on the ones before.
    samples = noise(12.0)[:, 0] * np.where(np.arange(12 * RATE_HZ) // 2000 % 5, 0.01, 4.0)
    soundfile.write(path, samples, RATE_HZ, format="MP3", compression_level=0.9)
    whole = soundfile.read(path, dtype="float32")[0]
    assert len(whole) > 3 * BLOCK_FRAMES
    ours, note = read(path)
    assert note == ""
    assert len(ours) == len(whole)
    assert_is_start_of(ours, whole)
    for start_s in (1.2, 4.4, 7.3):
        span, _ = read_span(path, start_s, start_s + 0.1)
        expected = whole[round(start_s * RATE_HZ) :][: len(span)]
        np.testing.assert_allclose(span, expected, atol=1e-6)


def mp3_without_length(path: Path, samples: npt.NDArray[np.float64]) -> None:
    """Write an MP3 without its first frame, which holds no sound but the length."""
    soundfile.write(path, samples, 44100, format="MP3", bitrate_mode="VARIABLE")
    content = path.read_bytes()
    mark = max(content.find(b"Xing"), content.find(b"Info"))
    second = content.index(content[:2], mark)
    path.write_bytes(content[second:])


def test_an_mp3_that_hides_most_of_its_length_is_not_shortened_silently(tmp_path: Path) -> None:
    path = tmp_path / "a.mp3"
    rng = np.random.default_rng(0)
    loud, quiet = 0.3 * rng.standard_normal(44100 * 5), np.zeros(44100 * 5)
    mp3_without_length(path, np.concatenate([loud, quiet]))
    reader = ClipReader(path, RATE_HZ, 10.0)
    list(reader)
    assert reader.facts.duration_s < 5
    assert "no length in its header" in reader.facts.note
    assert "of 10.0 s could be read" in reader.facts.note
    mp3_without_length(path, np.concatenate([quiet, loud]))
    reader = ClipReader(path, RATE_HZ, 10.0)
    list(reader)
    assert reader.facts.duration_s == pytest.approx(10.0, abs=0.1)
    assert reader.facts.note == ""


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_wav_whose_length_was_never_written_is_read_to_its_end(
    tmp_path: Path, order: str
) -> None:
    path = tmp_path / "a.wav"
    whole = write(path, endian="LITTLE" if order == "<" else "BIG")
    content = bytearray(path.read_bytes())
    assert content[36:40] == b"data"
    for size, length in ((0, 0), (36, 0)):
        struct.pack_into(f"{order}I", content, 4, size)
        struct.pack_into(f"{order}I", content, 40, length)
        path.write_bytes(content)
        samples, note = read(path)
        assert len(samples) == len(whole)
        assert_is_start_of(samples, whole)
        assert note == "its length was never written (power lost?): read all that is there, 3 s"
        span, _ = read_span(path, 1.0, 2.0)
        np.testing.assert_array_equal(span, whole[RATE_HZ : 2 * RATE_HZ])


def test_a_wav_without_sound_is_not_made_to_sound_from_its_other_chunks(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(wav(b"") + b"LIST" + struct.pack("<I", 200) + bytes(200))
    with pytest.raises(AudioError, match=r"has a header but no sound"):
        read(path)


@pytest.mark.parametrize("total", [0, 2**36 - 1])
def test_a_flac_that_does_not_know_its_length_is_read_to_its_end(
    tmp_path: Path, total: int
) -> None:
    path = tmp_path / "a.flac"
    whole = write(path)
    content = bytearray(path.read_bytes())
    # STREAMINFO: the last 36 of 64 bits before the checksum of the samples
    (packed,) = struct.unpack_from(">Q", content, 18)
    struct.pack_into(">Q", content, 18, (packed >> 36 << 36) | total)
    path.write_bytes(content)
    samples, note = read(path)
    assert len(samples) == len(whole)
    assert note.startswith("truncated: only 3 s of") if total else note == ""
    span, _ = read_span(path, 2.0, 9.0)
    np.testing.assert_array_equal(span, whole[2 * RATE_HZ :])


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [
        ({"data_size": 0xFFFFFFFF}, ""),
        ({"data_size": 0x80000000}, "truncated: only 0.0454 s of"),
        ({"byte_rate": 0}, ""),
        ({"align": 0}, ""),
        ({"channels": 0}, "0 channels"),
        ({"channels": 65535}, "Too many channels"),
        ({"rate_hz": 0}, "and 0 Hz"),
        ({"rate_hz": 1}, "sample rate of 1 Hz, which cannot be"),
        ({"rate_hz": 2**31 - 1}, "sample rate of 2147483647 Hz, which cannot be"),
        ({"rate_hz": 2**32 - 1}, "4294967295 Hz"),
        ({"bits": 0}, "0-bit integer samples"),
        ({"bits": 64}, "64-bit integer samples"),
        ({"bits": 65535}, "65535-bit integer samples"),
        ({"codec": 0x161}, "WMA sound in a WAV file"),
        ({"codec": 3, "bits": 16}, "16-bit float samples"),
    ],
)
def test_what_a_wav_header_may_claim(tmp_path: Path, changes: dict[str, int], outcome: str) -> None:
    path = tmp_path / "a.wav"
    path.write_bytes(wav(**changes))  # type: ignore[arg-type]
    try:
        samples, message = read(path)
        assert len(samples) == 1000
    except AudioError as error:
        message = str(error)
        assert "\n" not in message
    assert outcome in message
    assert bool(outcome) == bool(message)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.wav", b"", r"empty \(0 bytes\); copy it again"),
        ("a.wav", b"version https://git-lfs.github.com/spec/v1\noid", "run git lfs pull"),
        ("a.wav", b"Recorded on 3 May\r\nby \xc3\x89mile\n", r"\(it is text\); leave it out"),
        ("a.wav", bytes(5000), "zeros where its header should be"),
        ("a.wav", b"\x93\x07\x00\x11" * 99, "cannot be read as audio"),
        ("a.wav", "recording,species\n".encode("utf-16"), r"audio \(Format not recognised\); "),
        ("a.wav", b"PK\x03\x04" + bytes(40), "is an archive; unpack it"),
        ("a b.m4a", b"\0\0\0\x1cftypM4A ", r"M4A.*ffmpeg -i 'a b\.m4a' 'a b\.flac'"),
        ("a.wav", b"\0\0\0\x1cftypM4A ", "is MP4/M4A sound"),
        ("a.aac", b"\xff\xf1\x50\x80", r"AAC.*ffmpeg -i a\.aac a\.flac"),
        ("a.wma", bytes.fromhex("3026b2758e66cf11a6d9"), r"WMA.*ffmpeg -i a\.wma a\.flac"),
        ("a.webm", b"\x1a\x45\xdf\xa3", r"WebM.*ffmpeg -i a\.webm a\.flac"),
        ("a.wac", b"WAac\x01\x02", "Kaleidoscope or wac2wav"),
        ("a.raw", b"\1\2" * 50, "raw samples have no header"),
        ("a.wav", wav()[:30], "ends within its header"),
        ("a.wav", b"BW64" + wav()[4:30], r"\(it ends within its header\); copy it again"),
        ("a.mp3", b"ID3\3\0\0\0\x7f\0\0" + bytes(3000), "where its ID3 tag ends"),
        ("a.wav", wav(b""), r"has a header but no sound \(0 samples\)"),
    ],
)
def test_what_is_no_readable_sound_is_named_by_its_content(
    tmp_path: Path, name: str, content: bytes, says: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(AudioError, match=says) as caught:
        list(ClipReader(path, RATE_HZ, 10.0))
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_no_file_stays_open_after_reading_or_failing(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("good.wav", "cut.flac", "unclosed.wav", "text.wav")]
    write(paths[0])
    write(paths[1])
    paths[1].write_bytes(paths[1].read_bytes()[:40000])
    paths[2].write_bytes(wav(data_size=0))
    paths[3].write_text("no sound")
    before = open_files()
    for path in paths:
        try:
            list(ClipReader(path, 16000, 1.0))
            read_span(path, 0.0, 0.1)
            with pytest.raises(AudioError):
                list(ClipReader(path, 16000, 1.0, channel=2))
        except AudioError:
            assert path.name == "text.wav"
        assert open_files() == before
    clips = iter(ClipReader(paths[0], 16000, 1.0))
    next(clips)
    assert open_files() == before + 1
    del clips
    assert open_files() == before


# A process of its own: a decoder that crashes or eats memory must not take the tests with it.
FUZZ = r"""
import random, re, resource, sys, time
from pathlib import Path
import numpy as np, soundfile
from birdmodes.audio.read import ClipReader, read_span
from birdmodes.errors import AudioError

folder, rounds = Path(sys.argv[1]), int(sys.argv[2])
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
samples = 0.2 * np.random.default_rng(0).standard_normal((3000, 2))
originals = []
for number, (kind, subtype) in enumerate(
    [("WAV", "PCM_16"), ("WAV", "MS_ADPCM"), ("WAVEX", "FLOAT"), ("RF64", "PCM_24"),
     ("W64", "PCM_16"), ("AIFF", "PCM_16"), ("AU", "PCM_16"), ("CAF", "ALAC_16"),
     ("NIST", "PCM_16"), ("VOC", "PCM_16"), ("SVX", "PCM_16"), ("MAT5", "PCM_16"),
     ("PAF", "PCM_16"), ("FLAC", "PCM_16"), ("OGG", "VORBIS"), ("OGG", "OPUS"), ("MP3", None)]
):
    path = folder / f"{number}.bin"
    channels = 1 if kind == "SVX" else 2
    soundfile.write(path, samples[:, :channels], 48000, format=kind, subtype=subtype)
    originals.append(path.read_bytes())
values = [0, 1, 2, 127, 128, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**63, 2**64 - 1]
rng = random.Random(0)

def mutated(content):
    for _ in range(rng.randint(1, 5)):
        position = rng.randrange(min(len(content), rng.choice([64, 256, len(content)])))
        kind = rng.randrange(6)
        if kind < 2:
            content[position] = rng.randrange(256)
        elif kind < 4:
            size = rng.choice([2, 4, 8])
            value = rng.choice(values) % 256**size
            content[position:position + size] = value.to_bytes(size, rng.choice(["little", "big"]))
        elif kind == 4:
            del content[position + 1:position + rng.randrange(2, 2000)]
        else:
            content = content[:position + 1]
    return content

def peak_mib():
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+)", status)[1]) / 1024

before, slowest, counts = peak_mib(), 0.0, {"read": 0, "refused": 0}
path = folder / "mutated.bin"
for number in range(rounds):
    path.write_bytes(mutated(bytearray(originals[number % len(originals)])))
    started = time.process_time()
    for read in (lambda: list(ClipReader(path, 22050, 10.0)), lambda: read_span(path, 0.01, 9.0)):
        try:
            read()
            counts["read"] += 1
        except AudioError as error:
            assert "\n" not in str(error) and len(str(error)) < 400, error
            counts["refused"] += 1
    slowest = max(slowest, time.process_time() - started)
print("result", counts["read"], counts["refused"], peak_mib() - before, slowest)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_no_mutation_of_any_format_crashes_hangs_or_fills_the_memory(tmp_path: Path) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", FUZZ, str(tmp_path), "600"],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert answer.returncode == 0, answer.stderr[-2000:]
    result = next(line for line in answer.stdout.splitlines() if line.startswith("result"))
    read, refused, more_mib, slowest_s = map(float, result.split()[1:])
    assert read > 100
    assert refused > 100
    assert more_mib < 60
    assert slowest_s < 5
