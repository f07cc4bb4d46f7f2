"""``segment``: recordings to syllables in a workspace, in parallel, going on where it stopped."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pandas as pd

from birdmodes.audio.read import AudioFacts, RecordingFile, announced_s
from birdmodes.audio.recorders import RecorderFacts, recorder_facts
from birdmodes.errors import WorkspaceError
from birdmodes.io.printing import shown
from birdmodes.labels import FittedLabels
from birdmodes.labels.clips import ClipGrid, RecordingLabels, labels_of, strong_labels
from birdmodes.parallel.executors import run_tasks
from birdmodes.segmentation.forest_model import ForestModel
from birdmodes.workspace.labels import remember_labels
from birdmodes.workspace.store import ERROR_COLUMNS, Workspace
from birdmodes.workspace.tables import PACKED_ROWS, FoundSyllables, in_bags
from birdmodes.workspace.task import (
    LongRecording,
    SegmentOutcome,
    SegmentTask,
    segment_recording,
)

# So much sound is worth to be shared among workers, which take seconds to start. Only the last
# recordings are: one process reads what is shared, the faster the fewer samples it has a second.
LONG_S = 600.0
_LAST = 2
# They are read in this process, which a decoder of other formats could take down with it.
_SHARED = (".wav", ".flac")


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


def segment_recordings(
    recordings: Sequence[RecordingFile],
    labels: FittedLabels,
    workspace: Workspace,
    *,
    model: ForestModel | None = None,
    workers: int = 1,
    scheduler: str | None = None,
    fail_fast: bool = False,
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
    model : ForestModel, optional
        The trained segmenter that the workspace's settings name; a copy stays in the workspace.
    workers : int
        Processes; the result does not depend on it. The last recordings are shared by those that
        nothing is left for, if they are WAV or FLAC of `LONG_S` seconds or more.
    scheduler : str, optional
        Dask scheduler to use instead of processes here.
    fail_fast : bool
        Stop at the first recording that cannot be read. What was done before is kept.
    on_progress : callable, optional
        Called with a `Progress` at the start and after each recording.

    Raises
    ------
    WorkspaceError
        If another command is writing to the workspace, or it has another recording of the same
        name.
    """
    with workspace.writing():
        if model is not None:
            workspace.keep_model(model)
        remember_labels(workspace.folder, recordings, labels)
        run = _Run(workspace, labels, recordings, on_progress, remote=scheduler is not None)
        if scheduler is None and workers > 1:
            # A single recording needs no second process, unless it is long.
            if len(recordings) < workers and not any(map(_is_long, recordings)):
                workers = max(1, len(recordings))
            run.workers = workers
        results = run_tasks(segment_recording, run.todo(), workers=workers, scheduler=scheduler)
        with contextlib.closing(results):
            for task, outcome in results:
                run.store(task, outcome)
                if fail_fast and run.summary.failed:
                    break
        return run.finish()


