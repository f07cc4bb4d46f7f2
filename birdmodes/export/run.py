"""``birdmodes export``: from a clustering to files for other programs."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from birdmodes._version import __version__
from birdmodes.errors import BirdmodesError
from birdmodes.export.clips import write_clips
from birdmodes.export.group_tables import groups_folder, write_group_tables
from birdmodes.export.label_tracks import Tracks
from birdmodes.export.output import CLIPS_NOTE, new_file, new_folder
from birdmodes.export.picked.heard import heard_in
from birdmodes.export.picked.options import (
    FORMATS,
    HEARD_FORMATS,
    TRACK_ENDINGS,
    ExportOptions,
    ExportResult,
    Progress,
    about_export,
    check_options,
    default_output,
)
from birdmodes.export.picked.rows import Picked, Recordings
from birdmodes.export.selection import Selection, as_selection, recordings_of, select_rows
from birdmodes.export.tables import Table, feature_table, syllable_table, write_csv, write_r
from birdmodes.export.tables import write_parquet as write_parquet_table
from birdmodes.export.written import (
    write_excel,
    write_heard,
    write_parquet,
    write_text,
    write_tracks,
)
from birdmodes.groups.grouping import Grouping
from birdmodes.io.paths import AnyPath
from birdmodes.io.steady import Check
from birdmodes.modes.clustering import Clustering
from birdmodes.workspace.sites import sites_of
from birdmodes.workspace.store import Workspace

__all__ = [
    "FORMATS",
    "ExportOptions",
    "ExportResult",
    "default_output",
    "export_clustering",
]


def export_clustering(
    workspace: Workspace,
    clustering: Clustering,
    output: AnyPath,
    options: ExportOptions,
    on_progress: Progress | None = None,
    *,
    grouping: Grouping | None = None,
    check: Check = lambda: None,
) -> ExportResult:
    """Write the syllables of a clustering for another program.

    Parameters
    ----------
    workspace : Workspace
        Where the recordings are listed.
    clustering : Clustering
        The modes.
    output : str or path-like
        File to write, or folder for the formats of many files; it appears when all is done.
    options : ExportOptions
        Format and what is wanted.
    on_progress : callable, optional
        Called with done, total and a recording's name after each recording (clips).
    grouping : Grouping, optional
        Groups of recordings: the group of each syllable's recording is told (csv, parquet, raven,
        kaleidoscope, clips), and the groups' own tables are written into a folder beside (csv,
        parquet).
    check : callable, optional
        Called when all that may change is read; may raise.

    Raises
    ------
    BirdmodesError
        If an option does not fit the format, a species or mode is unknown, nothing is left to
        export, or `output` is there and holds something else.
    """
    output = Path(output)
    check_options(options)
    frame = workspace.recordings()
    recordings = recordings_of(frame, workspace.settings.channel)
    picked = select_rows(workspace, clustering, options.choice, recordings, grouping)
    n, left_out = picked.rows.num_rows, picked.left_out
    features = feature_table(workspace, clustering) if options.features else None
    sites = sites_of(workspace, frame) if options.format == "detections" else None
    check()
    if options.format in HEARD_FORMATS:
        heard = heard_in([picked.rows], frame)
        about = about_export(clustering, options, None if grouping is None else grouping.name)
        files, warnings = write_heard(heard, sites, output, options, about)
        return ExportResult(output, n, files, left_out, warnings)
    if options.file_ending:
        beside = _export_file(output, picked, recordings, options, grouping, features)
        return ExportResult(output, n, 1, left_out, groups=beside)
    about = about_export(clustering, options, None if grouping is None else grouping.name)
    if options.format == "clips":
        selection = as_selection(picked, frame)
        return _export_clips(output, about, selection, options, on_progress or _silent)
    with new_folder(output, about, overwrite=options.overwrite) as folder:
        here = picked.rows["recording"].dictionary.to_pylist()
        tracks = Tracks(folder, here, TRACK_ENDINGS[options.format])
        files = len(write_tracks(tracks, [picked.rows], options))
    return ExportResult(output, n, files, left_out)


def _export_file(
    output: Path,
    picked: Picked,
    recordings: Recordings,
    options: ExportOptions,
    grouping: Grouping | None,
    features: Any,
) -> Path | None:
    """Write one file; gives the folder of the groups' tables, if they were written beside."""
    with contextlib.ExitStack() as outputs:
        path = outputs.enter_context(new_file(output, overwrite=options.overwrite))
        beside = None
        if grouping is not None and options.format in ("csv", "parquet"):
            beside = groups_folder(output)
            about = {"birdmodes": __version__, "grouping": grouping.name}
            folder = outputs.enter_context(new_folder(beside, about, overwrite=options.overwrite))
            write_group_tables(folder, grouping, options.format)
        if options.format == "excel":
            write_excel(path, [picked.rows], features)
        elif features is not None:
            _write_with_features(path, picked, options, syllable_table(picked.rows, features))
        elif options.format == "parquet":
            write_parquet(path, [picked.rows])
        else:
            write_text(path, [picked.rows], options, recordings, output.name)
    return beside


def _write_with_features(path: Path, picked: Picked, options: ExportOptions, table: Table) -> None:
    match options.format:
        case "csv":
            write_csv(path, table, mark=options.mark)
        case "r":
            write_r(path, picked.rows, table)
        case _:
            write_parquet_table(path, table)


def _export_clips(
    output: Path,
    about: dict[str, object],
    selection: Selection,
    options: ExportOptions,
    on_progress: Progress,
) -> ExportResult:
    with new_folder(output, about, note=CLIPS_NOTE, overwrite=options.overwrite) as folder:
        result = write_clips(folder, selection, options.clips, on_progress)
        if not result.clips:
            raise BirdmodesError(
                f"{output}: no clips, because no recording can be read "
                f"({'; '.join(result.warnings)}); put the recordings back"
            )
    return ExportResult(output, result.clips, result.clips, selection.left_out, result.warnings)


def _silent(done: int, total: int, recording: str) -> None:
    """Report nothing."""
