"""Which species occur in the recordings of each group, and which stand out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms import Bags
from algorithms.disambiguation.chance import false_discovery_rates
from birdmodes.groups.grouping import MAKE_UP_COLUMNS
from birdmodes.modes.co_occurrence import upper_tail

Ints = npt.NDArray[np.int64]

STANDS_OUT_BELOW = 0.05
"""A species with a q-value of at most this in a group is said to be typical of it."""

MOST_TYPICAL = 3
"""Species named in a group's row."""


def species_make_up(group: Ints, bags: Bags) -> pd.DataFrame:
    """Count the species in the labelled bags of every group, and compare with chance.

    Bags without a group, as they have no syllables, do not count: that a silent clip has none of
    the species would make every species stand out everywhere.

    Parameters
    ----------
    group : ndarray of int, shape (n_bags,)
        Group of each bag from 0, -1 for none.
    bags : Bags
        With their species.

    Returns
    -------
    pandas.DataFrame
        A row per group and species that any of its bags has, group by group, the most frequent
        first: `bags_with` the species among the `bags_labelled` of the group; `share`, the first
        over the second; `lift`, the share over that in the labelled bags of all groups; `p_value`,
        the probability of so many bags with the species, or more, in so many taken at random
        (hypergeometric; 1 where the lift is at most 1); `q_value`, the same adjusted for all
        groups and species (Benjamini & Hochberg).
    """
    counted = bags.labelled & (group >= 0)
    n_groups = int(group.max(initial=-1)) + 1
    member = (group[counted, None] == np.arange(n_groups)).astype(np.int64)
    has = bags.labels[counted].astype(np.int64)
    with_species = member.T @ has
    in_group, with_any = member.sum(axis=0), has.sum(axis=0)
    total = int(counted.sum())
    p_value = upper_tail(
        with_species.ravel(),
        total,
        np.repeat(in_group, len(with_any)),
        np.tile(with_any, n_groups),
    )
    q_value = false_discovery_rates(p_value)
    row, column = np.nonzero(with_species)
    flat = row * len(with_any) + column
    share = with_species[row, column] / in_group[row]
    table = pd.DataFrame(
        {
            "group": row,
            "species": [bags.class_names[number] for number in column],
            "bags_with": with_species[row, column],
            "bags_labelled": in_group[row],
            "share": share.round(6),
            "lift": (share * total / with_any[column]).round(6),
            "p_value": _six_digits(p_value[flat]),
            "q_value": _six_digits(q_value[flat]),
        }
    )
    ordered = table.sort_values(
        ["group", "bags_with", "lift", "species"],
        ascending=[True, False, False, True],
        ignore_index=True,
    )
    return ordered[list(MAKE_UP_COLUMNS)]


def _six_digits(values: npt.NDArray[np.float64]) -> list[float]:
    return [float(f"{value:.6g}") for value in values]


def top_species(make_up: pd.DataFrame, n_groups: int) -> list[str]:
    """Name the species that are typical of each group.

    Parameters
    ----------
    make_up : pandas.DataFrame
        From `species_make_up`.
    n_groups : int
        Number of groups.

    Returns
    -------
    list of str
        As in ``Robin 90 %, Wren 60 %``: up to `MOST_TYPICAL` species that the group has more often
        than chance would, the surest first, with the share of its labelled bags that have them. If
        there are none, the most frequent one, as in ``none stands out (Robin 50 %)``; empty
        without labels.
    """
    by_group = dict(tuple(make_up.groupby("group")))
    return [_typical(by_group[number]) if number in by_group else "" for number in range(n_groups)]


def _typical(own: pd.DataFrame) -> str:
    standing_out = own[(own["q_value"] <= STANDS_OUT_BELOW) & (own["lift"] > 1)]
    if standing_out.empty:
        return f"none stands out ({_shares(own.head(1))})"
    surest = standing_out.sort_values(["q_value", "share"], ascending=[True, False], kind="stable")
    return _shares(surest.head(MOST_TYPICAL))


def _shares(rows: pd.DataFrame) -> str:
    pairs = zip(rows["species"], rows["share"], strict=True)
    return ", ".join(f"{name} {100 * share:.0f} %" for name, share in pairs)
