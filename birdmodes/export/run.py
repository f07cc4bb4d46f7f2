"""``birdmodes export``: from a clustering to files for other programs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
import pyarrow as pa

from birdmodes._version import __version__
from birdmodes.errors import BirdmodesError, ParameterError
from birdmodes.export.audacity import ENDING as AUDACITY_ENDING
from birdmodes.export.audacity import audacity_lines
from birdmodes.export.checklists import write_ebird, write_inaturalist
from birdmodes.export.clips import ClipOptions, write_clips
from birdmodes.export.crowsetta import ENDING as CROWSETTA_ENDING
from birdmodes.export.crowsetta import simple_seq_lines, write_generic_seq
from birdmodes.export.detections import write_detections
from birdmodes.export.group_tables import groups_folder, write_group_tables
from birdmodes.export.kaleidoscope import write_kaleidoscope
from birdmodes.export.label_tracks import Tracks
from birdmodes.export.output import CLIPS_NOTE, new_file, new_folder
from birdmodes.export.raven import ENDING as RAVEN_ENDING
from birdmodes.export.raven import begins_of, raven_lines, write_raven_combined
from birdmodes.export.selection import Choice, Selection, channels_of, select
from birdmodes.export.tables import (
    feature_table,
    syllable_table,
    write_csv,
    write_excel,
    write_parquet,
    write_r,
)
from birdmodes.groups.grouping import Grouping
from birdmodes.io.paths import AnyPath
from birdmodes.io.steady import Check
from birdmodes.modes.clustering import Clustering, used_features
from birdmodes.workspace.sites import sites_of
from birdmodes.workspace.store import Workspace

FILE_ENDINGS = {
    "csv": ".csv",
    "r": "-r.csv",
    "excel": ".xlsx",
    "parquet": ".parquet",
    "kaleidoscope": "-kaleidoscope.csv",
    "ebird": "-ebird.csv",
    "inaturalist": "-inaturalist.csv",
}
"""Formats that are one file, and what it is called after the clustering's name."""

COMBINED_ENDINGS = {"raven": RAVEN_ENDING, "crowsetta": "-crowsetta.csv"}
"""Formats that can be one file."""

TRACK_ENDINGS = {
    "raven": RAVEN_ENDING,
    "audacity": AUDACITY_ENDING,
    "crowsetta": CROWSETTA_ENDING,
}
"""Formats that are one file for each recording, unless they are combined."""

FORMATS = (
    *("csv", "r", "excel", "parquet", "raven", "audacity", "kaleidoscope", "crowsetta"),
    *("ebird", "inaturalist", "detections", "clips"),
)
_TABLES = ("csv", "r", "excel", "parquet")
"""Formats that are tables of all that is known."""

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class ExportOptions:
    """How a clustering is exported; each format uses what concerns it.

    Attributes
    ----------
    format : str
        One of `FORMATS`.
    choice : Choice
        Which syllables.
    combined : bool
        One table instead of one for each recording (raven, crowsetta).
    label : {"mode", "species"}
        What labels say (audacity, crowsetta).
    spectral : bool
        Frequencies below each label (audacity).
    features : bool
        The 38 features, and those of the clustering's other sets, as columns (csv, r, excel,
        parquet).
    mark : bool
        A byte-order mark at the beginning, for Excel (csv).
    clips : ClipOptions
        How clips are cut (clips).
    overwrite : bool
        Replace what is there, see `birdmodes.export.output`.
    """

    format: str
    choice: Choice = field(default_factory=Choice)
    combined: bool = False
    label: str = "mode"
    spectral: bool = True
    features: bool = False
    mark: bool = False
    clips: ClipOptions = field(default_factory=ClipOptions)
    overwrite: bool = False


@dataclass(frozen=True)
class ExportResult:
    """What was written.

    Attributes
    ----------
    output : pathlib.Path
        The file or folder.
    syllables, files : int
        How many.
    left_out : int
        Syllables of the wanted modes that were left out for their confidence.
    warnings : list of str
        What could not be exported.
    groups : pathlib.Path or None
        Folder of the tables of groups of recordings, if they were written beside.
    """

    output: Path
    syllables: int
    files: int
    left_out: int
    warnings: list[str] = field(default_factory=list)
    groups: Path | None = None


def default_output(workspace: Workspace, clustering: Clustering, options: ExportOptions) -> Path:
    """Where an export goes if nothing is said: in the workspace's folder ``exports``."""
    ending = _file_ending(options) or f"-{options.format}"
    return workspace.folder / "exports" / f"{clustering.name}{ending}"


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
    selection = select(workspace, clustering, options.choice, grouping)
    features = feature_table(workspace, clustering) if options.features else None
    check()
    if _file_ending(options):
        return _export_file(workspace, output, selection, options, grouping, features)
    about = about_export(clustering, options, grouping)
    if options.format == "clips":
        return _export_clips(output, about, selection, options, on_progress or _silent)
    with new_folder(output, about, overwrite=options.overwrite) as folder:
        files, warnings = _write_folder(folder, workspace, selection, options)
    return ExportResult(output, len(selection.rows), files, selection.left_out, warnings)


