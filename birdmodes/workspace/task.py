"""The work on one recording: what a worker process gets, does and gives back.

A long recording can be shared: it is read in one place, and its clips are segmented by all workers.

Workers import this module, so nothing that they do not need is imported here.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from birdmodes.audio.read import AudioFacts, ClipReader, RecordingFile
from birdmodes.audio.recorders import RecorderFacts, recorder_facts
from birdmodes.errors import AudioError, ModelError
from birdmodes.io.printing import shown
from birdmodes.segmentation import segment_clip
from birdmodes.segmentation.forest_model import ForestModel, load_model
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.tables import (
    PACKED_ROWS,
    ClipSegment,
    FoundSyllables,
    by_clip,
    numbered,
    syllables_table,
)

# Just under the largest size that glibc adapts to.
_LARGE_BLOCK = 2**25 - 2**16
# Clips of a long recording that travel together: some 4 MB, a tenth of a second of work.
_CLIPS_A_PART = 4


@dataclass(frozen=True)
class SegmentTask:
    """A recording to segment, how, and the state of its file before it is read.

    Attributes
    ----------
    recording : RecordingFile
        The recording.
    settings : Settings
        How to segment it.
    size_bytes, mtime_ns : int
        Size and time of change of its file.
    model : pathlib.Path or None
        Where a worker finds the trained segmenter, if one is used.
    boxes : tuple of tuple of float
        Marked sounds that become syllables where they were missed: begin and end (s), lowest and
        highest frequency (Hz).
    clips : tuple of ndarray or None
        Of a part of a long recording its clips, which have been read.
    first_clip : int
        Number of the first of them.
    """

    recording: RecordingFile
    settings: Settings
    size_bytes: int
    mtime_ns: int
    model: Path | None = None
    boxes: tuple[tuple[float, float, float, float], ...] = ()
    clips: tuple[npt.NDArray[np.float32], ...] | None = None
    first_clip: int = 0


@dataclass(frozen=True)
class SegmentOutcome:
    """What became of a recording.

    Attributes
    ----------
    reason : str
        Why it could not be read, or empty.
    facts : AudioFacts or None
        What is known of the recording's sound.
    recorder : RecorderFacts or None
        When it was made, by which recorder and where, as far as its name and header tell.
    n_clips : int
        Clips it was cut into.
    syllables : FoundSyllables or None
        Rows of ``syllables/*.parquet``; each clip is a bag in them.
    missing : bool
        Whether there was no such file where it was to be read.
    """

    reason: str = ""
    facts: AudioFacts | None = None
    recorder: RecorderFacts | None = None
    n_clips: int = 0
    syllables: FoundSyllables | None = None
    missing: bool = False


def segment_recording(task: SegmentTask) -> SegmentOutcome:
    """Segment one recording, or the part whose clips a task has; runs in a worker process.

    Returns
    -------
    SegmentOutcome
        A recording that cannot be read is an outcome with a reason, not an exception. That of a
        part tells of its clips alone, and numbers their syllables from 0.

    Raises
    ------
    ModelError
        If the trained segmenter cannot be read, or is not the one that was asked for.
    """
    _keep_freed_memory()
    model = None if task.model is None else _model(task.model, task.settings.model_digest)
    reader = _reader(task)
    syllables = FoundSyllables()
    found: list[ClipSegment] = []
    n_clips = 0
    try:
        for samples in reader if task.clips is None else task.clips:
            found += _segment_clip(task, model, task.first_clip + n_clips, samples)
            n_clips += 1
            # Those of several clips together: a table takes a while to make, however small.
            if len(found) >= PACKED_ROWS:
                _add_rows(task, syllables, found)
        _add_rows(task, syllables, found)
    except (AudioError, MemoryError) as error:
        return _failed(task, error)
    if task.clips is not None:
        return SegmentOutcome(n_clips=n_clips, syllables=syllables)
    recorder = recorder_facts(task.recording.name, task.recording.path)
    return SegmentOutcome("", reader.facts, recorder, n_clips, syllables)


class LongRecording:
    """A recording that is read here and segmented in parts, by as many workers as there are.

    Parameters
    ----------
    task : SegmentTask
        What a single worker would get.
    """

    def __init__(self, task: SegmentTask) -> None:
        self.task = task
        self._found = FoundSyllables()
        self._waiting: dict[int, SegmentOutcome] = {}
        self._n_clips = 0
        self._read: SegmentOutcome | None = None

    def parts(self) -> Iterator[SegmentTask]:
        """Read the recording and give its parts; no more of them once one has failed."""
        _keep_freed_memory()
        reader = _reader(self.task)
        n_clips = 0
        try:
            clips = iter(reader)
            while part := tuple(itertools.islice(clips, _CLIPS_A_PART)):
                if self._read is not None:
                    return
                yield replace(self.task, clips=part, first_clip=n_clips)
                n_clips += len(part)
        except (AudioError, MemoryError) as error:
            self._read = _failed(self.task, error)
            return
        recorder = recorder_facts(self.task.recording.name, self.task.recording.path)
        self._read = self._read or SegmentOutcome("", reader.facts, recorder, n_clips)

    def add(self, part: SegmentTask, outcome: SegmentOutcome) -> None:
        """Take what was found in a part; they may come in any order."""
        if outcome.syllables is None:
            self._read = outcome
        self._waiting[part.first_clip] = outcome
        while (following := self._waiting.pop(self._n_clips, None)) is not None:
            self._n_clips += following.n_clips
            for table in _tables(following):
                # as one worker adds them, clip by clip: the stored bytes are the same
                first = self._found.n_syllables
                self._found.add(numbered(table, self.task.recording.name, first))

    def outcome(self) -> SegmentOutcome | None:
        """What became of the recording; None as long as parts of it are missing."""
        if self._read is None or self._read.reason:
            return self._read
        if self._n_clips < self._read.n_clips:
            return None
        return replace(self._read, syllables=self._found)


def _tables(part: SegmentOutcome) -> Iterator[pa.Table]:
    """Syllables of each clip of a part that has some."""
    if part.syllables is not None:
        for table in part.syllables.tables():
            yield from by_clip(table)


def _reader(task: SegmentTask) -> ClipReader:
    parameters = task.settings.segmentation
    return ClipReader(
        task.recording.path, parameters.sample_rate_hz, parameters.clip_s, task.settings.channel
    )


def _failed(task: SegmentTask, error: AudioError | MemoryError) -> SegmentOutcome:
    path = task.recording.path
    if isinstance(error, AudioError):
        return SegmentOutcome(reason=str(error), missing=not path.exists())
    return SegmentOutcome(reason=f"{shown(path)}: out of memory; use fewer --workers")


def _add_rows(task: SegmentTask, syllables: FoundSyllables, found: list[ClipSegment]) -> None:
    """Add rows for the syllables of some clips, and forget those."""
    if found:
        name = task.recording.name
        syllables.add(syllables_table(name, found, "clip", first=syllables.n_syllables))
        found.clear()


def _segment_clip(
    task: SegmentTask, model: ForestModel | None, number: int, samples: npt.NDArray[np.float32]
) -> list[ClipSegment]:
    """Segments of the clip of that number."""
    parameters = task.settings.segmentation
    start_s = number * parameters.n_clip / parameters.sample_rate_hz
    boxes = _boxes_of_clip(task.boxes, start_s, len(samples) / parameters.sample_rate_hz)
    segments = segment_clip(samples, parameters, model, boxes)
    return [ClipSegment(number, start_s, segment) for segment in segments]


def _boxes_of_clip(
    boxes: Sequence[tuple[float, float, float, float]], start_s: float, clip_s: float
) -> list[tuple[float, float, float, float]]:
    """Boxes whose middle is in a clip, by times from its start."""
    return [
        (begin - start_s, end - start_s, low, high)
        for begin, end, low, high in boxes
        if start_s <= (begin + end) / 2 < start_s + clip_s
    ]


@functools.lru_cache(maxsize=1)
def _model(path: Path, digest: str) -> ForestModel:
    """Read the trained segmenter, once in each process."""
    model = load_model(path)
    if model.digest != digest:
        raise ModelError(
            f"{path}: not the model that this run uses; is another run writing to the same folder?"
        )
    return model


@functools.cache
def _keep_freed_memory() -> None:
    """Let the C library keep memory that is freed for the next clip.

    glibc gives large blocks back to the system at once, and getting them again page by page took
    a seventh of the time. It stops when it sees a block of this size freed (mallopt(3), "dynamic
    mmap threshold"); the block is never touched, so it takes no memory.
    """
    np.empty(_LARGE_BLOCK, dtype=np.uint8)
