"""Segmentation by energy: regions that stand out from the noise, cut into notes and joined.

No labels and no training are needed. The steps, with their settings in
`birdmodes.segmentation.parameters.SegmentationParameters`:

1. Blur the whitened spectrogram finely and coarsely and measure both in noise spreads
   (`energy_map`).
2. Keep connected regions above ``grow_z`` that contain a pixel above ``seed_z``, by so much more
   where most frequencies rise at once for a moment, as when a drop of rain falls; take off what
   only the coarse blur has reached (``edge_z``), and the tail of the fine one beside loud sounds.
   What hardly reaches ``seed_z``, as noise does by chance, counts only beside a clearer sound.
3. Cut every region into notes where its level has valleys (`birdmodes.segmentation.notes`).
4. Join notes that are parts of one call, and cut bands in time (`birdmodes.segmentation.calls`).
5. Drop what is too small (`birdmodes.segmentation.notes.SizeLimits`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import scipy
from numpy.typing import NDArray

from birdmodes.segmentation.base import Region, Segmenter, SizeLimits
from birdmodes.segmentation.calls import calls_of_notes
from birdmodes.segmentation.notes import notes_of_regions
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.segmentation.smoothing import (
    blurred_image,
    pooled_frames,
    row_quantiles,
    running_maximum,
    stretched_frames,
)
from birdmodes.segmentation.spectrogram import Spectrogram

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
# Weight of the second order in what few independent frames cost, as quantiles of Student's t have
# one: chosen so that clips of half a second and a second of noise have hardly any syllables.
_FEW_FRAMES = 8.0

# What lifts half of all frequencies at once, for no longer than this, is a rain drop or a gust: a
# sound must rise above it. Where a sound begins and ends is not changed by it, since taking it off
# everywhere would cut the broad calls of crows into pieces.
_BURST_S = 0.4

# Noise rises so high by chance, a few times a minute. A region that does not rise higher counts
# only if one that does is in its clip and no farther than this in frequency: faint calls come with
# louder ones. Chosen on noise, and so that no tagged sound of NIPS4B is lost.
_CLEAR_Z = 5.1
_BESIDE_HZ = 2000.0

# Blurs reach this many standard deviations; frames so near a gap do not show the noise.
_BLUR_REACH = 2.0
# What scores under this part of its loudest neighbour so near is the tail of the blur: without
# this, loud notes begin up to 75 ms early.
_TAIL = 0.12
# A blurred image has no detail finer than its blur. One sample in 1.8 standard deviations shows
# all of the fine map and keeps edges within half a blur; the coarse map, which is only looked up
# between its samples, needs no more than one in 1.5.
_FINE_SAMPLING = 1.8
_COARSE_SAMPLING = 1.5


class EnergySegmenter(Segmenter):
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

    def regions(self, whitened: Spectrogram) -> Iterator[Region]:
        """Find the syllables of one clip; see `birdmodes.segmentation.base.Segmenter`."""
        maps = _EnergyMaps(whitened, self.parameters)
        sound = (maps.mean > self.parameters.grow_z) & (maps.fine > self.parameters.edge_z)
        maps.leave_out_tails(sound, self.parameters.edge_z)
        pixels = np.flatnonzero(sound)
        score = maps.mean.ravel()[pixels]
        seed_z = self.parameters.seed_z
        seeds, clear = score > seed_z, score > max(seed_z, _CLEAR_Z)
        if seeds.any():
            lift = maps.bursts().take(pixels % sound.shape[1])
            seeds = score - lift > seed_z
        beside = round(_BESIDE_HZ / whitened.bin_hz)
        # A region that will have too few pixels for a note need not be brought to full size.
        least_pixels = SizeLimits(whitened, self.parameters).least_pixels
        least = -(-math.ceil(least_pixels) // maps.step)
        found = _regions_with(sound, pixels, seeds, clear, beside, least)
        regions = (maps.region_at_full_size(region) for region in found)
        notes = notes_of_regions(regions, whitened, self.parameters)
        if self.parameters.join_r < 1.0:
            notes = calls_of_notes(notes, whitened, self.parameters)
        return notes


def energy_map(whitened: Spectrogram, parameters: SegmentationParameters) -> NDArray[np.float32]:
    """How far every pixel stands out from the noise of its bin.

    The mean of two maps: a finely blurred one, which follows short notes, and a coarsely blurred
    one, which finds long and faint ones.

    Parameters
    ----------
    whitened : Spectrogram
        Result of `birdmodes.segmentation.spectrogram.whiten`.
    parameters : SegmentationParameters
        Band, blurs and ``noise_smooth_hz`` are used.

    Returns
    -------
    ndarray of float32, shape (n_bins, n_frames)
        Noise spreads above the noise level; minus infinity outside the band and in gaps.
    """
    maps = _EnergyMaps(whitened, parameters)
    return maps.mean_at_full_size()


class _EnergyMaps:
    """Energy map of the fine blur alone, and the mean of both; see `energy_map`.

    Both cover the band only, in steps of several frames: blurring what the next line averages
    away would take most of the time of segmentation.

    Attributes
    ----------
    fine, mean : ndarray of float32, shape (n_band, ceil(n_frames / step))
        Noise spreads above the noise level; minus infinity in gaps.
    """

    def __init__(self, whitened: Spectrogram, parameters: SegmentationParameters) -> None:
        self._band = whitened.band(parameters)
        self._shape = whitened.magnitude.shape
        self._gap = ~whitened.active_frames()
        bins, frames = (
            parameters.smooth_hz / whitened.bin_hz,
            parameters.smooth_s / whitened.frame_s,
        )
        self.step = step = max(1, int(frames / _FINE_SAMPLING))
        self._sigma = frames / step
        pooled = pooled_frames(whitened.magnitude[self._band], step)
        gap = _pooled_gap(self._gap, step)
        self._active = ~gap
        self._burst = round(_BURST_S / (whitened.frame_s * step))
        if gap.all() or not pooled.size:
            self.fine = self.mean = np.full(pooled.shape, -np.inf, dtype=np.float32)
            return
        half_width = parameters.noise_smooth_hz / whitened.bin_hz
        blurred = blurred_image(pooled, bins, _rest(frames, 0.0, step))
        coarse = _coarse_score(blurred, ~gap, (bins, self._sigma), parameters, half_width)
        self.fine = _noise_score(blurred, ~gap, self._sigma, round(half_width))
        if gap.any():
            self.fine[:, gap] = -np.inf
        coarse += self.fine
        coarse *= np.float32(0.5)
        self.mean = coarse

    def leave_out_tails(self, sound: NDArray[np.bool_], edge_z: float) -> None:
        """Take off `sound`, which is above `edge_z`, what may be the blur of a louder moment."""
        # Where nothing is so loud, its blur is not above the edge either.
        loudest = self.fine.max(axis=1, initial=-np.inf) * np.float32(_TAIL)
        rows = np.flatnonzero(loudest > edge_z)
        if rows.size:
            fine = self.fine[rows]
            around = running_maximum(fine, math.ceil(_BLUR_REACH * self._sigma))
            around *= np.float32(_TAIL)
            sound[rows] &= fine > around

    def bursts(self) -> NDArray[np.float32]:
        """How far every column rises at most frequencies at once, for a moment only."""
        lift = np.zeros(self._active.size, dtype=np.float32)
        if self.mean.size and self._active.any():
            mean = self.mean if self._active.all() else self.mean[:, self._active]
            # Where fewer than half of the frequencies are above the noise, the median is not.
            n_above = (mean > 0).sum(axis=0, dtype=np.int32)
            above = np.flatnonzero(n_above >= len(mean) // 2)
            half = np.zeros(mean.shape[1])
            if above.size:
                half[above] = np.maximum(next(row_quantiles(mean.T[above], 0.5)), 0.0)
            lasting = scipy.ndimage.minimum_filter1d(half, self._burst | 1)
            scipy.ndimage.maximum_filter1d(lasting, self._burst | 1, output=lasting)
            lift[self._active] = half - lasting
        return lift

    def mean_at_full_size(self) -> NDArray[np.float32]:
        """The mean map brought to the size of the spectrogram."""
        full = np.full(self._shape, -np.inf, dtype=np.float32)
        full[self._band] = np.repeat(self.mean, self.step, axis=1)[:, : self._shape[1]]
        full[:, self._gap] = -np.inf
        return full

    def region_at_full_size(self, region: Region) -> Region:
        """Bring a region of an image of the maps' size to the spectrogram."""
        (bins, frames), mask = region
        first, stop = frames.start * self.step, min(frames.stop * self.step, self._shape[1])
        lowest = self._band.start
        box = slice(lowest + bins.start, lowest + bins.stop), slice(first, stop)
        mask = np.repeat(mask, self.step, axis=1)[:, : stop - first]
        gap = self._gap[box[1]]
        return box, mask & ~gap if gap.any() else mask


