"""What goes on the pages of recording groups, before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.gallery.figures.activity import Activity, activity_of
from birdmodes.gallery.figures.places import Occurrence, Sites, find_sites, occurrence
from birdmodes.groups.grouping import Grouping
from birdmodes.workspace.sites import sites_of
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.times_of_day import recorded_hours, syllable_times

GROUPS_PAGE = "groups.html"
NO_GROUP = -1
"""Of bags without syllables."""


@dataclass(frozen=True)
class SpeciesShare:
    """A species in a group.

    Attributes
    ----------
    species : str
        Its name.
    with_it, labelled : int
        Bags of the group that list it, and that have a list.
    share, overall : float
        `with_it` of `labelled`, and the same of all bags, 0 to 1.
    lift : float or None
        `share` over `overall`; None where that is not defined.
    q_value : float or None
        How likely so many would be by chance, adjusted for the number of tests.
    """

    species: str
    with_it: int
    labelled: int
    share: float
    overall: float
    lift: float | None
    q_value: float | None


@dataclass(frozen=True, eq=False)
class GroupPlan:
    """One group as it will be shown.

    Attributes
    ----------
    number : int
        As in the grouping's tables.
    name, file : str
        Such as "Group 0", and the address of its page from the gallery's folder.
    bags : pandas.DataFrame
        Its rows of the grouping's assignments, most typical first, with `recorded_at`, the time at
        which each begins, and `link`, the syllable that leads to it: its witness, or its first.
    recordings, syllables : int
        From which they are, and that they have.
    species : list of SpeciesShare
        Those listed for most of its bags first.
    examples : pandas.DataFrame
        Its most typical syllables, as `birdmodes.gallery.figures.axes.example_figure` takes them.
    activity : Activity
        Of its bags, over the day.
    occurrence : Occurrence
        Of its bags, over the sites.
    """

    number: int
    name: str
    file: str
    bags: pd.DataFrame
    recordings: int
    syllables: int
    species: list[SpeciesShare]
    examples: pd.DataFrame
    activity: Activity
    occurrence: Occurrence


@dataclass(frozen=True, eq=False)
class GroupsPlan:
    """All groups.

    Attributes
    ----------
    grouping : Grouping
        That they are of.
    groups : list of GroupPlan
        In the order of their numbers.
    noun : {"recording", "clip"}
        What is grouped.
    empty : int
        How many of them have no syllables and are in no group.
    recordings : int
        From how many recordings the others are.
    by_witness : bool
        Whether one syllable puts each of them into its group.
    group_of_bag : dict of str to int
        Of those that are in one.
    """

    grouping: Grouping
    groups: list[GroupPlan]
    noun: str
    empty: int
    recordings: int
    by_witness: bool
    group_of_bag: dict[str, int]

    def examples(self) -> list[str]:
        """Syllables that the pages show."""
        return [str(name) for one in self.groups for name in one.examples["syllable"]]


def plan_groups(
    workspace: Workspace, grouping: Grouping, syllables: pd.DataFrame, examples: int
) -> GroupsPlan:
    """Decide on pages and examples.

    Parameters
    ----------
    workspace : Workspace
        Where the recordings are listed.
    grouping : Grouping
        The groups.
    syllables : pandas.DataFrame
        Those that the gallery is of: rows of ``workspace.syllables()``.
    examples : int
        At most so many typical syllables of a group.
    """
    planner = _Planner(workspace, grouping, syllables, examples)
    bags = planner.bags
    numbers = sorted({*grouping.groups["group"].astype(int), *bags["group"]} - {NO_GROUP})
    groups = [planner.group(number) for number in numbers]
    inside = bags[bags["group"] != NO_GROUP]
    return GroupsPlan(
        grouping=grouping,
        groups=groups,
        noun="clip" if bags["recording"].duplicated().any() else "recording",
        empty=len(bags) - len(inside),
        recordings=int(inside["recording"].nunique()),
        by_witness=bool((bags["witness"] != "").any()),
        group_of_bag=dict(zip(inside["bag"], inside["group"].tolist(), strict=True)),
    )


class _Planner:
    """Plans single groups with what all of them need."""

    def __init__(
        self, workspace: Workspace, grouping: Grouping, syllables: pd.DataFrame, examples: int
    ) -> None:
        recordings = workspace.recordings()
        self.grouping = grouping
        self.examples = examples
        self.syllables = syllables.set_index("syllable", drop=False)
        self.bags = _with_links(grouping.assignments, syllables)
        self.bags["recorded_at"] = syllable_times(self.bags, recordings)
        self.recorded_h: npt.NDArray[np.float64] = recorded_hours(recordings)
        self.sites: Sites = find_sites(recordings, sites_of(workspace, recordings))
        table = grouping.groups
        self.typical = dict(
            zip(table["group"].astype(int), table["typical_syllables"], strict=True)
        )

    def group(self, number: int) -> GroupPlan:
        """Plan a group."""
        bags = self.bags[self.bags["group"] == number].sort_values(["rank", "bag"])
        return GroupPlan(
            number=number,
            name=f"Group {number}",
            file=f"groups/{number}.html",
            bags=bags,
            recordings=int(bags["recording"].nunique()),
            syllables=int(bags["n_syllables"].sum()),
            species=self._species(number),
            examples=self._examples(number),
            activity=activity_of(bags, self.recorded_h),
            occurrence=occurrence(bags, self.sites),
        )

    def _species(self, number: int) -> list[SpeciesShare]:
        table = self.grouping.species
        rows = table[table["group"] == number].to_dict("records")
        found = [_species_share({str(key): value for key, value in row.items()}) for row in rows]
        return sorted(found, key=lambda one: (-one.with_it, -(one.lift or 0), one.species))

    def _examples(self, number: int) -> pd.DataFrame:
        """Rows of the typical syllables that are there, in their order."""
        names = [name for name in self.typical.get(number, ()) if name in self.syllables.index]
        return self.syllables.loc[names[: self.examples]].assign(group="typical", confidence=0.0)


def _with_links(assignments: pd.DataFrame, syllables: pd.DataFrame) -> pd.DataFrame:
    """Name for every bag the syllable that leads to it; "" where it has none."""
    ordered = syllables.sort_values(["recording", "start_s", "syllable"])
    first = ordered.drop_duplicates("bag").set_index("bag")["syllable"]
    link = assignments["bag"].map(first).fillna("")
    has_witness = assignments["witness"].isin(syllables["syllable"])
    return assignments.assign(link=link.mask(has_witness, assignments["witness"]))


def _species_share(row: dict[str, Any]) -> SpeciesShare:
    share, lift = float(row["share"]), _defined(row["lift"])
    return SpeciesShare(
        species=str(row["species"]),
        with_it=int(row["bags_with"]),
        labelled=int(row["bags_labelled"]),
        share=share,
        overall=share / lift if lift else 0.0,
        lift=lift,
        q_value=_defined(row["q_value"]),
    )


def _defined(value: float) -> float | None:
    return None if pd.isna(value) else float(value)
