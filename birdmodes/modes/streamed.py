"""A clustering read some recordings at a time, where a million syllables need not be in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pandas as pd

from birdmodes.modes.clustering import (
    Clustering,
    assignment_parts,
    clusterings,
    read_without_syllables,
)
from birdmodes.modes.summary import ClusteringSummary, kept_summary, summary_of
from birdmodes.workspace.results import ResultReader
from birdmodes.workspace.store import Workspace

PART_ROWS = 50_000
"""Syllables that are read at a time."""

MANY = 100_000
"""More syllables than this are not read at once, if it can be helped."""


@dataclass(frozen=True)
class StreamedClustering:
    """A clustering whose syllables come in parts.

    Attributes
    ----------
    clustering : Clustering
        With an empty table of syllables, and without arrays.
    summary : ClusteringSummary
        What was kept of it.
    parts : iterator of Clustering
        The same with all syllables of some recordings each, sorted by recording; once only.
    """

    clustering: Clustering
    summary: ClusteringSummary
    parts: Iterator[Clustering]


def stream_clustering(
    workspace: Workspace, name: str | None, n_rows: int = PART_ROWS, *, many: int | None = None
) -> StreamedClustering | None:
    """Open a clustering to be read in parts.

    Parameters
    ----------
    workspace : Workspace
        Where it is.
    name : str or None
        By default the newest.
    n_rows : int
        Rows that are read at a time.
    many : int, optional
        More syllables than this are large; by default `MANY`.

    Returns
    -------
    StreamedClustering or None
        None if it is not sorted by recording, or if it is not large, and only reading everything
        can tell that it is whole and of the syllables that are there now.

    Raises
    ------
    WorkspaceError
        If there is none (of that name), or its files are damaged.
    """
    store = clusterings(workspace)
    chosen = store.chosen(name)
    summary = kept_summary(workspace, chosen)
    if summary is None:
        modes = store.read(chosen, lambda files: read_without_syllables(files, chosen)).modes
        if modes["syllables"].sum() <= (MANY if many is None else many):
            return None
        summary = summary_of(workspace, chosen)
    if not summary.by_recording:
        return None

    def opened(files: ResultReader) -> StreamedClustering:
        without = read_without_syllables(files, chosen)
        parts = _whole_recordings(assignment_parts(files, n_rows))
        with_rows = (replace(without, assignments=rows) for rows in parts)
        return StreamedClustering(without, summary, with_rows)

    return store.read(chosen, opened)


def _whole_recordings(parts: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    """Cut parts of a table anew, so that no recording is in two."""
    rest: pd.DataFrame | None = None
    for part in parts:
        rows = part if rest is None else pd.concat([rest, part], ignore_index=True)
        inside = (rows["recording"] != rows["recording"].iloc[-1]).to_numpy()
        if inside.any():
            yield rows[inside].reset_index(drop=True)
        rest = rows[~inside]
    if rest is not None and len(rest):
        yield rest.reset_index(drop=True)
