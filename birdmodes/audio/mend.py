"""Recordings whose header gives too short a length: read as if it were right.

A recorder that loses power leaves a length of 0, others write the first block's, and libsndfile
reads no more than that. The file is not changed: the right lengths are put in while it is read.
"""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from birdmodes.audio.counted import too_few_samples
from birdmodes.audio.rebuilt import PatchedFile, WithHead
from birdmodes.audio.riff import UNKNOWN_LENGTH, Chunk, Container, container

# So much behind the sound may be anything: a tag, the rest of a sector.
_LEAST_BEYOND = 4096
_LOOKED_AT = 1 << 16
# Chunks that are needed to read the sound.
_NEEDED = (b"fmt ", b"fact", b"COMM", b"FVER")


@dataclass(frozen=True)
class Mended:
    """A header with a length that is too short, and what would be right.

    Attributes
    ----------
    announced, there : int
        Bytes of sound that the header gives, and that are there.
    patches : dict
        What belongs where in the file.
    head : bytes
        What belongs before the sound, instead of what is there; or empty.
    start : int
        Where the sound begins, if there is a head.
    unit : str
        What is counted.
    """

    announced: int
    there: int
    patches: dict[int, bytes]
    head: bytes = b""
    start: int = 0
    unit: str = "bytes"


def open_mended(path: Path, mended: Mended) -> io.FileIO:
    """Open a recording for libsndfile as it should have been written."""
    if mended.head:
        return WithHead(path, mended.head, mended.start)
    return PatchedFile(path, mended.patches)


def find_mended(path: Path) -> Mended | None:
    """Find out whether there is more sound than a header says.

    Parameters
    ----------
    path : pathlib.Path
        WAV of any kind, Wave64, AIFF, 8SVX, AU, CAF, FLAC or MP3; others are not looked at.

    Returns
    -------
    Mended or None
        None if the length is right, or too large.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(12)
        if head[:4] in (b".snd", b"dns.") and len(head) == 12:
            return _mended_au(file, head, size)
        if head.startswith((b"fLaC", b"ID3")) or head[:1] == b"\xff":
            return _mended_count(path)
        chunks = container(file, size)
        sound = None if chunks is None else chunks.sound()
        if chunks is None or sound is None:
            return _format_read_as_another(head)
        announced = 0 if sound.length == UNKNOWN_LENGTH and _is_long(chunks) else sound.length
        there = size - sound.start
        if chunks.kind == b"caff" and announced == UNKNOWN_LENGTH:
            # libsndfile does not read a length of -1, which CAF allows: to the end of the file
            return Mended(there, there, _patches(chunks, sound, there))
        if announced == UNKNOWN_LENGTH or not _is_too_short(file, chunks, sound, announced, there):
            return _with_pad_bytes(chunks, sound, announced) or _format_read_as_another(head)
        return _with_pad_bytes(chunks, sound, announced, there) or Mended(
            announced, there, _patches(chunks, sound, there)
        )


def _mended_count(path: Path) -> Mended | None:
    status = path.stat()
    announced, there, patches = too_few_samples(path, status.st_size, status.st_mtime_ns)
    return Mended(announced, there, patches, unit="samples") if patches else None


def _with_pad_bytes(
    chunks: Container, sound: Chunk, announced: int, there: int | None = None
) -> Mended | None:
    """A head without chunks of odd length that lack their pad byte; None if there are none."""
    if chunks.kind not in (b"RIFF", b"RIFX", b"FORM"):
        return None
    kept, lacking, end = b"", False, 12
    for chunk in chunks:
        lacking |= (chunk.start - 8 - end) % 2 != 0
        if chunk.start >= sound.start:
            break
        if chunk.name in _NEEDED and chunk.length <= _LOOKED_AT:
            chunks.file.seek(chunk.start - 8)
            kept += chunks.file.read(8 + chunk.length) + b"\0" * (chunk.length % 2)
        end = chunk.start + chunk.length + chunk.length % 2
    if not lacking:
        return None
    right = announced if there is None else there
    order = chunks.order
    body = chunks.form + kept + sound.name + struct.pack(f"{order}I", min(right, UNKNOWN_LENGTH))
    whole = min(len(body) + right, UNKNOWN_LENGTH)
    head = chunks.kind + struct.pack(f"{order}I", whole) + body
    return Mended(announced, right, {}, head, sound.start)


def _is_long(chunks: Container) -> bool:
    return chunks.kind in (b"RF64", b"BW64")


def _format_read_as_another(head: bytes) -> Mended | None:
    """BW64 is RF64 by another name, which libsndfile does not know."""
    return Mended(0, 0, {0: b"RF64"}) if head.startswith(b"BW64") else None


def _is_too_short(
    file: BinaryIO, chunks: Container, sound: Chunk, announced: int, there: int
) -> bool:
    beyond = there - announced
    if (beyond < _LEAST_BEYOND and beyond < announced) or beyond < 8:
        return False
    end = sound.start + announced
    for behind in (end, end + (-announced) % chunks.alignment):
        if chunks.chunk_at(behind) is not None:
            return False
    return _is_sound(file, end)


def _is_sound(file: BinaryIO, at: int) -> bool:
    """Whether there is anything but zeros and tags from a place on."""
    file.seek(at)
    content = file.read(_LOOKED_AT)
    return bool(content.strip(b"\0")) and not content.startswith((b"ID3", b"TAG"))


def _patches(chunks: Container, sound: Chunk, there: int) -> dict[int, bytes]:
    """Right lengths of the sound and of what holds it."""
    order = chunks.order
    if chunks.kind == b"riff":
        return {sound.start - 8: struct.pack("<Q", there + 24), 16: struct.pack("<Q", chunks.size)}
    if chunks.kind == b"caff":
        return {sound.start - 8: struct.pack(">q", there)}
    if _is_long(chunks):
        lengths = struct.pack("<QQ", chunks.size - 8, there)
        found = next((chunk for chunk in chunks if chunk.name == b"ds64"), None)
        patches = {} if found is None else {found.start: lengths}
        return {**patches, 0: b"RF64", sound.start - 4: b"\xff\xff\xff\xff"}
    patches = {
        4: struct.pack(f"{order}I", min(chunks.size - 8, UNKNOWN_LENGTH)),
        sound.start - 4: struct.pack(f"{order}I", min(there, UNKNOWN_LENGTH)),
    }
    return patches | _aiff_frames(chunks, there) if sound.name == b"SSND" else patches


def _aiff_frames(chunks: Container, there: int) -> dict[int, bytes]:
    """AIFF counts its frames in another chunk."""
    common = next((chunk for chunk in chunks if chunk.name == b"COMM"), None)
    if common is None:
        return {}
    chunks.file.seek(common.start)
    channels, _, bits = struct.unpack(">hIh", chunks.file.read(8))
    frame = max(1, channels * -(-bits // 8))
    return {common.start + 2: struct.pack(">I", (there - 8) // frame)}


def _mended_au(file: BinaryIO, head: bytes, size: int) -> Mended | None:
    """AU has its length in the header, and nothing behind the sound."""
    order = ">" if head.startswith(b".snd") else "<"
    start, announced = struct.unpack_from(f"{order}II", head, 4)
    there = size - start
    beyond = there - announced
    if announced == UNKNOWN_LENGTH or beyond < _LEAST_BEYOND:
        return None
    if not _is_sound(file, start + announced):
        return None
    return Mended(announced, there, {8: struct.pack(f"{order}I", min(there, UNKNOWN_LENGTH))})
