"""Which syllables of a clustering are exported, and what is known of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from difflib import SequenceMatcher
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from algorithms.errors import did_you_mean
from birdmodes.errors import BirdmodesError
from birdmodes.groups.grouping import Grouping, groups_of_syllables
from birdmodes.modes.clustering import Clustering
from birdmodes.modes.counts.remarks import remark
from birdmodes.modes.words.shared_names import whole_name, whole_species
from birdmodes.workspace.store import Workspace

Ints = npt.NDArray[np.int64]

_SPECIES_CALLED = ["species", "whole_species"]
_MODES_CALLED = ["mode", "name", "short_name"]
_KIND = ["cluster", "species", "mode"]
_ORDER = ["recording", "start_s", "low_hz", "syllable"]

MOST_NAMES = 20
"""Names listed in an error message."""


@dataclass(frozen=True)
class Choice:
    """What is wanted of a clustering.

    Attributes
    ----------
    species : tuple of str
        Species to keep; empty: all. Letter case does not matter here, nor in `modes`.
    modes : tuple of str
        Modes to keep, by their whole name ("Robin mode 1") or what follows the species ("mode
        1"); empty: all.
    min_confidence : float or None
        Syllables of a lower confidence are left out. None leaves out those of confidence 0: they
        are like the mode, but in a recording that is known to lack the species.
    background : bool
        Whether to keep the clusters that belong to no species. They have no confidence, so
        `min_confidence` does not touch them.
    """

    species: tuple[str, ...] = ()
    modes: tuple[str, ...] = ()
    min_confidence: float | None = None
    background: bool = False

    def to_dict(self) -> dict[str, object]:
        """Values for a JSON file."""
        return {**asdict(self), "species": list(self.species), "modes": list(self.modes)}


@dataclass(frozen=True)
class Asked:
    """What is wanted, with names as they are written in the clustering.

    Attributes
    ----------
    choice : Choice
        What was asked for.
    species, modes : list of str or None
        Names; None for all.
    """

    choice: Choice
    species: list[str] | None
    modes: list[str] | None


@dataclass(frozen=True, eq=False)
class Selection:
    """Syllables to be exported.

    Attributes
    ----------
    rows : pandas.DataFrame
        A row per syllable, by recording, then by time (what many have may be categorical):
        `birdmodes.modes.clustering.ASSIGNMENT_COLUMNS` and path (of the recording's file), kind
        ("mode", "background" or "unassigned"), remark (what is to be said of the species' modes:
        candidates, a continuum), name (the mode, or "Cluster 7" where there is
        none), short_name (the mode without its species) and review (what a reviewer said; empty
        for nothing). With groups of recordings also group, the number of that of the syllable's
        bag.
    recordings : pandas.DataFrame
        All recordings of the workspace, also those of which nothing is exported.
    left_out : int
        Syllables of the wanted modes that were left out for their confidence.
    """

    rows: pd.DataFrame
    recordings: pd.DataFrame
    left_out: int


def select(
    workspace: Workspace,
    clustering: Clustering,
    choice: Choice,
    grouping: Grouping | None = None,
) -> Selection:
    """Pick the syllables to be exported.

    Parameters
    ----------
    workspace : Workspace
        Where the recordings are listed.
    clustering : Clustering
        The modes.
    choice : Choice
        What is wanted.
    grouping : Grouping, optional
        Groups of recordings to tell of each syllable.

    Raises
    ------
    BirdmodesError
        If a species or mode is unknown, or nothing is left.
    """
    recordings = workspace.recordings()
    rows = _described(clustering, recordings)
    if grouping is not None:
        groups = groups_of_syllables(workspace, grouping)
        rows["group"] = groups.loc[rows["syllable"]].to_numpy()
    selection = _picked(rows, recordings, asked_of(rows, clustering, choice))
    selection = replace(selection, rows=uncoded(selection.rows))
    if selection.rows.empty:
        raise nothing_left(clustering, selection.left_out)
    return selection


def select_part(clustering: Clustering, recordings: pd.DataFrame, asked: Asked) -> Selection:
    """Pick the syllables to be exported among those of some recordings; there may be none.

    Parameters
    ----------
    clustering : Clustering
        With the syllables of some recordings.
    recordings : pandas.DataFrame
        Of the workspace.
    asked : Asked
        What is wanted, from `asked_of_modes`.
    """
    return _picked(_described(clustering, recordings), recordings, asked)


def nothing_left(clustering: Clustering, n: int) -> BirdmodesError:
    """Error where `n` syllables are of the modes that are wanted, and none is sure enough."""
    return BirdmodesError(
        f"clustering {clustering.name!r}: nothing to export ({n} syllables, "
        "none of the confidence asked for); lower --min-confidence or choose other modes"
    )


def _picked(rows: pd.DataFrame, recordings: pd.DataFrame, asked: Asked) -> Selection:
    rows = rows[_wanted(rows, asked)]
    in_mode = rows["kind"] == "mode"
    least = asked.choice.min_confidence
    enough = rows["confidence"] > 0 if least is None else rows["confidence"] >= least
    kept = rows[enough | ~in_mode]
    kept = kept.assign(species=kept["whole_species"], mode=kept["whole_mode"])
    keys = pa.table({name: pa.array(kept[name]) for name in _ORDER[1:]})
    keys = keys.append_column(_ORDER[0], pa.array(kept[_ORDER[0]].cat.codes))
    order = pc.sort_indices(keys, [(name, "ascending") for name in _ORDER])
    kept = kept.iloc[order.to_numpy()].reset_index(drop=True)
    return Selection(kept, recordings, len(rows) - len(kept))


def channels_of(selection: Selection, asked: int | None) -> Ints:
    """Channel that each syllable was found in, from 1, which also stands for the mean of all.

    Parameters
    ----------
    selection : Selection
        The syllables.
    asked : int or None
        Channel of the workspace's settings, for recordings of which an earlier version did not
        note it.

    Returns
    -------
    numpy.ndarray of int, shape (number of syllables,)
    """
    noted = selection.recordings["channel"].fillna(asked or 1)
    channel = of_recordings(selection.rows, selection.recordings, noted)
    return np.maximum(channel.astype(np.int64), 1)


def of_recordings(
    rows: pd.DataFrame, recordings: pd.DataFrame, values: pd.Series
) -> npt.NDArray[Any]:
    """Give each syllable what is known of its recording.

    Parameters
    ----------
    rows : pandas.DataFrame
        Syllables.
    recordings, values : pandas.DataFrame and pandas.Series
        Recordings, and what is known of each, in the same order.
    """
    number, names = pd.factorize(rows["recording"])
    known = pd.Series(values.to_numpy(), index=recordings["recording"])
    return known.reindex(names).to_numpy()[number]


def _described(clustering: Clustering, recordings: pd.DataFrame) -> pd.DataFrame:
    rows = clustering.assignments
    if "review" not in rows:  # made before there was a review
        rows = rows.assign(review="")
    recording = pd.Categorical(rows["recording"])
    paths = recordings.set_index("recording")["path"].reindex(recording.categories)
    number, kinds = _kinds(rows)
    described = _described_kinds(kinds, clustering)
    # Each different text is described once, and kept once.
    return rows.assign(
        recording=recording,
        path=pd.Categorical(paths.astype(object)).take(recording.codes),
        review=pd.Categorical(rows["review"]),
        **{str(name): pd.Categorical(told).take(number) for name, told in described.items()},
    )


def uncoded(rows: pd.DataFrame) -> pd.DataFrame:
    """Give the same table without categorical columns, each text as often as it occurs."""
    kinds = rows.dtypes
    coded = kinds[[isinstance(kind, pd.CategoricalDtype) for kind in kinds]]
    return rows.astype({name: kind.categories.dtype for name, kind in coded.items()})


def _kinds(rows: pd.DataFrame) -> tuple[Ints, pd.DataFrame]:
    """Number the different rows in what they are of; gives each row's, and the first of each."""
    number = np.zeros(len(rows), dtype=np.int64)
    for name in _KIND:
        own, different = pd.factorize(rows[name])
        number = pd.factorize(number * len(different) + own)[0]
    first = ~pd.Series(number).duplicated().to_numpy()
    return number, rows.loc[first, _KIND].reset_index(drop=True)


def _described_kinds(kinds: pd.DataFrame, clustering: Clustering) -> pd.DataFrame:
    """What is to be said of syllables of a cluster, a species and a mode."""
    modes = clustering.modes.set_index("cluster")
    named = kinds["mode"] != ""
    is_background = kinds["cluster"].map(modes["background"].astype(bool)).fillna(False)
    cluster = "Cluster " + kinds["cluster"].astype(str)
    others = [""] * len(kinds)
    if "or_species" in modes:  # which some tables of modes have no need of
        others = kinds["cluster"].map(modes["or_species"]).fillna("").tolist()
    cells = list(zip(kinds["mode"], kinds["species"], others, strict=True))
    whole = [whole_name(*row) for row in cells]
    short = [short_name(mode, species) for mode, species, _ in cells]
    return pd.DataFrame(
        {
            "species": kinds["species"],
            "mode": kinds["mode"],
            "kind": np.where(named, "mode", np.where(is_background, "background", "unassigned")),
            "name": np.where(named, whole, cluster),
            "whole_mode": np.where(named, whole, ""),
            "whole_species": [whole_species(species, other) for _, species, other in cells],
            "remark": [remark(clustering.parameters, species) for _, species, _ in cells],
            "short_name": np.where(named, short, cluster),
        },
        dtype="str",
    ).astype({"remark": object})


def short_name(mode: str, species: str) -> str:
    """Give a mode's name without its species, if it begins with it: ``mode 1``."""
    return mode.removeprefix(species).strip() or mode


def asked_of(rows: pd.DataFrame, clustering: Clustering, choice: Choice) -> Asked:
    """Find the names that are asked for among those of syllables.

    Raises
    ------
    BirdmodesError
        If one is not there.
    """
    known = rows[["kind", *_SPECIES_CALLED, *_MODES_CALLED]].drop_duplicates()
    species = modes = None
    if choice.species:
        of_modes = known.loc[known["kind"] == "mode", _SPECIES_CALLED]
        there = pd.unique(of_modes.to_numpy().ravel()).tolist()
        species = found_names("species", choice.species, there, clustering.name)
    if choice.modes:
        if species is not None:
            of_them = known[_SPECIES_CALLED].isin(species).any(axis=1)
            known = known[of_them & (choice.background | (known["kind"] == "mode"))]
        there = known[_MODES_CALLED].to_numpy().ravel().tolist()
        modes = found_names("mode", choice.modes, there, clustering.name)
    return Asked(choice, species, modes)


def asked_of_modes(clustering: Clustering, choice: Choice) -> Asked:
    """Find the names that are asked for among those of modes; see `asked_of`."""
    modes = clustering.modes[clustering.modes["syllables"] > 0]
    rows = modes[["cluster", "species", "mode"]].assign(recording="", review="")
    one_each = replace(clustering, assignments=rows.reset_index(drop=True))
    none = pd.DataFrame({"recording": [], "path": []}, dtype=object)
    return asked_of(_described(one_each, none), clustering, choice)


def _wanted(rows: pd.DataFrame, asked: Asked) -> pd.Series:
    wanted = pd.Series(True, index=rows.index)
    if not asked.choice.background:
        wanted &= rows["kind"] == "mode"
    if asked.species is not None:
        wanted &= rows[_SPECIES_CALLED].isin(asked.species).any(axis=1)
    if asked.modes is not None:
        wanted &= rows[_MODES_CALLED].isin(asked.modes).any(axis=1)
    return wanted


def found_names(
    what: str, asked: Iterable[str], there: Sequence[str], clustering: str
) -> list[str]:
    """Find names without regard to letter case.

    Parameters
    ----------
    what : str
        What they name, for the message.
    asked : iterable of str
        What the user wrote.
    there : sequence of str
        What there is.
    clustering : str
        Where, for the message.

    Returns
    -------
    list of str
        Names as they are written in the clustering.

    Raises
    ------
    BirdmodesError
        If one is not there.
    """
    found: list[str] = []
    for name in asked:
        same = [known for known in there if known.casefold() == name.strip().casefold()]
        if not same:
            raise _unknown_name(what, name, there, clustering)
        found += same
    return found


def _nearest_first(asked: str, names: list[str]) -> list[str]:
    """Names that have the asked one in them, then by how alike they are."""
    wanted = asked.strip().casefold()

    def distance(name: str) -> tuple[bool, float]:
        known = name.casefold()
        return wanted not in known, -SequenceMatcher(None, wanted, known).ratio()

    return sorted(names, key=distance)


def _unknown_name(what: str, name: str, there: Sequence[str], clustering: str) -> BirdmodesError:
    names = _nearest_first(name, list(dict.fromkeys(there)))
    more = ", ..." if len(names) > MOST_NAMES else ""
    listed = ", ".join(repr(known) for known in names[:MOST_NAMES]) or "none"
    return BirdmodesError(
        f"clustering {clustering!r}: no {what} {name!r}{did_you_mean(name, names)}; "
        f"there are: {listed}{more}"
    )
