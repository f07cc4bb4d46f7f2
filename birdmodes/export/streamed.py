"""Exports of a season: some recordings are read, written and forgotten at a time."""

from __future__ import annotations

import contextlib
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq

from birdmodes.export.crowsetta import write_generic_seq
from birdmodes.export.kaleidoscope import write_kaleidoscope
from birdmodes.export.label_tracks import Tracks
from birdmodes.export.output import new_file, new_folder
from birdmodes.export.raven import begins_of, write_raven_combined
from birdmodes.export.run import (
    TRACK_ENDINGS,
    ExportOptions,
    ExportResult,
    about_export,
    track_lines,
)
from birdmodes.export.selection import (
    Selection,
    asked_of_modes,
    channels_of,
    nothing_left,
    select_part,
)
from birdmodes.export.tables import as_arrow, needs_quotes, syllable_table, write_csv, write_r
from birdmodes.io.steady import Check
from birdmodes.modes.streamed import PART_ROWS, StreamedClustering
from birdmodes.workspace.store import Workspace

_COLUMNS = ["recording", "path", "duration_s", "channel", "latitude", "longitude"]


def can_stream(options: ExportOptions) -> bool:
    """Whether an export can be written some recordings at a time."""
    by_recording = options.format in TRACK_ENDINGS
    return by_recording or (
        options.format in ("csv", "r", "parquet", "kaleidoscope") and not options.features
    )


def rows_at_a_time(options: ExportOptions) -> int:
    """How many syllables to read at a time; so many are a row group of Parquet."""
    return PART_ROWS if options.format == "parquet" else PART_ROWS // 2


def export_streamed(
    workspace: Workspace,
    stream: StreamedClustering,
    output: Path,
    options: ExportOptions,
    check: Check = lambda: None,
) -> ExportResult:
    """Write the syllables of a clustering as `export_clustering` would.

    Parameters
    ----------
    workspace : Workspace
        Where the recordings are listed.
    stream : StreamedClustering
        The clustering.
    output : pathlib.Path
        The file or folder; it appears when all is done.
    options : ExportOptions
        Such that `can_stream` says yes.
    check : callable, optional
        Called when all that may change is read; may raise.

    Raises
    ------
    BirdmodesError
        As for `birdmodes.export.export_clustering`.
    """
    recordings = workspace.recordings(_COLUMNS)
    check()  # the clustering's file is open: what takes its place is not read
    parts = _Parts(stream, recordings, options)
    channel = workspace.settings.channel
    files = 1
    if options.format in TRACK_ENDINGS and not options.combined:
        digests: dict[str, str] = {}
        about = about_export(stream.clustering, options)
        with new_folder(output, about, overwrite=options.overwrite, digests=digests) as folder:
            tracks = Tracks(folder, recordings["recording"], TRACK_ENDINGS[options.format])
            for selection in parts:
                header, lines = track_lines(selection, options, channel)
                tracks.write(selection.rows, lines, header)
            digests |= tracks.finish()
            files = len(digests)
    else:
        with new_file(output, overwrite=options.overwrite) as path:
            if options.format == "parquet":
                _write_parquet(path, parts)
            else:
                _write_text(path, output.name, parts, channel)
    return ExportResult(output, parts.syllables, files, parts.left_out)


class _Parts:
    """What is to be exported, some recordings at a time.

    Attributes
    ----------
    syllables, left_out : int
        So far.
    """

    def __init__(
        self, stream: StreamedClustering, recordings: pd.DataFrame, options: ExportOptions
    ) -> None:
        self.clustering = stream.clustering
        self.recordings = recordings
        self.options = options
        self.syllables = self.left_out = 0
        self._asked = asked_of_modes(stream.clustering, options.choice)
        self._parts = stream.parts

    def __iter__(self) -> Iterator[Selection]:
        """Give parts that are not empty; raises an error if all are."""
        names = self.recordings["recording"].tolist()
        for part in self._parts:
            first, last = part.assignments["recording"].iloc[[0, -1]]
            here = self.recordings.iloc[bisect_left(names, first) : bisect_right(names, last)]
            selection = select_part(part, here, self._asked)
            self.left_out += selection.left_out
            if len(selection.rows):
                yield selection
                self.syllables += len(selection.rows)
        if not self.syllables:
            raise nothing_left(self.clustering, self.left_out)


def _write_text(path: Path, name: str, parts: _Parts, channel: int | None) -> None:
    """Write a table that will have a name; what can come first, such as the header, once."""
    options, modes = parts.options, parts.clustering.modes
    quoted = needs_quotes(modes["species"], modes["mode"])
    begins = begins_of(parts.recordings)
    recordings = 0
    for selection in parts:
        channels, append = channels_of(selection, channel), parts.syllables > 0
        match options.format:
            case "csv":
                table = syllable_table(selection)
                write_csv(path, table, mark=options.mark, quoted=quoted, append=append)
            case "r":
                write_r(path, syllable_table(selection), channels, append=append)
            case "kaleidoscope":
                write_kaleidoscope(path, selection, channels - 1, append=append)
            case "crowsetta":
                recordings = write_generic_seq(
                    path, selection, options.label, name, first=recordings
                )
            case _:
                first = parts.syllables + 1
                write_raven_combined(path, selection, channels, begins, first=first)


def _write_parquet(path: Path, parts: _Parts) -> None:
    with contextlib.ExitStack() as stack:
        writer: pq.ParquetWriter | None = None
        for selection in parts:
            table = as_arrow(syllable_table(selection))
            if writer is None:
                opened = pq.ParquetWriter(path, table.schema, compression="zstd")
                writer = stack.enter_context(opened)
            writer.write_table(table.cast(writer.schema))
