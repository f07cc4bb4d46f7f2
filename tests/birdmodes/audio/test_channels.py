"""Channels that do not go together, and the best of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile

from birdmodes.audio.channels import AUTO, ChannelComparison, best_channel
from birdmodes.audio.read import ClipReader, read_span
from birdmodes.segmentation import segment_clip
from birdmodes.segmentation.parameters import SegmentationParameters

DEFAULT = SegmentationParameters()
RATE_HZ = DEFAULT.sample_rate_hz
SECONDS = 4.0
RNG = np.random.default_rng(0)


def hiss(level: float = 0.002) -> np.ndarray:
    return level * RNG.standard_normal(round(SECONDS * RATE_HZ))


def notes() -> np.ndarray:
    samples = np.zeros(round(SECONDS * RATE_HZ))
    t = np.arange(round(0.2 * RATE_HZ)) / RATE_HZ
    for at in (0.5, 1.4, 2.3, 3.2):
        first = round(at * RATE_HZ)
        samples[first : first + t.size] = 0.05 * np.hanning(t.size) * np.sin(2 * np.pi * 3500 * t)
    return samples


def crackle() -> np.ndarray:
    samples = hiss(0.01)
    at = RNG.integers(0, samples.size, 60)
    samples[at] += RNG.uniform(-0.9, 0.9, 60)
    return samples


def hum() -> np.ndarray:
    t = np.arange(round(SECONDS * RATE_HZ)) / RATE_HZ
    return 0.3 * np.sin(2 * np.pi * 50 * t) + hiss(0.02)


def note_of(*channels: np.ndarray) -> str:
    comparison = ChannelComparison(RATE_HZ)
    comparison.add(np.stack(channels, axis=1).astype(np.float32))
    return comparison.note()


def test_channels_that_go_together_are_no_matter() -> None:
    assert note_of(notes() + hiss(), notes() + hiss()) == ""
    assert note_of(notes() + hiss(), 0.6 * notes() + hiss()) == ""
    assert note_of(hiss(), hiss()) == ""
    assert note_of(notes()) == ""


def test_the_same_sounds_at_other_times_or_reversed_in_part_are_told() -> None:
    def later(seconds: float) -> np.ndarray:
        return np.roll(notes(), round(seconds * RATE_HZ))

    assert "0.82 ms apart, so that their mean lacks" in note_of(notes() + hiss(), later(0.0008))
    assert "5.1 ms apart" in note_of(later(0.0051) + hiss(), notes())
    assert note_of(notes() + hiss(), later(0.3) + hiss()) == ""
    assert "use --channel 1, or --channel auto" in note_of(notes(), -0.5 * notes() + hiss())
    crowd = hiss(0.1)
    assert "in part, one is reversed" in note_of(crowd + hiss(), -0.4 * crowd)


def test_what_is_wrong_with_channels_is_told_with_the_remedy() -> None:
    sound = notes() + hiss()
    assert "cancel each other" in note_of(sound, -sound)
    assert "use --channel 2, or --channel auto" in note_of(np.zeros(sound.size), sound)
    assert "channel 1 is silent" in note_of(np.zeros(sound.size), sound)
    assert "channel 1 is 20 dB louder than channel 2" in note_of(10 * sound, sound)


@pytest.mark.parametrize("broken", ["dead", "hissing", "humming", "crackling", "faint"])
def test_the_channel_that_hears_the_birds_is_the_best(broken: str) -> None:
    other = {
        "dead": np.zeros(notes().size),
        "hissing": hiss(0.05),
        "humming": hum(),
        "crackling": crackle(),
        "faint": hiss(1e-5),
    }[broken]
    good = notes() + hiss()
    for number, channels in ((1, (good, other)), (2, (other, good))):
        block = np.stack(channels, axis=1).astype(np.float32)
        assert best_channel([block], RATE_HZ) == number


def test_equal_channels_give_the_first() -> None:
    good = notes() + hiss()
    assert best_channel([np.stack([good, good], axis=1).astype(np.float32)], RATE_HZ) == 1


def test_a_broken_microphone_does_not_spoil_the_other(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, np.stack([crackle(), notes() + hiss()], axis=1), RATE_HZ)
    reader = ClipReader(path, RATE_HZ, 10.0, AUTO)
    (clip,) = reader
    assert len(segment_clip(clip, DEFAULT)) == 4
    assert reader.facts.note == "channel 2 of 2 is used, the best one"
    assert reader.facts.channel == 2
    chosen, _ = read_span(path, 0.0, 1.0, AUTO)
    second, _ = read_span(path, 0.0, 1.0, 2)
    np.testing.assert_array_equal(chosen, second)


def test_a_recording_of_one_channel_has_no_choice(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, notes() + hiss(), RATE_HZ)
    reader = ClipReader(path, RATE_HZ, 10.0, AUTO)
    list(reader)
    assert reader.facts.note == ""


def test_channels_that_cancel_in_the_shared_case(shared: Path) -> None:
    path = shared / "cases" / "F04-mixed" / "reversed.wav"
    mixed = ClipReader(path, RATE_HZ, 10.0)
    list(mixed)
    assert "--channel auto" in mixed.facts.note
    (clip,) = ClipReader(path, RATE_HZ, 10.0, AUTO)
    assert len(segment_clip(clip, DEFAULT)) > 0
