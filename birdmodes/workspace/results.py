"""What later commands keep in a workspace: one store for results of every kind.

A result is a folder, ``<kind>/<name>/``: tables, ``metrics.json``, which says how it was made and
how good it is, and the arrays of a fitted model in ``model.npz`` with ``model.json`` beside it. It
appears whole or not at all, takes the place of one of the same name, and is written by one process
at a time; whatever is damaged is told of in one line.

Evaluations and annotations, which are files side by side, are replaced together by
`replacing_files`.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from birdmodes.errors import DamagedError, WorkspaceError
from birdmodes.io.files import (
    TEMPORARY_PREFIX,
    listed_in,
    put_in_place,
    remove_unfinished,
    replaced_together,
    set_aside,
    where_is,
    write_text,
)
from birdmodes.io.result_files import ARRAYS, METRICS, ResultReader, ResultWriter
from birdmodes.io.steady import ChangedError
from birdmodes.io.stored import read_lines
from birdmodes.workspace.store import Workspace

if TYPE_CHECKING:
    pass

_OTHERS = (ARRAYS, "assignments.csv")  # a result that has lost one is damaged, and not gone
_ORDER = "order.txt"
"""Beside the results: their names in the order in which they were written, the newest last."""

_TRIES = 3

T = TypeVar("T")


@dataclass(frozen=True)
class Kind:
    """A kind of results.

    Attributes
    ----------
    folder : str
        Name of the folder in the workspace, one of `birdmodes.workspace.store.RESULTS`.
    noun : str
        What errors call one of them.
    absent : str
        What errors say if there is none, and what to do then.
    remedy : str
        What to do if one is damaged.
    """

    folder: str
    noun: str
    absent: str
    remedy: str


def check_name(name: str, of: str = "clustering") -> str:
    """Return `name` if it can name the folder or files of a result.

    Parameters
    ----------
    name : str
        What was asked for.
    of : str
        What kind of result the error is to speak of.

    Raises
    ------
    WorkspaceError
        If it has other characters than letters, digits, ``-``, ``_`` and ``.``, or starts with
        a dot.
    """
    if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}", name):
        raise WorkspaceError(
            f"{of} name {name!r}: use letters, digits, '-', '_' and '.', at most 100"
        )
    return name


class Results:
    """The results of one kind in a workspace.

    Parameters
    ----------
    workspace : Workspace
        Where.
    kind : Kind
        Which.
    """

    def __init__(self, workspace: Workspace, kind: Kind) -> None:
        self.workspace = workspace
        self.kind = kind
        self._root = workspace.folder / kind.folder

    def names(self, *, in_order: bool = True) -> list[str]:
        """Names of the results, in the order in which they were written, or by times alone."""
        names = [name for name in listed_in(self._root) if self._is_there(name)]
        order = self._order() if in_order else []
        place = {name: number for number, name in enumerate(order, start=1)}
        # Those of earlier versions, which kept no order, come first.
        return sorted(names, key=lambda name: (place.get(name, 0), _time_ns(self.folder(name))))

    def folder(self, name: str) -> Path:
        """Where a result is."""
        return where_is(self._root / name)

    def chosen(self, name: str | None) -> str:
        """Name of the result that is asked for: by default, the one that was written last.

        Raises
        ------
        WorkspaceError
            If there is none of that name, or none at all.
        """
        names = self.names()
        if not names:
            raise WorkspaceError(f"{self.workspace.folder}: {self.kind.absent}")
        if name is None:
            return names[-1]
        if name not in names:
            raise WorkspaceError(f"no {self.kind.noun} {name!r}; there are: {', '.join(names)}")
        return name

    def read(self, name: str, read: Callable[[ResultReader], T]) -> T:
        """Read a result; again, if it was replaced meanwhile.

        Parameters
        ----------
        name : str
            One of `names`.
        read : callable
            Is given a `ResultReader`, and gives what was read.
        """
        for _ in range(_TRIES):
            folder = self.folder(name)
            before = _state(folder)
            try:
                found = read(ResultReader(folder, self.kind.remedy))
            except DamagedError:
                # While it is replaced, there is none for a moment.
                if _state(folder) == before and (before or not self._is_there(name)):
                    raise
            else:
                if _state(folder) == before:
                    return found
        raise ChangedError(
            f"{self.workspace.folder}: another birdmodes command replaces the {self.kind.noun} "
            f"{name!r} again and again; do this again"
        )

    def _is_there(self, name: str) -> bool:
        """Whether there is such a result, also while it is replaced."""
        target = self._root / name
        # Set aside between the first look and the second, and replaced before the third.
        places = (target, set_aside(target), target)
        return any((place / file).is_file() for place in places for file in (METRICS, *_OTHERS))

    @contextlib.contextmanager
    def replacing(self, name: str, *, newest: bool = True) -> Iterator[ResultWriter]:
        """Write a result; it takes the place of one of the same name when the block succeeds.

        Parameters
        ----------
        name : str
            Of the result.
        newest : bool
            Whether it is the newest result then, or stays what it was among the others.

        Yields
        ------
        ResultWriter
            If the block raises, or the process is killed, the earlier result stays.

        Raises
        ------
        WorkspaceError
            If `name` can be none, or another process is writing to the workspace.
        """
        target = self._root / check_name(name, self.kind.noun)
        unfinished = self._root / f"{TEMPORARY_PREFIX}{name}"
        with self.workspace.writing():
            self._root.mkdir(exist_ok=True)
            remove_unfinished(self._root)
            before = self.names()
            unfinished.mkdir()
            try:
                yield ResultWriter(unfinished)
                order = [*(other for other in before if other != name), name]
                if not newest and name in before:
                    order = before
                if name not in before:  # if the program is killed in between, it is the newest
                    self._write_order(order)
                put_in_place(unfinished, target)
                self._write_order(order)
            except BaseException:
                remove_unfinished(self._root)
                raise

    def check_writable(self) -> None:
        """See that results can be written, before something is computed that takes long.

        Raises
        ------
        OSError
            If the folder is read-only, or the disk is full.
        """
        with self.workspace.writing():
            self._root.mkdir(exist_ok=True)
            trial = self._root / f"{TEMPORARY_PREFIX}trial"
            write_text(trial, "x" * 100_000)
            trial.unlink()

    def _order(self) -> list[str]:
        if not (path := self._root / _ORDER).exists():
            return []
        return read_lines(path, "delete it: the times of the files tell which result is the newest")

    def _write_order(self, names: list[str]) -> None:
        write_text(self._root / _ORDER, "".join(f"{name}\n" for name in names))


@contextlib.contextmanager
def replacing_files(workspace: Workspace, folder: Path, name: str) -> Iterator[Path]:
    """Write files that take their places in a folder of the workspace together.

    Parameters
    ----------
    workspace : Workspace
        Where.
    folder : pathlib.Path
        The workspace's folder or one of `birdmodes.workspace.store.RESULTS` in it; made if it does
        not exist.
    name : str
        Of what they are.

    Yields
    ------
    pathlib.Path
        Where to write them. If the block raises, the earlier files stay.

    Raises
    ------
    WorkspaceError
        If another process is writing to the workspace.
    """
    with workspace.writing():
        folder.mkdir(exist_ok=True)
        with replaced_together(folder, name) as unfinished:
            yield unfinished


def _time_ns(folder: Path) -> int:
    """When a result was written; 0 if that cannot be told."""
    try:
        return (folder / METRICS).stat().st_mtime_ns
    except OSError:
        return 0


def _state(folder: Path) -> tuple[int, int] | None:
    """What changes when another folder takes the place of this one."""
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns
