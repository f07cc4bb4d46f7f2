"""The blocks of text in a WAV or FLAC file, read without the sound between them.

Sizes in a header may be wrong or hostile: at most `LARGEST_BLOCK` bytes of a block are read, at
most `MOST_BLOCKS` blocks of a FLAC file are looked at, and no size is taken for more than the file
has.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from birdmodes.audio.riff import container, walk

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
    status = path.stat()
    return dict(_blocks(path, status.st_size, status.st_mtime_ns))


@functools.lru_cache(maxsize=16)
def _blocks(path: Path, size: int, mtime_ns: int) -> dict[bytes, bytes]:
    """Blocks of a file in some state: who reads a recording asks for them more than once."""
    found: dict[bytes, bytes] = {}
    with path.open("rb") as file:
        if file.read(4) == b"fLaC":
            return _flac_comment(file, size)
        chunks = container(file, size)
        if chunks is None or chunks.form != b"WAVE":
            return found
        for chunk in chunks:
            if chunk.name not in _WANTED:
                continue
            file.seek(chunk.start)
            content = file.read(min(chunk.length, LARGEST_BLOCK))
            if chunk.name == b"LIST":
                for name, text in _info_texts(content, chunks.order):
                    found.setdefault(name, text)
            else:
                found.setdefault(chunk.name, content)
    return found


def _info_texts(content: bytes, order: str) -> Iterator[tuple[bytes, bytes]]:
    """Name and bytes of every text of a LIST chunk, if it is one of texts."""
    if content[:4] == b"INFO":
        for text in walk(io.BytesIO(content), 4, len(content), order):
            yield text.name, content[text.start : text.start + text.length]


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
