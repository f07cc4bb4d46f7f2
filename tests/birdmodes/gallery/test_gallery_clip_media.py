from __future__ import annotations

import base64
import io
from pathlib import Path

import numpy as np
import pytest
import soundfile
from PIL import Image

from birdmodes.gallery.media.clip_media import (
    ClipAudio,
    clip_picture,
    clip_script,
    place_of_patch,
    read_clip,
    read_clip_script,
)
from birdmodes.gallery.sounds import MOST_GAIN, PEAK
from birdmodes.pictures.source import Source, UnavailableError
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.spectrogram import spectrogram, whiten

PARAMETERS = SegmentationParameters()
RATE_HZ = PARAMETERS.sample_rate_hz


def samples_of(seconds: float, tones: dict[float, float], rate_hz: int = RATE_HZ) -> np.ndarray:
    """Noise with a tone of 4 kHz and 0.2 s at each of some seconds, with its amplitude."""
    samples = 0.001 * np.random.default_rng(0).standard_normal(round(seconds * rate_hz))
    time = np.arange(round(0.2 * rate_hz)) / rate_hz
    for start_s, amplitude in tones.items():
        first = round(start_s * rate_hz)
        samples[first : first + len(time)] += amplitude * np.sin(2 * np.pi * 4000 * time)
    return samples.astype(np.float32)


def source_of(path: Path, samples: np.ndarray, rate_hz: int = RATE_HZ) -> Source:
    soundfile.write(path, samples, rate_hz, subtype="FLOAT")
    status = path.stat()
    duration_s = len(samples) / rate_hz
    return Source(path.name, path, status.st_size, status.st_mtime_ns, duration_s, None)


def test_a_clip_is_drawn_as_the_segmenter_sees_it(tmp_path: Path) -> None:
    samples = samples_of(30.0, {12.0: 0.2})
    clip = read_clip(source_of(tmp_path / "a.wav", samples), 10.0, 20.0, PARAMETERS)
    image = clip.clip_image(PARAMETERS)
    seen = whiten(spectrogram(samples[10 * RATE_HZ : 20 * RATE_HZ], PARAMETERS), PARAMETERS)
    assert image.level.shape == seen.magnitude.shape
    # The lowest bins hear the constant offset, which is taken away.
    np.testing.assert_allclose(10 ** (image.level[3:] / 20), seen.magnitude[3:], rtol=0.01)
    assert image.first_s == pytest.approx(seen.first_s)


def test_a_short_clip_is_read_with_surroundings_and_drawn_without(tmp_path: Path) -> None:
    samples = samples_of(13.0, {10.5: 0.2, 7.0: 0.2})
    clip = read_clip(source_of(tmp_path / "a.wav", samples), 10.0, 13.0, PARAMETERS)
    assert clip.stretch.start_s == pytest.approx(3.0, abs=PARAMETERS.frame_s)
    image = clip.clip_image(PARAMETERS)
    assert image.level.shape[1] == 1 + (3 * RATE_HZ - PARAMETERS.n_window) // PARAMETERS.n_hop
    assert image.first_s == pytest.approx(PARAMETERS.window_s / 2)
    loudest = image.level[round(4000 / image.bin_hz)].argmax()
    assert 0.5 < image.first_s + loudest * image.frame_s < 0.7


def test_a_clip_of_a_long_recording_is_read_alone(tmp_path: Path) -> None:
    source = source_of(tmp_path / "a.wav", samples_of(120.0, {}))
    clip = read_clip(source, 60.0, 70.0, PARAMETERS)
    assert (clip.stretch.start_s, clip.stretch.end_s) == (60.0, 70.0)


@pytest.mark.parametrize("rate_hz", [22050, 44100, 48000])
def test_patches_lie_where_the_sound_is(tmp_path: Path, rate_hz: int) -> None:
    samples = samples_of(20.0, {12.0: 0.2}, rate_hz)
    clip = read_clip(source_of(tmp_path / "a.wav", samples, rate_hz), 10.0, 20.0, PARAMETERS)
    image = clip.clip_image(PARAMETERS)
    # A patch's frames stand for one step around their centres.
    begins_s = 350 * PARAMETERS.frame_s - PARAMETERS.frame_s / 2 + PARAMETERS.window_s / 2
    low_hz = 89.5 * PARAMETERS.bin_hz
    assert place_of_patch(begins_s, low_hz, image, PARAMETERS) == [350, 90]
    content = clip_picture(image, float(image.level.max()))
    with Image.open(io.BytesIO(content)) as picture:
        assert picture.size == (image.level.shape[1], PARAMETERS.n_bins)
        light = np.asarray(picture.convert("L")).astype(int)[::-1]
    bins, columns = np.nonzero(light < 100)
    assert np.median(bins) == pytest.approx(4000 / PARAMETERS.bin_hz, abs=1)
    assert columns.min() == pytest.approx((2.0 - image.first_s) / image.frame_s, abs=3)
    assert columns.max() == pytest.approx((2.2 - image.first_s) / image.frame_s, abs=3)


