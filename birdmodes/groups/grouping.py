"""A grouping of whole recordings on disk: ``groupings/<name>/`` in a workspace.

::

    assignments.csv       one row per bag, a clip or a recording: its group and place in it
    groups.csv            one row per group: counts, typical species, typical syllables
    species_make_up.csv   one row per group and species: how often, and whether by chance
    metrics.json          every metric by name, and the parameters of the run
    model.npz/.json       arrays of the run, and what they mean
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from birdmodes.errors import ParameterError, WorkspaceError
from birdmodes.io.result_files import ResultReader
from birdmodes.io.stored import damaged
from birdmodes.labels import split_species
from birdmodes.workspace.bags import bags_table
from birdmodes.workspace.results import Kind, Results
from birdmodes.workspace.store import Workspace

if TYPE_CHECKING:
    import pandas as pd

BOX = ["start_s", "end_s", "low_hz", "high_hz"]

ASSIGNMENT_COLUMNS: Mapping[str, type] = {
    "bag": str,
    "recording": str,
    "start_s": float,
    "end_s": float,
    "group": int,
    "strength": float,
    "rank": int,
    "witness": str,
    "n_syllables": int,
    "species": str,
    "labelled": bool,
}

GROUP_COLUMNS: Mapping[str, type] = {
    "group": int,
    "bags": int,
    "recordings": int,
    "syllables": int,
    "top_species": str,
    "typical_syllables": str,
}

MAKE_UP_COLUMNS: Mapping[str, type] = {
    "group": int,
    "species": str,
    "bags_with": int,
    "bags_labelled": int,
    "share": float,
    "lift": float,
    "p_value": float,
    "q_value": float,
}

UNSTABLE_BELOW = 0.5
"""Groups whose stability is below this are another answer with every seed."""

GROUPING = Kind(
    "groupings",
    "grouping",
    "no groups of recordings yet; run 'birdmodes cluster --method m3ic' first",
    "run 'birdmodes cluster' with the method again, or remove its folder",
)


@dataclass(frozen=True)
class Grouping:
    """The result of ``birdmodes cluster`` with a method that groups whole recordings.

    Attributes
    ----------
    name : str
        Name of its folder.
    assignments : pandas.DataFrame
        Columns of `ASSIGNMENT_COLUMNS`, a row per bag in the order of
        `birdmodes.workspace.bags.bags_table`: `start_s`, `end_s` where the bag lies in its
        recording; `group` its group, -1 for a bag without syllables; `strength` how well it fits
        its group, in the method's own unit, NaN where that is not known; `rank` its place in the
        group, 1 for the most typical, 0 without a group; `witness` the syllable that decided,
        where the method has one, else ""; `species` as in the labels, joined by ``;``.
    groups : pandas.DataFrame
        Columns of `GROUP_COLUMNS`, a row per group, largest first, numbered from 0.
        `typical_syllables` is a list of syllables, the most typical first.
    species : pandas.DataFrame
        The groups' make-up, columns of `MAKE_UP_COLUMNS`, a row per group and species, see
        `birdmodes.groups.make_up.species_make_up`.
    metrics : dict
        Name to number (None where it is not defined).
    parameters : dict
        How the run was made.
    model : dict of ndarray
        ``box_sums``, see `box_sums`, and other arrays of the run.
    """

    name: str
    assignments: pd.DataFrame
    groups: pd.DataFrame
    species: pd.DataFrame
    metrics: dict[str, float | None]
    parameters: dict[str, Any]
    model: dict[str, npt.NDArray[Any]] = field(default_factory=dict)

    @property
    def hangs_on_seed(self) -> bool:
        """Whether other random numbers give other groups."""
        stability = self.metrics.get("stability")
        return stability is not None and stability < UNSTABLE_BELOW


def groupings(workspace: Workspace) -> Results:
    """The store of the workspace's groupings."""
    return Results(workspace, GROUPING)


def grouping_names(workspace: Workspace) -> list[str]:
    """Names of the workspace's groupings, oldest first."""
    return groupings(workspace).names()


def box_sums(bags: pd.Series, syllables: pd.DataFrame) -> npt.NDArray[np.float64]:
    """Sum up the syllables' boxes bag by bag: other syllables have other sums.

    Parameters
    ----------
    bags : pandas.Series of str
        Names of the bags.
    syllables : pandas.DataFrame
        With columns bag, start_s, end_s, low_hz and high_hz.

    Returns
    -------
    ndarray, shape (n_bags, 5)
        Number of syllables, and sums of the four; 0 for bags without syllables.
    """
    sums = syllables[BOX].assign(syllables=1).groupby(syllables["bag"]).sum()
    return sums.reindex(bags, fill_value=0)[["syllables", *BOX]].to_numpy(dtype=np.float64)


def write_grouping(workspace: Workspace, grouping: Grouping) -> Path:
    """Store a grouping, replacing one of the same name.

    Parameters
    ----------
    workspace : Workspace
        Where.
    grouping : Grouping
        What to store.

    Returns
    -------
    pathlib.Path
        Its folder.

    Raises
    ------
    WorkspaceError
        If the name cannot be one, or another command is writing into the workspace.
    """
    # A list in a cell is written as JSON: names of recordings may hold any separator.
    typical = [
        json.dumps(list(names), ensure_ascii=False)
        for names in grouping.groups["typical_syllables"]
    ]
    groups = grouping.groups.assign(typical_syllables=typical)
    store = groupings(workspace)
    with store.replacing(grouping.name) as files:
        files.table("assignments.csv", grouping.assignments[list(ASSIGNMENT_COLUMNS)])
        files.table("groups.csv", groups[list(GROUP_COLUMNS)])
        files.table("species_make_up.csv", grouping.species[list(MAKE_UP_COLUMNS)])
        files.model(grouping.model, grouping.parameters)
        files.metrics(grouping.metrics, grouping.parameters)
    return store.folder(grouping.name)


