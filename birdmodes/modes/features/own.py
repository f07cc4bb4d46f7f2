"""The feature sets that are made of what `segment` keeps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from algorithms.features.codebook import MOST_PATCHES, PatchCodebook
from algorithms.features.components import MOST_ROWS, UnitComponents
from algorithms.features.exact import as_whole, some_rows
from birdmodes.modes.features.base import Arrays, FeatureSet, Floats, numbered
from birdmodes.modes.features.material import SyllableMaterial
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.segmentation.windows import N_COLUMNS, PLACE_NAMES, WINDOW_S

N_MEL = 40
N_MODULATION = 20
N_LEARNED = 60
N_CENTRES = 300

PATCH_COLUMNS = 4
"""Columns of a window that a patch of the codebook covers: 70 ms."""

LONGEST_GAP_S = 3.0
"""Sounds that are farther away than this are as far as can be."""

_LEAST_GAP_S = 0.02
_BLOCK_WINDOWS = 1024
_BLOCK_SPECTRA = 64


class Briggs38(FeatureSet):
    """The 38 features of the syllable's patch and mask."""

    name = "briggs38"
    dimensions = "38"
    source = "the syllable itself: profile, mask, gradients (Briggs et al. 2012)"
    needs_windows = False
    one_scale = False
    mode_weight = 0.3

    @classmethod
    def learn(cls, material: SyllableMaterial, seed: int, argument: str) -> Self:
        """Nothing is learned."""
        return cls()

    def columns(self, material: SyllableMaterial) -> Floats:
        """Features in hertz and seconds."""
        return np.asarray(material.syllables[list(FEATURE_NAMES)].to_numpy(dtype=np.float64))

    def column_names(self) -> list[str]:
        """Names of the features."""
        return list(FEATURE_NAMES)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Nothing was learned."""
        return cls()


@dataclass(frozen=True, eq=False)
class _WindowComponents(FeatureSet):
    """Principal components of the windows, or of what is made of them, each of unit length.

    Attributes
    ----------
    components : UnitComponents
        Of these.
    """

    components: UnitComponents

    needs_windows = True
    one_scale = True
    mode_weight = 2.0

    def column_names(self) -> list[str]:
        """``mel-01`` and so on."""
        return numbered(self.name, len(self.components.offset))

    def arrays(self) -> Arrays:
        """The components."""
        return {"components": self.components.components, "offset": self.components.offset}

    def facts(self) -> dict[str, Any]:
        """How much they explain."""
        return {"explained": round(self.components.explained, 4)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Take the components from arrays."""
        explained = float(facts["explained"])
        return cls(UnitComponents(arrays["components"], arrays["offset"], explained))


class Mel(_WindowComponents):
    """Principal components of the windows."""

    name = "mel"
    dimensions = f"{N_MEL} at most"
    source = "the sound around it: principal components of log-mel windows"

    @classmethod
    def learn(cls, material: SyllableMaterial, seed: int, argument: str) -> Self:
        """Find the components."""
        return cls(UnitComponents.learn(_flat(material.windows), N_MEL, seed))

    def columns(self, material: SyllableMaterial) -> Floats:
        """Coordinates on the components."""
        return self.components.apply(_flat(material.windows))


class Modulation(_WindowComponents):
    """Principal components of the modulation spectra of the windows.

    The spectrum says how fast and how finely the sound changes along time and frequency, and
    nothing of where: a note that segmentation has cut earlier or later, or that is sung a little
    higher, looks much the same; what is beside the syllable in time counts less than it does.

    References
    ----------
    Singh & Theunissen (2003), Modulation spectra of natural sounds and ethological theories of
    auditory processing, JASA 114:3394.
    """

    name = "modulation"
    dimensions = f"{N_MODULATION} at most"
    source = "how it changes along time and frequency: modulation spectra of the windows"

    @classmethod
    def learn(cls, material: SyllableMaterial, seed: int, argument: str) -> Self:
        """Find the components."""
        windows = material.windows
        spectra = modulation_spectra(windows[some_rows(len(windows), MOST_ROWS, seed)])
        components = UnitComponents.learn(spectra, N_MODULATION, seed)
        if len(spectra) == len(windows):  # then they are those that `columns` wants
            material.once(components, lambda: components.apply(spectra))
        return cls(components)

    def columns(self, material: SyllableMaterial) -> Floats:
        """Coordinates on the components."""
        windows = material.windows
        if len(windows) <= MOST_ROWS:
            return material.once(self.components, lambda: self._of(windows))
        found = np.empty((len(windows), len(self.components.offset)))
        for start in range(0, len(found), _BLOCK_WINDOWS):  # spectra take more than windows
            rows = slice(start, start + _BLOCK_WINDOWS)
            found[rows] = self._of(windows[rows])
        return found

    def _of(self, windows: npt.NDArray[np.uint8]) -> Floats:
        return self.components.apply(modulation_spectra(windows))


