"""What ``birdmodes segment`` says."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

from birdmodes.io.printing import shown
from cli import console

if TYPE_CHECKING:
    import pandas as pd

    from birdmodes.audio.read import RecordingFile
    from birdmodes.labels import FittedLabels
    from birdmodes.review.segment import SegmentPlan
    from birdmodes.workspace.segment import Progress, SegmentSummary


class Steps:
    """Shows the steps of ``segment``: a count, what is known, and how far it is."""

    def __init__(self, what: str = "segmenting") -> None:
        self._what = what
        self._shown = contextlib.ExitStack()
        self._advance: console.Advance | None = None
        self.found: Callable[[int], None] | None = None

    def __enter__(self) -> Self:
        self.found = self._shown.enter_context(console.counting("looking for recordings"))
        return self

    def __exit__(self, *error: object) -> None:
        self._shown.close()

    def planned(self, plan: SegmentPlan) -> None:
        """Say what is known before anything is segmented."""
        self._shown.close()
        print_labels(plan.recordings, plan.labels)

    def segmented(self, at: Progress) -> None:
        """Show how far it is."""
        self._show(at.done, at.total, so_far(at))

    def learned(self, done: int, total: int) -> None:
        """Show how far learning is, which comes first where something is learned."""
        self._show(done, total, "learning")

    def _show(self, done: int, total: int, text: str) -> None:
        if self._advance is None:
            self._shown.close()
            self._advance = self._shown.enter_context(console.progress(self._what))
        self._advance(done, total, text)


def print_labels(recordings: Sequence[RecordingFile], fitted: FittedLabels) -> None:
    """Say what is known before anything is segmented."""
    names = {name for species in fitted.species.values() for name in species}
    console.say(
        f"{console.plural(len(recordings), 'recording')}, {len(fitted.species):,} labelled "
        f"with {console.plural(len(names), 'species')}"
    )
    if fitted.timed:
        console.say(
            f"{console.plural(len(fitted.timed), 'recording')} with labels that have times: each "
            "clip has the species of the labels that touch it"
        )
    for table in fitted.files[: console.LONG_LIST]:
        console.say(f"labels: {shown(table)}")
    if len(fitted.files) > console.LONG_LIST:
        console.say(f"labels: ... and {len(fitted.files) - console.LONG_LIST:,} more files")
    console.warn_all(fitted.warnings)
    if not fitted.species:
        console.warn(
            "no labels: syllables will be found, but not which species they belong to; see "
            "'birdmodes segment --help', --labels"
        )


def so_far(at: Progress) -> str:
    """Counts for the progress line."""
    failed = f", {at.failed} failed" if at.failed else ""
    return console.plural(at.syllables, "syllable") + failed


def print_summary(
    summary: SegmentSummary, recordings: pd.DataFrame, workspace: Path, seconds: float
) -> None:
    """Say what was found, what could not be read, and what became a bag."""
    if summary.segmented:
        console.say(
            f"{console.plural(summary.syllables, 'syllable')} in "
            f"{console.plural(summary.segmented, 'recording')} "
            f"({console.duration(summary.duration_s)} of sound) in {console.duration(seconds)}"
        )
    print_problems(summary, workspace)
    if len(recordings):
        console.say(_bags(recordings))
        # loads tables, which the help of the command must not
        from birdmodes.workspace.copies import copies_in_words

        copies = copies_in_words(recordings)
        if copies:
            console.warn(copies)
    console.say(f"workspace: {workspace}")


def print_problems(summary: SegmentSummary, workspace: Path) -> None:
    """Say what was skipped, what should be known of recordings, and which could not be read."""
    if summary.skipped:
        console.say(f"{console.plural(summary.skipped, 'recording')} done before, skipped")
    console.warn_all([f"{shown(name)}: {note}" for name, note in summary.notes])
    for _, reason in summary.failed[: console.LONG_LIST]:
        console.error(reason)
    if summary.failed:
        console.error(
            f"{console.plural(len(summary.failed), 'recording')} could not be read; all are "
            f"listed in {workspace / 'errors.csv'}"
        )


def _bags(recordings: pd.DataFrame) -> str:
    """What became a bag."""
    whole = int((recordings["bag_unit"] == "recording").sum())
    if not whole:
        return "bags: each clip is a bag with the species of its recording or of its own labels"
    others = len(recordings) - whole
    return (
        f"bags: {console.plural(whole, 'recording')} longer than a clip are one bag each, since "
        "their species list holds for the whole recording"
        + (f"; in {others:,} others each clip is a bag" if others else "")
    )
