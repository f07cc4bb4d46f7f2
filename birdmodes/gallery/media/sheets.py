"""The thumbs of all syllables, written sheet by sheet as they come."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from birdmodes.gallery.clips import SyllableDigests
from birdmodes.gallery.folder import GalleryFolder, write_file
from birdmodes.gallery.media.thumbs import PER_SHEET, Sheet
from birdmodes.pictures.picture_files import picture_ending


class Sheets:
    """All sheets of a gallery; only those that are not there yet are drawn.

    Parameters
    ----------
    gallery : GalleryFolder
        They go to its folder ``thumbs``.
    digests : SyllableDigests
        Of all syllables.
    n_syllables : int
        How many there are; row i is in sheet ``i // PER_SHEET``.

    Attributes
    ----------
    addresses : list of str
        Of all sheets.
    """

    def __init__(self, gallery: GalleryFolder, digests: SyllableDigests, n_syllables: int) -> None:
        self._gallery = gallery
        self.addresses: list[str] = []
        self._counts: dict[int, int] = {}
        self._open: dict[int, Sheet] = {}
        for number, first in enumerate(range(0, n_syllables, PER_SHEET)):
            rows = np.arange(first, min(first + PER_SHEET, n_syllables))
            digest = digests.of(rows, made_with="thumbs")
            self.addresses.append(f"thumbs/{digest}{picture_ending()}")
            if not gallery.has(self.addresses[-1]):
                self._counts[number] = len(rows)

    def wants(self, row: int) -> bool:
        """Whether the sheet of a row is to be drawn."""
        return row // PER_SHEET in self._counts

    def put(self, row: int, pixels: npt.NDArray[np.uint8]) -> None:
        """Take the thumb of a row; its sheet is written once it has all."""
        number = row // PER_SHEET
        if number not in self._counts:
            return
        if number not in self._open:
            self._open[number] = Sheet(self._counts[number])
        sheet = self._open[number]
        sheet.put(row % PER_SHEET, pixels)
        if not sheet.missing:
            write_file(self._gallery.folder / self.addresses[number], sheet.encode())
            del self._open[number]
