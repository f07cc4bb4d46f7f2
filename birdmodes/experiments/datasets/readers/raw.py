"""What raw files hold: lines of text, numbers, MATLAB arrays, classes. Any may lie gzipped."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.io

from algorithms.bags import BoolArray, IntArray
from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.raw_files import read_raw
from birdmodes.io.text import decoded

_WHOLE_NUMBERS = re.compile(r"(?:-?\d+\n)*", re.ASCII)


def read_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Read a text file: the lines that are not empty, without their ends, and their numbers.

    Parameters
    ----------
    path : pathlib.Path
        Its own name; it may lie gzipped.

    Yields
    ------
    line : int
        From 1.
    text : str

    Raises
    ------
    DatasetError
        If it is not there, damaged, or not text.
    """
    text = decoded(path, read_raw(path), DatasetError)
    for line, each in enumerate(text.split("\n"), start=1):
        if stripped := each.strip():
            yield line, stripped


def numbers(cells: Sequence[str], path: Path, line: int) -> list[float]:
    """Read the cells of a line as finite numbers.

    Parameters
    ----------
    cells : sequence of str
    path : pathlib.Path
        File that they are from, and
    line : int
        its line: what the error names.

    Raises
    ------
    DatasetError
        If one is not a number.
    """
    try:
        values = [float(cell) for cell in cells]
    except ValueError:
        values = [math.nan]
    # Python also reads 1_000 as a number.
    if all(map(math.isfinite, values)) and "_" not in "".join(cells):
        return values
    wrong = next(cell for cell in cells if not _is_number(cell))
    raise DatasetError(f"{path}, line {line}: {wrong!r} is not a number")


def _is_number(cell: str) -> bool:
    try:
        return math.isfinite(float(cell)) and "_" not in cell
    except ValueError:
        return False


def whole_numbers(cells: Sequence[str], path: Path, line: int) -> list[int]:
    """Read the cells of a line as whole numbers; the rest as `numbers`."""
    if not _WHOLE_NUMBERS.fullmatch("\n".join([*cells, ""])):
        wrong = next(cell for cell in cells if not _WHOLE_NUMBERS.fullmatch(f"{cell}\n"))
        raise DatasetError(f"{path}, line {line}: {wrong!r} is not a whole number")
    return [int(cell) for cell in cells]


def read_mat(path: Path) -> dict[str, Any]:
    """Read a MATLAB file (up to version 7.2).

    Parameters
    ----------
    path : pathlib.Path
        Its own name; it may lie gzipped.

    Raises
    ------
    DatasetError
        If it is not there, damaged, or something else.
    """
    content: Any = io.BytesIO(read_raw(path))  # the stubs of loadmat know paths only
    try:
        arrays: dict[str, Any] = scipy.io.loadmat(content)
    except Exception as error:  # scipy's parser raises whatever the bytes lead it into
        raise DatasetError(f"{path}: not a MATLAB file, or damaged; get it again") from error
    return arrays


def mat_array(path: Path, name: str) -> npt.NDArray[Any]:
    """Read one array of numbers from a MATLAB file.

    Parameters
    ----------
    path : pathlib.Path
        As for `read_mat`.
    name : str
        The variable.

    Raises
    ------
    DatasetError
        If the file cannot be read, has no such array, or one with infinities or gaps.
    """
    arrays = read_mat(path)
    array = arrays.get(name)
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "iuf":
        found = ", ".join(key for key in arrays if not key.startswith("__"))
        raise DatasetError(f"{path}: no array of numbers {name} (found: {found or 'nothing'})")
    if not np.isfinite(array).all():
        raise DatasetError(f"{path}: the array {name} holds values that are not finite numbers")
    return array


def union_of_classes(y: IntArray, bag: IntArray, n_classes: int) -> BoolArray:
    """Label set of each bag: the classes of its instances.

    Parameters
    ----------
    y : ndarray of int, shape (n_instances,)
        Class of each instance, -1 where it is not known.
    bag : ndarray of int, shape (n_instances,)
        Bag of each instance; the last bag has an instance.
    n_classes : int
        Number of classes.

    Returns
    -------
    ndarray of bool, shape (n_bags, n_classes)
    """
    labels = np.zeros((int(bag.max()) + 1, n_classes), dtype=np.bool_)
    known = y >= 0
    labels[bag[known], y[known]] = True
    return labels
