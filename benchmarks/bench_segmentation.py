"""Time of the segmenter per clip of 10 s, as a multiple of a plain short-time Fourier transform.

Run ``python benchmarks/bench_segmentation.py``. Ratios are printed beside the times because they
hold from machine to machine; nothing here decides a test.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import librosa
import numpy as np
import scipy.ndimage

from birdmodes.segmentation import segment_clip
from birdmodes.segmentation.features import extract_features, intensity
from birdmodes.segmentation.parameters import PRESETS, SegmentationParameters
from birdmodes.segmentation.spectrogram import spectrogram, whiten, window_function


def chorus(parameters: SegmentationParameters, notes_per_s: float, seed: int = 0) -> np.ndarray:
    """A clip of noise with random sweeps."""
    rng = np.random.default_rng(seed)
    rate = parameters.sample_rate_hz
    samples = 0.01 * rng.normal(size=parameters.n_clip)
    for _ in range(round(notes_per_s * parameters.clip_s)):
        t = np.arange(round(rng.uniform(0.05, 0.3) * rate)) / rate
        pitch, slope = rng.uniform(1500, 6500), rng.uniform(-4000, 4000)
        note = rng.uniform(0.02, 0.3) * np.sin(2 * np.pi * (pitch * t + slope * t**2 / 2))
        first = int(rng.integers(samples.size - t.size))
        samples[first : first + t.size] += note * np.hanning(t.size)
    return samples.astype(np.float32)


def seconds(call: Callable[[], object], repeats: int) -> float:
    """Best time of several calls, after one that is not counted."""
    call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def plain_features(image: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """Histogram of gradients and perimeter with a loop over pixels, for comparison."""
    blurred = scipy.ndimage.gaussian_filter(image * mask, 3, radius=3, mode="nearest")
    gx = scipy.ndimage.sobel(blurred, axis=1, mode="constant")
    gy = scipy.ndimage.sobel(blurred, axis=0, mode="constant")
    angles = 2 * np.pi * np.arange(16) / 16
    histogram, perimeter = np.zeros(16), 0
    for row, column in np.argwhere(mask):
        x, y = gx[row, column], gy[row, column]
        if x * x + y * y >= 0.01:
            histogram[np.argmax(x * np.cos(angles) + y * np.sin(angles))] += 1
    padded = np.pad(mask, 1)
    for row in range(mask.shape[0] + 1):
        for column in range(mask.shape[1] + 1):
            perimeter += 0 < np.count_nonzero(padded[row : row + 2, column : column + 2]) < 4
    return np.append(histogram, perimeter)


def bench_clips(repeats: int) -> None:
    """Print the time per clip for both presets and several densities of notes."""
    print("preset      notes/s  syllables  STFT ms  segment ms  ratio")
    for name in PRESETS:
        parameters = SegmentationParameters.preset(name)
        window = window_function(parameters)
        for notes_per_s in (0, 1, 5, 10):
            samples = chorus(parameters, notes_per_s)
            base = seconds(
                lambda samples=samples, parameters=parameters, window=window: librosa.stft(
                    samples,
                    n_fft=parameters.n_window,
                    hop_length=parameters.n_hop,
                    window=window,
                    center=False,
                ),
                repeats,
            )
            full = seconds(
                lambda samples=samples, parameters=parameters: segment_clip(samples, parameters),
                repeats,
            )
            n_syllables = len(segment_clip(samples, parameters))
            print(
                f"{name:<11} {notes_per_s:7d} {n_syllables:10d} {1000 * base:8.1f} "
                f"{1000 * full:11.1f} {full / base:6.1f}"
            )


def bench_features(repeats: int) -> None:
    """Print the time per syllable of the features against a loop over pixels."""
    parameters = SegmentationParameters()
    image = intensity(
        whiten(spectrogram(chorus(parameters, 2), parameters), parameters).magnitude
    ).astype(np.float64)
    mask = np.zeros((parameters.n_bins, 40), dtype=bool)
    mask[80:105, 5:35] = True
    crop = image[:, 100:140]
    fast = seconds(lambda: extract_features(crop, mask), 20 * repeats)
    slow = seconds(lambda: plain_features(crop[:, 5:35], mask[:, 5:35]), repeats)
    print(
        f"features of a 25 x 30 syllable: {1000 * fast:.2f} ms; loop over pixels "
        f"{1000 * slow:.2f} ms (histogram and perimeter alone), ratio {slow / fast:.0f}"
    )


def main() -> None:
    """Run both benchmarks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5, help="calls per figure; the best counts")
    repeats = parser.parse_args().repeats
    bench_clips(repeats)
    bench_features(repeats)


if __name__ == "__main__":
    main()
