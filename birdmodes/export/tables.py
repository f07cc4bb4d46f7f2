"""CSV and Parquet: a row per syllable, with all that is known of it."""

from __future__ import annotations

import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from birdmodes._version import __version__
from birdmodes.errors import BirdmodesError
from birdmodes.export.selection import Ints, Selection, of_recordings, uncoded
from birdmodes.export.text import each, each_doubtful, one_line, syllable_key, without_nul
from birdmodes.io.csv_writer import to_csv
from birdmodes.io.formula_guard import guarded, guarded_path
from birdmodes.modes.clustering import Clustering
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

_NAMES = ("recording", "path", "species", "mode", "review")

_MISSING = ("NA", "N/A", "NaN", "nan", "NULL", "null", "None", "n/a", "<NA>")
_MOST_EXCEL_ROWS = 1_048_576
_NO_MOMENT = b">1980-01-01T00:00:00Z<"

TIME_DECIMALS = 6
"""Times are given to the microsecond, frequencies to the thousandth of a hertz."""

FREQUENCY_DECIMALS = 3


def syllable_table(selection: Selection, features: pd.DataFrame | None = None) -> pd.DataFrame:
    """Give the table that `write_csv` and `write_parquet` write.

    Parameters
    ----------
    selection : Selection
        The syllables.
    features : pandas.DataFrame, optional
        From `feature_table`; its columns follow.
    """
    rows = selection.rows
    recordings = selection.recordings
    places = {
        name: of_recordings(rows, recordings, recordings[name])
        for name in ("latitude", "longitude")
    }
    columns = [*COLUMNS, *([GROUP] if GROUP in rows else [])]
    table = rows.assign(**places)[columns]
    table = table.round(
        {
            **dict.fromkeys(("start_s", "end_s"), TIME_DECIMALS),
            **dict.fromkeys(("low_hz", "high_hz"), FREQUENCY_DECIMALS),
        }
    )
    if features is not None:
        table = table.merge(features, on="syllable", how="left", validate="1:1")
    return table.assign(syllable=each_doubtful(table["syllable"], syllable_key))


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
    kept = pd.DataFrame(
        clustering.model["features"], columns=clustering.model["feature_names"].tolist()
    )
    further = kept[[name for name in kept if name not in FEATURE_NAMES]]
    further.insert(0, "syllable", clustering.assignments["syllable"].to_numpy())
    return table.merge(further, on="syllable", how="left", validate="1:1")


def write_csv(
    path: Path,
    table: pd.DataFrame,
    *,
    mark: bool = False,
    quoted: bool = False,
    append: bool = False,
) -> None:
    """Write a table of `syllable_table` as CSV: UTF-8 and commas.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    table : pandas.DataFrame
        From `syllable_table`.
    mark : bool
        Begin with a byte-order mark, by which Excel and LibreOffice know UTF-8.
    quoted : bool
        Put all texts in quotes, see `needs_quotes`.
    append : bool
        Add the rows to those of a file that is there.

    Notes
    -----
    Quotes stand where they are needed; around all texts if one of them is what R and pandas take
    for a missing value, such as a species called NA: readers that heed quotes keep it.
    """
    safe = _safe(table, without_nul, ("recording", "path"))
    doubtful = needs_quotes(safe["species"], safe["mode"])
    encoding = "utf-8-sig" if mark else "utf-8"
    to_csv(path, safe, quoted=quoted or doubtful, encoding=encoding, append=append)


def needs_quotes(*names: pd.Series) -> bool:
    """Whether names are among what R and pandas take for a missing value."""
    return any(bool(column.isin(_MISSING).any()) for column in names)


