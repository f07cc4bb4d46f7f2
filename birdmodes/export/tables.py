"""CSV and Parquet: a row per syllable, with all that is known of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from birdmodes._version import __version__
from birdmodes.export.picked.rows import numbers_within_recordings
from birdmodes.export.text import (
    FREQUENCY_DECIMALS,
    TIME_DECIMALS,
    doubtful_cells,
    one_line,
    syllable_key,
    without_nul,
)
from birdmodes.io import cells
from birdmodes.io.csv_writer import as_cells, to_csv
from birdmodes.io.formula_guard import guarded, guarded_path
from birdmodes.modes.clustering import Clustering
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.workspace.store import Workspace

if TYPE_CHECKING:
    import pandas as pd

Numbers = npt.NDArray[np.float64]
Table = dict[str, Any]

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
    "remark",
    "confidence",
    "centrality",
    "review",
    "recorded_at",
    "latitude",
    "longitude",
)
GROUP = "group"
"""A further column, where recordings have been grouped."""

_NAMES = ("recording", "path", "species", "mode", "review", "recorded_at")
_OBJECTS = ("path", "remark")
"""What pandas is told to be objects, and not texts, as earlier versions did."""

_MISSING = ("NA", "N/A", "NaN", "nan", "NULL", "null", "None", "n/a", "<NA>")
_MADE_BY = {b"birdmodes": __version__.encode()}

_DECIMALS = {
    **dict.fromkeys(("start_s", "end_s"), TIME_DECIMALS),
    **dict.fromkeys(("low_hz", "high_hz"), FREQUENCY_DECIMALS),
}

R_CSV: Any = {"quoted": True, "missing": "NA"}
"""How `r_table` is written."""


def syllable_table(rows: pa.RecordBatch, features: pd.DataFrame | None = None) -> Table:
    """Give the table that `write_csv` and `write_parquet` write.

    Parameters
    ----------
    rows : pyarrow.RecordBatch
        The syllables, see `birdmodes.export.picked.rows`.
    features : pandas.DataFrame, optional
        From `feature_table`; its columns follow.

    Returns
    -------
    dict of str to pyarrow.Array
        Columns; those of features are of pandas.
    """
    columns = [*COLUMNS, *([GROUP] if GROUP in rows.schema.names else [])]
    table: Table = {name: rows[name] for name in columns}
    for name, decimals in _DECIMALS.items():
        table[name] = cells.rounded(cells.numbers_of(rows[name]), decimals)
    if features is not None:
        own = features.set_index("syllable")
        own = own.reindex(rows["syllable"].to_pylist()).reset_index(drop=True)
        table |= {str(name): column for name, column in own.items()}
    return {**table, "syllable": doubtful_cells(rows["syllable"], syllable_key)}


def feature_table(workspace: Workspace, clustering: Clustering) -> pd.DataFrame:
    """Give the features of all syllables: column syllable, then a column for each.

    Parameters
    ----------
    workspace : Workspace
        Where the 38 features are, in hertz and seconds.
    clustering : Clustering
        Where those of its other feature sets are, standardised.
    """
    table = workspace.syllables(["syllable", *FEATURE_NAMES])
    if "features" not in clustering.model:
        return table
    import pandas as pd

    kept = pd.DataFrame(
        clustering.model["features"], columns=clustering.model["feature_names"].tolist()
    )
    further = kept[[name for name in kept if name not in FEATURE_NAMES]]
    further.insert(0, "syllable", clustering.assignments["syllable"].to_numpy())
    return table.merge(further, on="syllable", how="left", validate="1:1")


def csv_table(table: Table) -> Table:
    """Give a table of `syllable_table` with names as they stand in CSV."""
    return safe_table(table, without_nul, ("recording", "path"))


def write_csv(path: Path, table: Table | pd.DataFrame, *, mark: bool = False) -> None:
    """Write a table of `syllable_table` as CSV: UTF-8 and commas.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    table : mapping of str to pyarrow.Array, or pandas.DataFrame
        From `syllable_table`.
    mark : bool
        Begin with a byte-order mark, by which Excel and LibreOffice know UTF-8.

    Notes
    -----
    Quotes stand where they are needed; around all texts if one of them is what R and pandas take
    for a missing value, such as a species called NA: readers that heed quotes keep it.
    """
    columns = {str(name): as_cells(column) for name, column in table.items()}
    # What Arrow does not write as pandas does is left to it.
    safe = csv_table({name: table[name] if c is None else c for name, c in columns.items()})
    encoding = "utf-8-sig" if mark else "utf-8"
    to_csv(path, safe, quoted=needs_quotes(safe), encoding=encoding)


def needs_quotes(table: Mapping[str, pa.Array]) -> bool:
    """Whether a species or mode is called what R and pandas take for a missing value."""
    missing = cells.from_texts(_MISSING)
    names = (cells.distinct(table[name]) for name in ("species", "mode"))
    return any(pc.any(pc.is_in(column, missing)).as_py() or False for column in names)


def r_table(rows: pa.RecordBatch, table: Table) -> Table:
    """Give a table for R: warbleR's selection table, then the rest with dots in its names.

    All texts are to be in quotes, and missing numbers NA. Frequencies are in kHz, as warbleR
    counts.

    Parameters
    ----------
    rows : pyarrow.RecordBatch
        The syllables.
    table : mapping of str to pyarrow.Array
        From `syllable_table`.
    """
    safe = safe_table(table, one_line, ("path",))
    khz = {
        name: _changed(table[name], lambda hz: np.round(hz / 1000, FREQUENCY_DECIMALS + 3))
        for name in ("low_hz", "high_hz")
    }
    selections = {
        "sound.files": safe.pop("recording"),
        "channel": rows["channel"],
        "selec": cells.from_numpy(numbers_within_recordings(rows)),
        "start": safe.pop("start_s"),
        "end": safe.pop("end_s"),
        "bottom.freq": khz["low_hz"],
        "top.freq": khz["high_hz"],
    }
    rest = {name: column for name, column in safe.items() if name not in khz}
    return {**selections, **{name.replace("_", "."): column for name, column in rest.items()}}


def write_r(path: Path, rows: pa.RecordBatch, table: Table) -> None:
    """Write a table of `r_table` as CSV."""
    to_csv(path, r_table(rows, table), **R_CSV)


def _changed(column: pa.Array, change: Callable[[Numbers], Numbers]) -> pa.Array:
    """Change numbers; each different one once, where they are coded."""
    changed = cells.from_numpy(change(cells.numbers_of(cells.distinct(column))))
    if isinstance(column, pa.DictionaryArray):
        return cells.coded(column.indices, changed)
    return changed


def safe_table(table: Table, change: Callable[[str], str], paths: tuple[str, ...] = ()) -> Table:
    """Change all names, and guard them; those in the columns `paths` as paths.

    The names of syllables are safe, see `syllable_table`.
    """

    def name(text: str) -> str:
        return guarded(change(text))

    def path(text: str) -> str:
        return guarded_path(change(text))

    changed = {
        column: doubtful_cells(table[column], path if column in paths else name)
        for column in _NAMES
    }
    return {**table, **changed}


def write_parquet(path: Path, table: Table) -> None:
    """Write a table of `syllable_table` as Parquet; names are as they are."""
    pq.write_table(as_arrow(table, parquet_schema(table)), path, compression="zstd")


def write_frame(path: Path, table: pd.DataFrame) -> None:
    """Write any table as Parquet."""
    content = pa.Table.from_pandas(table, preserve_index=False)
    described = {**(content.schema.metadata or {}), **_MADE_BY}
    pq.write_table(content.replace_schema_metadata(described), path, compression="zstd")


def parquet_schema(table: Table) -> pa.Schema:
    """Columns of a table of `syllable_table`, as pandas describes them to read them again."""
    import pandas as pd  # slow to import, and other formats do without

    one_row = {}
    for name, column in table.items():
        kind = cells.distinct(column).type if isinstance(column, pa.Array) else column.dtype
        if kind == pa.string():
            one_row[name] = pd.Series([""], dtype="object" if name in _OBJECTS else "str")
        else:
            one_row[name] = pd.Series([0], dtype=str(kind).replace("double", "float64"))
    schema = pa.Schema.from_pandas(pd.DataFrame(one_row), preserve_index=False)
    return schema.with_metadata({**schema.metadata, **_MADE_BY})


def as_arrow(table: Table, schema: pa.Schema) -> pa.Table:
    """Give a table of `syllable_table` as it is written as Parquet, by its `parquet_schema`."""
    columns = []
    for column, kind in zip(table.values(), schema.types, strict=True):
        if not isinstance(column, pa.Array):
            columns.append(pa.array(column, kind, from_pandas=True))
        elif pa.types.is_floating(kind):
            columns.append(pa.array(cells.numbers_of(column), kind, from_pandas=True))
        else:
            columns.append(cells.decoded(column).cast(kind))
    return pa.Table.from_arrays(columns, schema=schema)
