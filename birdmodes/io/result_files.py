"""The files of one result, a folder: tables, how it was made, and the arrays of a fitted model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from birdmodes.io.files import write_text
from birdmodes.io.formula_guard import guarded_table, unguarded_part, unguarded_table
from birdmodes.io.stored import (
    check_arrays,
    damaged,
    read_array_rows,
    read_arrays,
    read_json,
    read_table,
    read_table_parts,
    write_arrays,
    write_table,
)

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

METRICS = "metrics.json"
ARRAYS = "model.npz"
_SHAPES = "model.json"
_GUARDED = "names_are_guarded"
"""In ``metrics.json``: earlier versions wrote names into tables as they are."""

PATHS = ("syllable", "recording", "bag", "witness")
"""Columns that hold a recording's path, or begin with it."""


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
        write_arrays(self.folder / ARRAYS, arrays)
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
        return read_arrays(self.folder / ARRAYS, self.remedy, needed)

    def check_arrays(self) -> None:
        """Read all of the arrays, some at a time, to see that they are whole."""
        check_arrays(self.folder / ARRAYS, self.remedy)

    def array_rows(self, rows: npt.NDArray[Any], of: int) -> dict[str, npt.NDArray[Any]]:
        """The same, but some `rows` alone of those that have `of` rows."""
        return read_array_rows(self.folder / ARRAYS, self.remedy, rows, of)


def _ill_formed(parameters: Mapping[str, Any]) -> str:
    """Name one of the parameters that others go by, if it is not what was written."""
    features, review = parameters.get("features") or [], parameters.get("review", {})
    if not _are(dict, features) or not all("name" in one for one in features):
        return "features"
    is_review = isinstance(review, dict) and _are(int, review.get("batches", []))
    return "" if is_review else "review"


def _are(kind: type, values: object) -> bool:
    return isinstance(values, list) and all(isinstance(value, kind) for value in values)


def _write_json(path: Path, content: dict[str, Any]) -> None:
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
