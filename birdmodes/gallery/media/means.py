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
from birdmodes.segmentation.parameters import SegmentationParameters

QUALITY = 60


class Means:
    """All mean patches of a gallery; only those that are not there yet are drawn.

    Parameters
    ----------
    parameters : SegmentationParameters
        Those of the workspace.
    pages : list of PagePlan
        The modes.
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
        gallery: GalleryFolder,
        digests: SyllableDigests,
        row_of: Mapping[str, int],
    ) -> None:
        self._parameters = parameters
        self._gallery = gallery
        self._missing: dict[int, tuple[ModePlan, Scale, MeanPatch]] = {}
        self.addresses: dict[int, str] = {}
        self.wanted: dict[str, int] = {}
        # Twice a page's width, so that no edge of a mean is seen wherever its centre is put.
        width_s = 2 * max((page.scale.width_s for page in pages), default=0.0)
        self.widest = round(width_s / parameters.frame_s)
        for page, mode in _modes(pages):
            names = [str(name) for name in mode.typical["syllable"]]
            rows = np.array([row_of[name] for name in names])
            digest = digests.of(rows, made_with=["mean", page.scale.edges(), self.widest])
            address = f"pictures/mean-{mode.cluster}-{digest}{picture_ending()}"
            self.addresses[mode.cluster] = address
            if not gallery.has(address):
                self._missing[mode.cluster] = (mode, page.scale, MeanPatch(self.widest))
                self.wanted.update(dict.fromkeys(names, mode.cluster))

    def merge(self, cluster: int, part: MeanPatch) -> None:
        """Take what has been summed up of a cluster's syllables."""
        self._missing[cluster][2].merge(part)

    def draw(self) -> None:
        """Write the pictures, at each mode's median frequency and duration."""
        for cluster, (mode, scale, mean) in self._missing.items():
            typical = mode.typical
            duration_s = float((typical["end_s"] - typical["start_s"]).median())
            centre_hz = float((typical["low_hz"] + typical["high_hz"]).median() / 2)
            image = mean.image(self._parameters, duration_s / 2, centre_hz)
            highest = max(float(image.level.max()), 1.0)
            colours = draw(image, scale, 0.0, highest, outside=0)
            path = self._gallery.folder / self.addresses[cluster]
            write_file(path, encode_picture(colours, QUALITY))


def _modes(pages: list[PagePlan]) -> Iterator[tuple[PagePlan, ModePlan]]:
    """Modes that have a mean."""
    for page in pages:
        for mode in page.modes:
            if mode.statistics is not None:
                yield page, mode