def _coarse_score(
    fine: NDArray[np.float32],
    active: NDArray[np.bool_],
    sigma: tuple[float, float],
    parameters: SegmentationParameters,
    half_width: float,
) -> NDArray[np.float32]:
    """Score of the coarse blur, computed from the image blurred by `sigma` on a coarser grid."""
    coarse = (sigma[0] * math.sqrt(parameters.coarse_factor), sigma[1] * parameters.coarse_factor)
    bins, frames = (max(1, int(size / _COARSE_SAMPLING)) for size in coarse)
    pooled = pooled_frames(pooled_frames(fine, frames).T, bins).T
    gap = _pooled_gap(~active, frames)
    rest = (_rest(coarse[0], sigma[0], bins), _rest(coarse[1], sigma[1], frames))
    blurred = blurred_image(pooled, *rest)
    score = _noise_score(blurred, ~gap, coarse[1] / frames, round(half_width / bins))
    return stretched_frames(stretched_frames(score.T, bins, fine.shape[0]).T, frames, fine.shape[1])


def _pooled_gap(gap: NDArray[np.bool_], step: int) -> NDArray[np.bool_]:
    """Which of the means of every `step` columns are of gaps alone."""
    return np.asarray(np.logical_and.reduceat(gap, np.arange(0, gap.size, step)))


