"""Exports of a season: some recordings are read, written and forgotten at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from birdmodes.export.label_tracks import Tracks
from birdmodes.export.output import new_file, new_folder
from birdmodes.export.picked.kinds import Kinds, asked_of, nothing_left
from birdmodes.export.picked.options import (
    HEARD_FORMATS,
    TRACK_ENDINGS,
    ExportOptions,
    ExportResult,
    about_export,
)
from birdmodes.export.picked.rows import RECORDING_COLUMNS, Picked, Recordings, pick
from birdmodes.export.tables import needs_quotes
from birdmodes.export.written import (
    write_excel,
    write_heard,
    write_parquet,
    write_text,
    write_tracks,
)
from birdmodes.io.cells import from_texts
from birdmodes.io.steady import Check
from birdmodes.modes.streamed import PART_ROWS, StreamedClustering
from birdmodes.parallel.threads import ahead, in_order
from birdmodes.workspace.store import Workspace


def can_stream(options: ExportOptions) -> bool:
    """Whether an export can be written some recordings at a time."""
    by_recording = options.format in (*TRACK_ENDINGS, *HEARD_FORMATS)
    return by_recording or (
        options.format in ("csv", "r", "excel", "parquet", "kaleidoscope") and not options.features
    )


def rows_at_a_time(options: ExportOptions) -> int:
    """How many syllables to read at a time; so many are a row group of Parquet."""
    if options.format == "parquet":
        return PART_ROWS
    # A row of a spreadsheet is nearly a kilobyte; of texts several parts are under way at a time.
    return PART_ROWS // 5 if options.format == "excel" else PART_ROWS // 2


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
    columns = [*RECORDING_COLUMNS, *(["recorded_at"] if options.format in HEARD_FORMATS else [])]
    table = workspace.recording_table(columns, stream.recordings)
    recordings = Recordings(table, workspace.settings.channel)
    frame = sites = None
    if options.format in HEARD_FORMATS:
        # which import pandas
        from birdmodes.export.picked.heard import heard_in
        from birdmodes.workspace.sites import sites_of
        from birdmodes.workspace.times_of_day import with_times

        frame = with_times(table)
        sites = sites_of(workspace, frame) if options.format == "detections" else None
    check()  # the clustering's file is open: what takes its place is not read
    parts = _Parts(stream, recordings, options)
    files = 1
    warnings: list[str] = []
    about = about_export(stream, options)
    if frame is not None:
        heard = heard_in(parts, frame)
        files, warnings = write_heard(heard, sites, output, options, about)
    elif options.format in TRACK_ENDINGS and not options.combined:
        digests: dict[str, str] = {}
        with new_folder(output, about, overwrite=options.overwrite, digests=digests) as folder:
            tracks = Tracks(folder, recordings.names.to_pylist(), TRACK_ENDINGS[options.format])
            digests |= write_tracks(tracks, parts, options)
            files = len(digests)
    else:
        with new_file(output, overwrite=options.overwrite) as path:
            if options.format == "parquet":
                write_parquet(path, parts)
            elif options.format == "excel":
                write_excel(path, parts)
            else:
                names = {
                    name: from_texts(row[name] for row in stream.modes)
                    for name in ("species", "mode")
                }
                quoted = needs_quotes(names)
                write_text(path, parts, options, recordings, output.name, quoted=quoted)
    return ExportResult(output, parts.syllables, files, parts.left_out, warnings)


class _Parts:
    """What is to be exported, some recordings at a time.

    Attributes
    ----------
    syllables, left_out : int
        So far.
    """

    def __init__(
        self, stream: StreamedClustering, recordings: Recordings, options: ExportOptions
    ) -> None:
        self.syllables = self.left_out = 0
        self._stream = stream
        self._recordings = recordings
        self._kinds = Kinds(stream.modes, stream.parameters)
        there = [
            self._kinds.told(row["cluster"], row["species"], row["mode"])
            for row in stream.modes
            if row["syllables"] > 0
        ]
        self._asked = asked_of(there, options.choice, stream.name)

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Give parts that are not empty; raises an error if all are."""

        def picked_of(table: pa.Table) -> Picked:
            return pick(table, self._recordings, self._kinds, self._asked)

        # One thread reads, another picks of what came before.
        for picked in in_order(picked_of, ahead(self._stream.tables), threads=1):
            self.left_out += picked.left_out
            if picked.rows.num_rows:
                self.syllables += picked.rows.num_rows
                yield picked.rows
        if not self.syllables:
            raise nothing_left(self._stream.name, self.left_out)
