"""Segmentation by energy: regions that stand out from the noise, cut into notes.

No labels and no training are needed. The steps, with their settings in
`birdmodes.parameters.SegmentationParameters`:

1. Blur the whitened spectrogram finely and coarsely and measure both in noise spreads
   (`energy_map`).
2. Keep connected regions above ``grow_z`` that contain a pixel above ``seed_z``; take off what
   only the coarse blur has reached (``edge_z``).
3. Cut every region into notes where its level has valleys (`birdmodes.segmentation.notes`).
4. Drop what is too small (`birdmodes.segmentation.base.drop_small`).
"""

from __future__ import annotations

import math

import numpy as np
import scipy.ndimage
from numpy.typing import NDArray

from birdmodes.parameters import SegmentationParameters
from birdmodes.segmentation.base import drop_small
from birdmodes.segmentation.notes import split_into_notes
from birdmodes.spectrogram import Spectrogram

# Noise is measured on the lower part of the distribution, which birds that sing two thirds of a
# clip leave alone; the median and its absolute deviation do not survive that.
_QUANTILES = (0.05, 0.30)
_SCORES = (-1.6448536, -0.5244005)  # of a standard normal at these quantiles
# The spread of noise relative to its level hardly differs between bins, unlike that of a bin in
# which a bird sings. The lower quartile over the bins stands for the noise, and no bin may have
# more than twice that.
_REFERENCE_QUANTILE = 0.25
_MAX_SPREAD_RATIO = 2.0
_MAX_RELATIVE_SPREAD = 0.5
# Whitened noise is near 1. A bin far below was emptied, and what leaks into it is no sound.
_MIN_LEVEL = 0.5
_MIN_RELATIVE_SPREAD = 0.02  # rounding next to a steady tone varies less, noise more
# A Gaussian blur of standard deviation s leaves one independent frame in 2 sqrt(pi) s.
_FRAMES_PER_BLUR = 2.0 * math.sqrt(math.pi)

# Blurs reach this many standard deviations; frames so near a gap do not show the noise.
_BLUR_REACH = 2.0


class EnergySegmenter:
    """Hysteresis threshold on the energy map, then cuts at the valleys between notes.

    Parameters
    ----------
    parameters : SegmentationParameters
        Settings; see the module.

    References
    ----------
    Briggs et al. (2012), Acoustic classification of multiple simultaneous bird species, JASA 131,
    for whitening before segmentation. Canny, J. (1986), A computational approach to edge
    detection, IEEE PAMI 8, 679-698, for the hysteresis threshold.
    """

    def __init__(self, parameters: SegmentationParameters) -> None:
        self.parameters = parameters

    def segment(self, whitened: Spectrogram) -> NDArray[np.int32]:
        """Find the syllables of one clip; see `birdmodes.segmentation.base.Segmenter`."""
        fine, z = _fine_and_mean_score(whitened, self.parameters)
        sound = (z > self.parameters.grow_z) & (fine > self.parameters.edge_z)
        regions = _regions_with(sound, z > self.parameters.seed_z)
        notes = split_into_notes(regions, whitened, self.parameters)
        return drop_small(notes, whitened, self.parameters)


def energy_map(whitened: Spectrogram, parameters: SegmentationParameters) -> NDArray[np.float32]:
    """How far every pixel stands out from the noise of its bin.

    The mean of two maps: a finely blurred one, which follows short notes, and a coarsely blurred
    one, which finds long and faint ones.

    Parameters
    ----------
    whitened : Spectrogram
        Result of `birdmodes.spectrogram.whiten`.
    parameters : SegmentationParameters
        Band, blurs and ``noise_smooth_hz`` are used.

    Returns
    -------
    ndarray of float32, shape (n_bins, n_frames)
        Noise spreads above the noise level; minus infinity outside the band and in gaps.
    """
    return _fine_and_mean_score(whitened, parameters)[1]


def _fine_and_mean_score(
    whitened: Spectrogram, parameters: SegmentationParameters
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Energy map of the fine blur alone, and the mean of both; see `energy_map`."""
    fine = np.full(whitened.magnitude.shape, -np.inf, dtype=np.float32)
    active = whitened.active_frames()
    band = whitened.band(parameters)
    inside = whitened.magnitude[band]
    if not active.any() or not inside.size:
        return fine, fine
    sigma = (parameters.smooth_hz / whitened.bin_hz, parameters.smooth_s / whitened.frame_s)
    factor = parameters.coarse_factor
    coarse_sigma = (sigma[0] * math.sqrt(factor), sigma[1] * factor)
    half_width = round(parameters.noise_smooth_hz / whitened.bin_hz)
    fine[band] = _noise_score(inside, active, sigma, half_width)
    fine[:, ~active] = -np.inf
    mean = fine.copy()
    mean[band] += _noise_score(inside, active, coarse_sigma, half_width)
    mean *= np.float32(0.5)
    return fine, mean


def _noise_score(
    magnitude: NDArray[np.float32],
    active: NDArray[np.bool_],
    sigma: tuple[float, float],
    half_width: int,
) -> NDArray[np.float32]:
    """Blur, then subtract the noise level and divide by the noise spread of every bin."""
    blurred = scipy.ndimage.gaussian_filter(magnitude, sigma)
    clear = scipy.ndimage.binary_erosion(
        active, iterations=max(1, round(_BLUR_REACH * sigma[1])), border_value=1
    )
    seen = blurred[:, clear if clear.any() else active]
    # Neighbouring frames are alike after the blur: a part of them tells as much.
    level, spread = _noise_of(seen[:, :: max(1, int(sigma[1]))], half_width)
    # Few independent frames tell little of the noise: a short clip needs louder sounds.
    spread *= np.float32(1.0 + _FRAMES_PER_BLUR * sigma[1] / seen.shape[1])
    blurred -= level[:, None]
    blurred /= spread[:, None]
    return blurred


def _noise_of(
    blurred: NDArray[np.float32], half_width: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Mean and standard deviation of the noise in every bin, as if normal below the quantiles."""
    low, high = np.quantile(blurred, _QUANTILES, axis=1)
    spread = (high - low) / (_SCORES[1] - _SCORES[0])
    level = low - _SCORES[0] * spread
    filled = level > _MIN_LEVEL
    relative = spread / np.maximum(level, _MIN_LEVEL)
    relative = scipy.ndimage.uniform_filter1d(relative, 2 * half_width + 1)
    typical = relative[filled] if filled.any() else relative
    reference = max(float(np.quantile(typical, _REFERENCE_QUANTILE)), _MIN_RELATIVE_SPREAD)
    relative = np.clip(relative, reference, _MAX_SPREAD_RATIO * reference)
    relative = np.minimum(relative, _MAX_RELATIVE_SPREAD)
    level = np.maximum(low / (1.0 + _SCORES[0] * relative), _MIN_LEVEL)
    return level.astype(np.float32), (relative * level).astype(np.float32)


def _regions_with(sound: NDArray[np.bool_], seeds: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Number the connected regions of `sound` that contain a seed, without gaps."""
    labels, n_regions = scipy.ndimage.label(sound)
    keep = np.bincount(labels[sound & seeds], minlength=n_regions + 1) > 0
    number = np.cumsum(keep, dtype=np.int32)
    number[~keep] = 0
    return number[labels]
