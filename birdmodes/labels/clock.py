"""Labels that have times by the clock, brought to the recordings that ran then."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from birdmodes.audio.find import RecordingFile
from birdmodes.audio.recorders import recorder_facts
from birdmodes.errors import LabelError
from birdmodes.io.printing import shown
from birdmodes.labels.model import LabelEntry, LabelTable


class RecordingClock:
    """When recordings begin and end, by their names and headers.

    Parameters
    ----------
    recordings : mapping
        Name to recording.
    """

    def __init__(self, recordings: Mapping[str, RecordingFile]) -> None:
        spans = []
        for name, file in recordings.items():
            text = recorder_facts(name, file.path).recorded_at
            if text:
                start = datetime.fromisoformat(text)
                spans.append((start, start + _duration(file), name))
        self._spans = sorted(spans)
        self._starts = [start for start, _, _ in self._spans]
        self._longest = max((end - start for start, end, _ in spans), default=timedelta(0))

    def running(self, moment: datetime) -> list[tuple[str, float]]:
        """Recordings that ran at a moment, and how far they were (s)."""
        first = bisect_right(self._starts, moment - self._longest - timedelta(seconds=1))
        last = bisect_right(self._starts, moment)
        return [
            (name, (moment - start).total_seconds())
            for start, end, name in self._spans[max(0, first) : last]
            if moment < end
        ]


def _duration(file: RecordingFile) -> timedelta:
    import soundfile  # here, as few labels have moments

    try:
        return timedelta(seconds=float(soundfile.info(file.path).duration))
    except (OSError, soundfile.SoundFileError, OverflowError):
        # what cannot be read is told when it is segmented
        return timedelta(0)


def placed_by_clock(table: LabelTable, recordings: Mapping[str, RecordingFile]) -> LabelTable:
    """Give the labels of a file the recordings that ran at their moments.

    Parameters
    ----------
    table : LabelTable
        A file whose labels may have moments and no recordings.
    recordings : mapping
        Name to recording.

    Returns
    -------
    LabelTable
        The same, with recordings and the times in them. Where nothing ran, the moment stands in
        place of the recording's name.

    Raises
    ------
    LabelError
        If two recordings ran at a moment.
    """
    if all(entry.moment is None for entry in table.entries):
        return table
    clock = RecordingClock(recordings)
    return replace(table, entries=[_placed(table, entry, clock) for entry in table.entries])


def _placed(table: LabelTable, entry: LabelEntry, clock: RecordingClock) -> LabelEntry:
    if entry.moment is None:
        return entry
    found = clock.running(entry.moment)
    if len(found) > 1:
        names = ", ".join(shown(name) for name, _ in found[:3])
        raise LabelError(
            f"{shown(table.path)}, line {entry.line}: {len(found)} recordings ran at "
            f"{entry.moment.isoformat()} ({names}); give those of one recorder at a time"
        )
    if not found:
        return entry._replace(recording=entry.moment.isoformat(), moment=None)
    name, offset_s = found[0]
    length_s = (entry.end_s or 0.0) - (entry.start_s or 0.0)
    return entry._replace(recording=name, start_s=offset_s, end_s=offset_s + length_s, moment=None)
