"""Mending a workspace as far as that can be done without loss.

Nothing is thrown away: what cannot be read is moved into the workspace's folder ``damaged``, so
that the commands that make it work again, and of the log of corrections every line that can be
read stays.
"""

from __future__ import annotations

import contextlib
import itertools
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from birdmodes.info.damage import LOG, find_damage
from birdmodes.io.locks import check_unlocked, single_writer
from birdmodes.io.paths import AnyPath
from birdmodes.review.log import readable_batches, write_log
from birdmodes.review.pending import LOCK
from birdmodes.workspace.folder import LOCK as WRITING
from birdmodes.workspace.store import Workspace

DAMAGED = "damaged"
"""Folder of a workspace that keeps what could not be read."""


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
            for part, damage in {found.part: found for found in find_damage(workspace)}.items():
                if part == LOG:
                    _shorten_log(workspace, done)
                else:
                    _move(workspace.folder, part, done)
                commands.append(damage.command)
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
        check_unlocked(folder / part / WRITING)  # it may be a workspace itself
        (folder / part).rename(_place(folder, part, done))
        done.moved.append(part)


def _shorten_log(workspace: Workspace, done: Repaired) -> None:
    # A copy, so that at no moment there is none of what can be read.
    log, copy = workspace.folder / LOG, _place(workspace.folder, LOG, done)
    batches, done.lost_batches = readable_batches(log)
    done.kept_batches = len(batches)
    done.moved.append(LOG)
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