def _rest(sigma: float, done: float, step: int) -> float:
    """Blur that is still to do, in steps, after one of `done` and the mean of `step` samples."""
    return math.sqrt(max(0.0, sigma**2 - done**2 - (step**2 - 1) / 12)) / step


def _noise_score(
    blurred: NDArray[np.float32], active: NDArray[np.bool_], sigma: float, half_width: int
) -> NDArray[np.float32]:
    """Subtract the noise level and divide by the noise spread of every bin, in place.

    The image has been blurred by `sigma` columns.
    """
    # Neighbouring frames are alike after the blur: a part of them tells as much.
    step = max(1, int(sigma))
    if active.all():
        n_seen, part = active.size, blurred[:, ::step]
    else:
        clear = scipy.ndimage.binary_erosion(
            active, iterations=max(1, round(_BLUR_REACH * sigma)), border_value=1
        )
        seen = np.flatnonzero(clear if clear.any() else active)
        n_seen, part = seen.size, blurred[:, seen[::step]]
    level, spread = _noise_of(part, half_width)
    # Few independent frames tell little of the noise: a short clip needs louder sounds.
    share = _FRAMES_PER_BLUR * sigma / n_seen
    spread *= np.float32(1.0 + share + _FEW_FRAMES * share**2)
    blurred -= level[:, None]
    blurred /= spread[:, None]
    return blurred


