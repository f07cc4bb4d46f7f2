"""Read recordings, a clip at a time.

Decoding is libsndfile's (through soundfile), resampling soxr's, which is also what
``librosa.resample`` uses: called directly because a long recording is resampled as a stream, so
clips have no seams, and because importing librosa's own wrapper costs each worker some 180 MB.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile
import soxr

from birdmodes.audio.channels import AUTO, ChannelComparison, best_channel
from birdmodes.audio.find import (
    AUDIO_ENDINGS,
    OUTPUT_MARKERS,
    RecordingFile,
    find_recordings,
)
from birdmodes.audio.prints import Digest, Sketch
from birdmodes.audio.reading_notes import note_of_reading
from birdmodes.audio.stream import BLOCK_FRAMES, Blocks, Stream, opened
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
    "announced_s",
    "find_recordings",
    "read_span",
]

LEAST_CLIP_S = 1.0
# The best channel is chosen by so much of a recording.
_LISTEN_S = 60.0
# So many zeros in a row are padding or a dropped buffer, not sound.
_LEAST_ZEROS = 64
_SAMPLED_ZEROS = 16
# Samples resampled at once: the same numbers as of longer pieces, which leave the processor's cache
# and take half as long again.
_AT_ONCE = 16_384
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
    channel : int
        Channel that was read, from 1; 0 for the mean of all.
    sketch : bytes
        Of the clips: nearly the same for what sounds the same, see
        `birdmodes.audio.prints.Sketch`. Empty for silence.
    """

    sample_rate_hz: int
    channels: int
    duration_s: float
    note: str
    fingerprint: str = ""
    channel: int = 0
    sketch: bytes = b""


def _one_channel(block: npt.NDArray[np.float32], channel: int | None) -> npt.NDArray[np.float32]:
    """One channel (from 1) or the mean of all."""
    if channel is None and block.shape[1] > 1:
        mono = block.mean(axis=1)
    else:
        mono = block[:, (channel or 1) - 1]
    return np.ascontiguousarray(mono, dtype=np.float32)


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
        Channel to read, from 1, or `birdmodes.audio.channels.AUTO` for the best; by default the
        mean of all.

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
        sketch = Sketch(self._rate)
        for piece in self._resampled():
            sketch.add(piece)
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
        self.facts = replace(self.facts, sketch=sketch.packed())
        if length:
            yield np.concatenate(pending)

    def _resampled(self) -> Iterator[npt.NDArray[np.float32]]:
        with opened(self._path, self._channel) as file:
            rate = file.rate_hz
            blocks = Blocks(file)
            channel = self._channel
            if channel == AUTO:
                channel = _best_of(self._path, file.channels)
            compared = ChannelComparison(rate)
            digest = Digest()
            offset: np.float32 | None = None
            stream = None if rate == self._rate else _resampler(rate, self._rate)
            for block in blocks:
                if channel is None and file.channels > 1:
                    compared.add(block)
                mono = _one_channel(block, channel)
                digest.add(mono)
                silent = _silent_runs(mono)
                if offset is None:
                    # A recorder's constant offset would be a click where the resampler, which
                    # takes silence to be around the recording, sees it begin and end.
                    offset = _offset_of(mono, silent)
                if offset is not None:
                    mono -= offset
                    # not off digital zeros, where no sound was recorded
                    for first, stop in silent:
                        mono[first:stop] = 0
                if stream is None:
                    yield mono
                else:
                    for start in range(0, len(mono), _AT_ONCE):
                        yield stream.resample_chunk(mono[start : start + _AT_ONCE])
            _check_not_empty(self._path, blocks)
            if stream is not None:
                yield stream.resample_chunk(np.zeros(0, dtype=np.float32), last=True)
                _idle[rate, self._rate].append(stream)
            notes = [note_of_reading(self._path, file, blocks), compared.note()]
            if self._channel == AUTO and file.channels > 1:
                notes.append(f"channel {channel} of {file.channels} is used, the best one")
            note = "; ".join(part for part in notes if part)
            duration_s = blocks.read / rate
            self.facts = AudioFacts(
                rate, file.channels, duration_s, note, digest.text(), channel or 0
            )


