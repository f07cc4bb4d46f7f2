"""Reading back what birdmodes has written: a file that is damaged is told of in one line.

Each reader takes the words that say what to do then, as only who keeps a file knows how it can be
made again.
"""

from __future__ import annotations

import contextlib
import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from birdmodes.errors import BirdmodesError, DamagedError
from birdmodes.io.csv_writer import to_csv
from birdmodes.io.files import atomic_path

if TYPE_CHECKING:
    import pandas as pd


_READ_BYTES = 1 << 24
_BLOCK_BYTES = 1 << 19
_TRIED_ENTRIES, _SHRUNK = 1 << 14, 0.85

_NOT_A_CELL = "a cell is missing, or not what its column holds"


def damaged(path: Path, reason: object, remedy: str) -> DamagedError:
    """Make the error that says that a file is damaged.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    reason : object
        What is the matter: words, or what a library said.
    remedy : str
        What to do, as a command to the reader.
    """
    if isinstance(reason, OSError):
        reason = reason.strerror or reason
    what = " ".join(str(reason).split())[:200] or type(reason).__name__
    return DamagedError(f"{path}: damaged ({what}); {remedy}", path)


@contextlib.contextmanager
def _reading(path: Path, remedy: str) -> Iterator[None]:
    try:
        yield
    except BirdmodesError:
        raise
    except Exception as error:  # where a file holds rubbish, its parser may raise anything
        raise damaged(path, error, remedy) from error


def read_json(path: Path, remedy: str, parts: Sequence[str] = ()) -> dict[str, Any]:
    """Read an object that was written as JSON.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    remedy : str
        What to do if it is damaged.
    parts : sequence of str
        Keys that must be there and hold objects.

    Raises
    ------
    DamagedError
        If it is missing or damaged.
    """
    with _reading(path, remedy):
        content = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(content, dict):
        raise damaged(path, "not an object", remedy)
    missing = [part for part in parts if not isinstance(content.get(part), dict)]
    if missing:
        raise damaged(path, f"no {' and no '.join(missing)}", remedy)
    return content


def read_lines(path: Path, remedy: str) -> list[str]:
    """Read lines of text, each of which was written with its end.

    Raises
    ------
    DamagedError
        If the file is missing, empty or damaged.
    """
    with _reading(path, remedy):
        text = path.read_text(encoding="utf-8")
    if not text.endswith("\n"):
        raise damaged(path, "its end is missing" if text else "empty", remedy)
    return text.split("\n")[:-1]


def write_table(path: Path, table: pd.DataFrame) -> None:
    """Write a table as CSV that `read_table` reads, atomically; names may hold any signs."""
    with atomic_path(path) as temporary:
        to_csv(temporary, table)


def read_table(
    path: Path, columns: Mapping[str, type], remedy: str, later: Sequence[str] = ()
) -> pd.DataFrame:
    """Read a table that was written as CSV; its cells must be what their columns hold.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    columns : mapping of str to type
        Columns that must be there, and what they hold: str, int, float or bool. Only cells of
        float may be empty: NaN.
    remedy : str
        What to do if it is damaged.
    later : sequence of str
        Those of the columns that earlier versions did not write: they are empty then.

    Returns
    -------
    pandas.DataFrame
        All columns of the file.

    Raises
    ------
    DamagedError
        If it is missing or damaged.
    """
    with _reading(path, remedy):
        _check_end(path, remedy)
        with _cells_of(path, remedy):
            table = _read_csv(path, columns)
    return _checked(table, path, columns, remedy, later)


