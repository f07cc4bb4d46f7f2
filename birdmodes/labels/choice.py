"""Which labels count, and under which name."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Literal, get_args

from birdmodes.errors import LabelError
from birdmodes.io.paths import AnyPath
from birdmodes.io.printing import shown
from birdmodes.labels.cell_lists import CellLists
from birdmodes.labels.model import LabelEntry, LabelTable
from birdmodes.labels.species_map import SpeciesMap, read_species_map
from birdmodes.labels.spelling import is_doubtful, is_nothing, names_in_cell, spelled
from birdmodes.labels.taxonomy import read_taxonomy

LabelsAs = Literal["auto", "lists", "spans", "boxes"]
"""How much labels say of single sounds, see `Choice`."""


@dataclass(frozen=True)
class Choice:
    """What the user wants of label files.

    Attributes
    ----------
    min_conf : float
        Detections of a lower confidence, 0 to 1, are left out; labels without one stay.
    names : SpeciesMap
        Other names for species.
    channel : int or None
        Labels of other channels, from 1, are left out; those without a channel stay.
    labels_as : {"auto", "lists", "spans", "boxes"}
        What labels with times say of the sounds they touch. "lists": nothing beyond the species
        list of the clip. "spans": sounds at these times are of these species, or of none.
        "boxes": sounds in these times and frequencies are of these species; labels without
        frequencies are lists. "auto": boxes where there are frequencies, else spans.
    """

    min_conf: float
    names: SpeciesMap
    channel: int | None = None
    labels_as: LabelsAs = "auto"

    def of(self, table: LabelTable) -> TableChoice:
        """Bring the choice to one file."""
        return TableChoice(self, table)


class TableChoice:
    """What the user wants of one label file.

    Parameters
    ----------
    choice : Choice
        What the user wants of all.
    table : LabelTable
        The file.
    """

    def __init__(self, choice: Choice, table: LabelTable) -> None:
        self._choice = choice
        self._table = table
        cells = {entry.species for entry in table.entries}
        self._lists = CellLists(name for cell in cells for name in names_in_cell(cell))
        self._maybe_several: dict[str, int] = {}
        self._doubtful: dict[str, int] = {}
        self._known: dict[str, tuple[str, ...]] = {}
        self._nothing: dict[str, list[int]] = defaultdict(list)
        self._other_channels: Counter[int] = Counter()

    def species(self, entry: LabelEntry) -> tuple[str, ...]:
        """Species that a label gives; none if it is left out or names none.

        Raises
        ------
        LabelError
            If it is not clear whether it names one species or several.
        """
        channel = self._choice.channel
        if channel is not None and entry.channel not in (None, channel):
            self._other_channels[entry.channel or 0] += 1
            return ()
        if entry.confidence is not None and entry.confidence < self._choice.min_conf:
            return ()
        if entry.species and self.is_nothing(entry):
            self._nothing[entry.species].append(entry.line)
            return ()
        found = self._known.get(entry.species)
        if found is None:
            names = [n for name in names_in_cell(entry.species) for n in self._named(entry, name)]
            found = self._known[entry.species] = tuple(dict.fromkeys(names))
        return found

    def is_nothing(self, entry: LabelEntry) -> bool:
        """Whether a label says that there is no species."""
        text = spelled(entry.species)
        return not text or (is_nothing(text) and self._choice.names.get(text) is None)

    def keeps_name(self, entry: LabelEntry) -> bool:
        """Whether the user gave no other name for the species of a label."""
        return all(self._choice.names.get(name) is None for name in names_in_cell(entry.species))

    def _named(self, entry: LabelEntry, name: str) -> tuple[str, ...]:
        mapped = self._choice.names.get(name)
        if mapped is not None:
            return mapped
        if is_nothing(name):
            return ()
        if self._table.own and self._lists.is_unclear(name):
            raise LabelError(
                f"{shown(self._table.path)}, line {entry.line}: {name!r} may be one species or "
                "several; write several with ';' between them, or say what it is with "
                f'--species-map, which has a line such as \'"{name}","{name}"\' for one'
            )
        parts = self._lists.split(name)
        if parts != (name,):
            return tuple(each for part in parts for each in self._named(entry, part))
        # labels of single sounds are seldom of several species: there it is not asked
        doubtful = self._lists.is_unclear(name) and not self._table.own
        if doubtful or self._lists.may_be_several(name):
            self._maybe_several.setdefault(name, entry.line)
        if is_doubtful(name):
            self._doubtful.setdefault(name, entry.line)
        self._choice.names.keep(name)
        return (name,)

    def warnings(self) -> list[str]:
        """What the user should know of the labels that were left out."""
        where = shown(self._table.path)
        found = []
        for text, lines in sorted(self._nothing.items()):
            more = f" and {len(lines) - 1} more rows" if len(lines) > 1 else ""
            found.append(
                f"{where}, line {lines[0]}{more}: {text!r} is taken for no species; if it is one, "
                "name it with --species-map"
            )
        found += [
            f"{where}, line {line}: {name!r} is taken for a species; if it is none, leave it out "
            f"with a line '{name},' in --species-map"
            for name, line in sorted(self._doubtful.items())
        ]
        if self._maybe_several:
            name, first = next(iter(self._maybe_several.items()))
            others = len(self._maybe_several) - 1
            also = f", and so are {others} more like it" if others else ""
            found.append(
                f"{where}, line {first}: {name!r} is taken for one species{also}; write several "
                "with ';' between them"
            )
        if self._other_channels:
            count = self._other_channels.total()
            found.append(
                f"{where}: {count} labels of other channels than --channel "
                f"{self._choice.channel} are left out"
            )
        return found


def make_choice(
    min_conf: float = 0.0,
    species_map: AnyPath | None = None,
    channel: int | None = None,
    labels_as: str = "auto",
    *,
    taxonomy: AnyPath | None = None,
    language: str | None = None,
) -> Choice:
    """Check and read what the user wants of label files.

    Parameters
    ----------
    min_conf : float
        Least confidence of a detection, 0 to 1.
    species_map : str or path-like, optional
        Table of other names for species, as `read_species_map` reads it.
    channel : int, optional
        Leave out labels of other channels, from 1; 0, the best one, leaves out none.
    labels_as : {"auto", "lists", "spans", "boxes"}
        What labels with times say of single sounds, see `Choice`.
    taxonomy, language : str or path-like, optional
        Table of species, and its column with the names to use; see
        `birdmodes.labels.taxonomy.read_taxonomy`. Whatever labels call a species, it gets its name
        there.

    Raises
    ------
    LabelError
        If the confidence is not from 0 to 1, or the table cannot be understood.
    """
    if not 0.0 <= min_conf <= 1.0:
        raise LabelError(
            f"the least confidence of a detection (--min-conf) is {min_conf:g}; it must be from 0 "
            "to 1"
        )
    if labels_as not in get_args(LabelsAs):
        raise LabelError(f"--labels-as must be {', '.join(get_args(LabelsAs))}, not {labels_as!r}")
    known = None if taxonomy is None else read_taxonomy(taxonomy, language)
    names = read_species_map(species_map, known)
    return Choice(min_conf, names, channel or None, labels_as)  # type: ignore[arg-type]
