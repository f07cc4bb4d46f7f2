"""CSV and Parquet: a row per syllable, with all that is known of it."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from birdmodes._version import __version__
from birdmodes.export.selection import Selection
from birdmodes.export.text import each, without_nul
from birdmodes.io.formula_guard import guarded, guarded_path
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.workspace.store import Workspace

COLUMNS = (
    "syllable",
    "recording",
    "path",
    "start_s",
    "end_s",
    "low_hz",
    "high_hz",
    "species",
    "mode",
    "cluster",
    "kind",
    "confidence",
    "centrality",
    "review",
    "recorded_at",
    "latitude",
    "longitude",
)
GROUP = "group"
"""A further column, where recordings have been grouped."""

_NAMES = ("species", "mode", "review", "recorded_at")
_PATHS = ("syllable", "recording", "path")

TIME_DECIMALS = 6
"""Times are given to the microsecond, frequencies to the thousandth of a hertz."""

FREQUENCY_DECIMALS = 3


def syllable_table(selection: Selection, workspace: Workspace, features: bool) -> pd.DataFrame:
    """Give the table that `write_csv` and `write_parquet` write.

    Parameters
    ----------
    selection : Selection
        The syllables.
    workspace : Workspace
        Where their features are.
    features : bool
        Whether the 38 features follow as columns.
    """
    rows = selection.rows
    places = selection.recordings.set_index("recording")[["latitude", "longitude"]]
    columns = [*COLUMNS, *([GROUP] if GROUP in rows else [])]
    table = rows.join(places, on="recording")[columns]
    table = table.round(
        {
            **dict.fromkeys(("start_s", "end_s"), TIME_DECIMALS),
            **dict.fromkeys(("low_hz", "high_hz"), FREQUENCY_DECIMALS),
        }
    )
    if features:
        more = workspace.syllables(["syllable", *FEATURE_NAMES])
        table = table.merge(more, on="syllable", how="left", validate="1:1")
    return table


def write_csv(path: Path, table: pd.DataFrame) -> None:
    """Write a table of `syllable_table` as CSV: UTF-8, commas, quotes where they are needed."""
    safe = table.assign(
        **{name: each(table[name], lambda text: guarded(without_nul(text))) for name in _NAMES},
        **{name: each(table[name], guarded_path) for name in _PATHS},
    )
    safe.to_csv(path, index=False, lineterminator="\n")


def write_parquet(path: Path, table: pd.DataFrame) -> None:
    """Write a table of `syllable_table` as Parquet; names are as they are."""
    content = pa.Table.from_pandas(table, preserve_index=False)
    described = {**(content.schema.metadata or {}), b"birdmodes": __version__.encode()}
    pq.write_table(content.replace_schema_metadata(described), path, compression="zstd")