def read_table_parts(
    path: Path, columns: Mapping[str, type], remedy: str, later: Sequence[str], n_rows: int
) -> Iterator[pa.Table]:
    """Read a table as `read_table` does, some rows at a time.

    Parameters
    ----------
    path, columns, remedy, later
        As for `read_table`.
    n_rows : int
        Rows at a time.

    Returns
    -------
    iterator of pyarrow.Table
        Raises `DamagedError` where the file turns out to be damaged. The file is open from now on,
        so that another may take its place.
    """
    with _reading(path, remedy):
        _check_end(path, remedy)
        with _cells_of(path, remedy):
            blocks = _csv_blocks(path, columns)

    def checked() -> Iterator[pa.Table]:
        with _reading(path, remedy), _cells_of(path, remedy):
            for part in _of_rows(blocks, n_rows):
                yield _checked_part(part, path, columns, remedy, later)

    return checked()


def _checked_part(
    part: pa.Table, path: Path, columns: Mapping[str, type], remedy: str, later: Sequence[str]
) -> pa.Table:
    for name, kind in columns.items():
        if part.column_names.count(name) > 1:
            raise damaged(path, f"two columns {name}", remedy)
        if name not in part.column_names:
            if name not in later:
                raise damaged(path, f"no column {name}", remedy)
            part = part.append_column(name, pa.repeat("", part.num_rows))
        elif kind is not float and part[name].null_count:
            raise ValueError
    return part


@contextlib.contextmanager
def _cells_of(path: Path, remedy: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, ArithmeticError) as error:  # their own words are of types and parsers
        raise damaged(path, _NOT_A_CELL, remedy) from error


def _csv_blocks(path: Path, columns: Mapping[str, type]) -> Iterable[pa.RecordBatch]:
    from pyarrow import csv  # slow to import: `info` does without

    kinds = {str: pa.string(), int: pa.int64(), float: pa.float64(), bool: pa.bool_()}
    blocks: Iterable[pa.RecordBatch] = csv.open_csv(
        path,
        csv.ReadOptions(block_size=_BLOCK_BYTES),
        csv.ParseOptions(newlines_in_values=True),
        csv.ConvertOptions(
            column_types={name: kinds[kind] for name, kind in columns.items()},
            null_values=[""],  # none in a column of texts, which has empty ones
        ),
    )
    return blocks


def _of_rows(blocks: Iterable[pa.RecordBatch], n_rows: int) -> Iterator[pa.Table]:
    """Cut a table anew, into parts of `n_rows`."""
    rest: list[pa.RecordBatch] = []
    for block in blocks:
        table = pa.Table.from_batches([*rest, block])
        while table.num_rows >= n_rows:
            yield table.slice(0, n_rows)
            table = table.slice(n_rows)
        rest = table.to_batches()
    if rest:
        yield pa.Table.from_batches(rest)


def _check_end(path: Path, remedy: str) -> None:
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - 1))
        if file.read() != b"\n":
            raise damaged(path, "its end is missing" if size else "empty", remedy)


def _read_csv(path: Path, columns: Mapping[str, type]) -> pd.DataFrame:
    import pandas as pd

    with np.errstate(invalid="raise"):  # what is too large for a whole number is no such cell
        return pd.read_csv(
            path,
            dtype=dict(columns),
            keep_default_na=False,
            na_values={name: [""] for name, kind in columns.items() if kind is float},
            encoding="utf-8",
        )


def _checked(
    table: pd.DataFrame, path: Path, columns: Mapping[str, type], remedy: str, later: Sequence[str]
) -> pd.DataFrame:
    missing = [name for name in columns if name not in table and name not in later]
    double = [name for name in columns if f"{name}.1" in table]  # so pandas calls a second one
    if double:
        raise damaged(path, f"two columns {double[0]}", remedy)
    if missing:
        raise damaged(path, f"no column {missing[0]}", remedy)
    for name in later:
        if name not in table:
            table[name] = ""
    text = [name for name, kind in columns.items() if kind is str]
    if table[text].isna().to_numpy().any():
        raise damaged(path, "a cell is missing", remedy)
    return table


