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
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy.typing as npt

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
from birdmodes.io.formula_guard import guarded_table, unguarded_part, unguarded_table
from birdmodes.io.steady import ChangedError
from birdmodes.io.stored import (
    check_arrays,
    damaged,
    read_array_rows,
    read_arrays,
    read_json,
    read_lines,
    read_table,
    read_table_parts,
    write_arrays,
    write_table,
)
from birdmodes.workspace.store import Workspace

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

METRICS = "metrics.json"
_ARRAYS = "model.npz"
_SHAPES = "model.json"
_OTHERS = (_ARRAYS, "assignments.csv")  # a result that has lost one is damaged, and not gone
_ORDER = "order.txt"
"""Beside the results: their names in the order in which they were written, the newest last."""
_GUARDED = "names_are_guarded"
"""In ``metrics.json``: earlier versions wrote names into tables as they are."""

PATHS = ("syllable", "recording", "bag", "witness")
"""Columns that hold a recording's path, or begin with it."""

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


class ResultWriter:
    """Writes the files of a result.

    Parameters
    ----------
    folder : pathlib.Path
        The hidden folder in which it grows.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def table(self, file: str, table: pd.DataFrame) -> None:
        """Write a table as CSV; names in it are none that a spreadsheet would run."""
        write_table(self.folder / file, guarded_table(table, PATHS))

    def metrics(
        self, metrics: Mapping[str, Any], parameters: Mapping[str, Any], prefix: str = ""
    ) -> None:
        """Write ``metrics.json``: how good the result is, and how it was made."""
        content = {"metrics": metrics, "parameters": parameters, _GUARDED: True}
        _write_json(self.folder / f"{prefix}{METRICS}", content)

    def model(self, arrays: Mapping[str, npt.NDArray[Any]], parameters: Mapping[str, Any]) -> None:
        """Write ``model.npz``, and ``model.json`` that says what is in it."""
        write_arrays(self.folder / _ARRAYS, arrays)
        shapes = {name: list(array.shape) for name, array in arrays.items()}
        _write_json(self.folder / _SHAPES, {"method": parameters, "arrays": shapes})


@dataclass(frozen=True)
class ResultReader:
    """Reads the files of a result; what is damaged raises a `DamagedError`.

    Attributes
    ----------
    folder : pathlib.Path
        Where the result is.
    remedy : str
        What to do if it is damaged.
    """

    folder: Path
    remedy: str

    def table(
        self, file: str, columns: Mapping[str, type], later: Sequence[str] = ()
    ) -> pd.DataFrame:
        """Read a table, see `birdmodes.io.stored.read_table`."""
        table = read_table(self.folder / file, columns, self.remedy, later)
        if read_json(self.folder / METRICS, self.remedy).get(_GUARDED):
            table = unguarded_table(table, PATHS)
        return table

    def table_parts(
        self, file: str, columns: Mapping[str, type], later: Sequence[str], n_rows: int
    ) -> Iterator[pa.Table]:
        """Read a table some rows at a time; the file is opened now."""
        guarded = read_json(self.folder / METRICS, self.remedy).get(_GUARDED)
        parts = read_table_parts(self.folder / file, columns, self.remedy, later, n_rows)
        return (unguarded_part(part, PATHS) if guarded else part for part in parts)

    def metrics(self, prefix: str = "") -> tuple[dict[str, float | None], dict[str, Any]]:
        """How good the result is, and how it was made."""
        path = self.folder / f"{prefix}{METRICS}"
        content = read_json(path, self.remedy, ("metrics", "parameters"))
        if wrong := _ill_formed(content["parameters"]):
            raise damaged(path, f"{wrong} is not what is written there", self.remedy)
        return content["metrics"], content["parameters"]

    def arrays(self, needed: Sequence[str] = ()) -> dict[str, npt.NDArray[Any]]:
        """Arrays of the fitted model."""
        return read_arrays(self.folder / _ARRAYS, self.remedy, needed)

    def check_arrays(self) -> None:
        """Read all of the arrays, some at a time, to see that they are whole."""
        check_arrays(self.folder / _ARRAYS, self.remedy)

    def array_rows(self, rows: npt.NDArray[Any], of: int) -> dict[str, npt.NDArray[Any]]:
        """The same, but some `rows` alone of those that have `of` rows."""
        return read_array_rows(self.folder / _ARRAYS, self.remedy, rows, of)


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


def _ill_formed(parameters: Mapping[str, Any]) -> str:
    """Name one of the parameters that others go by, if it is not what was written."""
    features, review = parameters.get("features") or [], parameters.get("review", {})
    if not _are(dict, features) or not all("name" in one for one in features):
        return "features"
    is_review = isinstance(review, dict) and _are(int, review.get("batches", []))
    return "" if is_review else "review"


def _are(kind: type, values: object) -> bool:
    return isinstance(values, list) and all(isinstance(value, kind) for value in values)


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


def _write_json(path: Path, content: dict[str, Any]) -> None:
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
