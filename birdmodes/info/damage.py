"""What is damaged in a workspace: everything in it is read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from birdmodes.annotate.kept import ANNOTATED, FACTS
from birdmodes.assign.kept import ASSIGNED
from birdmodes.errors import DamagedError, ModelError, ReviewError, WorkspaceError
from birdmodes.groups.grouping import grouping_names, read_grouping
from birdmodes.info.annotations import annotation_here, annotations_in, evaluations_in
from birdmodes.modes.clustering import clustering_names, read_clustering, read_original
from birdmodes.review.edits import read_review
from birdmodes.review.log import read_base, read_log
from birdmodes.segmentation.forest_model import load_model
from birdmodes.workspace import sites, taxonomy
from birdmodes.workspace.description import DESCRIPTION
from birdmodes.workspace.labels import read_remembered
from birdmodes.workspace.store import ERRORS, Workspace
from birdmodes.workspace.verify import damaged_shards

LOG = "review/log.jsonl"

_SEGMENT, _CLUSTER, _GROUP = "segment", "cluster", "cluster --method kmeans-vote"
_ANNOTATE, _ASSIGN, _EVALUATE = "annotate", "assign", "evaluate"


@dataclass(frozen=True)
class Damage:
    """Something in a workspace that cannot be read.

    Attributes
    ----------
    part : str
        Its place: a file, or the folder of a result that is of no use without it.
    line : str
        Which file it is, what is the matter, and what to do.
    command : str
        What makes it again; empty if nothing does.
    """

    part: str
    line: str
    command: str = ""


def find_damage(workspace: Workspace) -> Iterator[Damage]:
    """Read everything that is kept in a workspace.

    Parameters
    ----------
    workspace : Workspace
        Where. Annotations and assignments in it, which are workspaces themselves, are read too.
    """
    yield from _in_tables(workspace)
    yield from _results(workspace, "clusterings", clustering_names, _read_all, _CLUSTER)
    yield from _results(workspace, "groupings", grouping_names, read_grouping, _GROUP)
    yield from _of_review(workspace)
    folder = workspace.folder
    for evaluation in evaluations_in(folder):
        if evaluation.problem:
            yield Damage(f"evaluations/{evaluation.name}.json", evaluation.problem, _EVALUATE)
    here = annotation_here(folder)
    if here is not None and here.problem:
        yield Damage(FACTS, here.problem, _ANNOTATE)
    for each in annotations_in(folder):
        if each.problem:
            yield Damage(each.folder, each.problem, _ANNOTATE)
    for kind, command in ((ANNOTATED, _ANNOTATE), (ASSIGNED, _ASSIGN)):
        for description in sorted((folder / kind).glob(f"[!.]*/{DESCRIPTION}")):
            yield from _within(folder, description.parent, command)


def _within(folder: Path, inner: Path, command: str) -> Iterator[Damage]:
    """What is damaged in a workspace within a workspace, which goes as a whole."""
    part = inner.relative_to(folder).as_posix()
    try:
        for damage in find_damage(Workspace.open(inner)):
            yield replace(damage, part=part, command=command)
    except WorkspaceError as error:
        yield Damage(part, str(error), command)


def _in_tables(workspace: Workspace) -> Iterator[Damage]:
    """What ``segment`` keeps."""
    folder = workspace.folder
    for error in damaged_shards(folder):
        yield Damage(_part(folder, error.path), str(error), _SEGMENT)
    for file, read, command in (
        (ERRORS, workspace.errors, _SEGMENT),
        ("labels.json", partial(read_remembered, folder), _SEGMENT),
        (taxonomy.FILE, partial(taxonomy.other_names, workspace), ""),
        (sites.FILE, partial(sites.told_sites, folder), ""),
        (workspace.model_path.name, partial(load_model, workspace.model_path), ""),
    ):
        if (folder / file).exists():
            yield from _unless_read(file, read, command)


def _of_review(workspace: Workspace) -> Iterator[Damage]:
    """What is kept of corrections."""
    folder = workspace.folder
    for path in sorted((folder / "review").glob("pending-*.json")):
        yield from _unless_read(_part(folder, path), partial(read_review, path))
    yield from _unless_read(LOG, partial(read_log, workspace))
    for path in sorted((folder / "review" / "bases").glob("*.parquet")):
        if re.fullmatch("[0-9a-f]{64}", path.stem):
            yield from _unless_read(_part(folder, path), partial(read_base, workspace, path.stem))


def _read_all(workspace: Workspace, name: str) -> None:
    """Read a clustering, and what the method made before somebody corrected it."""
    read_clustering(workspace, name, unmended=True)
    read_original(workspace, name, checked=True)


def _results(
    workspace: Workspace,
    kind: str,
    names: Callable[[Workspace], list[str]],
    read: Callable[[Workspace, str], object],
    command: str,
) -> Iterator[Damage]:
    try:
        there = names(workspace)
    except DamagedError as error:  # the list of which is the newest
        yield Damage(_part(workspace.folder, error.path), str(error))
        return
    for name in there:
        try:
            read(workspace, name)
        except DamagedError as error:
            # A result is also told to be damaged where the syllables it is about are.
            if error.path.is_relative_to(workspace.folder / kind):
                yield Damage(f"{kind}/{name}", str(error), command)
        except WorkspaceError:
            pass  # of other syllables; not damaged


def _unless_read(part: str, read: Callable[[], object], command: str = "") -> Iterator[Damage]:
    try:
        read()
    except (DamagedError, ReviewError, ModelError) as error:
        yield Damage(part, str(error), command)


def _part(folder: Path, path: Path) -> str:
    return path.relative_to(folder).as_posix()
