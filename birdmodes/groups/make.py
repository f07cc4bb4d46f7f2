"""Groups of a workspace's recordings, found and stored: all of ``cluster`` with a bag method."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from birdmodes.groups.counts import OnProgress
from birdmodes.groups.find import GroupOptions, find_groups
from birdmodes.groups.grouping import Grouping, groupings, write_grouping
from birdmodes.io.paths import AnyPath
from birdmodes.workspace.results import check_name
from birdmodes.workspace.store import Workspace


@dataclass(frozen=True)
class MadeGroups:
    """A grouping that was made and stored.

    Attributes
    ----------
    grouping : Grouping
        As it is stored.
    folder : pathlib.Path
        Where it is stored.
    warnings : list of str
        What the user should know, a line each.
    """

    grouping: Grouping
    folder: Path
    warnings: list[str]


def make_groups(
    workspace: Workspace | AnyPath,
    options: GroupOptions,
    name: str | None = None,
    *,
    workers: int = 1,
    on_step: Callable[[str], None] | None = None,
    on_progress: OnProgress | None = None,
) -> MadeGroups:
    """Group the recordings of a workspace and store the groups; nobody else writes meanwhile.

    Parameters
    ----------
    workspace : Workspace, str or path-like
        What ``segment`` made.
    options : GroupOptions
        How to group.
    name : str, optional
        Name of the grouping, see `birdmodes.groups.find.find_groups`; one of the same name is
        replaced.
    workers, on_step, on_progress
        As for `birdmodes.groups.find.find_groups`.

    Raises
    ------
    BirdmodesError
        If there is nothing to group, the method refuses, a file of the workspace is damaged, or
        another command is writing to it.
    OSError
        If the workspace is read-only, or the disk is full.
    """
    if name is not None:
        check_name(name, "grouping")
    workspace = Workspace.open(workspace)
    with workspace.writing():
        groupings(workspace).check_writable()
        found = find_groups(
            workspace, options, name, workers=workers, on_step=on_step, on_progress=on_progress
        )
        folder = write_grouping(workspace, found.grouping)
    return MadeGroups(found.grouping, folder, found.warnings)
