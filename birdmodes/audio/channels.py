"""Channels of one recording: whether they go together, and which of them is best."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

AUTO = 0
"""Stands for the best channel, where others have a number from 1."""

# Two microphones of a recorder differ by a few decibels.
_MOST_APART_DB = 10.0
_SILENT_DB = -60.0
# Of what the channels have on the average, so little is left in their mean only if they cancel:
# two that have nothing in common leave a half.
_CANCELLED = 0.1

# Two channels are taken for the same sounds, shifted in time, from such a correlation on; a shift
# of so little weakens only what is above 10 kHz. Looked for in the first blocks.
_ALIKE = 0.6
_LEAST_LAG_S = 5e-5
_LONGEST_LAG_S = 0.02
_MOST_COMPARED = 16
_REVERSED = 1.25

_FRAME = 1024
_LOW_HZ, _HIGH_HZ = 500.0, 10_000.0
_BINS_TOGETHER = 4
_LOUD_QUANTILE = 0.98
_SINGING_BINS = 0.1
_FAINTEST = 1e-12


class ChannelComparison:
    """Gathers how loud the channels are and what they have in common.

    The difference of neighbouring samples is looked at, so that wind and a constant do not count.

    Parameters
    ----------
    sample_rate_hz : int
        Of the recording.
    """

    def __init__(self, sample_rate_hz: int) -> None:
        self._rate = sample_rate_hz
        self._common: npt.NDArray[np.float64] | None = None
        self._frames = 0
        self._apart: npt.NDArray[np.float64] | None = None
        self._blocks_compared = 0

    def add(self, block: npt.NDArray[np.float32]) -> None:
        """Take in a block of samples of shape (n_frames, n_channels)."""
        change = np.nan_to_num(np.diff(block, axis=0), nan=0.0, posinf=0.0, neginf=0.0)
        self._frames += len(change)
        common = (change.T @ change).astype(np.float64)
        self._common = common if self._common is None else self._common + common
        if self._blocks_compared < _MOST_COMPARED and block.shape[1] == 2:
            self._blocks_compared += 1
            apart = _by_lag(change, round(_LONGEST_LAG_S * self._rate))
            self._apart = apart if self._apart is None else self._apart + apart

    def note(self) -> str:
        """What the user should know before all channels are mixed down; or nothing."""
        if self._common is None or len(self._common) < 2 or self._frames < _FRAME:
            return ""
        energy = np.diag(self._common)
        if not energy.max() > 0:
            return ""
        level_db = 10.0 * np.log10(np.maximum(energy / energy.max(), _FAINTEST))
        loudest = int(level_db.argmax()) + 1
        faintest = int(level_db.argmin()) + 1
        if level_db.min() <= _SILENT_DB:
            return f"channel {faintest} is silent: use --channel {loudest}, or --channel auto"
        if self._common.mean() < min(_CANCELLED, 0.2 / len(energy)) * energy.mean():
            return (
                "its channels cancel each other, one is reversed: "
                f"use --channel {loudest}, or --channel auto"
            )
        if level_db.min() < -_MOST_APART_DB:
            return (
                f"channel {loudest} is {-level_db.min():.0f} dB louder than channel {faintest}, "
                "one may be broken: use --channel auto, or the better one with --channel"
            )
        return self._note_of_lag(loudest)

    def _note_of_lag(self, loudest: int) -> str:
        """What the user should know of microphones that stand apart."""
        if self._apart is None or self._apart[-1] <= 0:
            return ""
        likeness = self._apart[:-1] / self._apart[-1]
        remedy = f"use --channel {loudest}, or --channel auto"
        # what has one pitch is alike and opposite by turns; what is reversed, opposite above all
        if -likeness.min() > max(_ALIKE, _REVERSED * likeness.max()):
            return f"its channels cancel each other in part, one is reversed: {remedy}"
        place = int(likeness.argmax())
        apart_s = abs(place - len(likeness) // 2) / self._rate
        if likeness[place] < _ALIKE or apart_s < _LEAST_LAG_S:
            return ""
        return (
            f"its channels have the same sounds {1000 * apart_s:.2g} ms apart, so that their mean "
            f"lacks some frequencies: {remedy}"
        )


def _by_lag(change: npt.NDArray[np.float32], longest: int) -> npt.NDArray[np.float64]:
    """Products of two channels by the lag between them, and behind them what they are at most."""
    size = 1 << (len(change) + longest).bit_length()
    spectra = np.fft.rfft(change.astype(np.float64), size, axis=0)
    products = np.fft.irfft(np.conj(spectra[:, 0]) * spectra[:, 1], size)
    near = np.concatenate((products[-longest:], products[: longest + 1]))
    energy = np.square(change, dtype=np.float64).sum(axis=0)
    return np.append(near, np.sqrt(energy[0] * energy[1]))


def best_channel(blocks: Iterable[npt.NDArray[np.float32]], sample_rate_hz: int) -> int:
    """Find the channel in which most stands out of the noise at some frequencies.

    A dead or humming microphone has nothing that stands out; one that crackles has it at all
    frequencies at once, and that does not count.

    Parameters
    ----------
    blocks : iterable of ndarray of float32, shape (n_frames, n_channels)
        A part of the recording.
    sample_rate_hz : int
        Of the recording.

    Returns
    -------
    int
        Its number, from 1; of equals the first.
    """
    spectra = [_spectra(block, sample_rate_hz) for block in blocks if len(block) >= _FRAME]
    if not spectra:
        return 1
    power = np.concatenate(spectra)
    scores = [_score(power[:, :, channel]) for channel in range(power.shape[2])]
    return int(np.argmax(np.round(scores, 3))) + 1


def _spectra(block: npt.NDArray[np.float32], sample_rate_hz: int) -> npt.NDArray[np.float64]:
    """Power by frame, some bins together, and channel."""
    n_frames, n_channels = len(block) // _FRAME, block.shape[1]
    frames = np.nan_to_num(block[: n_frames * _FRAME], nan=0.0, posinf=0.0, neginf=0.0)
    window = np.hanning(_FRAME)[:, None]
    spectrum = np.fft.rfft(frames.reshape(n_frames, _FRAME, n_channels) * window, axis=1)
    bin_hz = sample_rate_hz / _FRAME
    first = max(1, round(min(_LOW_HZ, sample_rate_hz / 8) / bin_hz))
    last = min(spectrum.shape[1], round(_HIGH_HZ / bin_hz))
    count = max(1, (last - first) // _BINS_TOGETHER)
    power = np.abs(spectrum[:, first : first + count * _BINS_TOGETHER]) ** 2
    return np.asarray(power.reshape(n_frames, count, -1, n_channels).mean(axis=2))


def _score(power: npt.NDArray[np.float64]) -> float:
    """Decibels by which the loud moments of the best bins stand out more than those of most."""
    if not power.max() > _FAINTEST:
        return -np.inf
    usual, loud = np.quantile(power, (0.5, _LOUD_QUANTILE), axis=0)
    rise = 10.0 * np.log10(np.maximum(loud, _FAINTEST) / np.maximum(usual, _FAINTEST))
    best = np.sort(rise)[-max(1, round(_SINGING_BINS * rise.size)) :]
    return float(best.mean() - np.median(rise))
