"""New recordings found, labelled and placed in modes: all of ``assign``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from birdmodes.assign.kept import ASSIGNED
from birdmodes.assign.run import Assigned, assign_recordings, result_content
from birdmodes.assign.table import Limits
from birdmodes.audio.find import find_recordings
from birdmodes.io.paths import AnyPath
from birdmodes.labels import FittedLabels, LabelRequest, fit_labels
from birdmodes.modes.clustering import Clustering, read_clustering
from birdmodes.review.segment import SegmentPlan
from birdmodes.workspace.folder import read_steadily
from birdmodes.workspace.segment import Progress
from birdmodes.workspace.store import Workspace


@dataclass(frozen=True)
class MadeAssignments:
    """New recordings whose syllables were placed.

    Attributes
    ----------
    result : Assigned
        Where they came, and what that is worth.
    clustering : Clustering
        The modes.
    limits : Limits
        When a syllable was left unassigned.
    folder : pathlib.Path
        The workspace of the new recordings.
    """

    result: Assigned
    clustering: Clustering
    limits: Limits
    folder: Path

    def content(self) -> dict[str, Any]:
        """What ``assign --json`` prints."""
        return result_content(self.result, self.clustering, self.limits)


def make_assignments(
    workspace: Workspace | AnyPath,
    recordings: AnyPath | Iterable[AnyPath],
    clustering: str | None = None,
    output: AnyPath | None = None,
    *,
    labels: LabelRequest | None = None,
    limits: Limits | None = None,
    table: AnyPath | None = None,
    workers: int = 1,
    on_found: Callable[[int], None] | None = None,
    on_plan: Callable[[SegmentPlan], None] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> MadeAssignments:
    """Place the syllables of new recordings in the modes of a clustering.

    Parameters
    ----------
    workspace : Workspace, str or path-like
        Where the clustering is.
    recordings : str, path-like, or iterable of them
        New recordings, or folders of them.
    clustering : str, optional
        Name of the clustering; by default the newest.
    output : str or path-like, optional
        A workspace of the new recordings; by default ``assigned/NAME`` in the other one.
    labels : LabelRequest, optional
        Label files of the new recordings, which restrict their modes; by default none.
    on_found : callable, optional
        Called with the number of recordings found so far.
    on_plan : callable, optional
        Called once with the recordings and their labels, before anything is segmented.
    limits, table, workers, on_progress
        As for `birdmodes.assign.run.assign_recordings`.

    Raises
    ------
    BirdmodesError
        If there are no recordings, labels cannot be read, or what
        `birdmodes.assign.run.assign_recordings` raises.
    """
    store, limits = Workspace.open(workspace), limits or Limits()
    chosen = read_steadily(store.folder, lambda _: read_clustering(store, clustering))
    target = store.folder / ASSIGNED / chosen.name if output is None else Path(output)
    found = find_recordings(recordings, on_progress=on_found)
    fitted = FittedLabels({}, [], [])
    if labels is not None:
        fitted = fit_labels(found, channel=store.settings.channel, **labels.options())
    if on_plan is not None:
        on_plan(SegmentPlan(found, fitted))
    result = assign_recordings(
        store,
        chosen,
        found,
        fitted,
        target,
        limits=limits,
        table=table,
        workers=workers,
        on_progress=on_progress,
    )
    return MadeAssignments(result, chosen, limits, target)