class _Run:
    """State of one run: what was there, what is done, what failed."""

    def __init__(
        self,
        workspace: Workspace,
        labels: FittedLabels,
        recordings: Sequence[RecordingFile],
        on_progress: Callable[[Progress], None] | None,
        *,
        remote: bool,
    ) -> None:
        self.workspace = workspace
        self.settings = workspace.settings
        self.model = workspace.model_path.absolute() if workspace.settings.model_digest else None
        self.labels = labels
        self.recordings = recordings
        self.on_progress = on_progress
        self.remote = remote
        self.workers = 1
        self.shared: dict[str, LongRecording] = {}
        self.summary = SegmentSummary()
        self.stored = {row["recording"]: row for row in workspace.recording_rows()}
        names = {recording.name for recording in recordings}
        earlier = workspace.errors()
        kept = earlier[~earlier["recording"].isin(names)]
        self.errors = cast("list[dict[str, str]]", kept.to_dict("records"))

    def todo(self) -> Iterator[SegmentTask]:
        """Tasks for the recordings that are not in the workspace as they are now."""
        self.report()
        n_left = sum(recording.name not in self.stored for recording in self.recordings)
        for recording in self.recordings:
            n_left -= recording.name not in self.stored
            try:
                status = recording.path.stat()
            except OSError as error:
                self.fail(recording, f"{shown(recording.path)}: cannot be read ({error.strerror})")
                self.report()
                continue
            task = SegmentTask(
                recording,
                self.settings,
                status.st_size,
                status.st_mtime_ns,
                self.model,
                self._boxes(recording.name),
            )
            stored = self.stored.get(recording.name)
            if stored is not None:
                _check_same_file(recording, stored)
                if _unchanged(task, stored) and self._same_boxes(task, stored):
                    self.skip(recording, stored)
                    continue
            # Workers that nothing would be left for take parts of it.
            if n_left < min(_LAST, self.workers - 1) and _is_long(recording):
                yield from self._parts(task)
            else:
                yield task

    def _parts(self, task: SegmentTask) -> Iterator[SegmentTask]:
        """Tasks for the parts of a long recording."""
        long = self.shared[task.recording.name] = LongRecording(task)
        yield from long.parts()
        self._finish(long)

    def _finish(self, long: LongRecording) -> None:
        """Commit a long recording if all of its parts are done."""
        outcome = long.outcome()
        if outcome is not None and self.shared.pop(long.task.recording.name, None) is not None:
            self.store(long.task, outcome)

    def skip(self, recording: RecordingFile, stored: dict[str, Any]) -> None:
        """Keep a recording's syllables; its labels or its place may have changed."""
        labels = self._labels(
            recording.name, stored["n_clips"], stored["duration_s"], stored["sample_rate_hz"]
        )
        unit = self._bag_unit(labels, stored["n_clips"])
        row = {**stored, **labels.columns, "path": str(recording.path), "bag_unit": unit}
        if stored["recorded_at"] is None:
            # a workspace of an earlier version, which did not look at this
            row.update(_recorder_columns(recorder_facts(recording.name, recording.path)))
        if row != stored:
            syllables = None
            if unit != stored["bag_unit"]:
                syllables = in_bags(self.workspace.syllable_rows(recording.name), unit)
            self.workspace.commit(row, syllables, anew=False)
        self.summary.skipped += 1
        self._note(recording.name, labels.note)
        self.report()

    def store(self, task: SegmentTask, outcome: SegmentOutcome | None) -> None:
        """Commit what was found, or note why nothing was."""
        if outcome is None:
            reason = f"{shown(task.recording.path)}: the process reading it died (out of memory?)"
            outcome = SegmentOutcome(reason=reason)
        if task.clips is not None:
            if long := self.shared.get(task.recording.name):
                long.add(task, outcome)
                self._finish(long)
            return
        if outcome.facts is None or outcome.syllables is None:
            self.fail(task.recording, outcome.reason + self._hint(task, outcome))
        elif not _as_listed(task):
            self.fail(
                task.recording,
                f"{shown(task.recording.path)}: changed or vanished while it was read; run the "
                "command again",
            )
        else:
            self.commit(task, outcome, outcome.facts, outcome.syllables)
        self.report()

    def _hint(self, task: SegmentTask, outcome: SegmentOutcome) -> str:
        """What to say of a recording that is here, but not where it was to be read."""
        if outcome.missing and self.remote and task.recording.path.exists():
            return "; Dask workers need the recordings under the same path as this machine"
        return ""

    def commit(
        self, task: SegmentTask, outcome: SegmentOutcome, facts: AudioFacts, found: FoundSyllables
    ) -> None:
        """Write the syllables and the row."""
        recording = task.recording
        labels = self._labels(
            recording.name, outcome.n_clips, facts.duration_s, facts.sample_rate_hz
        )
        unit = self._bag_unit(labels, outcome.n_clips)
        syllables = found.tables()
        if unit != "clip":
            syllables = (in_bags(table, unit) for table in syllables)
        told = facts.note, outcome.recorder.note if outcome.recorder else ""
        note = "; ".join(part for part in told if part)
        row = {
            "recording": recording.name,
            "path": str(recording.path),
            "size_bytes": task.size_bytes,
            "mtime_ns": task.mtime_ns,
            "duration_s": facts.duration_s,
            "sample_rate_hz": facts.sample_rate_hz,
            "channels": facts.channels,
            "channel": facts.channel,
            "n_clips": outcome.n_clips,
            "bag_unit": unit,
            "n_syllables": found.n_syllables,
            "note": note,
            "fingerprint": facts.fingerprint or None,
            "sketch": facts.sketch or None,
            **labels.columns,
            **_recorder_columns(outcome.recorder),
        }
        # those of most recordings are one table
        few = found.n_syllables <= PACKED_ROWS
        self.workspace.commit(row, next(syllables) if few else syllables)
        self.summary.segmented += 1
        self.summary.syllables += found.n_syllables
        self.summary.duration_s += facts.duration_s
        self._note(recording.name, note)
        self._note(recording.name, labels.note)

    def fail(self, recording: RecordingFile, reason: str) -> None:
        """Note the reason in ``errors.csv`` and drop what an earlier run had stored."""
        self.workspace.forget(recording.name)
        self.summary.failed.append((recording.name, reason))
        self.errors.append({"recording": recording.name, "stage": "segment", "reason": reason})
        # The file is written anew each time, so not for every one of very many.
        if len(self.errors) % (1 + len(self.errors) // 100) == 0:
            self._write_errors()

    def _boxes(self, name: str) -> tuple[tuple[float, float, float, float], ...]:
        """Marked sounds that are to be syllables, whether they are found or not."""
        if not self.settings.boxes_as_syllables:
            return ()
        nyquist_hz = self.settings.segmentation.nyquist_hz
        timed = self.labels.timed.get(name, ())
        boxes = strong_labels(timed, self.labels.labels_as, nyquist_hz)
        return tuple(
            (label.start_s, label.end_s, label.low_hz, label.high_hz)
            for label in boxes
            if label.is_box
        )

    def _same_boxes(self, task: SegmentTask, stored: dict[str, Any]) -> bool:
        """Whether the stored syllables were made with the same marked sounds."""
        if not self.settings.boxes_as_syllables:
            return True
        columns = ("start_s", "end_s", "low_hz", "high_hz")
        before = [tuple(label[c] for c in columns) for label in stored["timed_labels"] or ()]
        return sorted(box for box in before if box[3] < math.inf) == sorted(
            box for box in task.boxes if box[0] < stored["duration_s"]
        )

    def _labels(
        self, name: str, n_clips: int, duration_s: float, sample_rate_hz: int
    ) -> RecordingLabels:
        clip_s = self.settings.segmentation.n_clip / self.settings.segmentation.sample_rate_hz
        return labels_of(
            self.labels, name, ClipGrid(n_clips, clip_s, duration_s, sample_rate_hz / 2)
        )

    def _bag_unit(self, labels: RecordingLabels, n_clips: int) -> str:
        """Clips can be bags where each has a list of its own, or there is but one."""
        if self.settings.bag != "auto":
            return self.settings.bag
        return "clip" if n_clips <= 1 or labels.by_clip else "recording"

    def _note(self, name: str, note: str) -> None:
        if note:
            self.summary.notes.append((name, note))

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


def _is_long(recording: RecordingFile) -> bool:
    return recording.path.suffix.lower() in _SHARED and announced_s(recording.path) >= LONG_S


def _check_same_file(recording: RecordingFile, stored: dict[str, Any]) -> None:
    """Refuse to mix two recordings of one name; a recording that was moved is still the same."""
    earlier = Path(stored["path"])
    if earlier != recording.path and earlier.exists():
        raise WorkspaceError(
            f"{shown(recording.path)}: the workspace already has another recording called "
            f"{shown(recording.name)} ({shown(earlier)}); segment the folder above both, or "
            "use another --workspace"
        )


def _unchanged(task: SegmentTask, stored: dict[str, Any]) -> bool:
    return bool(task.size_bytes == stored["size_bytes"] and task.mtime_ns == stored["mtime_ns"])


def _as_listed(task: SegmentTask) -> bool:
    """Whether the file is still what it was before it was read."""
    try:
        status = task.recording.path.stat()
    except OSError:
        return False
    return (status.st_size, status.st_mtime_ns) == (task.size_bytes, task.mtime_ns)


def _recorder_columns(facts: RecorderFacts | None) -> dict[str, Any]:
    columns = dict(vars(facts)) if facts is not None else {}
    columns.pop("note", None)  # it is told with that of the sound
    return columns
