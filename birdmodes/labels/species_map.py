"""Other names for species: a table that the user makes."""

from __future__ import annotations

from pathlib import Path

from birdmodes.errors import LabelError
from birdmodes.io.paths import AnyPath
from birdmodes.io.tables import read_rows
from birdmodes.labels.model import split_species

COLUMNS = ("from", "to")


class SpeciesMap:
    """Names of species as label files write them, to the names to use.

    Names are compared letter by letter; those that are not in the map stay as they are.

    Parameters
    ----------
    names : dict
        Name to the species that it stands for; none: a label to leave out.
    path : pathlib.Path, optional
        Where it comes from, for messages.
    """

    def __init__(self, names: dict[str, tuple[str, ...]], path: Path | None = None) -> None:
        self._names = names
        self._path = path
        self._known: dict[str, tuple[str, ...]] = {}
        self._used: set[str] = set()
        self._kept: set[str] = set()

    def __call__(self, text: str) -> tuple[str, ...]:
        """Species that a label stands for; several names in it are separated by ``;``."""
        found = self._known.get(text)
        if found is None:
            names = [species for name in split_species(text) for species in self._species(name)]
            found = self._known[text] = tuple(dict.fromkeys(names))
        return found

    def _species(self, name: str) -> tuple[str, ...]:
        if name in self._names:
            self._used.add(name)
            return self._names[name]
        self._kept.add(name)
        return (name,)

    def warnings(self) -> list[str]:
        """What does not fit between the map and the names it was applied to."""
        if self._path is None:
            return []
        # names that the map gives are as the user wants them
        wanted = {species for names in self._names.values() for species in names}
        kept = sorted(self._kept - wanted)
        unused = sorted(self._names.keys() - self._used)
        found = []
        if kept:
            found.append(f"{self._path}: names that are not in it are kept: {_listed(kept)}")
        if unused:
            found.append(f"{self._path}: names that no label file has: {_listed(unused)}")
        return found


def _listed(names: list[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(repr(name) for name in names[:most]) + more


def read_species_map(path: AnyPath | None) -> SpeciesMap:
    """Read a map of names: CSV with the columns ``from`` and ``to``.

    Parameters
    ----------
    path : str, path-like or None
        The file; None for a map that changes nothing. An empty ``to`` leaves a label out, several
        species in it are separated by ``;``.

    Raises
    ------
    LabelError
        If the file cannot be read, or says two things of one name.
    """
    names: dict[str, tuple[str, ...]] = {}
    if path is None:
        return SpeciesMap(names)
    path = Path(path)
    for line, values in read_rows(path, COLUMNS, LabelError):
        name = values["from"]
        if not name:
            raise LabelError(f"{path}, line {line}: no name in the column 'from'")
        to = split_species(values["to"])
        if names.setdefault(name, to) != to:
            raise LabelError(f"{path}, line {line}: {name!r} was mapped otherwise further up")
    return SpeciesMap(names, path)
