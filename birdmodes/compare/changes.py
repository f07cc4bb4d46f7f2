"""Which clusters stay, split, merge, move: read off the table of common syllables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

Ints = npt.NDArray[np.int64]

LINK_SHARE = 0.5
"""Two clusters are linked if they share more than this part of the smaller one's syllables."""

MOVE_SHARE = 0.05
"""Syllables that leave their group are listed from this part of either cluster on."""

STAYS, SPLITS, MERGES, MIXES, DISSOLVES, APPEARS = (
    "stays", "splits", "merges", "mixes", "dissolves", "appears",
)  # fmt: skip
KINDS = (SPLITS, MERGES, MIXES, DISSOLVES, APPEARS, STAYS)
"""All that can happen, in the order in which it is told."""


@dataclass(frozen=True)
class Change:
    """What becomes of a group of linked clusters.

    Attributes
    ----------
    kind : str
        One of `KINDS`.
    first, second : tuple of int
        Rows and columns of the table that are linked, largest first.
    syllables : int
        What the two sides have in common.
    share : float
        That part of all syllables of either side; 1: nothing came and nothing went.
    """

    kind: str
    first: tuple[int, ...]
    second: tuple[int, ...]
    syllables: int
    share: float


@dataclass(frozen=True)
class Move:
    """Syllables that go to a cluster that theirs is not linked with.

    Attributes
    ----------
    first, second : int
        Row and column of the table.
    syllables : int
        How many.
    """

    first: int
    second: int
    syllables: int


def find_changes(table: Ints) -> list[Change]:
    """Find what becomes of the clusters.

    Two clusters are linked if more than `LINK_SHARE` of the smaller one lies in the other. What
    hangs together by links is a group: one cluster to one *stays*, if both have more than half of
    their syllables in common; one to several *splits*, several to one *merges*, all else *mixes*;
    a cluster of the first clustering without links *dissolves*, one of the second *appears*.

    Parameters
    ----------
    table : ndarray of int64, shape (n_first, n_second)
        Common syllables; no row and no column is empty.

    Returns
    -------
    list of Change
        Each row and column is in exactly one; those with most syllables first.
    """
    sizes = table.sum(axis=1), table.sum(axis=0)
    linked = table > LINK_SHARE * np.minimum.outer(*sizes)
    n_first = len(table)
    graph = sp.bmat([[None, linked], [linked.T, None]], format="csr", dtype=bool)
    group = connected_components(graph, directed=False)[1]
    changes = [
        _change(
            table,
            np.flatnonzero(group[:n_first] == number),
            np.flatnonzero(group[n_first:] == number),
        )
        for number in range(int(group.max()) + 1)
    ]
    return sorted(changes, key=lambda change: _weight(change, sizes))


def _change(table: Ints, rows: Ints, columns: Ints) -> Change:
    within = int(table[np.ix_(rows, columns)].sum())
    size_first, size_second = int(table[rows].sum()), int(table[:, columns].sum())
    most = within > LINK_SHARE * max(size_first, size_second)
    return Change(
        _kind(len(rows), len(columns), most),
        _largest_first(rows, table.sum(axis=1)),
        _largest_first(columns, table.sum(axis=0)),
        within,
        within / (size_first + size_second - within),
    )


def _kind(n_first: int, n_second: int, most: bool) -> str:
    """Name a change by the clusters of both sides, and whether most of both is in common."""
    if not n_second:
        return DISSOLVES
    if not n_first:
        return APPEARS
    if n_first == n_second == 1 and most:
        return STAYS
    if n_first == 1 and n_second > 1:
        return SPLITS
    return MERGES if n_first > 1 and n_second == 1 else MIXES


def _largest_first(numbers: Ints, sizes: Ints) -> tuple[int, ...]:
    order = np.argsort(-sizes[numbers], kind="stable")
    return tuple(int(number) for number in numbers[order])


def _weight(change: Change, sizes: tuple[Ints, Ints]) -> tuple[int, int]:
    """Key that puts groups with most common syllables first, those without any last, by size."""
    first, second = (
        int(size[list(part)].sum())
        for size, part in zip(sizes, (change.first, change.second), strict=True)
    )
    return -change.syllables, -first - second


def find_moves(table: Ints, changes: Sequence[Change]) -> tuple[list[Move], int]:
    """Find where syllables leave their group.

    Parameters
    ----------
    table : ndarray of int64, shape (n_first, n_second)
        Common syllables.
    changes : sequence of Change
        From `find_changes`.

    Returns
    -------
    moves : list of Move
        Those of at least `MOVE_SHARE` of either cluster, largest first.
    others : int
        Syllables that move in smaller numbers.
    """
    away = table.copy()
    for change in changes:
        away[np.ix_(change.first, change.second)] = 0
    sizes = table.sum(axis=1), table.sum(axis=0)
    many = (away > 0) & (away >= MOVE_SHARE * np.minimum.outer(*sizes))
    moves = [Move(int(i), int(j), int(away[i, j])) for i, j in np.argwhere(many)]
    moves.sort(key=lambda move: -move.syllables)
    return moves, int(away[~many].sum())


def block_order(changes: Sequence[Change]) -> tuple[Ints, Ints]:
    """Order of rows and columns that puts linked clusters beside each other, along the diagonal."""
    rows = [row for change in changes for row in change.first]
    columns = [column for change in changes for column in change.second]
    return np.array(rows, dtype=np.int64), np.array(columns, dtype=np.int64)
