"""The pictures of all modes' mean patches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from birdmodes.gallery.clips import SyllableDigests
from birdmodes.gallery.folder import GalleryFolder, write_file
from birdmodes.gallery.plan import ModePlan, PagePlan
from birdmodes.pictures.mean_patch import MeanPatch
from birdmodes.pictures.picture_files import encode_picture, picture_ending
from birdmodes.pictures.pictures import draw
from birdmodes.pictures.scale import Scale
from birdmodes.pictures.windows import ContextScale
from birdmodes.segmentation.parameters import SegmentationParameters

QUALITY = 60
WIDTH, HEIGHT = 180, 116

MEAN_SHARE = 0.2
"""A mean shows so much of the length that other pictures show."""


class Means:
    """All mean patches of a gallery; only those that are not there yet are drawn.

    Parameters
    ----------
    parameters : SegmentationParameters
        Those of the workspace.
    pages : list of PagePlan
        The modes.
    scale : ContextScale
        Of the other pictures: means are as high, and a part as long.
    gallery : GalleryFolder
        They go to its folder ``pictures``.
    digests : SyllableDigests
        Of all syllables.
    row_of : mapping of str to int
        Row of each syllable.

    Attributes
    ----------
    addresses : dict of int to str
        Of all pictures, by cluster.
    wanted : dict of str to int
        Cluster of the syllables that are to be added.
    widest : int
        Frames that a mean needs at most.
    """

    def __init__(
        self,
        parameters: SegmentationParameters,
        pages: list[PagePlan],
        scale: ContextScale,
        gallery: GalleryFolder,
        digests: SyllableDigests,
        row_of: Mapping[str, int],
    ) -> None:
        self._parameters = parameters
        self._gallery = gallery
        self._missing: dict[int, tuple[ModePlan, MeanPatch]] = {}
        self._scale = Scale(0.0, MEAN_SHARE * scale.width_s, 0.0, scale.top_hz)
        self.addresses: dict[int, str] = {}
        self.wanted: dict[str, int] = {}
        # A little wider, so that no edge of a mean is seen.
        self.widest = round(1.1 * self._scale.width_s / parameters.frame_s)
        for mode in _modes(pages):
            names = [str(name) for name in mode.typical["syllable"]]
            rows = np.array([row_of[name] for name in names])
            digest = digests.of(rows, made_with=["mean", self._scale.edges(), self.widest])
            address = f"pictures/mean-{mode.cluster}-{digest}{picture_ending()}"
            self.addresses[mode.cluster] = address
            if not gallery.has(address):
                self._missing[mode.cluster] = (mode, MeanPatch(self.widest))
                self.wanted.update(dict.fromkeys(names, mode.cluster))

    def merge(self, cluster: int, part: MeanPatch) -> None:
        """Take what has been summed up of a cluster's syllables."""
        self._missing[cluster][1].merge(part)

    def draw(self) -> None:
        """Write the pictures, each mean in the middle, at its mode's median frequency."""
        for cluster, (mode, mean) in self._missing.items():
            centre_hz = float((mode.typical["low_hz"] + mode.typical["high_hz"]).median() / 2)
            image = mean.image(self._parameters, self._scale.width_s / 2, centre_hz)
            pixels = draw(image, self._scale, 0.0, 1.0, size=(HEIGHT, WIDTH))
            path = self._gallery.folder / self.addresses[cluster]
            write_file(path, encode_picture(pixels, QUALITY))


def _modes(pages: list[PagePlan]) -> Iterator[ModePlan]:
    """Modes that have a mean."""
    for page in pages:
        for mode in page.modes:
            if mode.statistics is not None:
                yield mode
