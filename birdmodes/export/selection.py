"""Which syllables of a clustering are exported, as a table of pandas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from birdmodes.export.picked.kinds import (
    Choice,
    Kinds,
    asked_of,
    found_names,
    nothing_left,
    short_name,
)
from birdmodes.export.picked.rows import GROUP, RECORDING_COLUMNS, Picked, Recordings, pick, whole
from birdmodes.groups.grouping import Grouping, groups_of_syllables
from birdmodes.io import cells
from birdmodes.modes.clustering import ASSIGNMENT_CELLS, Clustering
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.tables import RECORDINGS_SCHEMA

if TYPE_CHECKING:
    import pandas as pd

_KINDS = {str: pa.string(), float: pa.float64(), int: pa.int64()}
_ROWS = pa.schema([(name, _KINDS[kind]) for name, kind in ASSIGNMENT_CELLS.items()])
_RECORDINGS = pa.schema([RECORDINGS_SCHEMA.field(name) for name in RECORDING_COLUMNS])

__all__ = ["Choice", "Selection", "found_names", "select", "select_rows", "short_name"]


@dataclass(frozen=True, eq=False)
class Selection:
    """Syllables to be exported.

    Attributes
    ----------
    rows : pandas.DataFrame
        A row per syllable, by recording, then by time: the columns that
        `birdmodes.export.picked.rows` tells of.
    recordings : pandas.DataFrame
        All recordings of the workspace, also those of which nothing is exported.
    left_out : int
        Syllables of the wanted modes that were left out for their confidence.
    """

    rows: pd.DataFrame
    recordings: pd.DataFrame
    left_out: int


def select(
    workspace: Workspace,
    clustering: Clustering,
    choice: Choice,
    grouping: Grouping | None = None,
) -> Selection:
    """Pick the syllables to be exported.

    Parameters
    ----------
    workspace : Workspace
        Where the recordings are listed.
    clustering : Clustering
        The modes.
    choice : Choice
        What is wanted.
    grouping : Grouping, optional
        Groups of recordings to tell of each syllable.

    Raises
    ------
    BirdmodesError
        If a species or mode is unknown, or nothing is left.
    """
    recordings = workspace.recordings()
    known = recordings_of(recordings, workspace.settings.channel)
    picked = select_rows(workspace, clustering, choice, known, grouping)
    return as_selection(picked, recordings)


def as_selection(picked: Picked, recordings: pd.DataFrame) -> Selection:
    """Give what was picked as tables of pandas."""
    import pandas as pd

    columns = zip(picked.rows.schema.names, picked.rows.columns, strict=True)
    rows = {
        name: cells.decoded(column).to_pandas()
        for name, column in columns
        if name not in ("channel", "latitude", "longitude")
    }
    return Selection(pd.DataFrame(rows), recordings, picked.left_out)


def recordings_of(recordings: pd.DataFrame, channel: int | None) -> Recordings:
    """What is known of recordings; see `birdmodes.export.picked.rows.Recordings`."""
    table = pa.Table.from_pandas(recordings[RECORDING_COLUMNS], _RECORDINGS, preserve_index=False)
    return Recordings(table, channel)


def select_rows(
    workspace: Workspace,
    clustering: Clustering,
    choice: Choice,
    recordings: Recordings,
    grouping: Grouping | None = None,
) -> Picked:
    """Pick the syllables to be exported as `select` does, but a column at a time."""
    rows = clustering.assignments
    if "review" not in rows:  # made before there was a review
        rows = rows.assign(review="")
    rows = rows[list(_ROWS.names)]
    schema = _ROWS
    if grouping is not None:
        groups = groups_of_syllables(workspace, grouping)
        rows = rows.assign(**{GROUP: groups.loc[rows["syllable"]].to_numpy()})
        schema = schema.append(pa.field(GROUP, pa.int64()))
    table = pa.Table.from_pandas(rows, schema, preserve_index=False)
    kinds = Kinds(clustering.modes.to_dict("records"), clustering.parameters)
    _, there = kinds.numbered(*(whole(table[name]) for name in ("cluster", "species", "mode")))
    picked = pick(table, recordings, kinds, asked_of(there, choice, clustering.name))
    if not picked.rows.num_rows:
        raise nothing_left(clustering.name, picked.left_out)
    return picked
