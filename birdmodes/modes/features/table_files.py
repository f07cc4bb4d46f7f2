"""Read a person's own features of syllables, or of windows of time: Parquet, CSV or NPZ."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from birdmodes.errors import FeatureError
from birdmodes.io.printing import shown

Floats = npt.NDArray[np.float64]
Names = npt.NDArray[np.object_]

SYLLABLE = ("syllable",)
RECORDING = ("recording", "file", "filename", "filepath", "file_path", "path")
START = ("start_s", "start", "start_time")
END = ("end_s", "end", "end_time")
"""What the columns that say whose row it is may be called, in small letters."""


@dataclass(frozen=True, eq=False)
class Stretches:
    """Stretches of recordings.

    Attributes
    ----------
    recording : ndarray of str, shape (n,)
        In the words of the table.
    start_s, end_s : ndarray, shape (n,)
        When each begins and ends.
    """

    recording: Names
    start_s: Floats
    end_s: Floats


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Rows of numbers, and what they are about.

    Attributes
    ----------
    values : ndarray, shape (n_rows, n_columns)
        Finite numbers.
    columns : list of str
        Names of the columns.
    about : ndarray of str, shape (n_rows,), or Stretches
        The syllable of each row, or the stretch of time.
    """

    values: Floats
    columns: list[str]
    about: Names | Stretches


def read_feature_table(path: Path) -> FeatureTable:
    """Read a table of features.

    Parameters
    ----------
    path : pathlib.Path
        A table, ``.parquet`` or else CSV, with a column `SYLLABLE`, or columns `RECORDING`,
        `START` and `END`; every other column is a feature. Or ``.npz`` with one array of rows and
        the same columns as arrays.

    Raises
    ------
    FeatureError
        If it cannot be read, or a column is missing or not of finite numbers.
    """
    ending = path.suffix.lower()
    try:
        path.stat()  # says why there is none, as pandas does not of Parquet
        if ending == ".npz":
            frame = _read_npz(path)
        else:
            frame = pd.read_parquet(path) if ending in {".parquet", ".pq"} else _read_csv(path)
    except FeatureError:
        raise
    except (
        OSError,
        EOFError,
        ValueError,
        KeyError,
        pa.ArrowException,
        zipfile.BadZipFile,
    ) as error:
        reason = getattr(error, "strerror", None) or " ".join(str(error).split())
        raise FeatureError(
            f"{shown(path)}: cannot be read as a table of features ({reason}); give Parquet, CSV "
            "or NPZ"
        ) from error
    # What tells whose rows these are may be the index of the table, as in those of OpenSoundscape.
    index = [name for name in frame.index.names if name is not None]
    return _table(path, frame.reset_index(level=index) if index else frame)


def _read_csv(path: Path) -> pd.DataFrame:
    # Columns of numbers are told by their content; an identifier may look like a number.
    names = pd.read_csv(path, nrows=0).columns
    told = {*SYLLABLE, *RECORDING}
    text = {name: str for name in names if _key(name) in told}
    return pd.read_csv(path, dtype=text, keep_default_na=True)


def _read_npz(path: Path) -> pd.DataFrame:
    with np.load(path, allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    tables = [name for name, array in arrays.items() if array.ndim == 2]
    if len(tables) != 1:
        raise FeatureError(
            f"{shown(path)}: {len(tables)} arrays of rows and columns ({', '.join(arrays)}); there "
            "must be one, a row for each syllable or window of time"
        )
    values = arrays.pop(tables[0])
    rows = {name: array for name, array in arrays.items() if array.shape == (len(values),)}
    left = [name for name in arrays if name not in rows]
    if left:
        raise FeatureError(
            f"{shown(path)}: {', '.join(left)}: not as many entries as {tables[0]} has rows"
        )
    frame = pd.DataFrame(values, columns=[f"{n:04d}" for n in range(1, values.shape[1] + 1)])
    return pd.concat([pd.DataFrame(rows), frame], axis=1)


def _table(path: Path, frame: pd.DataFrame) -> FeatureTable:
    found = {
        part: [name for name in frame.columns if _key(name) in names]
        for part, names in (
            ("syllable", SYLLABLE),
            ("recording", RECORDING),
            ("start", START),
            ("end", END),
        )
    }
    double = [names for names in found.values() if len(names) > 1]
    if double:
        raise FeatureError(
            f"{shown(path)}: columns {' and '.join(map(str, double[0]))} mean the same; leave one"
        )
    if not found["syllable"] and not all(found[part] for part in ("recording", "start", "end")):
        raise FeatureError(
            f"{shown(path)}: whose rows these are is not told: there must be a column 'syllable', "
            "or columns 'recording', 'start_s' and 'end_s'"
        )
    told = {name for names in found.values() for name in names}
    columns = [name for name in frame.columns if name not in told and not _is_counter(name)]
    values, names = _numbers(path, frame, columns), [str(name) for name in columns]
    if found["syllable"]:
        return FeatureTable(values, names, _text(frame, found["syllable"]))
    start, end = (_numbers(path, frame, found[part])[:, 0] for part in ("start", "end"))
    if not (end > start).all():
        row = int(np.argmin(end > start))
        raise FeatureError(
            f"{shown(path)}, row {row + 1}: ends at {end[row]:g} s, before it begins"
        )
    return FeatureTable(values, names, Stretches(_text(frame, found["recording"]), start, end))


def _key(name: Any) -> str:
    return str(name).strip().casefold().replace(" ", "_").removesuffix("_(s)")


def _is_counter(name: Any) -> bool:
    """Whether a column is the numbering that pandas writes beside a table without names."""
    return str(name).startswith("Unnamed: ") or str(name) == "__index_level_0__"


def _text(frame: pd.DataFrame, names: list[Any]) -> Names:
    return np.array([str(value) for value in frame[names[0]]], dtype=object)


def _numbers(path: Path, frame: pd.DataFrame, columns: list[Any]) -> Floats:
    if not columns or not len(frame):
        raise FeatureError(
            f"{shown(path)}: no features in it; every column that does not say "
            "whose row it is counts as one"
        )
    for name in columns:
        if not pd.api.types.is_numeric_dtype(frame[name].dtype):
            raise FeatureError(
                f"{shown(path)}: column {shown(str(name))!r} is not of numbers; leave it out"
            )
    values = frame[columns].to_numpy(dtype=np.float64)
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row, column = (int(place) for place in bad[0])
        raise FeatureError(
            f"{shown(path)}, row {row + 1}: column {shown(str(columns[column]))!r} has no finite "
            "number; leave such rows or columns out"
        )
    return values
