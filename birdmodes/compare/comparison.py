"""Two clusterings side by side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms.metrics import (
    adjusted_mutual_info,
    adjusted_rand_index,
    contingency_table,
    normalized_mutual_info,
)
from birdmodes.compare.changes import Change, Move, block_order, find_changes, find_moves
from birdmodes.compare.match import match_boxes
from birdmodes.errors import BirdmodesError
from birdmodes.io.printing import shown
from birdmodes.modes.clustering import Clustering, used_features
from birdmodes.modes.kinds import cluster_names, kinds

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Side:
    """One of the two clusterings.

    Attributes
    ----------
    name : str
        Of the clustering.
    modes : pandas.DataFrame
        Its clusters that have common syllables, in the order of the table: columns cluster, name,
        kind, species, syllables (the common ones).
    unmatched : int
        Syllables that the other one does not have.
    features : list of str
        The feature sets that its syllables were described by.
    """

    name: str
    modes: pd.DataFrame
    unmatched: int
    features: list[str]


@dataclass(frozen=True, eq=False)
class Comparison:
    """Two clusterings side by side.

    Attributes
    ----------
    first, second : Side
        The clusterings.
    table : ndarray of int64, shape (n_first, n_second)
        Common syllables of their clusters, linked ones along the diagonal.
    changes : list of Change
        What becomes of the first's clusters; numbers are rows and columns of the table.
    moves : list of Move
        Where syllables go to a cluster that theirs is not linked with.
    small_moves : int
        Syllables that do so in numbers too small to list.
    scores : dict of str to float
        How well the two agree; see `SCORES`.
    """

    first: Side
    second: Side
    table: Ints
    changes: list[Change]
    moves: list[Move]
    small_moves: int
    scores: dict[str, float]


SCORES = {
    "adjusted_rand_index": (
        "Adjusted Rand index",
        "Pairs of syllables that both put together or both keep apart, beyond chance: 0 for "
        "chance, 1 for the same clusters.",
    ),
    "normalized_mutual_info": (
        "Normalised mutual information",
        "How much one clustering tells of the other, 0 to 1; grows with the number of clusters.",
    ),
    "adjusted_mutual_info": ("Adjusted mutual information", "The same beyond chance."),
    "homogeneity": ("Homogeneity", "1 if each cluster of the second lies within one of the first."),
    "completeness": (
        "Completeness",
        "1 if each cluster of the first lies within one of the second.",
    ),
    "v_measure": (
        "V-measure",
        "Harmonic mean of homogeneity and completeness; by its definition the same as the "
        "normalised mutual information.",
    ),
    "same_species": (
        "Same species",
        "Share of syllables that both give to the same species, or both to none.",
    ),
    "same_group": (
        "Same group",
        "Share of syllables that stay with the clusters that theirs is linked with.",
    ),
}
"""What the scores are called, and what they mean."""


def compare_clusterings(
    first: Clustering, second: Clustering, *, by_place: bool = False
) -> Comparison:
    """Compare two clusterings.

    Parameters
    ----------
    first, second : Clustering
        What to compare.
    by_place : bool
        Whether they are of different workspaces, so that syllables have to be matched by
        recording and box; see `birdmodes.compare.match`. Otherwise by name.

    Raises
    ------
    BirdmodesError
        If they have no syllable in common.
    """
    one, other = first.assignments, second.assignments
    if by_place:
        rows, columns = match_boxes(one, other)
    else:
        position = pd.Series(np.arange(len(other)), index=other["syllable"])
        columns = position.reindex(one["syllable"]).fillna(-1).to_numpy(dtype=np.int64)
        rows = np.flatnonzero(columns >= 0)
        columns = columns[rows]
    if not len(rows):
        raise BirdmodesError(
            f"{first.name} and {second.name}: no syllable in common; both must be of the same "
            "recordings, with paths that begin at the same folder"
        )
    one, other = one.iloc[rows], other.iloc[columns]
    a, b = one["cluster"].to_numpy(dtype=np.int64), other["cluster"].to_numpy(dtype=np.int64)
    table = contingency_table(a, b)
    changes = find_changes(table)
    row_order, column_order = block_order(changes)
    table = table[np.ix_(row_order, column_order)]
    changes = [_renumbered(change, row_order, column_order) for change in changes]
    moves, small_moves = find_moves(table, changes)
    within = sum(change.syllables for change in changes)
    same = one["species"].to_numpy(dtype=object) == other["species"].to_numpy(dtype=object)
    return Comparison(
        _side(first, a, row_order),
        _side(second, b, column_order),
        table,
        changes,
        moves,
        small_moves,
        {
            **_agreement(a, b),
            "same_species": float(same.mean()),
            "same_group": within / len(rows),
        },
    )


def _renumbered(change: Change, row_order: Ints, column_order: Ints) -> Change:
    """Write a change in numbers of the ordered table."""
    row, column = np.argsort(row_order), np.argsort(column_order)
    return Change(
        change.kind,
        tuple(int(row[number]) for number in change.first),
        tuple(int(column[number]) for number in change.second),
        change.syllables,
        change.share,
    )


def _side(clustering: Clustering, common: Ints, order: Ints) -> Side:
    """One of the two; `common` has the clusters of the common syllables."""
    unmatched = len(clustering.assignments) - len(common)
    features = used_features(clustering.parameters)
    return Side(clustering.name, _clusters(clustering, common, order), unmatched, features)


def _clusters(clustering: Clustering, cluster: Ints, order: Ints) -> pd.DataFrame:
    numbers, counts = np.unique(cluster, return_counts=True)
    modes = clustering.modes.set_index("cluster").loc[numbers[order]].reset_index()
    return pd.DataFrame(
        {
            "cluster": modes["cluster"],
            "name": cluster_names(modes),
            "kind": kinds(modes),
            "species": modes["species"],
            "syllables": counts[order],
        }
    )


def _agreement(first: Ints, second: Ints) -> dict[str, float]:
    from sklearn.metrics import homogeneity_completeness_v_measure

    homogeneity, completeness, v_measure = homogeneity_completeness_v_measure(first, second)
    return {
        "adjusted_rand_index": adjusted_rand_index(first, second),
        "normalized_mutual_info": normalized_mutual_info(first, second),
        "adjusted_mutual_info": adjusted_mutual_info(first, second),
        "homogeneity": float(homogeneity),
        "completeness": float(completeness),
        "v_measure": float(v_measure),
    }


def sentence(comparison: Comparison, change: Change) -> str:
    """Say what becomes of a group of clusters, with names on one line."""
    first = [shown(comparison.first.modes["name"].iloc[row]) for row in change.first]
    second = [shown(comparison.second.modes["name"].iloc[column]) for column in change.second]
    if change.kind == "dissolves":
        return f"{first[0]}: its syllables are spread over several"
    if change.kind == "appears":
        return f"{second[0]}: drawn from several"
    return f"{' + '.join(first)} → {' + '.join(second)}"


def content(comparison: Comparison) -> dict[str, Any]:
    """What ``compare --json`` prints."""
    return {
        "first": _side_content(comparison.first),
        "second": _side_content(comparison.second),
        "syllables": int(comparison.table.sum()),
        "scores": comparison.scores,
        "changes": [
            {
                "kind": change.kind,
                "first": _numbers(comparison.first, change.first),
                "second": _numbers(comparison.second, change.second),
                "syllables": change.syllables,
                "share": change.share,
            }
            for change in comparison.changes
        ],
        "moves": [
            {
                "first": _numbers(comparison.first, (move.first,))[0],
                "second": _numbers(comparison.second, (move.second,))[0],
                "syllables": move.syllables,
            }
            for move in comparison.moves
        ],
        "small_moves": comparison.small_moves,
        "table": comparison.table.tolist(),
    }


def _side_content(side: Side) -> dict[str, Any]:
    return {
        "clustering": side.name,
        "features": side.features,
        "unmatched": side.unmatched,
        "clusters": side.modes.to_dict("records"),
    }


def _numbers(side: Side, rows: tuple[int, ...]) -> list[int]:
    return [int(side.modes["cluster"].iloc[row]) for row in rows]
