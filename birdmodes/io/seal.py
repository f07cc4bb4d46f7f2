"""A checksum over every byte of a Parquet file, its own description included.

Checksums of pages guard the data, but not the file's end, which says what the data are: a bit that
turns there gives other numbers without a word. So the whole file gets one, which it carries in its
metadata, in the place of as many zeros over which it was computed.
"""

from __future__ import annotations

import os
import zlib
from pathlib import Path

KEY = b"birdmodes.seal"
_MARK = b"crc32:"
_DIGITS = 8
_BLOCK = 1 << 22  # bytes; what follows the mark is the description, some 50 kB a thousand rows

UNSEALED = {KEY: _MARK + b"0" * _DIGITS}
"""Metadata to write a file with; `sealed` then fills in the checksum."""


def sealed(data: bytes | memoryview) -> bytearray:
    """Put the checksum into a file that was written with `UNSEALED` in its metadata.

    Parameters
    ----------
    data : bytes or memoryview
        The file.

    Returns
    -------
    bytearray
        The same but for the checksum.

    Raises
    ------
    ValueError
        If there is no place for it.
    """
    # Files may be large: no more than this one copy is made.
    changed = bytearray(data)
    place = _place(changed)
    if place is None:
        raise ValueError("there is no place for a checksum in these data")
    changed[place : place + _DIGITS] = b"%08x" % zlib.crc32(changed)
    return changed


def seal_file(path: Path) -> None:
    """Put the checksum into a file that was written with `UNSEALED`, without reading it whole.

    Parameters
    ----------
    path : pathlib.Path
        The file.

    Raises
    ------
    ValueError
        If there is no place for it.
    """
    checksum = 0
    with path.open("rb+") as file:
        end = b""
        while block := file.read(_BLOCK):
            checksum = zlib.crc32(block, checksum)
            end = end[-_BLOCK:] + block  # the last block may be short of the mark
        place = _place(end)
        if place is None:
            raise ValueError(f"{path}: there is no place for a checksum")
        file.seek(place - len(end), os.SEEK_END)
        file.write(b"%08x" % checksum)


def is_broken(data: bytes) -> bool:
    """Whether a file carries a checksum that does not fit; False where it carries none."""
    place = _place(data)
    if place is None:
        return False
    view = memoryview(data)
    checksum = zlib.crc32(b"0" * _DIGITS, zlib.crc32(view[:place]))
    checksum = zlib.crc32(view[place + _DIGITS :], checksum)
    return data[place : place + _DIGITS] != b"%08x" % checksum


def _place(data: bytes | bytearray) -> int | None:
    """Where the checksum's digits begin: after the last mark, as metadata are at a file's end."""
    mark = data.rfind(_MARK)
    return None if mark < 0 or mark + len(_MARK) + _DIGITS > len(data) else mark + len(_MARK)
