"""All settings of the way from samples to syllables, in one validated object."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from numbers import Integral, Real
from typing import Any

from algorithms.assignments import options_of, split_assignments
from algorithms.errors import OptionError, did_you_mean
from birdmodes.errors import ParameterError

WINDOWS = ("hann", "hamming")
"""Window functions of the short-time Fourier transform, both in their symmetric form."""

_MIN_RATE_HZ, _MAX_RATE_HZ = 1_000, 1_000_000


@dataclass(frozen=True)
class SegmentationParameters:
    """Settings of clips, spectrogram and segmenter.

    Every size is in hertz and seconds, so one set of values means the same at any sample rate;
    the properties below give the sizes in samples, bins and frames.

    Parameters
    ----------
    sample_rate_hz : int
        Recordings are resampled to this rate before anything else.
    clip_s : float
        Length of a clip in seconds. Noise is estimated clip by clip.
    window_s, hop_s : float
        Length and step of the analysis window in seconds.
    window : {"hann", "hamming"}
        Window function.
    low_hz : float
        Bins below this frequency never belong to a syllable (wind, traffic, handling).
    high_hz : float or None
        Bins above this frequency never belong to a syllable; None is the Nyquist frequency.
    quiet_fraction : float
        Share of the frames, the quietest ones, that the noise spectrum is measured on.
    method : str
        Name of the segmenter, a key of `birdmodes.segmentation.SEGMENTERS`.
    smooth_s, smooth_hz : float
        Standard deviation of the fine Gaussian blur along time and frequency.
    coarse_factor : float
        The coarse blur is this much longer in time, and its square root wider in frequency.
    noise_smooth_hz : float
        Half-width of the frequency neighbourhood over which the noise spread is averaged.
    grow_z, seed_z : float
        Hysteresis: a region above `grow_z` noise spreads is sound if it somewhere rises above
        `seed_z`.
    edge_z : float
        Pixels under this many noise spreads after the fine blur alone belong to no region, so
        that the coarse blur does not stretch notes.
    split_db : float
        A region is cut where its level falls at least this far below the peaks on both sides.
    split_smooth_s, split_smooth_hz : float
        Blur of the level that decides on cuts: short, so that the notes of a trill stay apart,
        but wide, so that the harmonics of one note stay together.
    join_r : float
        Notes whose levels in time correlate at least this much are parts of one call and joined;
        1 leaves the notes as they are: not joined, not trimmed, not cut again.
    range_db : float
        Pixels this far below the peak of their syllable do not belong to it (echo).
    min_duration_s, min_bandwidth_hz : float
        Smallest extent of a syllable.
    min_area_hz_s : float
        Smallest area of a syllable in hertz times seconds.

    Raises
    ------
    ParameterError
        If a value is not of the right kind or out of range.
    """

    sample_rate_hz: int = 22_050
    clip_s: float = 10.0
    window_s: float = 512 / 22_050
    hop_s: float = 128 / 22_050
    window: str = "hann"
    low_hz: float = 300.0
    high_hz: float | None = None
    quiet_fraction: float = 0.2
    method: str = "energy"
    smooth_s: float = 0.03
    smooth_hz: float = 80.0
    coarse_factor: float = 2.5
    noise_smooth_hz: float = 125.0
    grow_z: float = 2.98
    seed_z: float = 3.9
    edge_z: float = 3.2
    split_db: float = 6.0
    split_smooth_s: float = 0.012
    split_smooth_hz: float = 200.0
    join_r: float = 0.75
    range_db: float = 25.0
    min_duration_s: float = 0.02
    min_bandwidth_hz: float = 100.0
    min_area_hz_s: float = 20.0

    def __post_init__(self) -> None:
        """Check every value and bring numbers to plain int and float."""
        rate = self.sample_rate_hz
        if isinstance(rate, bool) or not isinstance(rate, Integral):
            raise ParameterError(f"sample_rate_hz must be a whole number, got {rate!r}")
        object.__setattr__(self, "sample_rate_hz", int(rate))
        _check_range("sample_rate_hz", int(rate), _MIN_RATE_HZ, _MAX_RATE_HZ)
        for name in _NUMBERS:
            object.__setattr__(self, name, _number(name, getattr(self, name)))
        if self.high_hz is not None:
            object.__setattr__(self, "high_hz", _number("high_hz", self.high_hz))
        if self.window not in WINDOWS:
            raise ParameterError(f"window must be one of {', '.join(WINDOWS)}, got {self.window!r}")
        if not isinstance(self.method, str) or not self.method:
            raise ParameterError(f"method must be the name of a segmenter, got {self.method!r}")
        self._check_sizes()
        self._check_thresholds()

    def _check_sizes(self) -> None:
        if self.n_window < 8:
            raise ParameterError(
                f"window_s = {self.window_s:g} is under 8 samples at {self.sample_rate_hz} Hz: "
                "use a longer window"
            )
        if not 1 <= self.n_hop <= self.n_window:
            raise ParameterError(
                f"hop_s = {self.hop_s:g} must be at least one sample and at most window_s"
            )
        if self.clip_s < self.window_s:
            raise ParameterError(f"clip_s = {self.clip_s:g} is shorter than one window")
        _check_range("low_hz", self.low_hz, 0.0, self.nyquist_hz)
        if self.high_hz is not None and self.high_hz <= self.low_hz:
            raise ParameterError(
                f"high_hz = {self.high_hz:g} must be above low_hz = {self.low_hz:g}"
            )

    def _check_thresholds(self) -> None:
        if not 0.0 < self.quiet_fraction <= 1.0:
            raise ParameterError(
                f"quiet_fraction must be above 0 and at most 1, got {self.quiet_fraction:g}"
            )
        for name in _NOT_NEGATIVE:
            _check_range(name, getattr(self, name), 0.0, math.inf)
        _check_range("coarse_factor", self.coarse_factor, 1.0, math.inf)
        for name in ("split_db", "range_db"):
            _check_range(name, getattr(self, name), 1.0, math.inf)
        _check_range("join_r", self.join_r, 0.0, 1.0)
        if not 0.0 < self.grow_z <= self.seed_z:
            raise ParameterError(
                f"grow_z = {self.grow_z:g} must be above 0 and at most seed_z = {self.seed_z:g}"
            )

    @property
    def nyquist_hz(self) -> float:
        """Half the sample rate."""
        return self.sample_rate_hz / 2

    @property
    def n_window(self) -> int:
        """Window length in samples; even, so that the last bin is the Nyquist frequency."""
        return 2 * round(self.window_s * self.sample_rate_hz / 2)

    @property
    def n_hop(self) -> int:
        """Step between windows in samples."""
        return round(self.hop_s * self.sample_rate_hz)

    @property
    def n_clip(self) -> int:
        """Clip length in samples."""
        return round(self.clip_s * self.sample_rate_hz)

    @property
    def n_bins(self) -> int:
        """Frequency bins of the spectrogram, from 0 Hz up, without the Nyquist bin."""
        return self.n_window // 2

    @property
    def bin_hz(self) -> float:
        """Distance of two bins in hertz."""
        return self.sample_rate_hz / self.n_window

    @property
    def frame_s(self) -> float:
        """Distance of two frames in seconds."""
        return self.n_hop / self.sample_rate_hz

    def warnings(self) -> list[str]:
        """Lines on settings that cannot do what they seem to ask for."""
        if self.high_hz is None or self.high_hz <= self.nyquist_hz:
            return []
        return [
            f"high_hz (--fmax) is {self.high_hz:g} Hz, but {self.sample_rate_hz} samples a second "
            f"have nothing above {self.nyquist_hz:g} Hz: give --sample-rate "
            f"{math.ceil(2 * self.high_hz)} or more if the recordings have it"
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the settings as a dictionary of JSON types."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> SegmentationParameters:
        """Make parameters from the result of `to_dict`.

        Parameters
        ----------
        values : mapping
            One entry for every setting.

        Raises
        ------
        ParameterError
            If a setting is missing, unknown or not valid.
        """
        known = {field.name for field in fields(cls)}
        unknown = sorted(str(key) for key in set(values) - known)
        missing = sorted(known - set(values))
        if unknown:
            raise ParameterError(f"unknown segmentation settings: {', '.join(unknown)}")
        if missing:
            raise ParameterError(f"missing segmentation settings: {', '.join(missing)}")
        return cls(**values)

    @classmethod
    def preset(cls, name: str, **changes: Any) -> SegmentationParameters:
        """Return a named set of parameters.

        Parameters
        ----------
        name : str
            "default" (22 050 Hz) or "briggs2012" (the published front-end: 16 000 Hz, 512-sample
            symmetric Hamming window, hop 128).
        **changes
            Settings to replace, as in ``preset("default", clip_s=5)``.

        Raises
        ------
        ParameterError
            If there is no such preset or a changed setting is not valid.
        """
        if name not in PRESETS:
            raise ParameterError(f"no preset {name!r}: choose one of {', '.join(PRESETS)}")
        unknown = sorted(set(changes) - {field.name for field in fields(cls)})
        if unknown:
            raise ParameterError(f"unknown segmentation settings: {', '.join(unknown)}")
        return replace(PRESETS[name], **changes)


def parse_changes(assignments: Sequence[str]) -> dict[str, Any]:
    """Read what was given as ``--set NAME=VALUE``.

    Parameters
    ----------
    assignments : sequence of str
        As in ``["seed_z=6", "high_hz=none"]``.

    Returns
    -------
    dict
        Changes for `SegmentationParameters.preset`.

    Raises
    ------
    ParameterError
        If one is no assignment, given twice, of an unknown name, or its value is of the wrong
        kind.
    """
    known = {option.name: option for option in options_of(SegmentationParameters)}
    try:
        texts = split_assignments(assignments)
        unknown = sorted(set(texts) - set(known))
        if unknown:
            raise ParameterError(
                f"--set: no segmentation parameter {unknown[0]!r}{did_you_mean(unknown[0], known)}"
            )
        return {name: known[name].read(text) for name, text in texts.items()}
    except OptionError as error:
        raise ParameterError(str(error)) from error


_NOT_NEGATIVE = (
    "smooth_s",
    "smooth_hz",
    "noise_smooth_hz",
    "edge_z",
    "split_smooth_s",
    "split_smooth_hz",
    "min_duration_s",
    "min_bandwidth_hz",
    "min_area_hz_s",
)
_NUMBERS = (
    *_NOT_NEGATIVE,
    *("clip_s", "window_s", "hop_s", "low_hz", "quiet_fraction"),
    *("coarse_factor", "grow_z", "seed_z", "split_db", "join_r", "range_db"),
)


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not math.isfinite(value):
        raise ParameterError(f"{name} must be a number, got {value!r}")
    return float(value)


def _check_range(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        limits = f"at least {low:g}" if math.isinf(high) else f"between {low:g} and {high:g}"
        raise ParameterError(f"{name} must be {limits}, got {value:g}")


PRESETS: dict[str, SegmentationParameters] = {
    "default": SegmentationParameters(),
    "briggs2012": SegmentationParameters(
        sample_rate_hz=16_000,
        window_s=512 / 16_000,
        hop_s=128 / 16_000,
        window="hamming",
        join_r=1.0,
    ),
}
"""Named sets of parameters."""
