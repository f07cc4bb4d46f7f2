"""Read recordings, a clip at a time.

Decoding is libsndfile's (through soundfile), resampling soxr's, which is also what
``librosa.resample`` uses: called directly because a long recording is resampled as a stream, so
clips have no seams, and because importing librosa's own wrapper costs each worker some 180 MB.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import FileIO
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile
import soxr

from birdmodes.audio.content import explain, read_head, refuse_other_content
from birdmodes.audio.find import (
    AUDIO_ENDINGS,
    OUTPUT_MARKERS,
    RecordingFile,
    check_is_file,
    find_recordings,
)
from birdmodes.audio.length import announced_frames, lacks_end
from birdmodes.audio.mend import Mended, find_mended, open_mended
from birdmodes.audio.ogg import Link, Slice, links
from birdmodes.audio.recorders.chunks import read_blocks
from birdmodes.audio.recorders.headers import time_expansion
from birdmodes.errors import AudioError
from birdmodes.io.paths import AnyPath
from birdmodes.io.printing import shown

__all__ = [
    "AUDIO_ENDINGS",
    "BLOCK_FRAMES",
    "OUTPUT_MARKERS",
    "AudioFacts",
    "ClipReader",
    "RecordingFile",
    "find_recordings",
    "read_span",
]

BLOCK_FRAMES = 65536
# A header may claim a thousand channels: then blocks are shorter.
BLOCK_SAMPLES = 16 * BLOCK_FRAMES
LEAST_CLIP_S = 1.0

# Below, no bird can be heard (and a small damaged file would be resampled to a huge one); above,
# there is no recorder.
LEAST_RATE_HZ = 1000
MOST_RATE_HZ = 2_000_000

_FULL_SCALE = 32768
_SAMPLED = 8

# An MP3 decoder leaves out up to this many samples, as the encoder's padding.
_MP3_PADDING = 4 * 1152
# A header may count itself and other chunks as sound: nothing is missing then.
_SLACK_FRAMES = 128
# The first page of an Ogg stream may count what comes before its sound.
_OGG_SLACK_FRAMES = 4096
_NOT_MISSED = {"MP3": _MP3_PADDING, "OGG": _OGG_SLACK_FRAMES}
_COUNTED = ("MP3", "OGG", "FLAC")  # formats whose length is a number of samples
# So many zeros in a row are padding or a dropped buffer, not sound.
_LEAST_ZEROS = 64
# Read before a stretch and dropped: an MP3 frame leans on up to eight frames before it.
_LEAD_FRAMES = 9 * 1152


@dataclass(frozen=True)
class AudioFacts:
    """What is known of a recording once it has been read.

    Attributes
    ----------
    sample_rate_hz : int
        Of the file.
    channels : int
        Of the file.
    duration_s : float
        Of the samples that could be read.
    note : str
        What the user should know, such as that the file is truncated; or empty.
    fingerprint : str
        Of the sound that was read: the same for the same samples to 16 bits, whatever the format,
        name, number of bits, sample rate in the header, or blocks of zeros between. Empty for
        silence.
    """

    sample_rate_hz: int
    channels: int
    duration_s: float
    note: str
    fingerprint: str = ""


class _Stream(soundfile.SoundFile):  # type: ignore[misc]  # soundfile has no types
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
        self.followers: list[_Stream] = []
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
            block: npt.NDArray[np.float32] = streams[self._now].read(out=out)
            if len(block) or self._now == len(self.followers):
                return block
            self._now += 1

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
def _opened(path: Path, channel: int | None) -> Iterator[_Stream]:
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
            if file.format in ("WAV", "WAVEX", "RF64"):
                file.expansion = time_expansion(read_blocks(path), file.samplerate)
            _check_facts(path, file, channel)
            yield file
        except OSError as error:
            reason = error.strerror or str(error)
            raise AudioError(f"{shown(path)}: cannot be read ({reason})") from error


def _mended(path: Path, head: bytes, stack: contextlib.ExitStack) -> _Stream:
    """Open a recording, with the right length if its header gives too short a one."""
    mended = find_mended(path)
    source = path if mended is None else stack.enter_context(open_mended(path, mended))
    file: _Stream = stack.enter_context(_decoded(path, source, head))
    file.mended = mended if mended is not None and mended.announced < mended.there else None
    return file


def _chained(path: Path, head: bytes, stack: contextlib.ExitStack) -> _Stream:
    """Open an Ogg file with all the streams that follow the first and are of the same kind."""
    found = links(path)
    if len(found) < 2:
        plain: _Stream = stack.enter_context(_decoded(path, path, head))
        return plain
    file: _Stream = stack.enter_context(_decoded(path, _slice(path, found[0], stack), head))
    for link in found[1:]:
        follower = stack.enter_context(_decoded(path, _slice(path, link, stack), head))
        if (follower.samplerate, follower.channels) != (file.samplerate, file.channels):
            file.left_out = True
            break
        file.followers.append(follower)
    return file


def _slice(path: Path, link: Link, stack: contextlib.ExitStack) -> Slice:
    return stack.enter_context(Slice(path, link.start, link.stop))


def _decoded(path: Path, source: Path | FileIO, head: bytes) -> _Stream:
    try:
        return _Stream(source)
    except soundfile.SoundFileError as error:
        raise AudioError(explain(path, head, _reason(error))) from error


def _reason(error: soundfile.SoundFileError) -> str:
    return str(getattr(error, "error_string", error)).rstrip(". ")


def _check_facts(path: Path, file: _Stream, channel: int | None) -> None:
    if not LEAST_RATE_HZ <= file.rate_hz <= MOST_RATE_HZ:
        raise AudioError(
            f"{shown(path)}: its header gives a sample rate of {file.rate_hz} Hz, which cannot "
            f"be (read are {LEAST_RATE_HZ} to {MOST_RATE_HZ} Hz); mend the header, or leave it out"
        )
    if channel is not None and not 1 <= channel <= file.channels:
        raise AudioError(
            f"{shown(path)}: has {file.channels} channel(s), so there is no --channel {channel}"
        )


class _Blocks:
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
    """

    def __init__(self, file: _Stream) -> None:
        self._file = file
        self._frames = max(1, min(BLOCK_FRAMES, BLOCK_SAMPLES // file.channels))
        self.read = 0
        self.damage = ""

    def __iter__(self) -> Iterator[npt.NDArray[np.float32]]:
        """Give the blocks, float32 of shape (n_frames, n_channels)."""
        while not self.damage:
            block = self._next()
            if not len(block):
                return
            self.read += len(block)
            yield block

    def _next(self) -> npt.NDArray[np.float32]:
        block = np.full((self._frames, self._file.channels), np.nan, dtype=np.float32)
        try:
            block = self._file.read_block(block)
        except soundfile.SoundFileError as error:
            # What was decoded before the damage is in the block, but not how much that is.
            self.damage = _reason(error)
            missing = np.isnan(block).all(axis=1)
            block = block[: missing.argmax()] if missing.any() else block
        return block


def _one_channel(block: npt.NDArray[np.float32], channel: int | None) -> npt.NDArray[np.float32]:
    """One channel (from 1) or the mean of all; samples that are no numbers become 0."""
    mono = block.mean(axis=1) if channel is None else block[:, channel - 1]
    if not np.isfinite(mono).all():
        mono = np.nan_to_num(mono, nan=0.0, posinf=0.0, neginf=0.0)
    return np.ascontiguousarray(mono, dtype=np.float32)


class _Fingerprint:
    """Digest of the sound, by which copies of a recording are known."""

    def __init__(self) -> None:
        self._digest = hashlib.blake2b(digest_size=16)
        self._silent = True
        self._skip = 0

    def add(self, mono: npt.NDArray[np.float32]) -> None:
        """Go on by a block, at 16 bits, as formats differ in the last ones.

        Zeros are left out: they are put in, in blocks, where triggered recordings are expanded or
        padded. Every eighth sample is enough, and keeps this below a hundredth of the time.
        """
        part = mono[self._skip :: _SAMPLED]
        self._skip = (self._skip - len(mono)) % _SAMPLED
        levels = np.rint(part * np.float32(_FULL_SCALE)).astype(np.int32)
        heard = levels[levels != 0]
        self._silent = self._silent and not heard.size
        self._digest.update(heard)

    def text(self) -> str:
        """Digest in hexadecimal digits; none for silence, as all silence is the same."""
        return "" if self._silent else self._digest.hexdigest()


class ClipReader:
    """Read one recording as resampled mono clips, never more than about a clip in memory.

    Parameters
    ----------
    path : pathlib.Path
        The recording.
    sample_rate_hz : int
        Rate of the clips (Hz).
    clip_s : float
        Length of a clip (s). The last one is shorter, or longer by what is left at the end if
        that is under a second (or half a clip): too little to know the noise by.
    channel : int, optional
        Channel to read, from 1; by default the mean of all.

    Attributes
    ----------
    facts : AudioFacts
        Complete once all clips have been read.
    """

    def __init__(
        self, path: Path, sample_rate_hz: int, clip_s: float, channel: int | None = None
    ) -> None:
        self._path = path
        self._rate = sample_rate_hz
        self._clip_samples = max(1, round(clip_s * sample_rate_hz))
        self._least_samples = max(1, round(min(LEAST_CLIP_S, clip_s / 2) * sample_rate_hz))
        self._channel = channel
        self.facts = AudioFacts(0, 0, 0.0, "")

    def __iter__(self) -> Iterator[npt.NDArray[np.float32]]:
        """Give the clips in order, each float32 of shape (n_samples,), full scale being 1.

        Raises
        ------
        AudioError
            If the file cannot be read, or has no such channel.
        """
        pending: list[npt.NDArray[np.float32]] = []
        length = 0
        for piece in self._resampled():
            pending.append(piece)
            length += len(piece)
            if length >= self._clip_samples + self._least_samples:
                samples = np.concatenate(pending)
                while len(samples) >= self._clip_samples + self._least_samples:
                    yield samples[: self._clip_samples]
                    samples = samples[self._clip_samples :]
                # a copy, so that the clips' memory is not kept alive by the rest
                pending = [samples.copy()]
                length = len(samples)
        if length:
            yield np.concatenate(pending)

    def _resampled(self) -> Iterator[npt.NDArray[np.float32]]:
        with _opened(self._path, self._channel) as file:
            rate = file.rate_hz
            blocks = _Blocks(file)
            offset: np.float32 | None = None
            fingerprint = _Fingerprint()
            stream = soxr.ResampleStream(rate, self._rate, 1, dtype="float32", quality="HQ")
            for block in blocks:
                mono = _one_channel(block, self._channel)
                fingerprint.add(mono)
                if offset is None:
                    # A recorder's constant offset would be a click where the resampler, which
                    # takes silence to be around the recording, sees it begin and end.
                    offset = mono.mean()
                mono = _without_offset(mono, offset)
                yield mono if rate == self._rate else stream.resample_chunk(mono)
            _check_not_empty(self._path, blocks)
            if rate != self._rate:
                yield stream.resample_chunk(np.zeros(0, dtype=np.float32), last=True)
            note = _note(self._path, file, blocks)
            duration_s = blocks.read / rate
            self.facts = AudioFacts(rate, file.channels, duration_s, note, fingerprint.text())


def _without_offset(mono: npt.NDArray[np.float32], offset: np.float32) -> npt.NDArray[np.float32]:
    """Take a constant off, but not off digital zeros, where no sound was recorded."""
    silent = mono == 0
    mono -= offset
    if np.count_nonzero(silent) >= _LEAST_ZEROS:
        runs = np.flatnonzero(np.diff(silent, prepend=False, append=False)).reshape(-1, 2)
        for first, stop in runs[runs[:, 1] - runs[:, 0] >= _LEAST_ZEROS]:
            mono[first:stop] = 0
    return mono


def _check_not_empty(path: Path, blocks: _Blocks) -> None:
    if blocks.read:
        return
    if blocks.damage:
        raise AudioError(
            f"{shown(path)}: damaged from its beginning ({blocks.damage}); copy it again, "
            "or leave it out"
        )
    raise AudioError(f"{shown(path)}: has a header but no sound (0 samples); leave it out")


def _note(path: Path, file: _Stream, blocks: _Blocks) -> str:
    """What the user should know of how a recording was read."""
    parts = [_of_length(path, file, blocks)]
    if file.followers:
        parts.append(f"{1 + len(file.followers)} Ogg streams in one file, read one after the other")
    if file.left_out:
        parts.append("what follows in the file has another rate or other channels and is left out")
    if file.expansion != 1:
        parts.append(
            f"expanded {file.expansion:g} times in time (GUANO): frequencies and times are those "
            "of the sound itself"
        )
    return "; ".join(part for part in parts if part)


def _of_length(path: Path, file: _Stream, blocks: _Blocks) -> str:
    """What the user should know of how much of a recording was read."""
    kind, rate = file.format, file.rate_hz
    announced = None if file.left_out else announced_frames(path, kind, file.all_frames)
    read = _seconds(blocks.read / rate)
    part = read if announced is None else f"{read} of {_seconds(announced / rate)}"
    missing = 0 if announced is None else announced - blocks.read
    if blocks.damage:
        return f"damaged: only the first {part} could be read ({blocks.damage})"
    if kind == "OGG" and lacks_end(path):
        return f"truncated: its end is missing, {read} are there"
    if kind == "OGG" and missing > _OGG_SLACK_FRAMES:
        return f"damaged: only {part} could be read, and what follows the damage is timed early"
    if file.mended is not None:
        return _of_mended(file.mended, read)
    if 0 < missing <= min(_SLACK_FRAMES, blocks.read // 10) and kind not in _COUNTED:
        return f"its header gives {missing} samples more than there are: read all, {read}"
    if missing <= _NOT_MISSED.get(kind, 0):
        return ""
    if kind == "MP3" and blocks.read == file.frames:
        return f"no length in its header: only the first {part} could be read; convert it to FLAC"
    return f"truncated: only {part} are there"


def _of_mended(mended: Mended, read: str) -> str:
    if mended.announced == 0:
        return f"its length was never written (power lost?): read all that is there, {read}"
    return (
        f"the length in its header is too short ({mended.announced} of {mended.there} bytes): "
        f"read all that is there, {read}"
    )


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 10 else f"{seconds:.3g} s"


def read_span(
    path: AnyPath, start_s: float, end_s: float, channel: int | None = None
) -> tuple[npt.NDArray[np.float32], int]:
    """Read a stretch of a recording at its own sample rate.

    Parameters
    ----------
    path : pathlib.Path
        The recording.
    start_s, end_s : float
        The stretch (s); what lies outside the recording is left out.
    channel : int, optional
        Channel to read, from 1; by default the mean of all.

    Returns
    -------
    samples : ndarray of float32, shape (n_samples,)
        Full scale is 1.
    sample_rate_hz : int
        Of the file.

    Raises
    ------
    AudioError
        If the file cannot be read, or has no such channel.
    """
    path = Path(path)
    with _opened(path, channel) as file:
        rate = file.rate_hz
        first = min(max(0, round(start_s * rate)), file.all_frames)
        count = max(0, round(end_s * rate) - first)
        with contextlib.suppress(soundfile.SoundFileError):
            lead = min(first, _LEAD_FRAMES)
            file.go_to(first - lead)
            return _span(file, lead, count, channel), rate
    # Places in a damaged recording may not be found; what comes before can still be read.
    with _opened(path, channel) as file:
        return _span(file, first, count, channel), rate


def _span(file: _Stream, skip: int, count: int, channel: int | None) -> npt.NDArray[np.float32]:
    """Read `count` frames after the next `skip` ones, or as many as there are."""
    pieces = [np.zeros(0, dtype=np.float32)]
    for block in _Blocks(file):
        wanted = block[skip : skip + count]
        pieces.append(_one_channel(wanted, channel))
        skip = max(0, skip - len(block))
        count -= len(wanted)
        if count <= 0:
            break
    return np.concatenate(pieces)
