"""Chunks of sound files: RIFF, RIFX, RF64 and BW64 (WAV), FORM (AIFF, 8SVX), Wave64 and CAF.

Sizes in a header may be wrong or hostile: at most `MOST_CHUNKS` chunks are looked at, and only
their headers are read.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

MOST_CHUNKS = 1000
"""A header has a handful of chunks; more is damage, and must not be walked for hours."""

UNKNOWN_LENGTH = 0xFFFFFFFF
"""Stands for a length that is in the chunk ds64, or was never written."""

_RIFF = (b"RIFF", b"RIFX", b"RF64", b"BW64")
_SOUND = (b"data", b"SSND", b"BODY")


@dataclass(frozen=True)
class Chunk:
    """One chunk.

    Attributes
    ----------
    name : bytes
        Its four letters.
    start : int
        Where its content begins in the file.
    length : int
        Bytes that it announces; the file may have fewer.
    """

    name: bytes
    start: int
    length: int


@dataclass(frozen=True)
class Container:
    """A file of chunks.

    Attributes
    ----------
    file : binary file
        Opened; it is read from any place.
    size : int
        Of the file (bytes).
    kind : bytes
        Its first four letters.
    form : bytes
        What it holds, such as ``b"WAVE"``.
    """

    file: BinaryIO
    size: int
    kind: bytes
    form: bytes

    @property
    def order(self) -> str:
        """Byte order of its numbers, as `struct` writes it."""
        return ">" if self.kind in (b"RIFX", b"FORM", b"caff") else "<"

    def __iter__(self) -> Iterator[Chunk]:
        """Give the chunks in order."""
        if self.kind == b"riff":
            return _wave64_chunks(self.file, self.size)
        if self.kind == b"caff":
            return _caf_chunks(self.file, self.size)
        return walk(self.file, 12, self.size, self.order)

    @property
    def alignment(self) -> int:
        """Bytes to a multiple of which its chunks are padded."""
        return {b"riff": 8, b"caff": 1}.get(self.kind, 2)

    def chunk_at(self, at: int) -> Chunk | None:
        """Give the chunk that begins at a place of the file, if one seems to."""
        self.file.seek(at)
        header = self.file.read(24)
        name = header[:4]
        form = {b"riff": "<16xQ", b"caff": ">4xq"}.get(self.kind, f"{self.order}4xI")
        size = struct.calcsize(form)
        if len(header) < size or not name.replace(b" ", b"x").replace(b"_", b"x").isalnum():
            return None
        (length,) = struct.unpack_from(form, header)
        length -= 24 if self.kind == b"riff" else 0
        fits = 0 <= length <= self.size - at - size
        return Chunk(name, at + size, length) if fits else None

    def sound(self) -> Chunk | None:
        """Give the chunk of the samples, if there is one."""
        return next((chunk for chunk in self if chunk.name in _SOUND), None)


def container(file: BinaryIO, size: int) -> Container | None:
    """Look at the beginning of a file.

    Parameters
    ----------
    file : binary file
        Opened.
    size : int
        Of the file (bytes).

    Returns
    -------
    Container or None
        None if it has no chunks.
    """
    file.seek(0)
    head = file.read(40)
    kind = head[:4]
    if kind == b"riff":
        return Container(file, size, kind, head[24:28].upper())
    if kind == b"caff":
        return Container(file, size, kind, kind)
    if kind in _RIFF or kind == b"FORM":
        return Container(file, size, kind, head[8:12])
    return None


def walk(file: BinaryIO, start: int, end: int, order: str) -> Iterator[Chunk]:
    """Walk over chunks with names and lengths of four bytes.

    Parameters
    ----------
    file : binary file
        Opened.
    start, end : int
        Where the first chunk begins, and where there can be no more.
    order : {"<", ">"}
        Byte order of the lengths.
    """
    at, long_sound = start, 0
    for _ in range(MOST_CHUNKS):
        if at + 8 > end:
            return
        file.seek(at)
        header = file.read(24)
        if len(header) < 8:
            return
        name, length = struct.unpack_from(f"{order}4sI", header)
        if name == b"ds64" and len(header) == 24:
            (long_sound,) = struct.unpack_from("<Q", header, 16)
        if name == b"data" and length == UNKNOWN_LENGTH:
            length = long_sound or length
        yield Chunk(name, at + 8, length)
        at += 8 + length
        if length % 2 and not _lacks_pad_byte(file, at, end, order):
            at += 1


def _lacks_pad_byte(file: BinaryIO, at: int, end: int, order: str) -> bool:
    """Whether a chunk begins right behind one of odd length, though a byte should come between."""
    if at + 8 > end:
        return False
    file.seek(at)
    header = file.read(8)
    if len(header) < 8 or not _is_name(header[:4]):
        return False
    (length,) = struct.unpack_from(f"{order}I", header, 4)
    return bool(at + 8 + length <= end)


def _is_name(letters: bytes) -> bool:
    return all(32 <= letter < 127 for letter in letters)


def _caf_chunks(file: BinaryIO, size: int) -> Iterator[Chunk]:
    """Walk over chunks with names of four bytes and lengths of eight, -1 for all that follows."""
    at = 8
    for _ in range(MOST_CHUNKS):
        file.seek(at)
        header = file.read(12)
        if len(header) < 12:
            return
        name, length = struct.unpack(">4sq", header)
        yield Chunk(name, at + 12, UNKNOWN_LENGTH if length < 0 else length)
        if not 0 <= length < size:
            return
        at += 12 + length


def _wave64_chunks(file: BinaryIO, size: int) -> Iterator[Chunk]:
    """Walk over chunks with names of 16 bytes, and lengths of eight that count their headers."""
    at = 40
    for _ in range(MOST_CHUNKS):
        file.seek(at)
        header = file.read(24)
        if len(header) < 24:
            return
        (length,) = struct.unpack_from("<Q", header, 16)
        yield Chunk(header[:4], at + 24, max(0, length - 24))
        if not 24 <= length < size:
            return
        at += -(-length // 8) * 8