def test_the_sound_begins_with_the_clip_and_its_loudest_part_has_the_peak(tmp_path: Path) -> None:
    samples = samples_of(20.0, {12.0: 0.3, 15.0: 0.03})
    clip = read_clip(source_of(tmp_path / "a.wav", samples), 10.0, 20.0, PARAMETERS)
    audio = ClipAudio.of(clip, PARAMETERS)
    assert np.abs(audio.samples).max() == pytest.approx(PEAK, rel=0.02)
    assert audio.further_gain(12.0, 12.2) == pytest.approx(1.0, abs=0.02)
    assert audio.further_gain(15.0, 15.2) == pytest.approx(10.0, rel=0.1)
    url = audio.data_url()
    assert url is not None
    kind, _, text = url.partition(";base64,")
    assert kind in ("data:audio/mpeg", "data:audio/wav")
    decoded, rate = soundfile.read(io.BytesIO(base64.b64decode(text)))
    assert np.argmax(np.abs(decoded) > 0.2) / rate == pytest.approx(2.0, abs=0.01)
    assert len(decoded) / rate == pytest.approx(10.0, abs=0.01)


def test_a_call_of_30_kilohertz_is_heard_at_7500_hertz(tmp_path: Path) -> None:
    rate_hz = 96_000
    time_s = np.arange(rate_hz) / rate_hz
    call = np.where((time_s > 0.5) & (time_s < 0.6), 0.2 * np.sin(6e4 * np.pi * time_s), 0.0)
    source = source_of(tmp_path / "bat.wav", call, rate_hz)
    parameters = SegmentationParameters(sample_rate_hz=rate_hz)
    audio = ClipAudio.of(read_clip(source, 0.0, 1.0, parameters), parameters)
    assert audio.slowed == 4
    url = audio.data_url()
    assert url is not None
    decoded, rate = soundfile.read(io.BytesIO(base64.b64decode(url.partition(";base64,")[2])))
    assert len(decoded) / rate == pytest.approx(4.0, abs=0.01)
    assert np.argmax(np.abs(decoded) > 0.1) / rate == pytest.approx(2.0, abs=0.01)
    loud = decoded[round(2.1 * rate) : round(2.3 * rate)]
    highest = np.abs(np.fft.rfft(loud)).argmax() / 0.2
    assert highest == pytest.approx(7500, abs=10)
    assert audio.further_gain(0.5, 0.6) == pytest.approx(1.0, abs=0.02)


def test_gain_is_limited_and_silence_has_a_sound(tmp_path: Path) -> None:
    faint = 0.001 * samples_of(10.0, {2.0: 0.3})
    clip = read_clip(source_of(tmp_path / "a.wav", faint), 0.0, 10.0, PARAMETERS)
    audio = ClipAudio.of(clip, PARAMETERS)
    assert audio.gain == MOST_GAIN
    assert audio.further_gain(5.0, 6.0) == 1.0
    silent = source_of(tmp_path / "b.wav", np.zeros(5 * RATE_HZ, dtype=np.float32))
    clip = read_clip(silent, 0.0, 5.0, PARAMETERS)
    assert ClipAudio.of(clip, PARAMETERS).data_url() is not None


def test_a_recording_that_is_gone_changed_or_shorter_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    source = source_of(path, samples_of(2.0, {}))
    with pytest.raises(UnavailableError, match="shorter than announced"):
        read_clip(source, 20.0, 30.0, PARAMETERS)
    path.write_bytes(path.read_bytes() + b"\0\0")
    with pytest.raises(UnavailableError, match="changed since"):
        source.read(0.0, 1.0)
    path.unlink()
    with pytest.raises(UnavailableError, match="no longer at their place"):
        source.read(0.0, 1.0)


def test_a_script_can_be_read_again_whatever_the_names(tmp_path: Path) -> None:
    path = tmp_path / "clip.js"
    content = {"recording": '</script> = "\u2028;\n', "gains": [1.5]}
    script = clip_script("a-0", content)
    path.write_bytes(script)
    assert script.isascii()
    assert script.startswith(b'((globalThis.birdmodesData ??= {}).clips ??= {})["a-0"] = {')
    assert read_clip_script(path) == content


def test_a_note_above_what_can_be_heard_is_heard_slowed_down(shared: Path) -> None:
    path = shared / "cases" / "F11-ultrasound" / "bat.wav"
    about = soundfile.info(path)
    status = path.stat()
    duration_s = about.frames / about.samplerate
    source = Source(path.name, path, status.st_size, status.st_mtime_ns, duration_s, None)
    parameters = SegmentationParameters(sample_rate_hz=96000)
    audio = ClipAudio.of(read_clip(source, 0.0, duration_s, parameters), parameters)
    url = audio.data_url()
    assert url is not None
    played, rate_hz = soundfile.read(io.BytesIO(base64.b64decode(url.partition(",")[2])))
    assert len(played) / rate_hz == pytest.approx(audio.slowed * duration_s, abs=0.1)
    loudest_hz = np.abs(np.fft.rfft(played)).argmax() * rate_hz / len(played)
    assert loudest_hz * audio.slowed == pytest.approx(30000, abs=200)
    assert loudest_hz < 16000
