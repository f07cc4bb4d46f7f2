"""How many lossy copies of recordings are known as such by their sketches.

Run ``python benchmarks/copies.py FOLDER``, where FOLDER holds ``labels-all.csv`` of NIPS4B and its
recordings. Every ninth recording, up to 42, is coded in several ways; printed are the copies that
are found among originals and copies together, and pairs that are none.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import soundfile
from scipy.signal import resample_poly

from birdmodes.audio.alike import sounding_alike
from birdmodes.audio.prints import Sketch

N_RECORDINGS, EVERY = 42, 9
SKETCHED_HZ = 22050

Sound = npt.NDArray[np.float64]
Way = Callable[[Sound, int], tuple[Sound, int]]


def coded(format_: str, subtype: str, rate: int | None = None, **options: Any) -> Way:
    """Write and read again, at a rate of its own where the coder has one."""

    def way(sound: Sound, rate_hz: int) -> tuple[Sound, int]:
        file = io.BytesIO()
        written = resampled(sound, rate_hz, rate or rate_hz)
        soundfile.write(file, written, rate or rate_hz, format=format_, subtype=subtype, **options)
        file.seek(0)
        return soundfile.read(file)

    return way


def resampled(sound: Sound, rate_hz: int, to_hz: int) -> Sound:
    """The same sound at another rate."""
    ratio = Fraction(to_hz, rate_hz)
    return np.asarray(resample_poly(sound, ratio.numerator, ratio.denominator))


def at_rate(to_hz: int) -> Way:
    """Keep it at another rate."""
    return lambda sound, rate_hz: (resampled(sound, rate_hz, to_hz), to_hz)


def padded(n_samples: int) -> Way:
    """Put what is all but silence before it."""
    return lambda sound, rate_hz: (np.concatenate([np.full(n_samples, 1e-4), sound]), rate_hz)


def at_bits(n_bits: int, gain: float = 1.0) -> Way:
    """Round to fewer bits, with dither where it is made less loud."""

    def way(sound: Sound, rate_hz: int) -> tuple[Sound, int]:
        full = 2 ** (n_bits - 1)
        rng = np.random.default_rng(0)
        dither = rng.uniform(-0.5, 0.5, len(sound)) if gain < 1 else 0.0
        return np.round(sound * gain * full + dither) / full, rate_hz

    return way


WAYS: dict[str, Way] = {
    **{
        f"MP3, compression_level {level}": coded(
            "MP3", "MPEG_LAYER_III", compression_level=level, bitrate_mode="VARIABLE"
        )
        for level in (0.3, 0.5, 0.7, 0.99)
    },
    "Ogg, best": coded("OGG", "VORBIS", compression_level=0.0),
    "Ogg, worst": coded("OGG", "VORBIS", compression_level=1.0),
    "Opus": coded("OGG", "OPUS", 48000),
    "ADPCM": coded("WAV", "IMA_ADPCM"),
    "16 kHz": at_rate(16000),
    "11 kHz": at_rate(11025),
    **{f"padding of {n:,} samples": padded(n) for n in (350, 1105, 2257)},
    "a tenth as loud, with dither": at_bits(16, 0.1),
    "8 bits": at_bits(8),
}


def sketch(sound: Sound, rate_hz: int) -> bytes:
    """Sketch at the rate of `birdmodes segment`."""
    made = Sketch(SKETCHED_HZ)
    made.add(resampled(sound, rate_hz, SKETCHED_HZ).astype(np.float32))
    return made.packed()


def loaded(path: Path) -> tuple[Sound, int]:
    """Samples of a recording, and their rate."""
    sound, rate_hz = soundfile.read(path, always_2d=True)
    return sound.mean(axis=1), rate_hz


def main() -> None:
    """Print a line for each way."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    names = pd.read_csv(folder / "labels-all.csv")["recording"][::EVERY][:N_RECORDINGS]
    originals = [loaded(folder / name) for name in names]
    n = len(originals)
    first = [sketch(*original) for original in originals]
    print(f"{'':32s} copies of {n}  others")
    for name, way in WAYS.items():
        copies = [way(*original) for original in originals]
        lengths = [len(sound) / rate_hz for sound, rate_hz in (*originals, *copies)]
        pairs = sounding_alike([*first, *(sketch(*copy) for copy in copies)], np.array(lengths))
        found = sum(other - one == n for one, other in pairs)
        print(f"{name:32s} {found:12d}  {len(pairs) - found:6d}", flush=True)


if __name__ == "__main__":
    main()
