"""A checksum over every byte of a Parquet file, its own description included.

Checksums of pages guard the data, but not the file's end, which says what the data are: a bit that
turns there gives other numbers without a word. So the whole file gets one, which it carries in its
metadata, in the place of as many zeros over which it was computed.
"""

from __future__ import annotations

import zlib

KEY = b"birdmodes.seal"
_MARK = b"crc32:"
_DIGITS = 8

UNSEALED = {KEY: _MARK + b"0" * _DIGITS}
"""Metadata to write a file with; `sealed` then fills in the checksum."""


def sealed(data: bytes) -> bytes:
    """Put the checksum into a file that was written with `UNSEALED` in its metadata.

    Parameters
    ----------
    data : bytes
        The file.

    Returns
    -------
    bytes
        The same but for the checksum.

    Raises
    ------
    ValueError
        If there is no place for it.
    """
    place = _place(data)
    if place is None:
        raise ValueError("there is no place for a checksum in these data")
    return data[:place] + b"%08x" % zlib.crc32(data) + data[place + _DIGITS :]


def is_broken(data: bytes) -> bool:
    """Whether a file carries a checksum that does not fit; False where it carries none."""
    place = _place(data)
    if place is None:
        return False
    zeroed = data[:place] + b"0" * _DIGITS + data[place + _DIGITS :]
    return data[place : place + _DIGITS] != b"%08x" % zlib.crc32(zeroed)


def _place(data: bytes) -> int | None:
    """Where the checksum's digits begin: after the last mark, as metadata are at a file's end."""
    mark = data.rfind(_MARK)
    return None if mark < 0 or mark + len(_MARK) + _DIGITS > len(data) else mark + len(_MARK)
