"""Ogg: streams that follow each other in one file, and how long they say they are (RFC 3533).

libsndfile reads the first of them only.
"""

from __future__ import annotations

import functools
import io
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

# More streams than this is damage.
_MOST_LINKS = 1000
_PAGE = b"OggS"
# A page has at most 65,307 bytes; what lies between two is damage, and no more of it is read.
_FARTHEST = 2**20
_NO_POSITION = 2**64 - 1
# A stream cut out of a longer one counts from where that began.
_LATEST_START = 2**20
_OPUS_RATE_HZ = 48_000


@dataclass(frozen=True)
class Link:
    """One stream.

    Attributes
    ----------
    start, stop : int
        Its bytes.
    frames : int or None
        Samples that its last page announces, if it is Vorbis or Opus that begins at 0.
    rate_hz : int or None
        Samples in a second of these; None for those of the stream.
    """

    start: int
    stop: int
    frames: int | None
    rate_hz: int | None = None


def links(path: Path) -> list[Link]:
    """Find the streams of an Ogg file.

    Parameters
    ----------
    path : pathlib.Path
        The file; others than Ogg have none.

    Returns
    -------
    list of Link
        In order. Where no page begins, as after damage, the next one is looked for.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    found: list[Link] = []
    start, at, positions, vorbis, had_sound = 0, 0, [0], False, False
    skipped: int | None = None
    page = -1  # where the last one began
    with path.open("rb") as file:
        while len(found) < _MOST_LINKS:
            file.seek(at)
            header = file.read(27)
            if len(header) < 27 or header[:4] != _PAGE:
                # also within the last page: its length may be what is damaged
                next_page = None if page < 0 else _next_page(file, page + 1)
                if next_page is None:
                    break
                at = next_page
                continue
            page = at
            sizes = file.read(header[26])
            position, begins = struct.unpack_from("<Q", header, 6)[0], header[5] & 2
            if begins and had_sound:
                found.append(_link(start, at, positions, vorbis, skipped))
                start, positions, vorbis, had_sound = at, [0], False, False
            if begins:
                kind = file.read(12)
                vorbis = kind.startswith(b"\x01vorbis")
                skipped = kind[10] | kind[11] << 8 if kind.startswith(b"OpusHead") else None
            elif position not in (0, _NO_POSITION):
                positions.append(position)
                had_sound = True
            at += 27 + len(sizes) + sum(sizes)
    if at > start:
        found.append(_link(start, at, positions, vorbis, skipped))
    return found


def _next_page(file: BinaryIO, start: int) -> int | None:
    """Where the next page with a whole header begins, unless there is none for long."""
    file.seek(start)
    near = file.read(_FARTHEST)
    found = near.find(_PAGE)
    return None if found < 0 or found + 27 > len(near) else start + found


def _link(start: int, stop: int, positions: list[int], vorbis: bool, skipped: int | None) -> Link:
    """What is known of a stream; of Opus what its decoder skips at the beginning, too."""
    if len(positions) < 2 or positions[1] > _LATEST_START or not (vorbis or skipped is not None):
        return Link(start, stop, None)
    if vorbis:
        return Link(start, stop, positions[-1])
    return Link(start, stop, max(0, positions[-1] - (skipped or 0)), _OPUS_RATE_HZ)


def last_page_is_damaged(path: Path) -> bool:
    """Whether the checksum of the last page of an Ogg file is wrong: decoders then skip it.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 2 * 65536))
        tail = file.read()
    at = tail.rfind(b"OggS")
    if at < 0 or len(tail) < at + 27:
        return False
    sizes = tail[at + 27 : at + 27 + tail[at + 26]]
    page = tail[at : at + 27 + len(sizes) + sum(sizes)]
    told = int.from_bytes(page[22:26], "little")
    return _checksum(page[:22] + bytes(4) + page[26:]) != told


def _checksum(page: bytes) -> int:
    """CRC of RFC 3533: polynomial 04C11DB7, from 0, the highest bit first."""
    crc = 0
    for byte in page:
        crc = (crc << 8 & 0xFFFFFFFF) ^ _crc_table()[crc >> 24 ^ byte]
    return crc


@functools.cache
def _crc_table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        crc = byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ 0x04C11DB7) & 0xFFFFFFFF if crc & 0x80000000 else crc << 1
        table.append(crc)
    return tuple(table)


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
