"""Which species are taken for which."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from algorithms.bags import BoolArray, IntArray
from birdmodes.annotate.measures import SyllableNames
from birdmodes.annotate.thresholds import Thresholds
from birdmodes.modes.kinds import BACKGROUND

UNSURE, NOISE, OTHER = "unsure", "not in the truth", "of another species"


@dataclass(frozen=True, eq=False)
class Confusion:
    """A table of counts; rows and columns without any are left out.

    Attributes
    ----------
    rows, columns : tuple of str
        What they are called.
    counts : ndarray of int64, shape (n_rows, n_columns)
        The table.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    counts: IntArray

    @classmethod
    def of(cls, rows: Sequence[str], columns: Sequence[str], counts: IntArray) -> Confusion:
        """Leave out what is empty."""
        some_row = np.flatnonzero(counts.sum(axis=1)).tolist()
        some_column = np.flatnonzero(counts.sum(axis=0)).tolist()
        return cls(
            tuple(rows[place] for place in some_row),
            tuple(columns[place] for place in some_column),
            counts[np.ix_(some_row, some_column)],
        )

    def content(self) -> dict[str, Any]:
        """Give it as plain values, for JSON."""
        return {
            "rows": list(self.rows),
            "columns": list(self.columns),
            "counts": self.counts.tolist(),
        }


def false_alarms(said: BoolArray, labels: BoolArray, names: Sequence[str]) -> Confusion:
    """Count which species are there where others are wrongly said to be.

    Parameters
    ----------
    said, labels : ndarray of bool, shape (n_bags, n_classes)
        What is said to be in each bag, and what is.
    names : sequence of str
        Of the species.

    Returns
    -------
    Confusion
        A row for each species that is wrongly said to be somewhere, a column for each that is
        there; in how many bags.
    """
    wrong = (said & ~labels).astype(np.int64)
    return Confusion.of(names, names, wrong.T @ labels.astype(np.int64))


def syllable_confusion(
    names: SyllableNames, true: IntArray, thresholds: Thresholds, species: Sequence[str]
) -> Confusion:
    """Count what the syllables of each species are said to be.

    Parameters
    ----------
    names : SyllableNames
        What was said.
    true : ndarray of int64, shape (n_syllables,)
        As for `birdmodes.annotate.measures.truth_metrics`.
    thresholds : Thresholds
        Which are unsure.
    species : sequence of str
        Names of the columns.

    Returns
    -------
    Confusion
        A row for each true species, for those the labels do not have together, and for sounds
        that the truth does not have; a column for each species said, background and unsure.
    """
    n = len(species)
    column = np.where(names.sure(thresholds), np.where(names.best < 0, n, names.best), n + 1)
    row = np.where(true >= 0, true, np.where(true == -2, n, n + 1))
    counts = np.zeros((n + 2, n + 2), dtype=np.int64)
    np.add.at(counts, (row, column), 1)
    return Confusion.of([*species, OTHER, NOISE], [*species, BACKGROUND, UNSURE], counts)