def about_export(
    clustering: Clustering, options: ExportOptions, grouping: Grouping | None = None
) -> dict[str, object]:
    """What is noted of an export beside its files."""
    return {
        "birdmodes": __version__,
        "clustering": clustering.name,
        "features": used_features(clustering.parameters),
        **({} if grouping is None else {"grouping": grouping.name}),
        "export": options.format,
        "choice": options.choice.to_dict(),
    }


def check_options(options: ExportOptions) -> None:
    """Refuse options that do not fit the format.

    Raises
    ------
    ParameterError
        If one does not, or there is no such format.
    """
    if options.format not in FORMATS:
        raise ParameterError(f"no format {options.format!r}; there are: {', '.join(FORMATS)}")
    for given, name, formats in (
        (options.combined, "--combined", COMBINED_ENDINGS),
        (options.features, "--features", _TABLES),
        (options.mark, "--bom", ("csv",)),
        (options.label != "mode", "--label", ("audacity", "crowsetta")),
        (not options.spectral, "--plain", ("audacity",)),
        (options.clips.per_mode is not None, "--per-mode", ("clips",)),
    ):
        if given and options.format not in formats:
            raise ParameterError(
                f"{name} is for --format {' and '.join(formats)}, not for {options.format}; "
                "leave it out"
            )


def _file_ending(options: ExportOptions) -> str:
    """What the one file is called after the clustering's name; nothing if there are many."""
    endings = {**FILE_ENDINGS, **(COMBINED_ENDINGS if options.combined else {})}
    return endings.get(options.format, "")


def _export_file(
    workspace: Workspace,
    output: Path,
    selection: Selection,
    options: ExportOptions,
    grouping: Grouping | None,
    features: pd.DataFrame | None,
) -> ExportResult:
    with contextlib.ExitStack() as outputs:
        path = outputs.enter_context(new_file(output, overwrite=options.overwrite))
        beside = None
        if grouping is not None and options.format in ("csv", "parquet"):
            beside = groups_folder(output)
            about = {"birdmodes": __version__, "grouping": grouping.name}
            folder = outputs.enter_context(new_folder(beside, about, overwrite=options.overwrite))
            write_group_tables(folder, grouping, options.format)
        warnings = _write_file(path, output.name, workspace, selection, options, features)
    return ExportResult(output, len(selection.rows), 1, selection.left_out, warnings, groups=beside)


def _write_file(
    path: Path,
    name: str,
    workspace: Workspace,
    selection: Selection,
    options: ExportOptions,
    features: pd.DataFrame | None,
) -> list[str]:
    """Write one file, and give what was left out of it."""
    channel = channels_of(selection, workspace.settings.channel)
    match options.format:
        case "csv":
            table = syllable_table(selection, features)
            write_csv(path, table, mark=options.mark)
        case "r":
            write_r(path, syllable_table(selection, features), channel)
        case "excel":
            write_excel(path, syllable_table(selection, features))
        case "ebird":
            return write_ebird(path, selection)
        case "inaturalist":
            return write_inaturalist(path, selection)
        case "parquet":
            write_parquet(path, syllable_table(selection, features))
        case "kaleidoscope":
            write_kaleidoscope(path, selection, channel - 1)
        case "raven":
            write_raven_combined(path, selection, channel, begins_of(selection.recordings))
        case _:
            write_generic_seq(path, selection, options.label, name)
    return []


def _write_folder(
    folder: Path, workspace: Workspace, selection: Selection, options: ExportOptions
) -> tuple[int, list[str]]:
    """Write many files, and give how many, and what was left out of them."""
    if options.format == "detections":
        return write_detections(folder, selection, sites_of(workspace, selection.recordings))
    rows = selection.rows
    tracks = Tracks(folder, rows["recording"].unique(), TRACK_ENDINGS[options.format])
    header, lines = track_lines(selection, options, workspace.settings.channel)
    tracks.write(rows, lines, header)
    return len(tracks.finish()), []


def track_lines(
    selection: Selection, options: ExportOptions, channel: int | None
) -> tuple[str, pa.StringArray]:
    """What each recording's file begins with, and what it says of each syllable."""
    match options.format:
        case "raven":
            return raven_lines(selection, channels_of(selection, channel))
        case "audacity":
            return audacity_lines(selection, options.label, spectral=options.spectral)
        case _:
            return simple_seq_lines(selection, options.label)


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