def _noise_of(
    blurred: NDArray[np.float32], half_width: int
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Mean and standard deviation of the noise in every bin, as if normal below the quantiles."""
    low, high = row_quantiles(blurred, *_QUANTILES)
    spread = (high - low) / (_SCORES[1] - _SCORES[0])
    level = low - _SCORES[0] * spread
    filled = level > _MIN_LEVEL
    relative = spread / np.maximum(level, _MIN_LEVEL)
    relative = scipy.ndimage.uniform_filter1d(relative, 2 * half_width + 1)
    typical = relative[filled] if filled.any() else relative
    reference = float(next(row_quantiles(typical[None], _REFERENCE_QUANTILE))[0])
    reference = max(reference, _MIN_RELATIVE_SPREAD)
    most = min(_MAX_SPREAD_RATIO * reference, _MAX_RELATIVE_SPREAD)
    relative = np.minimum(np.maximum(relative, reference), most)
    level = np.maximum(low / (1.0 + _SCORES[0] * relative), _MIN_LEVEL)
    return level.astype(np.float32), (relative * level).astype(np.float32)


def _regions_with(
    sound: NDArray[np.bool_],
    pixels: NDArray[np.intp],
    seeds: NDArray[np.bool_],
    clear: NDArray[np.bool_],
    beside: int,
    least: int,
) -> Iterator[Region]:
    """Find the connected regions of `sound` that contain a seed, and `least` pixels.

    Those without a clear pixel must be within `beside` bins of one that has such. `seeds` and
    `clear` tell of the `pixels` of the sound, counted row by row.
    """
    if not seeds.any():
        return
    found, boxes = connected_regions(pixels, sound.shape[1])
    near_clear = np.zeros(sound.shape[0], dtype=bool)
    for region in np.flatnonzero(np.bincount(found[clear])):
        bins = boxes[region][0]
        near_clear[max(0, bins.start - beside) : bins.stop + beside] = True
    seeded = np.bincount(found[seeds], minlength=len(boxes)) > 0
    labels = np.full(sound.shape, -1, dtype=np.int32)
    labels.reshape(-1)[pixels] = found
    for region in np.flatnonzero(seeded & (np.bincount(found) >= least)):
        box = boxes[region]
        if near_clear[box[0]].any():
            yield box, labels[box] == region


def connected_regions(
    pixels: NDArray[np.intp], n_columns: int
) -> tuple[NDArray[np.int32], list[tuple[slice, slice]]]:
    """Number pixels that touch at a side, directly or through others, as one region.

    As `scipy.ndimage.label` and `scipy.ndimage.find_objects` give it, in a third of the time: what
    lies side by side in a row is one run, and there are few of these.

    Parameters
    ----------
    pixels : ndarray of int, shape (n_pixels,)
        The pixels, at least one, counted row by row, in order.
    n_columns : int
        Width of the image.

    Returns
    -------
    region : ndarray of int, shape (n_pixels,)
        Region of every pixel: 0, 1, ... in the order of their first pixels.
    boxes : list of tuple of slice
        Rows and columns of each region.
    """
    # A column of background at the end of every row keeps runs apart.
    width = n_columns + 1
    places = pixels + pixels // n_columns
    begins = np.flatnonzero(np.diff(places, prepend=-2) != 1)
    sizes = np.diff(begins, append=places.size)
    first = places[begins]
    last = first + sizes - 1
    region = _groups(
        np.searchsorted(last, first + width), np.searchsorted(first, last + width, "right")
    )
    order = np.argsort(region, kind="stable")
    starts = np.flatnonzero(np.diff(region[order], prepend=-1))
    rows, columns = np.divmod(first[order], width)
    edges = (
        rows[starts],
        np.maximum.reduceat(rows, starts),
        np.minimum.reduceat(columns, starts),
        np.maximum.reduceat(columns + sizes[order], starts),
    )
    boxes = [
        (slice(lowest, highest + 1), slice(start, stop))
        for lowest, highest, start, stop in zip(*(edge.tolist() for edge in edges), strict=True)
    ]
    return np.repeat(region, sizes), boxes


def _groups(start: NDArray[np.intp], stop: NDArray[np.intp]) -> NDArray[np.int32]:
    """Number what hangs together, where each is linked to those from its start to its stop."""
    count = stop - start
    ends = np.cumsum(count)
    linked = np.arange(count.sum()) + np.repeat(start - (ends - count), count)
    links = np.ones(linked.size), linked, np.concatenate([[0], ends])
    graph = scipy.sparse.csr_array(links, shape=(count.size, count.size))
    groups: NDArray[np.int32] = scipy.sparse.csgraph.connected_components(graph, directed=False)[1]
    return groups
