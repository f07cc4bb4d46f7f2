"""Ogg: streams that follow each other in one file, and how long they say they are (RFC 3533).

libsndfile reads the first of them only.
"""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# More streams than this is damage.
_MOST_LINKS = 1000
_NO_POSITION = 2**64 - 1
# A stream cut out of a longer one counts from where that began.
_LATEST_START = 2**20


@dataclass(frozen=True)
class Link:
    """One stream.

    Attributes
    ----------
    start, stop : int
        Its bytes.
    frames : int or None
        Samples that its last page announces, if it is Vorbis that begins at 0.
    """

    start: int
    stop: int
    frames: int | None


def links(path: Path) -> list[Link]:
    """Find the streams of an Ogg file.

    Parameters
    ----------
    path : pathlib.Path
        The file; others than Ogg have none.

    Returns
    -------
    list of Link
        In order; nothing behind a place where no page begins.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    found: list[Link] = []
    start, at, positions, vorbis, had_sound = 0, 0, [0], False, False
    with path.open("rb") as file:
        while len(found) < _MOST_LINKS:
            file.seek(at)
            header = file.read(27)
            if len(header) < 27 or header[:4] != b"OggS":
                break
            sizes = file.read(header[26])
            position, begins = struct.unpack_from("<Q", header, 6)[0], header[5] & 2
            if begins and had_sound:
                found.append(_link(start, at, positions, vorbis))
                start, positions, vorbis, had_sound = at, [0], False, False
            if begins:
                vorbis = file.read(7) == b"\x01vorbis"
            elif position not in (0, _NO_POSITION):
                positions.append(position)
                had_sound = True
            at += 27 + len(sizes) + sum(sizes)
    if at > start:
        found.append(_link(start, at, positions, vorbis))
    return found


def _link(start: int, stop: int, positions: list[int], vorbis: bool) -> Link:
    counted = vorbis and len(positions) > 1 and positions[1] <= _LATEST_START
    return Link(start, stop, positions[-1] if counted else None)


class Slice(io.FileIO):
    """Bytes `start` to ``stop - 1`` of a file as a file of their own."""

    def __init__(self, path: Path, start: int, stop: int) -> None:
        super().__init__(path)
        self._start, self._size = start, stop - start
        self.seek(0)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place, counted from the beginning of the slice."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self.tell(), io.SEEK_END: self._size}[whence]
        return super().seek(self._start + max(0, base + offset)) - self._start

    def tell(self) -> int:
        """Place, counted from the beginning of the slice."""
        return super().tell() - self._start

    def read(self, size: int | None = -1, /) -> bytes:
        """Read bytes, all that are left by default."""
        room = max(0, self._size - self.tell())
        return super().read(room if size is None or size < 0 else min(size, room)) or b""

    def readinto(self, buffer: Any) -> int:
        """Read no more than the slice has."""
        room = max(0, self._size - self.tell())
        return super().readinto(memoryview(buffer).cast("B")[:room]) or 0