# Streams that have come to their end, by the rates from and to: it takes longer to make one than to
# use one again.
_idle: defaultdict[tuple[int, int], list[soxr.ResampleStream]] = defaultdict(list)


def _resampler(rate_hz: int, to_hz: int) -> soxr.ResampleStream:
    """A stream that has seen nothing yet."""
    try:
        stream = _idle[rate_hz, to_hz].pop()
    except IndexError:
        return soxr.ResampleStream(rate_hz, to_hz, 1, dtype="float32", quality="HQ")
    stream.clear()
    return stream


def _silent_runs(mono: npt.NDArray[np.float32]) -> npt.NDArray[np.intp]:
    """Begin and end of each stretch of digital zeros."""
    # Single zeros are many where it is quiet. A run has zeros at several sampled places in a row.
    sampled = mono[::_SAMPLED_ZEROS] == 0
    for _ in range(_LEAST_ZEROS // _SAMPLED_ZEROS - 1):
        sampled = sampled[1:] & sampled[:-1]
    if not sampled.any():
        return np.zeros((0, 2), dtype=np.intp)
    edges = np.zeros(len(mono) + 2, dtype=np.bool_)
    edges[1:-1] = mono == 0
    runs = np.flatnonzero(edges[1:] != edges[:-1]).reshape(-1, 2)
    return runs[runs[:, 1] - runs[:, 0] >= _LEAST_ZEROS]


def _offset_of(mono: npt.NDArray[np.float32], silent: npt.NDArray[np.intp]) -> np.float32 | None:
    """The constant in what was recorded; None if nothing was."""
    if not len(silent):
        return np.float32(mono.mean())
    recorded = np.ones(len(mono), dtype=np.bool_)
    for first, stop in silent:
        recorded[first:stop] = False
    return mono[recorded].mean() if recorded.any() else None


def _best_of(path: Path, channels: int) -> int:
    """The best channel of a recording, looked for once."""
    if channels == 1:
        return 1
    status = path.stat()
    return _best_of_file(path, status.st_size, status.st_mtime_ns)


@functools.lru_cache(maxsize=4096)
def _best_of_file(path: Path, size: int, mtime_ns: int) -> int:
    with opened(path, None) as file:
        rate = file.rate_hz
        n_blocks = max(1, round(_LISTEN_S * rate / BLOCK_FRAMES))
        return best_channel(itertools.islice(Blocks(file), n_blocks), rate)


def _check_not_empty(path: Path, blocks: Blocks) -> None:
    if blocks.read:
        return
    if blocks.damage:
        raise AudioError(
            f"{shown(path)}: damaged from its beginning ({blocks.damage}); copy it again, "
            "or leave it out"
        )
    raise AudioError(f"{shown(path)}: has a header but no sound (0 samples); leave it out")


def announced_s(path: Path) -> float:
    """Length of a recording as its header has it (s); 0 if it cannot be opened."""
    with contextlib.suppress(AudioError), opened(path, None) as file:
        return file.all_frames / file.rate_hz
    return 0.0


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
        Channel to read, from 1, or `birdmodes.audio.channels.AUTO` for the best; by default the
        mean of all.

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
    with opened(path, channel) as file:
        rate = file.rate_hz
        if channel == AUTO:
            channel = _best_of(path, file.channels)
        first = min(max(0, round(start_s * rate)), file.all_frames)
        count = max(0, round(end_s * rate) - first)
        with contextlib.suppress(soundfile.SoundFileError):
            lead = min(first, _LEAD_FRAMES)
            file.go_to(first - lead)
            return _span(file, lead, count, channel), rate
    # Places in a damaged recording may not be found; what comes before can still be read.
    with opened(path, channel) as file:
        return _span(file, first, count, channel), rate


def _span(file: Stream, skip: int, count: int, channel: int | None) -> npt.NDArray[np.float32]:
    """Read `count` frames after the next `skip` ones, or as many as there are."""
    pieces = [np.zeros(0, dtype=np.float32)]
    for block in Blocks(file):
        wanted = block[skip : skip + count]
        pieces.append(_one_channel(wanted, channel))
        skip = max(0, skip - len(block))
        count -= len(wanted)
        if count <= 0:
            break
    return np.concatenate(pieces)
