"""The work on one recording: what a worker process gets, does and gives back.

Workers import this module, so nothing that they do not need is imported here.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from birdmodes.audio.read import AudioFacts, ClipReader, RecordingFile
from birdmodes.audio.recorders import RecorderFacts, recorder_facts
from birdmodes.errors import AudioError, ModelError
from birdmodes.io.printing import shown
from birdmodes.segmentation import segment_clip
from birdmodes.segmentation.forest_model import ForestModel, load_model
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.tables import ClipSegment, SyllablePacker, syllables_table

# Just under the largest size that glibc adapts to.
_LARGE_BLOCK = 2**25 - 2**16


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
    """

    recording: RecordingFile
    settings: Settings
    size_bytes: int
    mtime_ns: int
    model: Path | None = None
    boxes: tuple[tuple[float, float, float, float], ...] = ()


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
    syllables : bytes or None
        Rows of ``syllables/*.parquet``, packed; each clip is a bag in them.
    n_syllables : int
        How many.
    missing : bool
        Whether there was no such file where it was to be read.
    """

    reason: str = ""
    facts: AudioFacts | None = None
    recorder: RecorderFacts | None = None
    n_clips: int = 0
    syllables: bytes | None = None
    n_syllables: int = 0
    missing: bool = False


def segment_recording(task: SegmentTask) -> SegmentOutcome:
    """Segment one recording; runs in a worker process.

    Returns
    -------
    SegmentOutcome
        A recording that cannot be read is an outcome with a reason, not an exception.

    Raises
    ------
    ModelError
        If the trained segmenter cannot be read, or is not the one that was asked for.
    """
    _keep_freed_memory()
    settings = task.settings
    parameters = settings.segmentation
    model = None if task.model is None else _model(task.model, settings.model_digest)
    reader = ClipReader(
        task.recording.path, parameters.sample_rate_hz, parameters.clip_s, settings.channel
    )
    name = task.recording.name
    packer = SyllablePacker()
    n_clips = 0
    try:
        for samples in reader:
            start_s = n_clips * parameters.n_clip / parameters.sample_rate_hz
            found = [
                ClipSegment(n_clips, start_s, segment)
                for segment in segment_clip(
                    samples,
                    parameters,
                    model,
                    _boxes_of_clip(task.boxes, start_s, len(samples) / parameters.sample_rate_hz),
                )
            ]
            packer.add(syllables_table(name, found, "clip", first=packer.n_syllables))
            n_clips += 1
    except AudioError as error:
        return SegmentOutcome(reason=str(error), missing=not task.recording.path.exists())
    except MemoryError:
        return SegmentOutcome(
            reason=f"{shown(task.recording.path)}: out of memory; use fewer --workers"
        )
    recorder = recorder_facts(name, task.recording.path)
    packed = packer.finish()
    return SegmentOutcome("", reader.facts, recorder, n_clips, packed, packer.n_syllables)


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
