"""What a workspace holds, written for other programs: all of ``export``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from birdmodes.export.picked.options import (
    ExportOptions,
    ExportResult,
    Made,
    Progress,
    check_options,
    default_output,
)
from birdmodes.export.streamed import can_stream, export_streamed, rows_at_a_time
from birdmodes.groups.grouping import Grouping, newest_grouping, read_grouping
from birdmodes.io.paths import AnyPath
from birdmodes.io.steady import Check
from birdmodes.modes.clustering import clusterings, read_clustering
from birdmodes.modes.streamed import stream_clustering
from birdmodes.workspace.folder import read_steadily
from birdmodes.workspace.store import Workspace

if TYPE_CHECKING:
    from birdmodes.export.group_tables import GroupExport


@dataclass(frozen=True)
class MadeExport:
    """An export that was written.

    Attributes
    ----------
    result : ExportResult
        Where it is and what it holds.
    clustering : str
        Name of the clustering.
    grouping : str or None
        Name of the groups of recordings that are told of.
    warnings : list of str
        What the user should know, a line each; those of the result are among them.
    """

    result: ExportResult
    clustering: str
    grouping: str | None
    warnings: list[str]


@dataclass(frozen=True)
class MadeGroupExport:
    """Tables of groups of recordings that were written.

    Attributes
    ----------
    result : GroupExport
        Where they are and what they hold.
    grouping : str
        Name of the grouping.
    """

    result: GroupExport
    grouping: str


def make_export(
    workspace: Workspace | AnyPath,
    options: ExportOptions,
    clustering: str | None = None,
    output: AnyPath | None = None,
    *,
    grouping: str | None = None,
    groups: bool = True,
    sites: AnyPath | None = None,
    on_notes: Callable[[list[str]], None] | None = None,
    on_progress: Progress | None = None,
) -> MadeExport:
    """Write the syllables of a clustering for another program.

    Parameters
    ----------
    workspace : Workspace, str or path-like
        Where the clustering is.
    options : ExportOptions
        Format and what is wanted. Clips are cut of the channel that the workspace was made of.
    clustering : str, optional
        Name of the clustering; by default the newest.
    output : str or path-like, optional
        File or folder; by default in ``exports`` in the workspace.
    grouping : str, optional
        Name of the groups of recordings to tell of; by default the newest, if there are any.
    groups : bool
        Whether to tell of groups at all.
    sites : str or path-like, optional
        Table of the recordings' sites, see `birdmodes.workspace.sites.keep_sites` (detections).
    on_notes : callable, optional
        Called before anything is written with what the user should know of the results.
    on_progress : callable, optional
        Called with done, total and a recording's name after each recording (clips).

    Raises
    ------
    BirdmodesError
        If there is no such clustering, or what `birdmodes.export.export_clustering` raises.
    """
    store = Workspace.open(workspace)
    clusterings(store).chosen(clustering)  # before anything is kept
    kept: list[str] = []
    if sites is not None:
        from birdmodes.workspace.sites import keep_sites  # which imports pandas

        kept = keep_sites(store, sites)

    def made(check: Check) -> MadeExport:
        now = Workspace.open(store.folder)
        grouped, notes = newest_grouping(now, grouping, wanted=groups)
        return _made(
            now, options, clustering, output, grouped, notes + kept, on_notes, on_progress, check
        )

    return read_steadily(store.folder, made)


def _made(
    store: Workspace,
    options: ExportOptions,
    clustering: str | None,
    output: AnyPath | None,
    grouped: Grouping | None,
    notes: list[str],
    on_notes: Callable[[list[str]], None] | None,
    on_progress: Progress | None,
    check: Check,
) -> MadeExport:
    """Export what there is now; see `make_export`."""
    clustering = clusterings(store).chosen(clustering)
    stream = None
    if grouped is None and can_stream(options):
        stream = stream_clustering(store, clustering, rows_at_a_time(options))
    if stream is not None:
        chosen: Made = stream
        notes = notes + stream.summary.outdated
    else:
        from birdmodes.workspace.labels import outdated

        whole = chosen = read_clustering(store, clustering)
        notes = notes + outdated(
            store.recordings(), whole.name, whole.assignments, whole.parameters
        )

    def all_read() -> None:
        check()
        if on_notes is not None:
            on_notes(notes)

    wanted = replace(options, clips=replace(options.clips, channel=store.settings.channel))
    target = default_output(store, chosen, wanted) if output is None else Path(output)
    if stream is not None:
        check_options(wanted)
        result = export_streamed(store, stream, target, wanted, all_read)
    else:
        from birdmodes.export.run import export_clustering  # which imports what reads sound

        result = export_clustering(
            store, whole, target, wanted, on_progress, grouping=grouped, check=all_read
        )
    return MadeExport(
        result,
        chosen.name,
        None if grouped is None else grouped.name,
        [*notes, *result.warnings],
    )


def make_group_export(
    workspace: Workspace | AnyPath,
    grouping: str | None = None,
    output: AnyPath | None = None,
    *,
    overwrite: bool = False,
) -> MadeGroupExport:
    """Write the tables of groups of recordings.

    Parameters
    ----------
    workspace : Workspace, str or path-like
        Where the grouping is.
    grouping : str, optional
        Its name; by default the newest.
    output : str or path-like, optional
        Folder; by default in ``exports`` in the workspace.
    overwrite : bool
        Replace what is there.

    Raises
    ------
    BirdmodesError
        If there is no such grouping, or `output` is there and holds something else.
    """
    from birdmodes.export.group_tables import export_grouping  # which imports pandas

    store = Workspace.open(workspace)
    found = read_steadily(store.folder, lambda _: read_grouping(store, grouping))
    return MadeGroupExport(export_grouping(store, found, output, overwrite=overwrite), found.name)
