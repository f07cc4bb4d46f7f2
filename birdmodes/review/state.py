"""What edits make of a clustering, step by step: which syllables lie where, and what it is called.

Numbers of clusters are never used twice: new ones are larger than all before. Noise, and syllables
that are not of the species they were given, keep in mind where they came from, so that a mark can
be taken away; at the end of a batch of edits they get clusters of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.modes.digest import assignments_digest
from birdmodes.review.edits import Edit

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

SET_ASIDE = ("noise", "not-species")
"""Marks of syllables that leave their cluster."""


class MisfitError(Exception):
    """An edit that cannot be applied; the message says why, in words."""


@dataclass
class Cluster:
    """A cluster as the edits so far have left it.

    Attributes
    ----------
    species : str
        Empty if it belongs to none.
    name : str
        Short name that a person gave it; empty for ``mode <number>``.
    number : int or None
        Its number among the modes of `species`, once it has one.
    background : bool
        Whether it is noise.
    numbers : dict of str to int
        Numbers that it had among the modes of other species.
    """

    species: str
    name: str = ""
    number: int | None = None
    background: bool = False
    numbers: dict[str, int] = field(default_factory=dict)

    @property
    def short(self) -> str:
        """Name without the species."""
        return self.name or ("mode (new)" if self.number is None else f"mode {self.number}")

    def give_species(self, species: str) -> None:
        """Make it a mode of another species; back at one that it had, it has its number again."""
        if self.number is not None:
            self.numbers[self.species] = self.number
        self.species, self.number = species, self.numbers.get(species)

    @property
    def mode(self) -> str:
        """Whole name; empty for a cluster that belongs to no species."""
        return f"{self.species} {self.short}" if self.species else ""


class ReviewState:
    """Clusters and syllables between the edits.

    Parameters
    ----------
    table : pandas.DataFrame
        A row per syllable, with columns syllable, cluster, species and mode, and background where
        clusters without species are told apart. Nothing in it counts as reviewed.

    Attributes
    ----------
    cluster : ndarray of int64, shape (n_syllables,)
        Where each syllable lies, marks aside.
    mark : ndarray of str, shape (n_syllables,)
        "", "good", "noise" or "not-species".
    moved : ndarray of bool, shape (n_syllables,)
        Whether a person chose the syllable's cluster.
    named : ndarray of bool, shape (n_syllables,)
        Whether a person chose the species of its whole cluster.
    clusters : dict of int to Cluster
        All that there are, those that have lost their syllables too.
    """

    def __init__(self, table: pd.DataFrame) -> None:
        self.syllables = table["syllable"].to_numpy()
        self._row = {name: row for row, name in enumerate(self.syllables)}
        self.cluster = table["cluster"].to_numpy(dtype=np.int64).copy()
        self.mark = np.full(len(table), "", dtype="<U11")
        self.moved = np.zeros(len(table), dtype=bool)
        self.named = np.zeros(len(table), dtype=bool)
        self.clusters = _clusters(table)
        self.merged: dict[int, int] = {}
        self._own: dict[str, int | None] = dict.fromkeys(SET_ASIDE)
        self._largest = max(self.clusters, default=-1)
        self._numbers: dict[str, int] = {}
        for found in self.clusters.values():
            self._note_number(found)

    def where(self) -> Ints:
        """Cluster of each syllable; -1 for those set aside since the batch began."""
        found = self.cluster.copy()
        for mark, number in self._own.items():
            found[self.mark == mark] = -1 if number is None else number
        return found

    def species(self) -> npt.NDArray[np.object_]:
        """Species of each syllable's cluster, empty where it has none."""
        return self._of_clusters({n: found.species for n, found in self.clusters.items()})

    def modes(self) -> npt.NDArray[np.object_]:
        """Whole name of each syllable's mode, empty where it is in none."""
        return self._of_clusters({n: found.mode for n, found in self.clusters.items()})

    def _of_clusters(self, names: Mapping[int, str]) -> npt.NDArray[np.object_]:
        numbers, place = np.unique(self.where(), return_inverse=True)
        return np.array([names.get(int(n), "") for n in numbers], dtype=object)[place]

    def review(self) -> npt.NDArray[np.object_]:
        """What a person did to each syllable: "", good, noise, not-species or moved."""
        moved = np.where(self.moved, "moved", "")
        return np.where(self.mark != "", self.mark, moved).astype(object)

    def digest(self) -> str:
        """See `birdmodes.modes.digest`."""
        content = {"syllable": self.syllables, "cluster": self.where(), "mode": self.modes()}
        return assignments_digest(pd.DataFrame(content))

    def rows(self, syllables: Iterable[str]) -> tuple[Ints, int]:
        """Rows of the syllables that are here, and how many are not."""
        names = list(syllables)
        found = [self._row[name] for name in names if name in self._row]
        return np.array(found, dtype=np.int64), len(names) - len(found)

    def fresh(self) -> int:
        """Give a number that no cluster has had."""
        return self._largest + 1

    def describe(self, number: int) -> str:
        """A cluster in words."""
        found = self.clusters.get(number)
        if found is None or not found.species:
            return f"cluster {number}"
        is_new = not found.name and found.number is None
        return f"{f'new mode of {found.species}' if is_new else found.mode} (cluster {number})"

    def apply(self, edit: Edit) -> list[str]:
        """Apply an edit as far as that can be done.

        Returns
        -------
        list of str
            What could not be done, in words.

        Raises
        ------
        MisfitError
            If nothing could be done.
        """
        steps = {
            "rename": self._rename,
            "species": self._species,
            "merge": self._merge,
            "split": self._split,
            "new-mode": self._new_mode,
            "move": self._move,
            "mark": self._mark,
        }
        return steps[edit.action](edit.values)

    def end_batch(self) -> list[str]:
        """Give what was set aside its clusters, and every mode a name of its own.

        Returns
        -------
        list of str
            Names that had to be changed, in words.
        """
        for mark in SET_ASIDE:
            if self._own[mark] is None and (self.mark == mark).any():
                number = self.fresh()
                self._add(number, Cluster("", background=mark == "noise"))
                self._own[mark] = number
        for number in sorted(self.clusters):
            found = self.clusters[number]
            if found.species and found.number is None:
                found.number = self._numbers.get(found.species, 0) + 1
                self._note_number(found)
        return self._make_names_unique()

    def _make_names_unique(self) -> list[str]:
        problems = []
        taken: set[tuple[str, str]] = set()
        for number in np.unique(self.where()).tolist():
            found = self.clusters[number]
            if not found.species:
                continue
            wanted, count = found.short, 1
            while (found.species, found.short) in taken:
                count += 1
                found.name = f"{wanted} ({count})"
            if count > 1:
                problems.append(
                    f"{found.species} has two modes called {wanted!r}: cluster {number} is now "
                    f"called {found.name!r}; give it another name"
                )
            taken.add((found.species, found.short))
        return problems

    def _note_number(self, found: Cluster) -> None:
        if found.species and found.number is not None:
            largest = self._numbers.get(found.species, 0)
            self._numbers[found.species] = max(largest, found.number)

    def _rename(self, values: Mapping[str, Any]) -> list[str]:
        self._need(values["cluster"]).name = values["name"]
        return []

    def _species(self, values: Mapping[str, Any]) -> list[str]:
        found = self._need(values["cluster"])
        self._adopt(values["cluster"])
        found.give_species(values["species"])
        found.background = False
        self.named[self.cluster == values["cluster"]] = bool(values["species"])
        return []

    def _merge(self, values: Mapping[str, Any]) -> list[str]:
        here = [number for number in values["clusters"] if number in self.clusters]
        problems = [self._missing(n) for n in values["clusters"] if n not in self.clusters]
        if len(here) < 2:
            raise MisfitError("; ".join(problems))
        kept, *others = here
        for other in others:
            rows = np.flatnonzero(self.where() == other)
            if self.clusters[other].species != self.clusters[kept].species:
                self.named[rows] = bool(self.clusters[kept].species)
            self._put(rows, kept)
            self.cluster[self.cluster == other] = kept
            self._own = {m: None if n == other else n for m, n in self._own.items()}
            del self.clusters[other]
            self.merged[other] = kept
        return problems

    def _split(self, values: Mapping[str, Any]) -> list[str]:
        number = values["cluster"]
        found = self._need(number)
        self._check_new(values["new_clusters"])
        self._adopt(number)
        inside = self.where() == number
        problems, parts = [], []
        for group in values["groups"]:
            rows, missing = self.rows(group)
            elsewhere = int((~inside[rows]).sum())
            parts.append(rows[inside[rows]])
            problems += _absent(missing, len(group))
            if elsewhere:
                problems.append(f"{elsewhere} of {len(group)} syllables are elsewhere by now")
        if not any(len(rows) for rows in parts[1:]):
            raise MisfitError(
                f"nothing to split off {self.describe(number)}: {'; '.join(problems)}"
            )
        for new, rows in zip(values["new_clusters"], parts[1:], strict=True):
            self._add(new, Cluster(found.species, background=found.background))
            self._put(rows, new)
        return problems

    def _new_mode(self, values: Mapping[str, Any]) -> list[str]:
        self._check_new([values["cluster"]])
        rows, problems = self._some(values["syllables"])
        self._add(values["cluster"], Cluster(values["species"], values["name"]))
        self._choose(rows, values["cluster"])
        return problems

    def _move(self, values: Mapping[str, Any]) -> list[str]:
        self._need(values["cluster"])
        rows, problems = self._some(values["syllables"])
        self._choose(rows, values["cluster"])
        return problems

    def _mark(self, values: Mapping[str, Any]) -> list[str]:
        rows, problems = self._some(values["syllables"])
        mark = values["as"]
        if mark == "not-species":
            # Those that are given another species anyway stay where they are.
            rows = rows[self.species()[rows] == values["species"]]
        self.mark[rows] = "" if mark == "none" else mark
        return problems

    def _choose(self, rows: Ints, number: int) -> None:
        self.mark[rows] = ""
        self._put(rows, number)
        self.moved[rows] = True

    def _put(self, rows: Ints, number: int) -> None:
        """Lay syllables into a cluster."""
        for mark, own in self._own.items():
            if number == own:
                self.mark[rows] = mark
                return
        self.cluster[rows] = number
        self.mark[rows[np.isin(self.mark[rows], SET_ASIDE)]] = ""

    def _adopt(self, number: int) -> None:
        """Make a cluster of what was set aside one like the others."""
        for mark, own in self._own.items():
            if number == own:
                inside = self.mark == mark
                self.cluster[inside] = number
                self.mark[inside] = ""
                self._own[mark] = None

    def _need(self, number: int) -> Cluster:
        if number not in self.clusters:
            raise MisfitError(self._missing(number))
        return self.clusters[number]

    def _missing(self, number: int) -> str:
        if number in self.merged:
            return f"cluster {number} is merged into {self.describe(self.merged[number])} already"
        return f"there is no cluster {number}"

    def _check_new(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            if number in self.clusters or number in self.merged:
                raise MisfitError(f"the number {number} for a new cluster is taken")

    def _add(self, number: int, cluster: Cluster) -> None:
        self.clusters[number] = cluster
        self._largest = max(self._largest, number)

    def _some(self, syllables: Sequence[str]) -> tuple[Ints, list[str]]:
        rows, missing = self.rows(syllables)
        problems = _absent(missing, len(syllables))
        if not len(rows):
            raise MisfitError("; ".join(problems))
        return rows, problems


def _absent(missing: int, of: int) -> list[str]:
    return [f"{missing} of {of} syllables are not here"] if missing else []


def _clusters(table: pd.DataFrame) -> dict[int, Cluster]:
    """Clusters of a table of syllables, with their names taken apart."""
    found: dict[int, Cluster] = {}
    background = table["background"] if "background" in table else [False] * len(table)
    columns = (table["cluster"], table["species"], table["mode"], background)
    first = ~table["cluster"].duplicated().to_numpy()
    rows = zip(*(pd.Series(column).to_numpy()[first] for column in columns), strict=True)
    for cluster, species, mode, is_background in rows:
        short = mode.removeprefix(f"{species} ") if species else ""
        default = re.fullmatch(r"mode ([0-9]{1,9})", short)
        found[int(cluster)] = Cluster(
            species,
            name="" if default else short,
            number=int(default[1]) if default else None,
            background=bool(is_background),
        )
    return found
