"""A clustering read some recordings at a time, where a million syllables need not be in memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from birdmodes.io.result_files import ResultReader
from birdmodes.modes.clustering import (
    ASSIGNMENT_COLUMNS,
    LATER_MODE_COLUMNS,
    MODE_CELLS,
    MODE_COLUMNS,
    Clustering,
    assignment_tables,
    clusterings,
)
from birdmodes.modes.summary import PARTS, ClusteringSummary, kept_summary, summary_of
from birdmodes.workspace.gathering.folder_state import FolderState, folder_state
from birdmodes.workspace.store import Workspace

PART_ROWS = 50_000
"""Syllables that are read at a time."""

MANY = 100_000
"""More syllables than this are not read at once, if it can be helped."""

_ALL_ROWS = 1 << 20


@dataclass(frozen=True)
class StreamedClustering:
    """A clustering whose syllables come in parts.

    Attributes
    ----------
    name : str
        Of the clustering.
    modes : list of dict
        Rows of its table of modes.
    parameters : dict
        How it was made.
    summary : ClusteringSummary
        What was kept of it.
    recordings : FolderState
        Of the workspace's folder ``recordings``.
    tables : iterator of pyarrow.Table
        All syllables of some recordings each, sorted by recording; once only.
    """

    name: str
    modes: list[dict[str, Any]]
    metrics: dict[str, float | None]
    parameters: dict[str, Any]
    summary: ClusteringSummary
    recordings: FolderState
    tables: Iterator[pa.Table]

    @property
    def clustering(self) -> Clustering:
        """The clustering with an empty table of syllables, and without arrays."""
        import pandas as pd  # slow to import: exports do without

        return Clustering(
            self.name,
            pd.DataFrame(columns=ASSIGNMENT_COLUMNS),
            pd.DataFrame(self.modes),
            self.metrics,
            self.parameters,
        )

    @property
    def parts(self) -> Iterator[Clustering]:
        """The clustering with each of `tables`, which are used up."""
        without = self.clustering
        return (replace(without, assignments=table.to_pandas()) for table in self.tables)


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
    seen = folder_state(workspace.folder / PARTS[0])
    digests = [seen.digest, *(folder_state(workspace.folder / part).digest for part in PARTS[1:])]
    summary = kept_summary(workspace, chosen, digests)
    if summary is None:
        modes = store.read(chosen, _mode_rows)
        if sum(row["syllables"] for row in modes) <= (MANY if many is None else many):
            return None
        summary = summary_of(workspace, chosen, digests)
    if not summary.by_recording:
        return None

    def opened(files: ResultReader) -> StreamedClustering:
        metrics, parameters = files.metrics()
        return StreamedClustering(
            chosen,
            _mode_rows(files),
            metrics,
            parameters,
            summary,
            seen,
            _whole_recordings(assignment_tables(files, n_rows)),
        )

    return store.read(chosen, opened)


def _mode_rows(files: ResultReader) -> list[dict[str, Any]]:
    """Read the table of modes a row at a time, without pandas."""
    parts = files.table_parts("modes.csv", MODE_CELLS, LATER_MODE_COLUMNS, _ALL_ROWS)
    # The parameters say the remarks.
    return [row for part in parts for row in part.select(MODE_COLUMNS).to_pylist()]


def _whole_recordings(parts: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Cut parts of a table anew, so that no recording is in two."""
    rest: pa.Table | None = None
    for part in parts:
        rows = part if rest is None else pa.concat_tables([rest, part])
        recording = rows["recording"]
        last = pc.index(recording, recording[-1]).as_py()
        if last:
            yield rows.slice(0, last)
        rest = rows.slice(last)
    if rest is not None and len(rest):
        yield rest