def write_arrays(path: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    """Write arrays by name, compressed and without pickle, atomically."""
    # As `numpy.savez_compressed`, in half the time: numbers hardly get smaller by more effort.
    with (
        atomic_path(path) as temporary,
        zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
    ):
        for name, array in arrays.items():
            entry = f"{name}.npy"
            # An entry that is described beforehand is stored as it is.
            with archive.open(
                entry if _shrinks(array) else zipfile.ZipInfo(entry), "w", force_zip64=True
            ) as file:
                np.lib.format.write_array(file, np.asanyarray(array), allow_pickle=False)


def _shrinks(array: npt.NDArray[Any]) -> bool:
    """Whether compressing an array is worth its time, by its beginning."""
    beginning = np.asanyarray(array).flat[:_TRIED_ENTRIES].tobytes()
    return len(zlib.compress(beginning, 1)) < _SHRUNK * len(beginning)


def read_arrays(path: Path, remedy: str, needed: Sequence[str] = ()) -> dict[str, npt.NDArray[Any]]:
    """Read arrays that `write_arrays` has written.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    remedy : str
        What to do if it is damaged.
    needed : sequence of str
        Names that must be there.

    Raises
    ------
    DamagedError
        If it is missing or damaged.
    """
    with _reading(path, remedy), np.load(path, allow_pickle=False) as stored:
        arrays = {key: stored[key] for key in stored.files}
    missing = [name for name in needed if name not in arrays]
    if missing:
        raise damaged(path, f"no {missing[0]}", remedy)
    return arrays


def check_arrays(path: Path, remedy: str) -> None:
    """See that arrays are whole that `write_arrays` has written, some bytes at a time.

    Raises
    ------
    DamagedError
        If the file is missing or damaged.
    """
    with _reading(path, remedy), zipfile.ZipFile(path) as archive:
        broken = archive.testzip()
    if broken is not None:
        raise damaged(path, f"{broken} is not what was written", remedy)


def read_array_rows(
    path: Path, remedy: str, rows: npt.NDArray[Any], of: int
) -> dict[str, npt.NDArray[Any]]:
    """Read arrays that `write_arrays` has written, of the long ones some rows alone.

    Parameters
    ----------
    path, remedy
        As for `read_arrays`.
    rows : ndarray of int
        Rows of the arrays that have `of` of them; ascending.
    of : int
        Others are read as a whole.

    Raises
    ------
    DamagedError
        If the file is missing or damaged.
    """
    arrays = {}
    with _reading(path, remedy), zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            with archive.open(name) as file:
                arrays[name.removesuffix(".npy")] = _rows_of_array(file, rows, of)
    return arrays


def _rows_of_array(file: IO[bytes], rows: npt.NDArray[Any], of: int) -> npt.NDArray[Any]:
    np.lib.format.read_magic(file)
    shape, by_column, dtype = np.lib.format.read_array_header_1_0(file)
    if dtype.hasobject:
        raise ValueError("it holds objects")
    row_bytes = dtype.itemsize * int(np.prod(shape[1:], dtype=np.int64))
    if by_column or not shape or shape[0] != of or not row_bytes:
        content = file.read(row_bytes * shape[0] if shape else dtype.itemsize)
        array = np.frombuffer(content, dtype=dtype)
        array = array.reshape(shape, order="F" if by_column else "C")
        return array[rows] if shape and shape[0] == of else array.copy()
    at_once = max(1, _READ_BYTES // row_bytes)
    found = []
    for first in range(0, of, at_once):
        n = min(at_once, of - first)
        part = np.frombuffer(file.read(n * row_bytes), dtype=dtype).reshape(n, *shape[1:])
        own = rows[np.searchsorted(rows, first) : np.searchsorted(rows, first + n)]
        found.append(part[own - first])
    return np.concatenate(found)


def read_parquet(path: Path, columns: Sequence[str], remedy: str) -> pd.DataFrame:
    """Read columns of a table that was written as Parquet.

    Raises
    ------
    DamagedError
        If it is missing or damaged.
    """
    import pandas as pd

    with _reading(path, remedy):
        return pd.read_parquet(path)[list(columns)]
