"""Exports of a season: some recordings are read, written and forgotten at a time."""

from __future__ import annotations

import contextlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq

from birdmodes.export.kaleidoscope import write_kaleidoscope
from birdmodes.export.output import new_file
from birdmodes.export.raven import begins_of, write_raven_combined
from birdmodes.export.run import ExportOptions, ExportResult
from birdmodes.export.selection import (
    Selection,
    asked_of_modes,
    channels_of,
    nothing_left,
    select_part,
)
from birdmodes.export.tables import as_arrow, needs_quotes, syllable_table, write_csv, write_r
from birdmodes.modes.streamed import StreamedClustering
from birdmodes.workspace.store import Workspace

_COLUMNS = ["recording", "path", "duration_s", "channel", "latitude", "longitude"]


def can_stream(options: ExportOptions) -> bool:
    """Whether an export is one file that can be written some recordings at a time."""
    if options.features:
        return False
    combined = options.format == "raven" and options.combined
    return combined or options.format in ("csv", "r", "parquet", "kaleidoscope")


def export_streamed(
    workspace: Workspace, stream: StreamedClustering, output: Path, options: ExportOptions
) -> ExportResult:
    """Write the syllables of a clustering into one file, as `export_clustering` would.

    Parameters
    ----------
    workspace : Workspace
        Where the recordings are listed.
    stream : StreamedClustering
        The clustering.
    output : pathlib.Path
        The file; it appears when all is done.
    options : ExportOptions
        Such that `can_stream` says yes.

    Raises
    ------
    BirdmodesError
        As for `birdmodes.export.export_clustering`.
    """
    asked = asked_of_modes(stream.clustering, options.choice)
    recordings = workspace.recordings(_COLUMNS)
    names = recordings["recording"].tolist()
    left_out = 0

    def selections() -> Iterator[Selection]:
        nonlocal left_out
        for part in stream.parts:
            first, last = part.assignments["recording"].iloc[[0, -1]]
            here = recordings.iloc[bisect_left(names, first) : bisect_right(names, last)]
            selection = select_part(part, here, asked)
            left_out += selection.left_out
            if len(selection.rows):
                yield selection

    with new_file(output, overwrite=options.overwrite) as path:
        if options.format == "parquet":
            n = _write_parquet(path, selections())
        else:
            quoted = needs_quotes(
                stream.clustering.modes["species"], stream.clustering.modes["mode"]
            )
            write = _writer(options, workspace.settings.channel, recordings, quoted=quoted)
            n = 0
            for selection in selections():
                write(path, selection, n + 1)
                n += len(selection.rows)
        if not n:
            raise nothing_left(stream.clustering, left_out)
    return ExportResult(output, n, 1, left_out)


def _writer(
    options: ExportOptions, channel: int | None, recordings: pd.DataFrame, *, quoted: bool
) -> Callable[[Path, Selection, int], None]:
    """What writes a part, whose first row has a number, of a text; the first part begins it."""
    begins = begins_of(recordings)

    def write(path: Path, selection: Selection, first: int) -> None:
        channels, append = channels_of(selection, channel), first > 1
        match options.format:
            case "csv":
                table = syllable_table(selection)
                write_csv(path, table, mark=options.mark, quoted=quoted, append=append)
            case "r":
                write_r(path, syllable_table(selection), channels, append=append)
            case "kaleidoscope":
                write_kaleidoscope(path, selection, channels - 1, append=append)
            case _:
                write_raven_combined(path, selection, channels, begins, first=first)

    return write


def _write_parquet(path: Path, selections: Iterator[Selection]) -> int:
    n = 0
    with contextlib.ExitStack() as stack:
        writer: pq.ParquetWriter | None = None
        for selection in selections:
            table = as_arrow(syllable_table(selection))
            if writer is None:
                opened = pq.ParquetWriter(path, table.schema, compression="zstd")
                writer = stack.enter_context(opened)
            writer.write_table(table.cast(writer.schema))
            n += table.num_rows
    return n
