"""FLAC and MP3 whose header gives too few samples: found out, and read to their end.

libsndfile reads no more than the header says.
"""

from __future__ import annotations

import functools
import mmap
import struct
from pathlib import Path

from birdmodes.audio.length import count_mp3_frames, mp3_start

_TAIL_BYTES = 1 << 17
_STREAMINFO_BYTES = 42
_FLAC_BEGINS = b"fLaC\0\0\0\x22", b"fLaC\x80\0\0\x22"  # with more than its facts, and without
_CRC8 = 0x07


@functools.lru_cache(maxsize=4096)
def too_few_samples(path: Path, size: int, mtime_ns: int) -> tuple[int, int, dict[int, bytes]]:
    """Find out whether a FLAC or an MP3 holds more than its header says.

    Parameters
    ----------
    path : pathlib.Path
        The recording.
    size, mtime_ns : int
        Of the file, so that it is looked at again if it has changed.

    Returns
    -------
    announced, there : int
        Samples; equal if all is well.
    patches : dict
        What belongs where in the file.
    """
    with path.open("rb") as file:
        head = file.read(_STREAMINFO_BYTES)
    if head.startswith(b"fLaC"):
        return _flac(path, head, size)
    return _mp3(path)


def another_flac_follows(path: Path) -> bool:
    """Whether a FLAC begins within a FLAC, as where two were written into one file."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return any(content.find(begin, 1) > 0 for begin in _FLAC_BEGINS)


def _flac(path: Path, head: bytes, size: int) -> tuple[int, int, dict[int, bytes]]:
    if len(head) < _STREAMINFO_BYTES or head[4] & 0x7F:
        return 0, 0, {}
    announced = int.from_bytes(head[21:26], "big") & (2**36 - 1)
    with path.open("rb") as file:
        file.seek(max(0, size - _TAIL_BYTES))
        tail = file.read()
    least, most = struct.unpack_from(">HH", head, 8)
    there = _last_flac_frame(tail, least if least == most else 0)
    if not 0 < announced < there:
        return announced, announced, {}
    # a length of 0 stands for an unknown one: libsndfile then reads to the end
    return announced, there, {21: bytes([head[21] & 0xF0, 0, 0, 0, 0])}


def _last_flac_frame(tail: bytes, block_frames: int) -> int:
    """Samples before the last frame, by the number in its header; 0 if none is found."""
    at = len(tail)
    while True:
        at = tail.rfind(b"\xff", 0, at)
        if at < 0:
            return 0
        number = _flac_number(tail[at : at + 16])
        if number is not None:
            counts_samples = tail[at + 1] & 1
            if counts_samples or block_frames:
                return number if counts_samples else number * block_frames


def _flac_number(header: bytes) -> int | None:
    """Number in the header of a FLAC frame; None if it is none."""
    if len(header) < 16 or header[1] & 0xFE != 0xF8 or header[3] & 1:
        return None
    block, rate = header[2] >> 4, header[2] & 15
    if block == 0 or rate == 15 or header[3] >> 4 > 10:
        return None
    lead = header[4]
    more = max(0, 8 - (~lead & 0xFF).bit_length() - 1) if lead >= 0xC0 else 0
    if 0x80 <= lead < 0xC0 or more > 6:
        return None
    number = lead & (0x7F if not more else 0x3F >> more)
    for byte in header[5 : 5 + more]:
        if byte & 0xC0 != 0x80:
            return None
        number = number << 6 | byte & 0x3F
    end = 5 + more + {6: 1, 7: 2}.get(block, 0) + {12: 1, 13: 2, 14: 2}.get(rate, 0)
    return number if end < len(header) and _crc8(header[:end]) == header[end] else None


def _crc8(content: bytes) -> int:
    crc = 0
    for byte in content:
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1 ^ _CRC8) & 0xFF if crc & 0x80 else crc << 1
    return crc


def _mp3(path: Path) -> tuple[int, int, dict[int, bytes]]:
    with path.open("rb") as file:
        start = mp3_start(file)
        file.seek(start)
        first = file.read(2048)
        mark = max(first.find(b"Xing"), first.find(b"Info"))
        if mark < 0 or len(first) < mark + 12 or not first[mark + 7] & 1:
            return 0, 0, {}
        (announced,) = struct.unpack_from(">I", first, mark + 8)
        frames, samples = count_mp3_frames(file)
    # the first frame holds the length instead of sound
    there = frames - 1
    if frames == 0 or announced >= there:
        return announced, announced, {}
    each = samples // frames
    return announced * each, there * each, {start + mark + 8: struct.pack(">I", there)}
