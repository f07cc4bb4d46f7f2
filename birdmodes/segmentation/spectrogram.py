"""Short-time Fourier transform and whitening."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass, replace

import numpy as np
import scipy
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import ArrayLike, NDArray

from birdmodes.segmentation.evenness import evening_gain
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.smoothing import upper_quartile

# A frame 60 dB under the median frame is a gap in the recording, not quiet surroundings.
_GAP_POWER = 1e-6
_OFFSET_BINS = 3  # that a window spreads a constant over
# Bins 40 dB under the upper quartile of the noise were emptied by a codec or by resampling:
# over 200 real recordings the lower quartile is 2 to 24 dB under the upper one.
_MIN_RELATIVE_NOISE = 1e-2
# Windows leak and samples are rounded: next to a steady tone nothing under this can be seen.
_MIN_RELATIVE_TO_PEAK = 1e-4
# Noise of -120 dB relative to full scale, far under that of any recorder: what is left when the
# rest is constant is rounding.
_MIN_NOISE_RMS = 1e-6
# Loudest sample that counts. Squares must stay within single precision.
_MAX_SAMPLE = 1e9
_BLOCK_FRAMES = 128


@dataclass(frozen=True, eq=False)
class Spectrogram:
    """Magnitudes of a clip on a grid of frequencies and times.

    Parameters
    ----------
    magnitude : ndarray of float32, shape (n_bins, n_frames)
        Row f is the frequency ``f * bin_hz``; the Nyquist frequency is not there. A full-scale
        sine has about half the sum of the window.
    bin_hz : float
        Distance of two rows in hertz.
    frame_s : float
        Distance of two columns in seconds.
    first_s : float
        Centre of the first frame in seconds from the start of the clip.
    """

    magnitude: NDArray[np.float32]
    bin_hz: float
    frame_s: float
    first_s: float

    @property
    def n_bins(self) -> int:
        """Rows of the magnitude."""
        return int(self.magnitude.shape[0])

    @property
    def n_frames(self) -> int:
        """Columns of the magnitude."""
        return int(self.magnitude.shape[1])

    def times_s(self, first: int, stop: int) -> tuple[float, float]:
        """Begin and end in seconds of the frames `first` to ``stop - 1``.

        A frame stands for one hop around its centre.
        """
        begin = self.first_s - self.frame_s / 2
        return begin + first * self.frame_s, begin + stop * self.frame_s

    def frequencies_hz(self, first: int, stop: int) -> tuple[float, float]:
        """Lower and upper edge in hertz of the bins `first` to ``stop - 1``."""
        return max(0.0, (first - 0.5) * self.bin_hz), (stop - 0.5) * self.bin_hz

    def band(self, parameters: SegmentationParameters) -> slice:
        """Rows between ``parameters.low_hz`` and ``parameters.high_hz``."""
        first = math.ceil(parameters.low_hz / self.bin_hz)
        if parameters.high_hz is None:
            return slice(first, self.n_bins)
        return slice(first, math.floor(parameters.high_hz / self.bin_hz) + 1)

    def active_frames(self) -> NDArray[np.bool_]:
        """Frames that hold any signal.

        Returns
        -------
        ndarray of bool, shape (n_frames,)
            False where the recording is digital zero or 60 dB under its median, as where a
            recorder paused or a file was padded. Such frames say nothing about the noise.
        """
        return self._active

    @functools.cached_property
    def _active(self) -> NDArray[np.bool_]:
        # Without the lowest bins: where zeros follow an offset, a constant is left of them.
        above = self.magnitude[_OFFSET_BINS:]
        power = np.einsum("ft,ft->t", above, above)
        heard = np.asarray(power > 0)
        if not heard.any():
            return heard
        usual = np.partition(power[heard], np.count_nonzero(heard) // 2)
        return np.asarray(power > _GAP_POWER * usual[usual.size // 2])


def window_function(parameters: SegmentationParameters) -> NDArray[np.float32]:
    """Symmetric analysis window.

    Parameters
    ----------
    parameters : SegmentationParameters
        ``window`` and ``n_window`` are used.

    Returns
    -------
    ndarray of float32, shape (n_window,)
        ``a - (1 - a) cos(2 pi i / (n - 1))`` with a = 0.5 (hann) or 0.54 (hamming).
    """
    return _window(parameters.window, parameters.n_window)


@functools.lru_cache(maxsize=4)
def _window(name: str, size: int) -> NDArray[np.float32]:
    a = {"hann": 0.5, "hamming": 0.54}[name]
    phase = np.linspace(0.0, 2 * np.pi, size)
    window = (a - (1 - a) * np.cos(phase)).astype(np.float32)
    window.flags.writeable = False
    return window


def spectrogram(samples: ArrayLike, parameters: SegmentationParameters) -> Spectrogram:
    """Magnitude of the short-time Fourier transform, without padding at the ends.

    `scipy.fft` is used rather than `librosa.stft`, which gives the same numbers, because
    importing librosa costs a worker process 180 MB and seconds.

    Parameters
    ----------
    samples : array_like, shape (n,)
        Mono samples at ``parameters.sample_rate_hz``. NaN and infinity count as 0.
    parameters : SegmentationParameters
        Window, hop and sample rate.

    Returns
    -------
    Spectrogram
        With ``1 + (n - n_window) // n_hop`` frames, none if the clip is shorter than one window.

    References
    ----------
    Briggs, F., Lakshminarayanan, B., Neal, L., et al. (2012). Acoustic classification of multiple
    simultaneous bird species: a multi-instance multi-label approach. JASA 131, 4640-4650.
    """
    with np.errstate(over="ignore"):  # what single precision cannot hold becomes infinite
        samples = np.asarray(samples, dtype=np.float32).ravel()
    low, high = samples.min(initial=0.0), samples.max(initial=0.0)
    if not (low >= -_MAX_SAMPLE and high <= _MAX_SAMPLE):  # NaN is not
        samples = np.nan_to_num(samples, nan=0.0, posinf=0.0, neginf=0.0)
        samples = samples.clip(-_MAX_SAMPLE, _MAX_SAMPLE)
    n_window, n_bins = parameters.n_window, parameters.n_bins
    window = window_function(parameters)
    n_frames = max(0, 1 + (samples.size - n_window) // parameters.n_hop)
    magnitude = np.empty((n_bins, n_frames), dtype=np.float32)
    if n_frames:
        frames = sliding_window_view(samples, n_window)[:: parameters.n_hop]
        # In blocks that stay in the processor's cache, written down row by row at once.
        for first in range(0, n_frames, _BLOCK_FRAMES):
            block = slice(first, first + _BLOCK_FRAMES)
            # as `frames[block] * window`, in less time
            windowed = np.einsum("ti,i->ti", frames[block], window)
            # Turned only then: what lies in a row is worked on several numbers at a time.
            magnitude[:, block] = np.abs(scipy.fft.rfft(windowed, axis=1)).T[:n_bins]
    return Spectrogram(
        magnitude=magnitude,
        bin_hz=parameters.bin_hz,
        frame_s=parameters.frame_s,
        first_s=n_window / 2 / parameters.sample_rate_hz,
    )


def noise_spectrum(spec: Spectrogram, parameters: SegmentationParameters) -> NDArray[np.float32]:
    """Root mean square of every bin over the quietest frames.

    Parameters
    ----------
    spec : Spectrogram
        Spectrogram of one clip.
    parameters : SegmentationParameters
        ``quiet_fraction`` is used, and the band in which a frame's power is measured.

    Returns
    -------
    ndarray of float32, shape (n_bins,)
        Noise level, nowhere more than 40 dB below the upper quartile of all bins and 80 dB below
        the loudest bin of the band, so that bins that a codec or resampling has emptied are not
        blown up, nor the leakage of a steady tone; and nowhere less than noise of 120 dB below
        full scale gives. All 0 if no frame holds a signal.
    """
    active = np.flatnonzero(spec.active_frames())
    if active.size == 0:
        return np.zeros(spec.n_bins, dtype=np.float32)
    band = spec.band(parameters)
    inside = spec.magnitude[band]
    power = np.einsum("ft,ft->t", inside, inside)[active]
    n_quiet = math.ceil(parameters.quiet_fraction * active.size)
    squares = spec.magnitude[:, active[_smallest(power, n_quiet)]]
    noise = np.sqrt(np.mean(np.square(squares, out=squares), axis=1))
    floor = max(
        _MIN_RELATIVE_NOISE * upper_quartile(noise),
        _MIN_RELATIVE_TO_PEAK * float(noise[band].max(initial=0.0)),
        _MIN_NOISE_RMS * float(np.linalg.norm(window_function(parameters))),
    )
    return np.asarray(np.maximum(noise, floor), dtype=np.float32)


def _smallest(values: NDArray[np.float32], count: int) -> NDArray[np.intp]:
    """Places of the smallest values in their order, the first of equal ones first."""
    # To sort them all would take longer than to find the largest of these.
    largest = np.partition(values, count - 1)[count - 1]
    places = np.flatnonzero(values <= largest)
    return places[np.argsort(values[places], kind="stable")[:count]]


def evened(spec: Spectrogram, parameters: SegmentationParameters) -> Spectrogram:
    """Bring noise whose level changes to one level; see `birdmodes.segmentation.evenness`.

    Parameters
    ----------
    spec : Spectrogram
        Spectrogram of one clip.
    parameters : SegmentationParameters
        The band and the window are used.

    Returns
    -------
    Spectrogram
        `spec` itself where the level hardly varies.
    """
    inside = spec.magnitude[spec.band(parameters)]
    gain = evening_gain(inside, spec.active_frames(), spec.frame_s, parameters.window_s)
    return spec if gain is None else replace(spec, magnitude=spec.magnitude * gain)


def whiten(
    spec: Spectrogram, parameters: SegmentationParameters, *, in_place: bool = False
) -> Spectrogram:
    """Divide every bin by its noise level, so that noise is about 1 everywhere.

    Noise whose level changes with time is brought to one level before.

    Parameters
    ----------
    spec : Spectrogram
        Spectrogram of one clip.
    parameters : SegmentationParameters
        ``quiet_fraction`` is used.
    in_place : bool
        `spec` is not needed any more: its magnitudes may be written over.

    Returns
    -------
    Spectrogram
        Same grid, magnitudes in units of the noise level; all 0 if the clip is digital zero.

    References
    ----------
    Briggs et al. (2012), noise reduction. The root mean square over the quiet frames is used;
    the published front-end divides by the root of the sum.
    """
    even = evened(spec, parameters)
    in_place = in_place or even is not spec
    spec = even
    noise = noise_spectrum(spec, parameters)
    scale = np.divide(1.0, noise, out=np.zeros_like(noise), where=noise > 0)
    return Spectrogram(
        magnitude=np.multiply(
            spec.magnitude, scale[:, None], out=spec.magnitude if in_place else None
        ),
        bin_hz=spec.bin_hz,
        frame_s=spec.frame_s,
        first_s=spec.first_s,
    )
