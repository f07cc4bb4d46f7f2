"""Find recordings on disk and read them, a clip at a time.

Decoding is libsndfile's (through soundfile), resampling soxr's, which is also what
``librosa.resample`` uses: called directly because a long recording is resampled as a stream, so
clips have no seams, and because importing librosa's own wrapper costs each worker some 180 MB.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import soundfile
import soxr

from birdmodes.errors import AudioError

AUDIO_ENDINGS = frozenset(
    {".wav", ".flac", ".ogg", ".oga", ".mp3", ".aif", ".aiff", ".w64", ".rf64", ".caf", ".au"}
)

# Folders with one of these files hold what we wrote, sound clips of galleries among it.
OUTPUT_MARKERS = ("workspace.json", "birdmodes-gallery.json")

BLOCK_FRAMES = 65536
LEAST_CLIP_S = 1.0


@dataclass(frozen=True)
class RecordingFile:
    """A recording found on disk.

    Attributes
    ----------
    name : str
        Path relative to the folder it was found in, with forward slashes; for a file that was
        named itself, the file name.
    path : pathlib.Path
        Absolute path.
    root : pathlib.Path
        The folder that `name` starts from.
    """

    name: str
    path: Path
    root: Path


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
        What the user should know, or empty.
    """

    sample_rate_hz: int
    channels: int
    duration_s: float
    note: str


def find_recordings(paths: Iterable[Path]) -> list[RecordingFile]:
    """List the recordings in files and folders.

    Parameters
    ----------
    paths : iterable of pathlib.Path
        A folder is searched with all its subfolders for files with an audio ending in any letter
        case; hidden files and our own workspaces and galleries are passed over. A file is taken
        whatever its ending.

    Returns
    -------
    list of RecordingFile
        Sorted by name, each file once.

    Raises
    ------
    AudioError
        If a path does not exist, two recordings would have one name, or there are none at all.
    """
    found: dict[str, RecordingFile] = {}
    given = [Path(os.path.abspath(path)) for path in paths]  # noqa: PTH100  keeps symbolic links
    for path in given:
        for recording in _recordings_at(path):
            other = found.setdefault(recording.name, recording)
            if other.path != recording.path:
                raise AudioError(
                    f"two recordings are both called {recording.name}: {other.path} and "
                    f"{recording.path}; give birdmodes the folder above both"
                )
    if not found:
        where = ", ".join(str(path) for path in given)
        endings = " ".join(sorted(AUDIO_ENDINGS))
        raise AudioError(f"{where}: no recordings here (files ending in {endings})")
    return [found[name] for name in sorted(found)]


def _recordings_at(path: Path) -> Iterator[RecordingFile]:
    if path.is_dir():
        for file in _walk(path):
            yield RecordingFile(file.relative_to(path).as_posix(), file, path)
    elif path.is_file():
        yield RecordingFile(path.name, path, path.parent)
    else:
        raise AudioError(f"{path}: no such file or folder")


def _walk(root: Path) -> Iterator[Path]:
    """Files with an audio ending below `root`; links are followed, but no folder twice."""
    seen = set()
    for folder, subfolders, files in os.walk(root, followlinks=True):
        status = Path(folder).stat()
        if (status.st_dev, status.st_ino) in seen or any(name in files for name in OUTPUT_MARKERS):
            subfolders.clear()
            continue
        seen.add((status.st_dev, status.st_ino))
        subfolders[:] = sorted(name for name in subfolders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith(".") and Path(name).suffix.lower() in AUDIO_ENDINGS:
                yield Path(folder, name)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[soundfile.SoundFile]:
    """Open a recording; errors of the file system and of libsndfile become `AudioError`."""
    try:
        if path.stat().st_size == 0:
            raise AudioError(f"{path}: the file is empty (0 bytes)")
        with soundfile.SoundFile(path) as file:
            yield file
    except soundfile.LibsndfileError as error:
        raise AudioError(
            f"{path}: cannot be read as audio ({error.error_string.rstrip('. ')}); "
            "convert it to WAV or FLAC, or leave it out"
        ) from error
    except OSError as error:
        raise AudioError(f"{path}: cannot be read ({error.strerror or error})") from error


def _one_channel(block: npt.NDArray[np.float32], channel: int | None) -> npt.NDArray[np.float32]:
    """One channel (from 1) or the mean of all; samples that are no numbers become 0."""
    mono = block.mean(axis=1) if channel is None else block[:, channel - 1]
    if not np.isfinite(mono).all():
        mono = np.nan_to_num(mono, nan=0.0, posinf=0.0, neginf=0.0)
    return np.ascontiguousarray(mono, dtype=np.float32)


def _check_channel(path: Path, channels: int, channel: int | None) -> None:
    if channel is not None and not 1 <= channel <= channels:
        raise AudioError(f"{path}: has {channels} channel(s), so there is no --channel {channel}")


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
        with _opened(self._path) as file:
            _check_channel(self._path, file.channels, self._channel)
            rate, claimed, read = file.samplerate, file.frames, 0
            offset: np.float32 | None = None
            stream = soxr.ResampleStream(rate, self._rate, 1, dtype="float32", quality="HQ")
            while True:
                block = file.read(BLOCK_FRAMES, dtype="float32", always_2d=True)
                read += len(block)
                mono = _one_channel(block, self._channel)
                if offset is None and len(mono):
                    # A recorder's constant offset would be a click where the resampler, which
                    # takes silence to be around the recording, sees it begin and end.
                    offset = mono.mean()
                if offset is not None:
                    mono -= offset
                last = len(block) < BLOCK_FRAMES
                yield mono if rate == self._rate else stream.resample_chunk(mono, last=last)
                if last:
                    break
            note = ""
            if read < claimed:
                note = f"truncated: {claimed / rate:.1f} s announced, {read / rate:.1f} s there"
            self.facts = AudioFacts(rate, file.channels, read / rate, note)


def read_span(
    path: Path, start_s: float, end_s: float, channel: int | None = None
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
    with _opened(path) as file:
        _check_channel(path, file.channels, channel)
        rate = int(file.samplerate)
        first = min(max(0, round(start_s * rate)), file.frames)
        count = max(0, round(end_s * rate) - first)
        file.seek(first)
        block = file.read(min(count, file.frames - first), dtype="float32", always_2d=True)
    return _one_channel(block, channel), rate
