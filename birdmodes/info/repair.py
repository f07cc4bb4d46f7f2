"""Mending a workspace as far as that can be done without loss.

Nothing is thrown away: what cannot be read is moved into the workspace's folder ``damaged``, so
that the commands that make it work again, and of the log of corrections every line that can be
read stays.
"""

from __future__ import annotations

import contextlib
import itertools
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from birdmodes.annotate.kept import FACTS
from birdmodes.errors import DamagedError, ReviewError, WorkspaceError
from birdmodes.groups.grouping import grouping_names, read_grouping
from birdmodes.info.annotations import annotation_here, annotations_in, evaluations_in
from birdmodes.io.locks import single_writer
from birdmodes.io.paths import AnyPath
from birdmodes.modes.clustering import clustering_names, read_clustering
from birdmodes.review.edits import read_review
from birdmodes.review.log import read_log, readable_batches, write_log
from birdmodes.review.pending import LOCK
from birdmodes.workspace.labels import read_remembered
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.verify import damaged_shards

DAMAGED = "damaged"
"""Folder of a workspace that keeps what could not be read."""

_LOG = "review/log.jsonl"
_SEGMENT, _CLUSTER, _GROUP = "segment", "cluster", "cluster --method kmeans-vote"
_ANNOTATE, _EVALUATE, _APPLY = "annotate", "evaluate", "review apply"


@dataclass
class Repaired:
    """What `repair` has done.

    Attributes
    ----------
    moved : list of str
        What cannot be read and was moved into `DAMAGED`, relative to the workspace.
    kept : str
        Where they are; empty if nothing was moved.
    lost_batches, kept_batches : int
        Lines of the log of corrections that cannot be read, and those that can.
    again : list of str
        Commands that make what was moved.
    """

    moved: list[str] = field(default_factory=list)
    kept: str = ""
    lost_batches: int = 0
    kept_batches: int = 0
    again: list[str] = field(default_factory=list)


def repair(folder: AnyPath) -> Repaired:
    """Put a workspace in order: finish what was interrupted, move what cannot be read away.

    Parameters
    ----------
    folder : str or path-like
        Of the workspace.

    Returns
    -------
    Repaired
        Empty lists if all was in order.

    Raises
    ------
    WorkspaceError
        If there is no workspace, its description cannot be read, another process is writing, or
        somebody has a review open.
    """
    workspace = Workspace.open(folder)
    done = Repaired()
    commands: list[str] = []
    with _nobody_reviews(workspace.folder), workspace.writing():
        # What programs that were killed had begun is finished now.
        n_moved = -1
        # What is damaged may hide more that is.
        while len(done.moved) > n_moved:
            n_moved = len(done.moved)
            for part, command in dict(_damage(workspace)).items():
                if part == _LOG:
                    _shorten_log(workspace, done)
                else:
                    _move(workspace.folder, part, done)
                commands.append(command)
    done.again = [command for command in dict.fromkeys(commands) if command]
    return done


@contextlib.contextmanager
def _nobody_reviews(folder: Path) -> Iterator[None]:
    """Who reviews saves what is pending without the workspace's lock: not to be moved meanwhile."""
    if (folder / "review").is_dir():
        with single_writer(folder / "review" / LOCK):
            yield
    else:
        yield


def _move(folder: Path, part: str, done: Repaired) -> None:
    if (folder / part).exists():
        (folder / part).rename(_place(folder, part, done))
        done.moved.append(part)


def _shorten_log(workspace: Workspace, done: Repaired) -> None:
    # A copy, so that at no moment there is none of what can be read.
    log, copy = workspace.folder / _LOG, _place(workspace.folder, _LOG, done)
    batches, done.lost_batches = readable_batches(log)
    done.kept_batches = len(batches)
    done.moved.append(_LOG)
    if batches:
        shutil.copy2(log, copy)
        write_log(workspace, batches)
    else:  # an empty one would be damaged as well
        log.rename(copy)


def _place(folder: Path, part: str, done: Repaired) -> Path:
    """Where something is to be kept."""
    if not done.kept:
        places = (folder / DAMAGED / str(number) for number in itertools.count(1))
        done.kept = str(next(place for place in places if not place.exists()))
    target = Path(done.kept) / part
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def _damage(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """What cannot be read: its place in the workspace, and the command that makes it."""
    folder = workspace.folder
    for error in damaged_shards(folder):
        yield error.path.relative_to(folder).as_posix(), _SEGMENT
    yield from _results(workspace, "clusterings", clustering_names, read_clustering, _CLUSTER)
    yield from _results(workspace, "groupings", grouping_names, read_grouping, _GROUP)
    for each in annotations_in(folder):
        if each.problem:
            yield each.folder, _ANNOTATE
    here = annotation_here(folder)
    if here is not None and here.problem:
        yield FACTS, _ANNOTATE
    for evaluation in evaluations_in(folder):
        if evaluation.problem:
            yield f"evaluations/{evaluation.name}.json", _EVALUATE
    for path in sorted((folder / "review").glob("pending-*.json")):
        if _fails(partial(read_review, path)):
            yield path.relative_to(folder).as_posix(), ""
    if _fails(partial(read_log, workspace)):
        yield _LOG, ""
    if _fails(workspace.errors):
        yield "errors.csv", _SEGMENT
    try:
        read_remembered(folder)
    except DamagedError as error:
        yield error.path.relative_to(folder).as_posix(), _SEGMENT


def _results(
    workspace: Workspace,
    kind: str,
    names: Callable[[Workspace], list[str]],
    read: Callable[[Workspace, str], object],
    command: str,
) -> Iterator[tuple[str, str]]:
    try:
        there = names(workspace)
    except DamagedError as error:  # the list of which is the newest
        yield error.path.relative_to(workspace.folder).as_posix(), ""
        return
    for name in there:
        try:
            read(workspace, name)
        except DamagedError as error:
            # A result is also told to be damaged where the syllables it is about are.
            if error.path.is_relative_to(workspace.folder / kind):
                yield f"{kind}/{name}", command
        except WorkspaceError:
            pass  # of other syllables; not damaged


def _fails(read: Callable[[], object]) -> bool:
    try:
        read()
    except (DamagedError, ReviewError):
        return True
    return False