@dataclass(frozen=True, eq=False)
class Learned(FeatureSet):
    """How like typical short patches the syllable's are: a codebook by spherical k-means.

    Attributes
    ----------
    codebook : PatchCodebook
        Of patches of `PATCH_COLUMNS` columns of the windows.
    components : UnitComponents
        Of what it says of the syllables.
    """

    codebook: PatchCodebook
    components: UnitComponents

    name = "learned"
    dimensions = f"{N_LEARNED} at most"
    source = f"{N_CENTRES} typical patches of 70 ms, learned (Stowell & Plumbley 2014)"
    needs_windows = True
    one_scale = True

    @classmethod
    def learn(cls, material: SyllableMaterial, seed: int, argument: str) -> Self:
        """Learn the codebook, and the components of what it says."""
        windows, durations_s = material.windows, _durations(material)
        owner, first = patch_places(durations_s)
        some = some_rows(len(owner), MOST_PATCHES, seed)
        patches = cut_patches(windows, owner[some], first[some])
        codebook = PatchCodebook.learn(patches, N_CENTRES, seed)
        del owner, first
        some = some_rows(len(windows), MOST_ROWS, seed)
        told = _told(codebook, windows[some], durations_s[some])
        if len(told) == len(windows):  # then it is what `columns` wants
            material.once(codebook, lambda: told)
        return cls(codebook, UnitComponents.learn(told, N_LEARNED, seed))

    def columns(self, material: SyllableMaterial) -> Floats:
        """Coordinates on the components."""
        windows, durations_s = material.windows, _durations(material)
        if len(windows) <= MOST_ROWS:
            told = material.once(self.codebook, lambda: _told(self.codebook, windows, durations_s))
            return self.components.apply(told)
        found = np.empty((len(windows), len(self.components.offset)))
        for start in range(0, len(found), _BLOCK_WINDOWS):  # patches take more than windows
            rows = slice(start, start + _BLOCK_WINDOWS)
            told = _told(self.codebook, windows[rows], durations_s[rows])
            found[rows] = self.components.apply(told)
        return found

    def column_names(self) -> list[str]:
        """``learned-01`` and so on."""
        return numbered(self.name, len(self.components.offset))

    def arrays(self) -> Arrays:
        """Codebook and components."""
        return {
            "whitening": self.codebook.whitening,
            "patch_offset": self.codebook.offset,
            "centres": self.codebook.centres,
            "components": self.components.components,
            "offset": self.components.offset,
        }

    def facts(self) -> dict[str, Any]:
        """Size of the codebook, and how much of what it says the components explain."""
        return {
            "centres": self.codebook.centres.shape[1],
            "explained": round(self.components.explained, 4),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Take codebook and components from arrays."""
        codebook = PatchCodebook(arrays["whitening"], arrays["patch_offset"], arrays["centres"])
        explained = float(facts["explained"])
        return cls(codebook, UnitComponents(arrays["components"], arrays["offset"], explained))


class Rhythm(FeatureSet):
    """The syllable's place in time: logarithms of gaps and counts."""

    name = "rhythm"
    dimensions = str(len(PLACE_NAMES))
    source = "its place in time: gaps to similar sounds of the clip, how many are near"
    needs_windows = True
    one_scale = False
    mode_weight = 0.3

    @classmethod
    def learn(cls, material: SyllableMaterial, seed: int, argument: str) -> Self:
        """Nothing is learned."""
        return cls()

    def columns(self, material: SyllableMaterial) -> Floats:
        """Logarithms of gaps, up to `LONGEST_GAP_S`, and of counts."""
        places = material.places
        gap = np.array([name.startswith(("next", "last")) for name in PLACE_NAMES])
        gaps = np.log(np.minimum(places[:, gap], LONGEST_GAP_S) + _LEAST_GAP_S)
        found = np.log1p(places)
        found[:, gap] = gaps
        return found

    def column_names(self) -> list[str]:
        """Names of the numbers they are logarithms of."""
        return [f"log-{name}" for name in PLACE_NAMES]

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Nothing was learned."""
        return cls()


def patch_places(
    durations_s: Floats,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Say where the patches of a codebook are: in windows, where the syllables are.

    Parameters
    ----------
    durations_s : ndarray, shape (n,)
        Of the syllables.

    Returns
    -------
    owner : ndarray of int64, shape (n_patches,)
        Row of the syllable, ascending.
    first : ndarray of int64, shape (n_patches,)
        First column of the patch. They lie within the syllable, with one column more at either
        side; at least one of each syllable, from the middle of what is longer than the window.
    """
    middle, column_s = N_COLUMNS // 2, WINDOW_S / N_COLUMNS
    reach = np.ceil(durations_s / 2 / column_s).astype(np.int64) + 1
    reach = reach.clip(PATCH_COLUMNS // 2, middle)[:, None]
    start = np.arange(N_COLUMNS - PATCH_COLUMNS + 1)
    inside = (start >= middle - reach) & (start + PATCH_COLUMNS <= middle + reach)
    owner, first = np.nonzero(inside)
    return owner.astype(np.int64), first.astype(np.int64)


def cut_patches(
    windows: npt.NDArray[np.uint8],
    owner: npt.NDArray[np.int64],
    first: npt.NDArray[np.int64],
) -> npt.NDArray[np.uint8]:
    """Cut patches out of windows.

    Parameters
    ----------
    windows : ndarray of uint8, shape (n, n_bands, N_COLUMNS)
        Centred on the syllables.
    owner, first : ndarray of int64, shape (n_patches,)
        From `patch_places`.

    Returns
    -------
    ndarray of uint8, shape (n_patches, n_bands * PATCH_COLUMNS)
    """
    cut = np.lib.stride_tricks.sliding_window_view(windows, PATCH_COLUMNS, axis=2)
    return cut[owner, :, first, :].reshape(len(owner), windows.shape[1] * PATCH_COLUMNS)


def modulation_spectra(windows: npt.NDArray[np.uint8]) -> npt.NDArray[np.int16]:
    """Magnitudes of the Fourier transforms of windows, tapered in time, along frequency and time.

    Parameters
    ----------
    windows : ndarray of uint8, shape (n, n_bands, n_columns)

    Returns
    -------
    ndarray of int16, shape (n, n_bands * n_columns / 2)
        In shares of the sum of the window, in steps of 2^-14. The first half of the frequencies
        along time, and along the bands, which as many zeros follow so that low and high ones do
        not touch.
    """
    n, n_bands, n_columns = windows.shape
    half = n_columns // 2
    # The syllable is in the middle; what begins or ends beside it counts less, and no edge counts.
    hann = np.sin(np.pi * (np.arange(n_columns) + 0.5) / n_columns) ** 2
    # Products with waves take a tenth of the time of fast transforms, so short are the axes.
    time_waves = hann[:, None] * np.hstack(_waves(n_columns, half, n_columns))
    band_waves = np.hstack(_waves(n_bands, n_bands, 2 * n_bands)).T
    found = np.empty((n, n_bands * half), dtype=np.int16)
    for start in range(0, n, _BLOCK_SPECTRA):  # what stays in the cache
        rows = slice(start, start + _BLOCK_SPECTRA)
        parts = band_waves @ (windows[rows] @ time_waves)
        cosine, sine = parts[:, :n_bands], parts[:, n_bands:]
        real = cosine[:, :, :half] - sine[:, :, half:]
        imaginary = cosine[:, :, half:] + sine[:, :, :half]
        magnitude = np.sqrt(real**2 + imaginary**2).reshape(len(real), -1)
        # The first is the sum of the window, and so the largest.
        found[rows] = as_whole(magnitude / np.maximum(magnitude[:, :1], 1.0))
    return found


def _waves(n: int, n_waves: int, length: int) -> tuple[Floats, Floats]:
    """Cosines and sines of 0, 1, ... periods in `length` steps, shape (n, n_waves)."""
    angle = 2 * np.pi / length * (np.outer(np.arange(n), np.arange(n_waves)) % length)
    return np.cos(angle), np.sin(angle)


def _told(
    codebook: PatchCodebook, windows: npt.NDArray[np.uint8], durations_s: Floats
) -> npt.NDArray[np.int16]:
    """What a codebook says of syllables, in whole numbers."""
    owner, first = patch_places(durations_s)
    return as_whole(codebook.describe(cut_patches(windows, owner, first), owner, len(windows)))


def _durations(material: SyllableMaterial) -> Floats:
    times = material.syllables[["start_s", "end_s"]].to_numpy(dtype=np.float64)
    return np.asarray(times[:, 1] - times[:, 0])


def _flat(windows: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    return windows.reshape(len(windows), windows.shape[1] * windows.shape[2])
