"""What edits make of a clustering, step by step: which syllables lie where, and what it is called.

Numbers of clusters are never used twice: new ones are larger than all before. Noise, and syllables
that are not of the species they were given, keep in mind where they came from, so that a mark can
be taken away; at the end of a batch of edits they get clusters of their own.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.modes.digest import assignments_digest
from birdmodes.review.box_edits import MisfitError, absent
from birdmodes.review.box_steps import BOX_STEPS, UNPLACED, place_added
from birdmodes.review.clusters import Cluster, clusters_in
from birdmodes.review.edits import Edit

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

SET_ASIDE = ("noise", "not-species")
"""Marks of syllables that leave their cluster."""


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
    here : ndarray of bool, shape (n_syllables,)
        Whether it is a syllable; false for those that were joined to others or thrown away.
    wanted : dict of int to str
        By row: species of added syllables, as far as a person said it.
    placed : dict of str to int
        By syllable: cluster of added ones, as far as it is known; given and completed.
    """

    def __init__(self, table: pd.DataFrame, placed: Mapping[str, int] | None = None) -> None:
        self.syllables = table["syllable"].to_numpy()
        self._row = {name: row for row, name in enumerate(self.syllables)}
        self.cluster = table["cluster"].to_numpy(dtype=np.int64).copy()
        self.mark = np.full(len(table), "", dtype="<U11")
        self.moved = np.zeros(len(table), dtype=bool)
        self.named = np.zeros(len(table), dtype=bool)
        self.clusters = clusters_in(table)
        self.here = np.ones(len(table), dtype=bool)
        self.wanted: dict[int, str] = {}
        self.placed = dict(placed or {})
        self.merged: dict[int, int] = {}
        self._own: dict[str, int | None] = dict.fromkeys(SET_ASIDE)
        self._largest = max(self.clusters, default=-1)
        self._numbers: dict[str, int] = {}
        for found in self.clusters.values():
            self._note_number(found)

    def where(self) -> Ints:
        """Cluster of each syllable; -1 for those set aside or added since the batch began."""
        found = self.cluster.copy()
        for mark, number in self._own.items():
            found[self.mark == mark] = -1 if number is None else number
        found[~self.here] = -1
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
        return assignments_digest(pd.DataFrame(content)[self.here])

    def rows(self, syllables: Iterable[str]) -> tuple[Ints, int]:
        """Rows of the syllables that are here, and how many are not."""
        names = list(syllables)
        found = [self._row[name] for name in names if name in self]
        return np.array(found, dtype=np.int64), len(names) - len(found)

    def __contains__(self, syllable: str) -> bool:
        """Whether there is such a syllable."""
        return syllable in self._row and bool(self.here[self._row[syllable]])

    def row_of(self, syllable: str) -> int:
        """Row of a syllable, also of one that is gone; -1 if it never was here."""
        return self._row.get(syllable, -1)

    def add_row(self, syllable: str) -> int:
        """Make room for a syllable that comes to these, or comes back; gives its row."""
        row = self._row.setdefault(syllable, len(self.syllables))
        if row == len(self.syllables):
            self.syllables = np.append(self.syllables, np.array([syllable], dtype=object))
            self.cluster = np.append(self.cluster, UNPLACED)
            self.mark = np.append(self.mark, np.array([""], dtype=self.mark.dtype))
            self.moved, self.named, self.here = (
                np.append(column, False) for column in (self.moved, self.named, self.here)
            )
        self.here[row] = True
        return row

    def of(self, syllables: Sequence[str]) -> ReviewState:
        """The same clusters with these syllables, in this order; unknown ones are placed."""
        for name in syllables:
            self.add_row(name)
        place_added(self)
        other = copy.copy(self)
        rows = np.array([self._row[name] for name in syllables], dtype=np.int64)
        for name in ("syllables", "cluster", "mark", "moved", "named", "here"):
            setattr(other, name, getattr(self, name)[rows])
        other._row = {name: row for row, name in enumerate(syllables)}
        other.wanted = {}
        return other

    def fresh(self) -> int:
        """Give a number that no cluster has had."""
        return self._largest + 1

    def describe(self, number: int) -> str:
        """A cluster in words."""
        found = self.clusters.get(number)
        if found is None or not found.species:
            return f"cluster {number}"
        is_new = found.is_new and not found.name
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
        if edit.action in BOX_STEPS:
            return BOX_STEPS[edit.action](self, edit)
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
        place_added(self)
        for mark in SET_ASIDE:
            if self._own[mark] is None and (self.here & (self.mark == mark)).any():
                self._own[mark] = self.new_cluster("", background=mark == "noise")
        for number in sorted(self.clusters):
            found = self.clusters[number]
            if found.is_new:
                found.number = self._numbers.get(found.species, 0) + 1
                self._note_number(found)
        return self._make_names_unique()

    def _make_names_unique(self) -> list[str]:
        problems = []
        taken: set[tuple[str, str]] = set()
        for number in np.unique(self.where()[self.here]).tolist():
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
        if found.species and not found.is_new:
            largest = self._numbers.get(found.species, 0)
            # One that is called as its species is the first.
            self._numbers[found.species] = max(largest, found.number or 1)

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
        problems = [self.missing(n) for n in values["clusters"] if n not in self.clusters]
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
            problems += absent(missing, len(group))
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
        rows, problems = self.some(values["syllables"])
        self._add(values["cluster"], Cluster(values["species"], values["name"]))
        self.choose(rows, values["cluster"])
        return problems

    def _move(self, values: Mapping[str, Any]) -> list[str]:
        self._need(values["cluster"])
        rows, problems = self.some(values["syllables"])
        self.choose(rows, values["cluster"])
        return problems

    def _mark(self, values: Mapping[str, Any]) -> list[str]:
        rows, problems = self.some(values["syllables"])
        mark = values["as"]
        if mark == "not-species":
            # Those that are given another species anyway stay where they are.
            rows = rows[self.species()[rows] == values["species"]]
        self.mark[rows] = "" if mark == "none" else mark
        return problems

    def choose(self, rows: Ints, number: int) -> None:
        """Lay syllables into a cluster because a person said so."""
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
            raise MisfitError(self.missing(number))
        return self.clusters[number]

    def missing(self, number: int) -> str:
        """Say that there is no such cluster, in words."""
        if number in self.merged:
            return f"cluster {number} is merged into {self.describe(self.merged[number])} already"
        return f"there is no cluster {number}"

    def _check_new(self, numbers: Sequence[int]) -> None:
        for number in numbers:
            if number in self.clusters or number in self.merged:
                raise MisfitError(f"the number {number} for a new cluster is taken")

    def new_cluster(self, species: str, *, background: bool = False) -> int:
        """Make a cluster with a number that none has had; gives the number."""
        number = self.fresh()
        self._add(number, Cluster(species, background=background))
        return number

    def _add(self, number: int, cluster: Cluster) -> None:
        self.clusters[number] = cluster
        self._largest = max(self._largest, number)

    def some(self, syllables: Sequence[str]) -> tuple[Ints, list[str]]:
        """Rows of syllables, and a line if some are not here; a `MisfitError` if none is."""
        rows, missing = self.rows(syllables)
        problems = absent(missing, len(syllables))
        if not len(rows):
            raise MisfitError("; ".join(problems))
        return rows, problems
