"""What syllables are of: what is to be said of it, and whether it is wanted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from algorithms.errors import did_you_mean
from birdmodes.errors import BirdmodesError
from birdmodes.io.cells import from_numpy, to_numpy
from birdmodes.modes.counts.remarks import remark
from birdmodes.modes.words.shared_names import whole_name, whole_species

Ints = npt.NDArray[np.integer[Any]]

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
class Kind:
    """What is to be said of syllables of a cluster, a species and a mode.

    Attributes
    ----------
    cluster : int
        Number of the cluster.
    species, mode : str
        As the clustering has them.
    whole_species, whole_mode : str
        With the further species that it may be.
    kind : {"mode", "background", "unassigned"}
        What it is.
    name, short_name : str
        The mode, with and without its species; or "Cluster 7" where there is none.
    remark : str
        What is to be said of the species' modes: candidates, a continuum.
    """

    cluster: int
    species: str
    mode: str
    whole_species: str
    whole_mode: str
    kind: str
    name: str
    short_name: str
    remark: str


class Kinds:
    """Tells what there is to be said of syllables; of each kind once.

    Parameters
    ----------
    modes : sequence of mapping
        Rows of the clustering's table of modes.
    parameters : mapping
        Of the clustering.
    """

    def __init__(self, modes: Sequence[Mapping[Any, Any]], parameters: Mapping[str, Any]) -> None:
        self._background = {row["cluster"]: bool(row["background"]) for row in modes}
        others = {row["cluster"]: row.get("or_species") for row in modes}
        # Some tables of modes have no need of these.
        self._others = {one: other for one, other in others.items() if isinstance(other, str)}
        self._parameters = parameters
        self._told: dict[tuple[int, str, str], Kind] = {}

    def told(self, cluster: int, species: str, mode: str) -> Kind:
        """What is to be said of syllables of a cluster, a species and a mode."""
        key = (cluster, species, mode)
        if key not in self._told:
            self._told[key] = self._describe(*key)
        return self._told[key]

    def _describe(self, cluster: int, species: str, mode: str) -> Kind:
        other = self._others.get(cluster, "")
        whole = whole_name(mode, species, other)
        background = self._background.get(cluster, False)
        number = f"Cluster {cluster}"
        return Kind(
            cluster,
            species,
            mode,
            whole_species=whole_species(species, other),
            whole_mode=whole if mode else "",
            kind="mode" if mode else "background" if background else "unassigned",
            name=whole if mode else number,
            short_name=short_name(mode, species) if mode else number,
            remark=remark(self._parameters, species),
        )

    def numbered(
        self, cluster: pa.Array, species: pa.Array, mode: pa.Array
    ) -> tuple[Ints, list[Kind]]:
        """Number the different kinds in the order in which they come.

        Parameters
        ----------
        cluster, species, mode : pyarrow.Array
            Of some syllables.

        Returns
        -------
        number : ndarray of int
            Of each syllable's kind.
        kinds : list of Kind
            By number.
        """
        key = np.zeros(len(cluster), dtype=np.int64)
        for column in (cluster, species, mode):
            coded = column.dictionary_encode()
            key = key * len(coded.dictionary) + to_numpy(coded.indices)
        coded = from_numpy(key).dictionary_encode()
        number = to_numpy(coded.indices)
        first = np.empty(len(coded.dictionary), dtype=np.int64)
        first[number[::-1]] = np.arange(len(number))[::-1]
        here = from_numpy(first)
        rows = (column.take(here).to_pylist() for column in (cluster, species, mode))
        return number, [self.told(*row) for row in zip(*rows, strict=True)]


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

    def wants(self, kind: Kind) -> bool:
        """Whether syllables of a kind are wanted, if they are sure enough."""
        if kind.kind != "mode" and not self.choice.background:
            return False
        if self.species is not None and not {*_species(kind)}.intersection(self.species):
            return False
        return self.modes is None or bool({*_modes(kind)}.intersection(self.modes))


def _species(kind: Kind) -> tuple[str, str]:
    return kind.species, kind.whole_species


def _modes(kind: Kind) -> tuple[str, str, str]:
    return kind.mode, kind.name, kind.short_name


def asked_of(kinds: Iterable[Kind], choice: Choice, clustering: str) -> Asked:
    """Find the names that are asked for among those of some kinds of syllables.

    Parameters
    ----------
    kinds : iterable of Kind
        What there is.
    choice : Choice
        What is asked for.
    clustering : str
        Name of the clustering, for the message.

    Raises
    ------
    BirdmodesError
        If a name is not there.
    """
    kinds = list(kinds)
    species = modes = None
    if choice.species:
        there = [name for kind in kinds if kind.kind == "mode" for name in _species(kind)]
        species = found_names("species", choice.species, list(dict.fromkeys(there)), clustering)
    if choice.modes:
        if species is not None:
            of_them = Asked(Choice(background=choice.background), species, None)
            kinds = [kind for kind in kinds if of_them.wants(kind)]
        there = [name for kind in kinds for name in _modes(kind)]
        modes = found_names("mode", choice.modes, there, clustering)
    return Asked(choice, species, modes)


def nothing_left(clustering: str, n: int) -> BirdmodesError:
    """Error where `n` syllables are of the modes that are wanted, and none is sure enough."""
    return BirdmodesError(
        f"clustering {clustering!r}: nothing to export ({n} syllables, "
        "none of the confidence asked for); lower --min-confidence or choose other modes"
    )


def short_name(mode: str, species: str) -> str:
    """Give a mode's name without its species, if it begins with it: ``mode 1``."""
    return mode.removeprefix(species).strip() or mode


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
