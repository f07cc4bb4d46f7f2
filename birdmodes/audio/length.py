"""How long a recording says it is.

libsndfile does not tell that once a file is truncated.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import BinaryIO

from birdmodes.audio.ogg import links
from birdmodes.audio.riff import container

# Written where the length was not known yet, by recorders that lost power and by pipes.
_UNKNOWN_BYTES = (0, 0xFFFFFFFF, 0x7FFFFFFF)
# More than any recorder stores: damage.
_MOST_BYTES = 2**42
_NO_LENGTH_FRAMES = 2**62

# MPEG audio layer III: kbit/s by index, for MPEG 1 and for MPEG 2 and 2.5 (ISO 11172-3, 13818-3).
_MP3_KBITS = {
    3: (0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320),
    2: (0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160),
}
_MP3_RATES_HZ = (44100, 48000, 32000)
_MOST_JUNK_BYTES = 65536


def announced_frames(path: Path, kind: str, frames: int, rate_hz: int) -> int | None:
    """Frames that a recording announces.

    Parameters
    ----------
    path : pathlib.Path
        The recording.
    kind : str
        Its format as libsndfile names it.
    frames : int
        Frames libsndfile expects; for most formats those that the file has room for.
    rate_hz : int
        Frames in a second.

    Returns
    -------
    int or None
        None if the recording does not say.

    Raises
    ------
    OSError
        If the file cannot be read.
    """
    if kind == "MP3":
        with path.open("rb") as file:
            return frames if _has_mp3_length(file) else count_mp3_frames(file)[1] or None
    if kind == "OGG":
        counted = [
            link.frames and round(link.frames * rate_hz / (link.rate_hz or rate_hz))
            for link in links(path)
        ]
        known = sum(count for count in counted if count is not None)
        return max(frames, known) if None not in counted else frames
    with path.open("rb") as file:
        announced, there = _sound_bytes(file, path.stat().st_size)
    if announced in _UNKNOWN_BYTES or announced > _MOST_BYTES or there <= 0:
        return frames if frames < _NO_LENGTH_FRAMES else None
    return max(frames, frames * announced // there)


def lacks_end(path: Path) -> bool:
    """Whether an Ogg file stops without the page that is marked as its last (RFC 3533)."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 2 * 65536))
        tail = file.read()
    page = tail.rfind(b"OggS")
    return page >= 0 and len(tail) > page + 5 and not tail[page + 5] & 4


def _sound_bytes(file: BinaryIO, size: int) -> tuple[int, int]:
    """Bytes of sound that the header announces and that there is room for; 0 if unknown."""
    chunks = container(file, size)
    if chunks is not None:
        sound = chunks.sound()
        return (0, 0) if sound is None else (sound.length, size - sound.start)
    file.seek(0)
    head = file.read(12)
    if head[:4] in (b".snd", b"dns.") and len(head) == 12:
        order = ">" if head.startswith(b".snd") else "<"
        start, announced = struct.unpack_from(f"{order}II", head, 4)
        return announced, size - start
    return 0, 0


def mp3_start(file: BinaryIO) -> int:
    """Give the place where the first MPEG frame may be: behind an ID3 tag, if there is one."""
    file.seek(0)
    head = file.read(10)
    if len(head) < 10 or not head.startswith(b"ID3"):
        return 0
    high, upper, lower, low = (byte & 0x7F for byte in head[6:10])
    return 10 + (high << 21 | upper << 14 | lower << 7 | low)


def _has_mp3_length(file: BinaryIO) -> bool:
    """Whether the first MPEG frame is one that holds the length instead of sound."""
    file.seek(mp3_start(file))
    first = file.read(2048)
    return any(mark in first for mark in (b"Xing", b"Info", b"VBRI"))


def count_mp3_frames(file: BinaryIO) -> tuple[int, int]:
    """Count the MPEG frames of an MP3 by their headers, and the samples in them; 0 if damaged."""
    position, count, total, junk = mp3_start(file), 0, 0, 0
    while True:
        file.seek(position)
        header = file.read(4)
        if len(header) < 4:
            return count, total
        length, samples = _mp3_frame(int.from_bytes(header, "big"))
        if length:
            position += length
            count += 1
            total += samples
        else:
            position += 1
            junk += 1
            if junk > _MOST_JUNK_BYTES:
                return 0, 0


def _mp3_frame(header: int) -> tuple[int, int]:
    """Length in bytes and in samples of an MPEG frame; 0 if this is no header of one."""
    sync, version, layer = header >> 21, header >> 19 & 3, header >> 17 & 3
    bit_rate, rate, padding = header >> 12 & 15, header >> 10 & 3, header >> 9 & 1
    if sync != 0x7FF or version == 1 or layer != 1 or bit_rate in (0, 15) or rate == 3:
        return 0, 0
    kbits = _MP3_KBITS[3 if version == 3 else 2][bit_rate]
    rate_hz = _MP3_RATES_HZ[rate] // {3: 1, 2: 2, 0: 4}[version]
    samples = 1152 if version == 3 else 576
    return samples // 8 * kbits * 1000 // rate_hz + padding, samples
