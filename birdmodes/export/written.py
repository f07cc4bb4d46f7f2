"""Formats whose text, or Parquet, is written as it comes, some syllables after the others."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from birdmodes.export.audacity import audacity_lines
from birdmodes.export.crowsetta import SIMPLE_HEADER, generic_seq_table, simple_seq_lines
from birdmodes.export.kaleidoscope import kaleidoscope_table
from birdmodes.export.label_tracks import Track, Tracks
from birdmodes.export.output import new_file, new_folder
from birdmodes.export.picked.options import ExportOptions
from birdmodes.export.picked.rows import Recordings
from birdmodes.export.raven import raven_combined_lines, raven_header, raven_lines
from birdmodes.export.spreadsheet import Spreadsheet
from birdmodes.export.tables import (
    R_CSV,
    as_arrow,
    csv_table,
    needs_quotes,
    parquet_schema,
    r_table,
    syllable_table,
)
from birdmodes.io import cells
from birdmodes.io.csv_writer import csv_blocks
from birdmodes.parallel.threads import in_order

if TYPE_CHECKING:
    import pandas as pd

    from birdmodes.export.picked.heard import Heard

_MARK = "\ufeff".encode()


@dataclass(frozen=True)
class Part:
    """Syllables of some recordings, and how much is written before them.

    Attributes
    ----------
    rows : pyarrow.RecordBatch
        See `birdmodes.export.picked.rows`.
    syllables, recordings : int
        Written before.
    """

    rows: pa.RecordBatch
    syllables: int
    recordings: int


def parts_of(batches: Iterable[pa.RecordBatch]) -> Iterator[Part]:
    """Count rows, none of them empty, as they come."""
    syllables = recordings = 0
    for rows in batches:
        yield Part(rows, syllables, recordings)
        syllables += rows.num_rows
        recordings += len(rows["recording"].dictionary)


def write_text(
    path: Path,
    batches: Iterable[pa.RecordBatch],
    options: ExportOptions,
    recordings: Recordings,
    name: str,
    *,
    quoted: bool = False,
) -> None:
    """Write a file of one of the formats that are text.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    batches : iterable of pyarrow.RecordBatch
        Syllables, see `birdmodes.export.picked.rows`.
    options : ExportOptions
        The format, and how.
    recordings : Recordings
        All of the workspace.
    name : str
        What the file will be called.
    quoted : bool
        Put all texts in quotes, see `needs_quotes` (csv).
    """

    def blocks(part: Part) -> list[bytes | memoryview]:
        header = part.syllables == 0
        match options.format:
            case "csv":
                table = csv_table(syllable_table(part.rows))
                all_of_them = quoted or needs_quotes(table)
                mark = [_MARK] if header and options.mark else []
                return [*mark, *csv_blocks(table, quoted=all_of_them, header=header)]
            case "r":
                table = r_table(part.rows, syllable_table(part.rows))
                return [*csv_blocks(table, **R_CSV, header=header)]
            case "kaleidoscope":
                return [*csv_blocks(kaleidoscope_table(part.rows), header=header)]
            case "crowsetta":
                table = generic_seq_table(part.rows, options.label, name, first=part.recordings)
                return [*csv_blocks(table, header=header)]
            case _:
                lines = raven_combined_lines(part.rows, recordings, part.syllables + 1)
                first = [raven_header(part.rows).encode()] if header else []
                return [*first, cells.view(lines)]

    with path.open("wb") as file:
        for written in in_order(blocks, parts_of(batches)):
            file.writelines(written)


def write_excel(
    path: Path, batches: Iterable[pa.RecordBatch], features: pd.DataFrame | None = None
) -> None:
    """Write syllables as a spreadsheet, with their features if these are given.

    Raises
    ------
    BirdmodesError
        If openpyxl is not installed, or there are more rows than a sheet can hold.
    """
    sheet = Spreadsheet(path)
    for rows in batches:
        sheet.add(syllable_table(rows, features))
    sheet.finish()


def write_parquet(path: Path, batches: Iterable[pa.RecordBatch]) -> None:
    """Write syllables as Parquet; each batch is a row group."""
    batches = iter(batches)
    first = next(batches)
    schema = parquet_schema(syllable_table(first))

    def table(rows: pa.RecordBatch) -> pa.Table:
        return as_arrow(syllable_table(rows), schema)

    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        # The writer takes most of the time, and these rows are many.
        for content in in_order(table, itertools.chain([first], batches), threads=1):
            writer.write_table(content)


def write_tracks(
    tracks: Tracks, batches: Iterable[pa.RecordBatch], options: ExportOptions
) -> dict[str, str]:
    """Write a file for each recording.

    Parameters
    ----------
    tracks : Tracks
        Where.
    batches : iterable of pyarrow.RecordBatch
        All syllables of some recordings each.
    options : ExportOptions
        The format, and how.

    Returns
    -------
    dict of str to str
        The SHA-256 of each file.
    """

    def files(rows: pa.RecordBatch) -> list[Track]:
        header, lines = track_lines(rows, options)
        return tracks.files(rows, lines, header)

    # Two threads that make files take longer than one.
    for made in in_order(files, batches, threads=1):
        tracks.write(made)
    return tracks.finish()


def track_lines(rows: pa.RecordBatch, options: ExportOptions) -> tuple[str, pa.StringArray]:
    """What each recording's file begins with, and what it says of each syllable."""
    match options.format:
        case "raven":
            return raven_header(rows), raven_lines(rows)
        case "audacity":
            return "", audacity_lines(rows, options.label, spectral=options.spectral)
        case _:
            return SIMPLE_HEADER, simple_seq_lines(rows, options.label)


def write_heard(
    heard: Heard,
    sites: pd.Series | None,
    output: Path,
    options: ExportOptions,
    about: dict[str, object],
) -> tuple[int, list[str]]:
    """Write one of `HEARD_FORMATS`.

    Parameters
    ----------
    heard : Heard
        Which species were heard in which recordings.
    sites : pandas.Series of str, or None
        Site of each recording, for detections; see `birdmodes.workspace.sites.sites_of`.
    output : pathlib.Path
        The file or folder.
    options : ExportOptions
        The format.
    about : dict
        What is noted of the export beside its files.

    Returns
    -------
    n_files : int
        Number of files.
    warnings : list of str
        What was left out.
    """
    # Imported here, as they import pandas, which other formats do without.
    from birdmodes.export.checklists import write_ebird, write_inaturalist
    from birdmodes.export.detections import write_detections

    if sites is not None:
        with new_folder(output, about, overwrite=options.overwrite) as folder:
            return write_detections(folder, heard, sites)
    with new_file(output, overwrite=options.overwrite) as path:
        return 1, (write_ebird if options.format == "ebird" else write_inaturalist)(path, heard)
