"""Two prints of a recording's sound, by which its copies are known.

The digest is the same for the same samples, whatever the file. The sketch is nearly the same for
what *sounds* the same: it survives lossy coding (MP3, Ogg), other sample rates and numbers of bits,
and some padding at the beginning. It tells whether the sound of two neighbouring bands drifts apart
or together: what that is from moment to moment differs from one recording to the next even where
both are of the same place and nothing but noise, and gain and colour do not change it.
"""

from __future__ import annotations

import functools
import hashlib
import zlib

import numpy as np
import numpy.typing as npt
import scipy

N_BITS = 24
"""Bits of a frame of a sketch, three bytes: one for each pair of neighbouring bands."""

N_FRAMES = 128
"""Frames of a sketch at most, which are the first four seconds of sound."""

_FULL_SCALE = 32768
_SAMPLED = 8
_BLOCK_WINDOWS = 64

# The level of a frame is that of so many short windows, the next frame's is so many further on:
# much sound for each, as a copy may be shifted by half the distance of frames. Every second window
# begins where one ends; the squares of their sines weigh all samples alike.
_WINDOW_S = 0.032
_HOPS, _HOPS_A_FRAME = 11, 2
# Levels are compared with those of so many frames before, which share little of the sound.
_LAG = 5
_LOW_HZ, _HIGH_HZ = 300.0, 7000.0
# Bands end at this part of the highest frequency, where resampling takes sound away.
_PASSED = 0.9
# What is under -120 dB of full scale is no sound. Coders fill silence with less.
_SILENT = 1e-6


class Digest:
    """Digest of the samples."""

    def __init__(self) -> None:
        self._digest = hashlib.blake2b(digest_size=16)
        self._silent = True
        self._skip = 0

    def add(self, mono: npt.NDArray[np.float32]) -> None:
        """Go on by a block, at 16 bits, as formats differ in the last ones.

        Zeros are left out: they are put in, in blocks, where triggered recordings are expanded or
        padded. Every eighth sample is enough, and keeps this below a hundredth of the time.
        """
        part = mono[self._skip :: _SAMPLED]
        self._skip = (self._skip - len(mono)) % _SAMPLED
        levels = np.rint(part * np.float32(_FULL_SCALE))
        # Only floating-point recordings can be far above full scale.
        fits = not len(levels) or np.abs(levels).max() < 2**31
        levels = levels.astype(np.int32 if fits else np.int64)
        heard = levels[levels != 0]
        self._silent = self._silent and not heard.size
        self._digest.update(heard)

    def text(self) -> str:
        """Digest in hexadecimal digits; none for silence, as all silence is the same."""
        return "" if self._silent else self._digest.hexdigest()


class Sketch:
    """Sketch of the beginning of a sound.

    Parameters
    ----------
    sample_rate_hz : int
        Of the samples that are added. Sketches can be compared if they were made at one rate.

    References
    ----------
    Haitsma, J. and Kalker, T. (2002). A highly robust audio fingerprinting system. Proceedings of
    ISMIR, 107-115.
    """

    def __init__(self, sample_rate_hz: int) -> None:
        self._rate = sample_rate_hz
        self._hop = _hop(sample_rate_hz)
        self._window = 2 * self._hop
        n_windows = (N_FRAMES + _LAG - 1) * _HOPS_A_FRAME + _HOPS
        self._missing = (n_windows - 1) * self._hop + self._window
        self._pieces: list[npt.NDArray[np.float32]] = []

    def add(self, samples: npt.NDArray[np.float32]) -> None:
        """Go on by a block; what comes after the first seconds is not looked at.

        The block is looked at later: it must not be written over.
        """
        if not self._missing:
            return
        if not self._pieces:
            # Silence before the sound is padding.
            heard = np.abs(samples) > _SILENT
            samples = samples[heard.argmax() :] if heard.any() else samples[:0]
        if samples.size:
            self._pieces.append(samples[: self._missing])
            self._missing -= len(self._pieces[-1])

    def packed(self) -> bytes:
        """Three bytes for each frame, zeros where there is silence; none if there is no sound."""
        if not self._pieces:
            return b""
        power = self._power(np.concatenate(self._pieces))
        n_frames = 1 + (len(power) - _HOPS) // _HOPS_A_FRAME
        if n_frames <= _LAG:
            return b""
        until = np.zeros((len(power) + 1, power.shape[1]))
        np.cumsum(power, axis=0, dtype=np.float64, out=until[1:])
        first = np.arange(n_frames) * _HOPS_A_FRAME
        total = until[first + _HOPS] - until[first]
        floor = _HOPS * (_SILENT * self._window) ** 2
        silent = total <= floor
        level = np.log(np.maximum(total, floor))
        drift = level[_LAG:] - level[:-_LAG]
        silent = silent[_LAG:] | silent[:-_LAG]
        return _packed(drift[:, 1:] > drift[:, :-1], silent[:, 1:] & silent[:, :-1])

    def _power(self, samples: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Power of each band in short windows, one window a row."""
        if samples.size < self._window:
            return np.zeros((0, N_BITS + 1), dtype=np.float32)
        windows = np.lib.stride_tricks.sliding_window_view(samples, self._window)[:: self._hop]
        edges = _edges(self._window, self._rate)
        power = np.empty((len(windows), N_BITS + 1), dtype=np.float32)
        # In blocks that stay in the processor's cache.
        for first in range(0, len(windows), _BLOCK_WINDOWS):
            block = slice(first, first + _BLOCK_WINDOWS)
            spectrum = scipy.fft.rfft(windows[block] * _window(self._window), axis=1)
            # real and imaginary parts by turns
            squares = np.square(spectrum[:, edges[0] : edges[-1]].view(np.float32))
            inside = squares[:, ::2] + squares[:, 1::2]
            np.add.reduceat(inside, edges[:-1] - edges[0], axis=1, out=power[block])
        return power


def _packed(apart: npt.NDArray[np.bool_], silent: npt.NDArray[np.bool_]) -> bytes:
    """Bits of frames in bytes; those of bands without sound make no two recordings alike."""
    if silent.any():
        chance = np.random.default_rng(zlib.crc32(np.packbits(apart).tobytes()))
        apart = np.where(silent, chance.random(apart.shape) < 0.5, apart)
        apart[silent.all(axis=1)] = False
    return np.packbits(apart, axis=1).tobytes()


@functools.lru_cache(maxsize=4)
def _hop(sample_rate_hz: int) -> int:
    return int(scipy.fft.next_fast_len(round(_WINDOW_S * sample_rate_hz / 2), real=True))


@functools.lru_cache(maxsize=4)
def _window(size: int) -> npt.NDArray[np.float32]:
    return np.sin(np.pi * (np.arange(size) + 0.5) / size).astype(np.float32)


@functools.lru_cache(maxsize=4)
def _edges(n_fft: int, sample_rate_hz: int) -> npt.NDArray[np.intp]:
    """First bin of each band, and the one behind the last; evenly spaced by ratio."""
    highest = min(_HIGH_HZ, _PASSED * sample_rate_hz / 2)
    edges_hz = np.geomspace(min(_LOW_HZ, highest / 4), highest, N_BITS + 2)
    edges = np.rint(edges_hz * n_fft / sample_rate_hz).astype(np.intp)
    # each band has a bin, whatever the rate
    return np.maximum.accumulate(edges - np.arange(edges.size)) + np.arange(edges.size)
