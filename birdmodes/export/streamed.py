"""Exports of a season: some recordings are read, written and forgotten at a time."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pyarrow.parquet as pq

from birdmodes.export.kaleidoscope import write_kaleidoscope
from birdmodes.export.output import new_file
from birdmodes.export.raven import write_raven_combined
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
    recordings = workspace.recordings()[_COLUMNS]
    left_out = 0

    def selections() -> Iterator[Selection]:
        nonlocal left_out
        for part in stream.parts:
            selection = select_part(part, recordings, asked)
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
            write = _writer(options, workspace.settings.channel, quoted=quoted)
            n = _write_texts(path, selections(), write)
        if not n:
            raise nothing_left(stream.clustering, left_out)
    return ExportResult(output, n, 1, left_out)


class _Write(Protocol):
    def __call__(self, path: Path, selection: Selection, first: int) -> None: ...


def _writer(options: ExportOptions, channel: int | None, *, quoted: bool) -> _Write:
    """What writes a part of a format of text; its first row has the number `first`."""

    def write(path: Path, selection: Selection, first: int) -> None:
        channels = channels_of(selection, channel)
        match options.format:
            case "csv":
                table = syllable_table(selection)
                write_csv(path, table, mark=options.mark, quoted=quoted)
            case "r":
                write_r(path, syllable_table(selection), channels)
            case "kaleidoscope":
                write_kaleidoscope(path, selection, channels - 1)
            case _:
                write_raven_combined(path, selection, channels, first=first)

    return write


def _write_texts(path: Path, selections: Iterator[Selection], write: _Write) -> int:
    """Write parts one after the other, the heading once; gives the number of syllables."""
    n = 0
    beside = path.with_name(f"{path.name}.part")
    try:
        with path.open("wb") as whole:
            for selection in selections:
                write(beside, selection, n + 1)
                with beside.open("rb") as part:
                    if n:
                        part.readline()
                    shutil.copyfileobj(part, whole)
                n += len(selection.rows)
    finally:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
    return n


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
