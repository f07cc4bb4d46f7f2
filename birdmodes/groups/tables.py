"""The tables of a grouping: groups in their order, and every bag's place in them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms import Bags
from birdmodes.groups.grouping import ASSIGNMENT_COLUMNS, GROUP_COLUMNS
from birdmodes.groups.make_up import top_species
from birdmodes.labels import join_species, split_species

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

RECORDING_COLUMNS = ["recording", "bags", "grouped", "group", "share", "species", "labelled"]


def compact_groups(labels: Ints) -> Ints:
    """Number the groups that have bags from 0, those with more bags first.

    Parameters
    ----------
    labels : ndarray of int, shape (n_bags,)
        What a method found; -1 for bags without syllables, which stay so.

    Returns
    -------
    ndarray of int64, shape (n_bags,)
        Of two groups of the same size, that with the first bag comes first, so that the numbers do
        not depend on how the method counts.
    """
    grouped = np.flatnonzero(labels >= 0)
    _, first, inverse, sizes = np.unique(
        labels[grouped], return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((first, -sizes))
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    group = np.full(len(labels), -1, dtype=np.int64)
    group[grouped] = number[inverse]
    return group


def ranks(group: Ints, strength: Floats) -> Ints:
    """Place of every bag in its group by its strength.

    Returns
    -------
    ndarray of int64, shape (n_bags,)
        1 for the strongest of each group; ties, and bags of unknown strength, in the order of the
        bags, the latter last; 0 for bags without a group.
    """
    rank = np.zeros(len(group), dtype=np.int64)
    # Rounded, so that the order does not depend on the last digits, which differ by machine.
    best_first = np.argsort(-np.nan_to_num(strength, nan=-np.inf).round(9), kind="stable")
    for number in range(int(group.max(initial=-1)) + 1):
        own = best_first[group[best_first] == number]
        rank[own] = np.arange(1, len(own) + 1)
    return rank


def bag_assignments(
    table: pd.DataFrame,
    times_s: tuple[Floats, Floats],
    bags: Bags,
    group: Ints,
    strength: Floats,
    witness: Sequence[str],
) -> pd.DataFrame:
    """A row per bag: its group, how well it fits, its rank and the syllable that decided.

    Parameters
    ----------
    table : pandas.DataFrame
        From `birdmodes.workspace.bags.bags_table`.
    times_s : tuple of ndarray, shape (n_bags,)
        From `birdmodes.workspace.bags.bag_times`.
    bags : Bags
        What was grouped; its bags are those of `table`.
    group : ndarray of int, shape (n_bags,)
        From `compact_groups`.
    strength : ndarray, shape (n_bags,)
        How well each bag fits, NaN where that is not known.
    witness : sequence of str
        Name of a syllable for each bag, or "".

    Returns
    -------
    pandas.DataFrame
        As `birdmodes.groups.grouping.Grouping.assignments`.
    """
    made = table.assign(
        start_s=times_s[0].round(6),
        end_s=times_s[1].round(6),
        group=group,
        # Adding 0 makes -0 plain 0.
        strength=np.where(group >= 0, strength, np.nan).round(6) + 0.0,
        rank=ranks(group, strength),
        witness=list(witness),
        n_syllables=bags.sizes,
    )
    return made[list(ASSIGNMENT_COLUMNS)]


def group_table(
    assignments: pd.DataFrame, make_up: pd.DataFrame, typical: Sequence[Sequence[str]]
) -> pd.DataFrame:
    """A row per group, largest first.

    Parameters
    ----------
    assignments : pandas.DataFrame
        From `bag_assignments`.
    make_up : pandas.DataFrame
        From `birdmodes.groups.make_up.species_make_up`.
    typical : sequence of sequence of str
        Typical syllables of each group.

    Returns
    -------
    pandas.DataFrame
        As `birdmodes.groups.grouping.Grouping.groups`.
    """
    by_group = assignments[assignments["group"] >= 0].groupby("group")
    table = pd.DataFrame(
        {
            "bags": by_group.size(),
            "recordings": by_group["recording"].nunique(),
            "syllables": by_group["n_syllables"].sum(),
        }
    ).reset_index()
    table["top_species"] = top_species(make_up, len(table))
    table["typical_syllables"] = [list(names) for names in typical]
    return table[list(GROUP_COLUMNS)]


def by_recording(assignments: pd.DataFrame) -> pd.DataFrame:
    """The group that most of a recording's bags are in, where these are its clips.

    Parameters
    ----------
    assignments : pandas.DataFrame
        From `bag_assignments`.

    Returns
    -------
    pandas.DataFrame
        A row per recording: `recording`; `bags`, and of these `grouped`, which have syllables;
        `group`, that of most of them (at a tie the lower), -1 if none has syllables; `share` of the
        grouped bags that are in it, NaN without any; `species` and `labelled` as in the labels.
    """
    rows = []
    for recording, own in assignments.groupby("recording", sort=False):
        groups = own.loc[own["group"] >= 0, "group"].to_numpy()
        counts = np.bincount(groups) if len(groups) else np.zeros(0, dtype=np.int64)
        rows.append(
            {
                "recording": recording,
                "bags": len(own),
                "grouped": len(groups),
                "group": int(counts.argmax()) if len(groups) else -1,
                "share": round(float(counts.max() / len(groups)), 6) if len(groups) else np.nan,
                "species": join_species(
                    dict.fromkeys(name for cell in own["species"] for name in split_species(cell))
                ),
                "labelled": bool(own["labelled"].any()),
            }
        )
    return pd.DataFrame(rows, columns=RECORDING_COLUMNS)
