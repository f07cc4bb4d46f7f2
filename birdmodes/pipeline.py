"""``segment``: recordings to syllables in a workspace, in parallel, going on where it stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pandas as pd
import pyarrow as pa

from birdmodes.audio import AudioFacts, ClipReader, RecordingFile
from birdmodes.errors import AudioError, WorkspaceError
from birdmodes.executors import run_tasks
from birdmodes.labels import FittedLabels, join_species
from birdmodes.segmentation import segment_clip
from birdmodes.tables import (
    ClipSegment,
    SyllablePacker,
    in_one_bag,
    syllables_table,
    unpack_syllables,
)
from birdmodes.workspace import ERROR_COLUMNS, Settings, Workspace


@dataclass(frozen=True)
class SegmentTask:
    """A recording to segment, how, and the state of its file before it is read."""

    recording: RecordingFile
    settings: Settings
    size_bytes: int
    mtime_ns: int


@dataclass(frozen=True)
class SegmentOutcome:
    """What became of a recording.

    Attributes
    ----------
    reason : str
        Why it could not be read, or empty.
    facts : AudioFacts or None
        What is known of the recording.
    n_clips : int
        Clips it was cut into.
    bag_unit : str
        "recording" or "clip".
    syllables : bytes or None
        Rows of ``syllables/*.parquet``, packed; each clip is a bag in them.
    """

    reason: str = ""
    facts: AudioFacts | None = None
    n_clips: int = 0
    bag_unit: str = "clip"
    syllables: bytes | None = None


@dataclass(frozen=True)
class Progress:
    """How far a run is: counts of recordings, of which `done` includes `failed`."""

    done: int
    total: int
    failed: int
    syllables: int


@dataclass
class SegmentSummary:
    """What a run of ``segment`` did.

    Attributes
    ----------
    segmented, skipped : int
        Recordings done now, and already done before.
    failed : list of (str, str)
        Recording and reason.
    notes : list of (str, str)
        Recording and what to know of it, such as that it is truncated.
    syllables : int
        Found now.
    duration_s : float
        Of the recordings done now.
    """

    segmented: int = 0
    skipped: int = 0
    failed: list[tuple[str, str]] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    syllables: int = 0
    duration_s: float = 0.0


def segment_recording(task: SegmentTask) -> SegmentOutcome:
    """Segment one recording; runs in a worker process.

    Returns
    -------
    SegmentOutcome
        A recording that cannot be read is an outcome with a reason, not an exception.
    """
    settings = task.settings
    parameters = settings.segmentation
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
                for segment in segment_clip(samples, parameters)
            ]
            packer.add(syllables_table(name, found, "clip", first=packer.n_syllables))
            n_clips += 1
    except AudioError as error:
        return SegmentOutcome(reason=str(error))
    except MemoryError:
        return SegmentOutcome(reason=f"{task.recording.path}: out of memory; use fewer --workers")
    unit = settings.bag
    if unit == "auto":
        unit = "recording" if n_clips > 1 else "clip"
    return SegmentOutcome("", reader.facts, n_clips, unit, packer.finish())


def segment_recordings(
    recordings: Sequence[RecordingFile],
    labels: FittedLabels,
    workspace: Workspace,
    *,
    workers: int = 1,
    scheduler: str | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> SegmentSummary:
    """Segment recordings into a workspace.

    Recordings that the workspace has already (same path, size and time of change) are skipped;
    their labels are brought up to date. Each recording is committed as soon as it is done, so a
    run that is killed goes on where it was.

    Parameters
    ----------
    recordings : sequence of RecordingFile
        What to segment.
    labels : FittedLabels
        Their species.
    workspace : Workspace
        Where to; prepared with the settings to use.
    workers : int
        Processes; the result does not depend on it.
    scheduler : str, optional
        Dask scheduler to use instead of processes here.
    on_progress : callable, optional
        Called with a `Progress` at the start and after each recording.

    Raises
    ------
    WorkspaceError
        If another command is writing to the workspace, or it has another recording of the same
        name.
    """
    with workspace.writing():
        run = _Run(workspace, labels, recordings, on_progress)
        # A single recording needs no second process.
        workers = max(1, min(workers, len(recordings)))
        for task, outcome in run_tasks(
            segment_recording, run.todo(), workers=workers, scheduler=scheduler
        ):
            run.store(task, outcome)
        return run.finish()


class _Run:
    """State of one run: what was there, what is done, what failed."""

    def __init__(
        self,
        workspace: Workspace,
        labels: FittedLabels,
        recordings: Sequence[RecordingFile],
        on_progress: Callable[[Progress], None] | None,
    ) -> None:
        self.workspace = workspace
        self.labels = labels
        self.recordings = recordings
        self.on_progress = on_progress
        self.summary = SegmentSummary()
        stored = cast("list[dict[str, Any]]", workspace.recordings().to_dict("records"))
        self.stored = {row["recording"]: row for row in stored}
        names = {recording.name for recording in recordings}
        earlier = workspace.errors()
        kept = earlier[~earlier["recording"].isin(names)]
        self.errors = cast("list[dict[str, str]]", kept.to_dict("records"))

    def todo(self) -> Iterator[SegmentTask]:
        """Tasks for the recordings that are not in the workspace as they are now."""
        self.report()
        for recording in self.recordings:
            try:
                status = recording.path.stat()
            except OSError as error:
                self.fail(recording, f"{recording.path}: cannot be read ({error.strerror})")
                self.report()
                continue
            task = SegmentTask(
                recording, self.workspace.settings, status.st_size, status.st_mtime_ns
            )
            stored = self.stored.get(recording.name)
            if stored is not None:
                _check_same_file(recording, stored)
                if _unchanged(task, stored):
                    self.skip(recording, stored)
                    continue
            yield task

    def skip(self, recording: RecordingFile, stored: dict[str, Any]) -> None:
        """Keep a recording's syllables; its labels or its place may have changed."""
        row = {**stored, **self._labels(recording.name), "path": str(recording.path)}
        if row != stored:
            self.workspace.commit(row, None)
        self.summary.skipped += 1
        self.report()

    def store(self, task: SegmentTask, outcome: SegmentOutcome | None) -> None:
        """Commit what was found, or note why nothing was."""
        if outcome is None:
            reason = f"{task.recording.path}: the process reading it died (out of memory?)"
            outcome = SegmentOutcome(reason=reason)
        if outcome.facts is None or outcome.syllables is None:
            self.fail(task.recording, outcome.reason)
        else:
            syllables = unpack_syllables(outcome.syllables)
            if outcome.bag_unit == "recording":
                syllables = in_one_bag(syllables)
            self.commit(task, outcome, outcome.facts, syllables)
        self.report()

    def commit(
        self, task: SegmentTask, outcome: SegmentOutcome, facts: AudioFacts, syllables: pa.Table
    ) -> None:
        """Write the syllables and the row."""
        recording = task.recording
        row = {
            "recording": recording.name,
            "path": str(recording.path),
            "size_bytes": task.size_bytes,
            "mtime_ns": task.mtime_ns,
            "duration_s": facts.duration_s,
            "sample_rate_hz": facts.sample_rate_hz,
            "channels": facts.channels,
            **self._labels(recording.name),
            "n_clips": outcome.n_clips,
            "bag_unit": outcome.bag_unit,
            "n_syllables": syllables.num_rows,
            "note": facts.note,
        }
        self.workspace.commit(row, syllables)
        self.summary.segmented += 1
        self.summary.syllables += syllables.num_rows
        self.summary.duration_s += facts.duration_s
        if facts.note:
            self.summary.notes.append((recording.name, facts.note))

    def fail(self, recording: RecordingFile, reason: str) -> None:
        """Note the reason in ``errors.csv`` and drop what an earlier run had stored."""
        self.workspace.forget(recording.name)
        self.summary.failed.append((recording.name, reason))
        self.errors.append({"recording": recording.name, "stage": "segment", "reason": reason})
        # The file is written anew each time, so not for every one of very many.
        if len(self.errors) % (1 + len(self.errors) // 100) == 0:
            self._write_errors()

    def _labels(self, name: str) -> dict[str, Any]:
        species = self.labels.species.get(name)
        return {"labelled": species is not None, "species": join_species(species or ())}

    def _write_errors(self) -> None:
        self.workspace.write_errors(pd.DataFrame(self.errors, columns=ERROR_COLUMNS))

    def report(self) -> None:
        """Tell how far the run is."""
        if self.on_progress is not None:
            summary = self.summary
            failed = len(summary.failed)
            done = summary.segmented + summary.skipped + failed
            self.on_progress(Progress(done, len(self.recordings), failed, summary.syllables))

    def finish(self) -> SegmentSummary:
        """Bring ``errors.csv`` up to date, without reasons that no longer hold."""
        self._write_errors()
        self.summary.failed.sort()
        self.summary.notes.sort()
        return self.summary


def _check_same_file(recording: RecordingFile, stored: dict[str, Any]) -> None:
    """Refuse to mix two recordings of one name; a recording that was moved is still the same."""
    earlier = Path(stored["path"])
    if earlier != recording.path and earlier.exists():
        raise WorkspaceError(
            f"{recording.path}: the workspace already has another recording called "
            f"{recording.name} ({earlier}); segment the folder above both, or use another "
            "--workspace"
        )


def _unchanged(task: SegmentTask, stored: dict[str, Any]) -> bool:
    return bool(task.size_bytes == stored["size_bytes"] and task.mtime_ns == stored["mtime_ns"])