def write_r(path: Path, table: pd.DataFrame, channel: Ints, *, append: bool = False) -> None:
    """Write a CSV for R: warbleR's selection table, then the rest with dots in its names.

    All texts are in quotes, and missing numbers are NA. Frequencies are in kHz, as warbleR counts.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    table : pandas.DataFrame
        From `syllable_table`.
    channel : numpy.ndarray of int
        Channel that each was found in, from 1.
    append : bool
        Add the rows to those of a file that is there.
    """
    rest = table.drop(columns=["start_s", "end_s", "low_hz", "high_hz"])
    rest = _safe(rest, one_line, ("path",))
    selections = pd.DataFrame(
        {
            "sound.files": rest["recording"],
            "channel": channel,
            "selec": table.groupby("recording").cumcount() + 1,
            "start": table["start_s"],
            "end": table["end_s"],
            "bottom.freq": (table["low_hz"] / 1000).round(FREQUENCY_DECIMALS + 3),
            "top.freq": (table["high_hz"] / 1000).round(FREQUENCY_DECIMALS + 3),
        }
    )
    renamed = rest.drop(columns="recording").rename(columns=lambda name: name.replace("_", "."))
    whole = pd.concat([selections, renamed], axis=1)
    to_csv(path, whole, quoted=True, missing="NA", append=append)


def _safe(
    table: pd.DataFrame, change: Callable[[str], str], paths: tuple[str, ...] = ()
) -> pd.DataFrame:
    """Change all names, and guard them; those in the columns `paths` as paths.

    The names of syllables are safe, see `syllable_table`.
    """

    def name(text: str) -> str:
        return guarded(change(text))

    def path(text: str) -> str:
        return guarded_path(change(text))

    changed = {column: each(table[column], path if column in paths else name) for column in _NAMES}
    return table.assign(**changed, recorded_at=each_doubtful(table["recorded_at"], name))


def write_excel(path: Path, table: pd.DataFrame) -> None:
    """Write a table of `syllable_table` as a spreadsheet (.xlsx).

    Raises
    ------
    BirdmodesError
        If openpyxl is not installed, or there are more rows than a sheet can hold.
    """
    try:
        import openpyxl  # type: ignore[import-untyped]
    except ImportError as reason:
        raise BirdmodesError(
            "--format excel needs openpyxl: install birdmodes[excel], or use --format csv --bom"
        ) from reason
    if len(table) >= _MOST_EXCEL_ROWS:
        raise BirdmodesError(
            f"{len(table)} syllables are more than a sheet of Excel can hold ({_MOST_EXCEL_ROWS}); "
            "use --format parquet or csv, or choose --species"
        )
    safe = _safe(table, one_line).astype(object)
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("syllables")
    sheet.freeze_panes = "A2"
    sheet.append(list(table.columns))
    for row in safe.where(safe.notna(), None).itertuples(index=False):
        sheet.append(list(row))
    with tempfile.TemporaryFile() as saved:
        book.save(saved)
        _copy_without_moments(saved, path)


def _copy_without_moments(saved: IO[bytes], path: Path) -> None:
    """Copy a spreadsheet so that the same table gives the same bytes, whenever it is written."""
    with zipfile.ZipFile(saved) as old, zipfile.ZipFile(path, "w") as new:
        for part in old.infolist():
            entry = zipfile.ZipInfo(part.filename)
            entry.compress_type, entry.file_size = zipfile.ZIP_DEFLATED, part.file_size
            if part.filename == "docProps/core.xml":
                new.writestr(entry, re.sub(rb">\d{4}-[^<]+Z<", _NO_MOMENT, old.read(part)))
                continue
            with old.open(part) as content, new.open(entry, "w") as copy:
                shutil.copyfileobj(content, copy)


def write_parquet(path: Path, table: pd.DataFrame) -> None:
    """Write a table of `syllable_table` as Parquet; names are as they are."""
    content = as_arrow(table)
    pq.write_table(content, path, compression="zstd")


def as_arrow(table: pd.DataFrame) -> pa.Table:
    """A table of `syllable_table` as `write_parquet` writes it."""
    content = pa.Table.from_pandas(table, preserve_index=False)
    if any(pa.types.is_dictionary(kind) for kind in content.schema.types):
        content = content.cast(pa.Schema.from_pandas(uncoded(table.iloc[:1]), preserve_index=False))
    described = {**(content.schema.metadata or {}), b"birdmodes": __version__.encode()}
    return content.replace_schema_metadata(described)
