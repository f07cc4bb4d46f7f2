"""Other names for species: a table that the user makes."""

from __future__ import annotations

from pathlib import Path

from birdmodes.errors import LabelError
from birdmodes.io.paths import AnyPath
from birdmodes.io.tables import read_rows
from birdmodes.labels.spelling import names_in_cell, spelled
from birdmodes.labels.taxonomy import Taxonomy

COLUMNS = ("from", "to")


class SpeciesMap:
    """Names of species as label files write them, to the names to use.

    Names are compared letter by letter, once they are `spelled`; those that are not in the map
    get their name in the taxonomy, if there is one, and else stay as they are.

    Parameters
    ----------
    names : dict
        Name to the species that it stands for; none: a label to leave out.
    path : pathlib.Path, optional
        Where it comes from, for messages.
    taxonomy : Taxonomy, optional
        Species by any of their names, codes included.
    """

    def __init__(
        self,
        names: dict[str, tuple[str, ...]],
        path: Path | None = None,
        taxonomy: Taxonomy | None = None,
    ) -> None:
        self._names = names
        self._taxonomy = taxonomy
        self._path = path
        self._used: set[str] = set()
        self._kept: set[str] = set()

    def get(self, name: str) -> tuple[str, ...] | None:
        """Species that a name stands for; None if it is not in the map."""
        found = self._names.get(name)
        if found is not None:
            self._used.add(name)
            return found
        taxon = None if self._taxonomy is None else self._taxonomy.get(name)
        return None if taxon is None else (taxon.common or taxon.scientific,)

    def keep(self, name: str) -> None:
        """Note that a name was kept."""
        self._kept.add(name)

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


def read_species_map(path: AnyPath | None, taxonomy: Taxonomy | None = None) -> SpeciesMap:
    """Read a map of names: CSV with the columns ``from`` and ``to``.

    Parameters
    ----------
    path : str, path-like or None
        The file; None for a map that changes nothing. An empty ``to`` leaves a label out, several
        species in it are separated by ``;``.
    taxonomy : Taxonomy, optional
        Names of what is not in the map.

    Raises
    ------
    LabelError
        If the file cannot be read, or says two things of one name.
    """
    names: dict[str, tuple[str, ...]] = {}
    if path is None:
        return SpeciesMap(names, taxonomy=taxonomy)
    path = Path(path)
    for line, values in read_rows(path, COLUMNS, LabelError):
        name = spelled(values["from"])
        if not name:
            raise LabelError(f"{path}, line {line}: no name in the column 'from'")
        to = names_in_cell(values["to"])
        if names.setdefault(name, to) != to:
            raise LabelError(f"{path}, line {line}: {name!r} was mapped otherwise further up")
    return SpeciesMap(names, path, taxonomy)