def read_grouping(workspace: Workspace, name: str | None = None) -> Grouping:
    """Read a grouping.

    Parameters
    ----------
    workspace : Workspace
        Where.
    name : str, optional
        By default the newest.

    Raises
    ------
    WorkspaceError
        If there is none (of that name), its files are damaged, or the bags or their syllables
        have changed since it was made.
    """
    store = groupings(workspace)
    name = store.chosen(name)
    grouping = store.read(name, lambda files: _read_files(files, name))
    if not _same_bags(workspace, grouping):
        method = grouping.parameters.get("method", "m3ic")
        raise WorkspaceError(
            f"grouping {name!r} was made from other syllables than the workspace holds now; "
            f"run 'birdmodes cluster --method {method}' again"
        )
    return grouping


def newest_grouping(
    workspace: Workspace, name: str | None = None, *, wanted: bool = True
) -> tuple[Grouping | None, list[str]]:
    """Read the grouping that is to be shown beside a clustering, if there is one.

    Parameters
    ----------
    workspace : Workspace
        Where.
    name : str, optional
        By default the newest, which need not be there nor usable.
    wanted : bool
        Whether groups are to be shown at all.

    Returns
    -------
    grouping : Grouping or None
        None if there is none that can be used.
    warnings : list of str
        Why the newest cannot be used.

    Raises
    ------
    WorkspaceError
        If the one that is named cannot be read.
    ParameterError
        If one is named that is not wanted.
    """
    if name is not None and not wanted:
        raise ParameterError("--grouping and --no-groups exclude each other: leave out one")
    if not wanted or (name is None and not grouping_names(workspace)):
        return None, []
    try:
        return read_grouping(workspace, name), []
    except WorkspaceError as error:
        if name is not None:
            raise
        return None, [f"groups of recordings are left out: {error}"]


def groups_of_syllables(workspace: Workspace, grouping: Grouping) -> pd.Series:
    """Group of the bag of every syllable.

    Returns
    -------
    pandas.Series of int
        By the syllable's name.
    """
    syllables = workspace.syllables(["syllable", "bag"])
    of_bag = grouping.assignments.set_index("bag")["group"]
    groups = of_bag.loc[syllables["bag"]].to_numpy(dtype=np.int64)
    import pandas as pd  # slow to import: `info` does without

    return pd.Series(groups, index=pd.Index(syllables["syllable"], name="syllable"), name="group")


def grouping_digest(grouping: Grouping) -> str:
    """Digest of which bags lie in which groups.

    Returns
    -------
    str
        SHA-256, 64 hexadecimal digits.
    """
    table = grouping.assignments
    # JSON keeps names with any characters apart.
    rows = json.dumps([table["bag"].tolist(), table["group"].tolist()], separators=(",", ":"))
    return hashlib.sha256(rows.encode("ascii")).hexdigest()


def _read_files(files: ResultReader, name: str) -> Grouping:
    metrics, parameters = files.metrics()
    assignments = files.table("assignments.csv", ASSIGNMENT_COLUMNS)
    groups = files.table("groups.csv", GROUP_COLUMNS)
    species = files.table("species_make_up.csv", MAKE_UP_COLUMNS)
    _check_they_agree(files, assignments, groups, species)
    groups["typical_syllables"] = _lists(files, groups["typical_syllables"])
    model = files.arrays(("box_sums",))
    return Grouping(name, assignments, groups, species, metrics, parameters, model)


def _check_they_agree(
    files: ResultReader, assignments: pd.DataFrame, groups: pd.DataFrame, species: pd.DataFrame
) -> None:
    """Refuse tables of which one has lost rows."""
    grouped = assignments[assignments["group"] >= 0]
    counted = grouped["group"].value_counts()
    listed = groups.set_index("group")["bags"]
    short = listed > counted.reindex(listed.index, fill_value=0)
    described = set(zip(species["group"], species["species"], strict=True))
    heard = grouped.loc[grouped["labelled"], ["group", "species"]].itertuples(index=False)
    lost = {(group, name) for group, text in heard for name in split_species(text)} - described
    for file, wrong in (
        ("groups.csv", list(counted.index.difference(listed.index))),
        ("assignments.csv", list(listed.index[short])),
        ("species_make_up.csv", [group for group, _ in sorted(lost)]),
    ):
        if wrong:
            what = f"rows of group {wrong[0]} are missing"
            raise damaged(files.folder / file, what, files.remedy)


def _lists(files: ResultReader, cells: pd.Series) -> list[list[str]]:
    path = files.folder / "groups.csv"
    try:
        lists = [json.loads(cell) for cell in cells]
    except ValueError as error:
        raise damaged(path, error, files.remedy) from error
    for names in lists:
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise damaged(path, "typical_syllables is not a list of names", files.remedy)
    return lists


def _same_bags(workspace: Workspace, grouping: Grouping) -> bool:
    """Whether the grouping is of the bags and syllables that are there now."""
    now = bags_table(workspace.recordings())["bag"]
    then = grouping.assignments["bag"]
    if not np.array_equal(now.to_numpy(dtype=str), then.to_numpy(dtype=str)):
        return False
    sums = box_sums(now, workspace.syllables(["syllable", "bag", *BOX]))
    stored = grouping.model["box_sums"]
    return stored.shape == sums.shape and bool(np.allclose(sums, stored, rtol=1e-9, atol=1e-6))
