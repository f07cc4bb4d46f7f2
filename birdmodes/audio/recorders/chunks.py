"""The blocks of text in a WAV or FLAC file, read without the sound between them.

Sizes in a header may be wrong or hostile: at most `LARGEST_BLOCK` bytes of a block are read, at
most `MOST_BLOCKS` blocks are looked at, and no size is taken for more than the file has.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

LARGEST_BLOCK = 1 << 16
"""Bytes. The blocks of recorders have a few hundred."""

MOST_BLOCKS = 200

_WANTED = (b"LIST", b"guan", b"wamd", b"bext")
_FLAC_COMMENT = 4


def read_blocks(path: Path) -> dict[bytes, bytes]:
    """Read the blocks of a file in which recorders tell about a recording.

    Parameters
    ----------
    path : pathlib.Path
        Any regular file.

    Returns
    -------
    dict
        ``b"guan"``, ``b"wamd"``, ``b"bext"`` and, for each text of a LIST INFO chunk, its name
        such as ``b"ICMT"``, to their bytes; of a FLAC file ``b"FLAC"`` to its Vorbis comment.
        Empty for files of other kinds. Of several blocks of one name the first counts.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    found: dict[bytes, bytes] = {}
    with path.open("rb") as file:
        size = path.stat().st_size
        start = file.read(12)
        if start[:4] == b"fLaC":
            found.update(_flac_comment(file, size))
        elif start[:4] in (b"RIFF", b"RF64", b"RIFX") and start[8:] == b"WAVE":
            order = ">" if start[:4] == b"RIFX" else "<"
            for name, content in _wave_chunks(file, size, order):
                if name == b"LIST":
                    for text_name, text in _info_texts(content, order):
                        found.setdefault(text_name, text)
                else:
                    found.setdefault(name, content)
    return found


def _wave_chunks(file: BinaryIO, size: int, order: str) -> Iterator[tuple[bytes, bytes]]:
    """Name and content of every wanted chunk behind the first 12 bytes."""
    at = 12
    long_data = 0
    for _ in range(MOST_BLOCKS):
        file.seek(at)
        head = file.read(8)
        if len(head) < 8:
            return
        name, length = head[:4], struct.unpack(order + "I", head[4:])[0]
        if name == b"ds64":
            # RF64: bytes 8 to 15 are the real length of the data chunk.
            long_data = int.from_bytes(file.read(16)[8:], "little")
        elif name == b"data" and length == 0xFFFFFFFF:
            length = long_data
        elif name in _WANTED:
            yield name, file.read(min(length, LARGEST_BLOCK))
        at += 8 + length + length % 2
        if at + 8 > size:
            return


def _info_texts(content: bytes, order: str) -> Iterator[tuple[bytes, bytes]]:
    """Name and bytes of every text of a LIST chunk, if it is one of texts."""
    at = 4
    while content[:4] == b"INFO" and at + 8 <= len(content):
        name, length = content[at : at + 4], struct.unpack_from(order + "I", content, at + 4)[0]
        yield name, content[at + 8 : at + 8 + length]
        at += 8 + length + length % 2


def _flac_comment(file: BinaryIO, size: int) -> dict[bytes, bytes]:
    """The Vorbis comment of a FLAC file."""
    at = 4
    for _ in range(MOST_BLOCKS):
        file.seek(at)
        head = file.read(4)
        length = int.from_bytes(head[1:], "big")
        if len(head) < 4 or at + 4 + length > size:
            return {}
        if head[0] & 0x7F == _FLAC_COMMENT:
            return {b"FLAC": file.read(min(length, LARGEST_BLOCK))}
        if head[0] & 0x80:
            return {}
        at += 4 + length
    return {}
