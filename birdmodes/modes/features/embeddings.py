"""``table:FILE``: a person's own features, of any program or network, as a feature set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms.features.components import UnitComponents
from algorithms.features.exact import MAX_COLUMNS, as_whole
from birdmodes.errors import FeatureError
from birdmodes.io.printing import shown
from birdmodes.labels import NameMatcher
from birdmodes.modes.features.base import Arrays, FeatureSet, Floats, numbered
from birdmodes.modes.features.material import SyllableMaterial
from birdmodes.modes.features.table_files import (
    FeatureTable,
    Names,
    Stretches,
    read_feature_table,
)

N_KEPT = 60
"""Columns that are used as they are; of more, as many principal components."""


@dataclass(frozen=True, eq=False)
class Embeddings(FeatureSet):
    """Columns of a table, or principal components of its rows, each brought to unit length.

    Attributes
    ----------
    file : pathlib.Path
        The table.
    names : list of str
        Its columns of features.
    components : UnitComponents or None
        Of its rows; None where its columns are used as they are.
    """

    file: Path
    names: list[str]
    components: UnitComponents | None

    name = "table"
    dimensions = f"the table's, {N_KEPT} at most"
    source = "your own table of features or embeddings"
    needs_windows = False

    @property
    def one_scale(self) -> bool:  # type: ignore[override]  # depends on the table
        """Components keep their proportions, columns of different kinds have none."""
        return self.components is not None

    @property
    def called(self) -> str:
        """With the file's name."""
        return f"table:{self.file.name}"

    @classmethod
    def learn(cls, material: SyllableMaterial, seed: int, argument: str) -> Self:
        """Read the table, and find the components of what it says of the syllables."""
        file = Path(argument)
        table = read_feature_table(file)
        rows = rows_of_syllables(table, material.syllables, file)
        if len(table.columns) > MAX_COLUMNS:
            raise FeatureError(
                f"{shown(file)}: {len(table.columns)} columns of features; {MAX_COLUMNS} at most"
            )
        components = None
        if len(table.columns) > N_KEPT:
            components = UnitComponents.learn(_whole(rows), N_KEPT, seed)
        return cls(file, table.columns, components)

    def at(self, file: Path) -> Self:
        """The same columns of another table, which is about other syllables."""
        return replace(self, file=file)

    def columns(self, material: SyllableMaterial) -> Floats:
        """Columns or components of the rows of syllables.

        Raises
        ------
        FeatureError
            If the table has other columns than the one that was learned from, or lacks syllables.
        """
        table = read_feature_table(self.file)
        if table.columns != self.names:
            raise FeatureError(
                f"{shown(self.file)}: has other columns ({len(table.columns)}) than the table that "
                f"the clustering was made with ({len(self.names)})"
            )
        rows = rows_of_syllables(table, material.syllables, self.file)
        return rows if self.components is None else self.components.apply(_whole(rows))

    def column_names(self) -> list[str]:
        """Names of the table's columns after ``table-``, or of the components."""
        if self.components is None:
            return [f"{self.name}-{name}" for name in self.names]
        return numbered(self.name, len(self.components.offset))

    def arrays(self) -> Arrays:
        """The components."""
        if self.components is None:
            return {}
        return {"components": self.components.components, "offset": self.components.offset}

    def facts(self) -> dict[str, Any]:
        """Which file, and its columns."""
        facts: dict[str, Any] = {"file": str(self.file.absolute()), "names": self.names}
        if self.components is not None:
            facts["explained"] = round(self.components.explained, 4)
        return facts

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Take components from arrays."""
        components = None
        if "components" in arrays:
            explained = float(facts["explained"])
            components = UnitComponents(arrays["components"], arrays["offset"], explained)
        return cls(Path(facts["file"]), list(facts["names"]), components)


def rows_of_syllables(table: FeatureTable, syllables: pd.DataFrame, file: Path) -> Floats:
    """Find what a table says of each syllable.

    Parameters
    ----------
    table : FeatureTable
        The table.
    syllables : pandas.DataFrame
        Columns syllable, recording, start_s and end_s.
    file : pathlib.Path
        Where the table is, for messages.

    Returns
    -------
    ndarray, shape (n_syllables, n_columns)
        The syllable's row; or the mean of the windows of time that it overlaps, weighted by how
        long.

    Raises
    ------
    FeatureError
        If a syllable has no row, or more than one of its own.
    """
    if isinstance(table.about, Stretches):
        values = _by_overlap(table.values, table.about, syllables, file)
    else:
        values = _by_name(table.values, table.about, syllables, file)
    missing = np.flatnonzero(np.isnan(values).any(axis=1))
    if len(missing):
        first = shown(str(syllables["syllable"].iloc[missing[0]]))
        raise FeatureError(
            f"{shown(file)}: no row for {len(missing)} of {len(syllables)} syllables (the first "
            f"is {first}); make the table from the recordings of this workspace"
        )
    return values


def _by_name(table: Floats, about: Names, syllables: pd.DataFrame, file: Path) -> Floats:
    position = pd.Series(np.arange(len(table)), index=about)
    double = position.index[position.index.duplicated()]
    if len(double):
        raise FeatureError(f"{shown(file)}: more than one row for {shown(str(double[0]))}")
    row = position.reindex(syllables["syllable"]).to_numpy(dtype=np.float64)
    values = np.full((len(syllables), table.shape[1]), np.nan)
    there = np.isfinite(row)
    values[there] = table[row[there].astype(np.intp)]
    return values


def _by_overlap(table: Floats, about: Stretches, syllables: pd.DataFrame, file: Path) -> Floats:
    values = np.full((len(syllables), table.shape[1]), np.nan)
    rows_of = _recordings(about.recording, syllables, file)
    names = syllables["recording"].to_numpy(dtype=object)
    begins, ends = (syllables[name].to_numpy(dtype=np.float64) for name in ("start_s", "end_s"))
    for number, (name, begin, end) in enumerate(zip(names, begins, ends, strict=True)):
        rows = rows_of.get(name, np.empty(0, dtype=np.intp))
        shared = np.minimum(about.end_s[rows], end) - np.maximum(about.start_s[rows], begin)
        hit = shared > 0
        if hit.any():
            weight = shared[hit] / shared[hit].sum()
            values[number] = (table[rows[hit]] * weight[:, None]).sum(axis=0)
    return values


def _recordings(
    told: Names, syllables: pd.DataFrame, file: Path
) -> dict[str, npt.NDArray[np.intp]]:
    """Rows of the table by the name of the recording that they are about."""
    matcher = NameMatcher(pd.unique(syllables["recording"]))
    rows: dict[str, npt.NDArray[np.intp]] = {}
    for text, members in pd.Series(told).groupby(told).groups.items():
        found = matcher.find_moved(str(text))
        if len(found) > 1:
            raise FeatureError(
                f"{shown(file)}: {shown(str(text))} may be any of {len(found)} recordings "
                f"({shown(found[0])}, {shown(found[1])}); write their paths"
            )
        for name in found:
            own = np.asarray(members, dtype=np.intp)
            rows[name] = np.sort(np.concatenate([rows.get(name, own[:0]), own]))
    return rows


def _whole(rows: Floats) -> npt.NDArray[np.int16]:
    length = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return as_whole(rows / np.maximum(length, np.finfo(np.float64).tiny)[:, None])
