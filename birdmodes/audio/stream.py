"""Recordings opened for reading: what is wrong with their headers is put right or refused."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from io import FileIO
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile

from birdmodes.audio.channels import AUTO
from birdmodes.audio.content import explain, read_head, refuse_other_content
from birdmodes.audio.find import check_is_file
from birdmodes.audio.mend import Mended, find_mended, open_mended
from birdmodes.audio.ogg import Link, Slice, links
from birdmodes.audio.recorders.chunks import read_blocks
from birdmodes.audio.recorders.headers import time_expansion
from birdmodes.errors import AudioError
from birdmodes.io.printing import shown

BLOCK_FRAMES = 65536
_LEAST_BLOCK_FRAMES = 4096
# A header may claim a thousand channels: then blocks are shorter.
BLOCK_SAMPLES = 16 * BLOCK_FRAMES
_WAV = ("WAV", "WAVEX", "RF64")
_FULL_SCALE_16 = 32768
# Samples this far above full scale are damage: 32-bit integers kept as floats are under 2**31.
LOUDEST = 1e12

# Below, no bird can be heard (and a small damaged file would be resampled to a huge one); above,
# there is no recorder.
LEAST_RATE_HZ = 1000
MOST_RATE_HZ = 2_000_000


class Stream(soundfile.SoundFile):  # type: ignore[misc]  # soundfile has no types
    """A recording that is read onwards.

    soundfile asks for its place before each block, and goes there after it, in what can seek. That
    makes the MP3 decoder lose what it carries from one frame to the next: there would be a click
    at the seams of the blocks. It also fails at the end of a FLAC stream without a length.
    """

    def __init__(self, source: Path | FileIO) -> None:
        super().__init__(source)
        self.expansion = 1.0
        """How many times slower than it sounded the sound is stored."""
        self.mended: Mended | None = None
        """What was wrong with the length in its header."""
        self.followers: list[Stream] = []
        """What comes after it in the same file."""
        self.left_out = False
        """Whether something else comes after these."""
        self._now = 0

    @property
    def all_frames(self) -> int:
        """Frames of it and of what follows."""
        return int(self.frames + sum(stream.frames for stream in self.followers))

    def read_block(self, out: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Read on; fewer frames than there is room for, or none, at an end."""
        streams = [self, *self.followers]
        while True:
            block: npt.NDArray[np.float32] = streams[self._now]._read_on(out)
            if len(block) or self._now == len(self.followers):
                return block
            self._now += 1

    def _read_on(self, out: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        if self.subtype != "PCM_16" or self.format not in _WAV:
            return np.asarray(self.read(out=out))
        # The same numbers as from libsndfile, which takes three times as long to scale them.
        levels = self.read(out=np.empty(out.shape, dtype=np.int16))
        scale = np.float32(1 / _FULL_SCALE_16)
        return np.asarray(np.multiply(levels, scale, out=out[: len(levels)]))

    def go_to(self, frame: int) -> None:
        """Read on from a frame."""
        for number, stream in enumerate([self, *self.followers]):
            if frame < stream.frames or number == len(self.followers):
                self._now = number
                stream.seek(frame)
                return
            frame -= stream.frames

    @property
    def rate_hz(self) -> int:
        """Samples in a second as it sounded."""
        return round(float(self.samplerate) * self.expansion)

    def seekable(self) -> bool:
        """Keep soundfile from seeking by itself."""
        return False


@contextlib.contextmanager
def opened(path: Path, channel: int | None) -> Iterator[Stream]:
    """Open a recording; errors of the file system and of libsndfile become `AudioError`."""
    with contextlib.ExitStack() as stack:
        try:
            check_is_file(path)
            head = read_head(path)
            refuse_other_content(path, head)
            if head.startswith(b"OggS"):
                file = _chained(path, head, stack)
            else:
                file = _mended(path, head, stack)
            if file.format in _WAV:
                file.expansion = time_expansion(read_blocks(path), file.samplerate)
            _check_facts(path, file, channel)
            yield file
        except OSError as error:
            reason = error.strerror or str(error)
            raise AudioError(f"{shown(path)}: cannot be read ({reason})") from error


def _mended(path: Path, head: bytes, stack: contextlib.ExitStack) -> Stream:
    """Open a recording, with the right length if its header gives too short a one."""
    mended = find_mended(path)
    source = path if mended is None else stack.enter_context(open_mended(path, mended))
    file: Stream = stack.enter_context(_decoded(path, source, head))
    file.mended = mended if mended is not None and mended.announced < mended.there else None
    return file


def _chained(path: Path, head: bytes, stack: contextlib.ExitStack) -> Stream:
    """Open an Ogg file with all the streams that follow the first and are of the same kind."""
    found = links(path)
    if len(found) < 2:
        plain: Stream = stack.enter_context(_decoded(path, path, head))
        return plain
    file: Stream = stack.enter_context(_decoded(path, _slice(path, found[0], stack), head))
    for link in found[1:]:
        follower = stack.enter_context(_decoded(path, _slice(path, link, stack), head))
        if (follower.samplerate, follower.channels) != (file.samplerate, file.channels):
            file.left_out = True
            break
        file.followers.append(follower)
    return file


def _slice(path: Path, link: Link, stack: contextlib.ExitStack) -> Slice:
    return stack.enter_context(Slice(path, link.start, link.stop))


def _decoded(path: Path, source: Path | FileIO, head: bytes) -> Stream:
    try:
        return Stream(source)
    except soundfile.SoundFileError as error:
        raise AudioError(explain(path, head, _reason(error))) from error


def _reason(error: soundfile.SoundFileError) -> str:
    return str(getattr(error, "error_string", error)).rstrip(". ")


def _check_facts(path: Path, file: Stream, channel: int | None) -> None:
    if not LEAST_RATE_HZ <= file.rate_hz <= MOST_RATE_HZ:
        raise AudioError(
            f"{shown(path)}: its header gives a sample rate of {file.rate_hz} Hz, which cannot "
            f"be (read are {LEAST_RATE_HZ} to {MOST_RATE_HZ} Hz); mend the header, or leave it out"
        )
    if channel is not None and channel != AUTO and not 1 <= channel <= file.channels:
        raise AudioError(
            f"{shown(path)}: has {file.channels} channel(s), so there is no --channel {channel}"
        )


class Blocks:
    """Blocks of an opened recording up to its end, or to where it is damaged.

    Parameters
    ----------
    file : soundfile.SoundFile
        Read from where it is.

    Attributes
    ----------
    read : int
        Frames given so far.
    damage : str
        Why reading stopped before the end, or empty.
    no_sound : int
        Samples so far that are no sound: no numbers, or beyond `LOUDEST`. They are given as 0.
    """

    def __init__(self, file: Stream) -> None:
        self._file = file
        self._frames = max(1, min(BLOCK_FRAMES, BLOCK_SAMPLES // file.channels))
        self.read = 0
        self.damage = ""
        self.no_sound = 0

    def __iter__(self) -> Iterator[npt.NDArray[np.float32]]:
        """Give the blocks, float32 of shape (n_frames, n_channels)."""
        while not self.damage:
            block = self._next()
            if not len(block):
                return
            self.read += len(block)
            # Also where one of them is no number.
            if not (block.min() >= -LOUDEST and block.max() <= LOUDEST):
                sound = np.abs(block) <= LOUDEST
                self.no_sound += int(np.count_nonzero(~sound))
                block = np.where(sound, block, np.float32(0))
            yield block

    def _next(self) -> npt.NDArray[np.float32]:
        # No larger than what is left by the header, which may be wrong: there may be more.
        left = max(self._file.all_frames - self.read, _LEAST_BLOCK_FRAMES)
        shape = min(self._frames, left), self._file.channels
        block = np.full(shape, np.nan, dtype=np.float32)
        try:
            block = self._file.read_block(block)
        except soundfile.SoundFileError as error:
            # What was decoded before the damage is in the block, but not how much that is.
            self.damage = _reason(error)
            missing = np.isnan(block).all(axis=1)
            block = block[: missing.argmax()] if missing.any() else block
        return block
