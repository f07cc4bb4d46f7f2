"""Tables of scientific names, and of names in people's own languages."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from birdmodes.errors import LabelError
from birdmodes.io.paths import AnyPath
from birdmodes.io.sheets import read_sheets
from birdmodes.io.tables import RowsTable, Table, read_table
from birdmodes.labels.spelling import spelled

SCIENTIFIC = (
    *("sci_name", "scientific name", "scientific_name", "scientificname", "scientific"),
    *("latin name", "latin_name", "latin", "binomial", "species_scientific"),
)
"""Columns of scientific names; else it is the first in which most cells look like such."""

COMMON = (
    *("primary_com_name", "common name", "common_name", "com_name", "english name", "english"),
    *("english_name", "vernacular name", "vernacular_name", "vernacularname", "name"),
)
"""Columns of common names, for those who name no language."""

_SHEETS = (".xlsx", ".xls", ".ods")
_BINOMIAL = re.compile(r"[A-Z][a-zë-]+ [a-zë-]{2,}")
_MOST, _SEEN = 0.8, 500


class OtherName(NamedTuple):
    """A further name of a species, and whether it is the scientific one."""

    text: str
    is_scientific: bool


class Taxon(NamedTuple):
    """A species: its scientific name, and its name in the language wanted (may be empty)."""

    scientific: str
    common: str

    def beside(self, name: str) -> list[OtherName]:
        """Names to show beside one that is used already."""
        both = OtherName(self.scientific, True), OtherName(self.common, False)
        return [other for other in both if other.text and other.text != name]


class Taxonomy:
    """Species by any of their names.

    Parameters
    ----------
    taxa : iterable of (Taxon, sequence of str)
        The species, and all that they are called in any column.
    """

    def __init__(self, taxa: Iterable[tuple[Taxon, Sequence[str]]]) -> None:
        found: dict[str, set[Taxon]] = defaultdict(set)
        first: dict[str, Taxon] = {}
        for taxon, names in taxa:
            first.setdefault(_key(taxon.scientific), taxon)
            for name in names:
                found[_key(name)].add(taxon)
        # A scientific name goes first; what several species are called tells none of them.
        single = {name: next(iter(of)) for name, of in found.items() if len(of) == 1 and name}
        self._taxa = single | first

    def __len__(self) -> int:
        return len(set(self._taxa.values()))

    def get(self, name: str) -> Taxon | None:
        """The species that a name is of; None if there is none, or more than one."""
        return self._taxa.get(_key(name))


def read_taxonomy(path: AnyPath, language: str | None = None) -> Taxonomy:
    """Read eBird's or IOC's table, or any with a column of scientific names.

    Parameters
    ----------
    path : str or path-like
        CSV, text in tabs, or a spreadsheet.
    language : str, optional
        Name of the column with the common names wanted; by default the first of `COMMON`, or the
        first column of names that are all different.

    Raises
    ------
    LabelError
        If it cannot be read, or has no such columns.
    """
    path = Path(path)
    table = _read(path)
    rows = [cells for _, cells in table.rows()]
    scientific = table.header.first(SCIENTIFIC)
    columns = range(len(table.header.names))
    if scientific is None:
        scientific = next((at for at in columns if _looks_scientific(rows, at)), None)
    if scientific is None:
        raise LabelError(
            f"{path}: no column of scientific names (found: {table.header.listed()}); call it "
            "'scientific name'"
        )
    names = [at for at in columns if at != scientific and _are_names(rows, at)]
    common = _common(table, language, names)
    taxa = []
    for cells in rows:
        if len(cells) > max(columns) and cells[scientific]:
            own = cells[common] if common is not None else ""
            taxon = Taxon(spelled(cells[scientific]), spelled(own))
            taxa.append((taxon, [cells[at] for at in names if cells[at]]))
    return Taxonomy(taxa)


def _read(path: Path) -> Table:
    if path.suffix.lower() not in _SHEETS:
        return read_table(path, LabelError)
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise LabelError(f"{path}: cannot be read ({error.strerror or error})") from error
    sheets = [sheet.rows for sheet in read_sheets(path, raw, LabelError).values()]
    return RowsTable(path, max(sheets, key=len, default=[]), LabelError)


def _common(table: Table, language: str | None, names: list[int]) -> int | None:
    if language is None:
        found = table.header.first(COMMON)
        return next(iter(names), None) if found is None else found
    at = table.header.first([" ".join(language.split()).casefold()])
    if at is None:
        raise LabelError(
            f"{table.path}: no column {language!r} (found: {table.header.listed()}); --language "
            "names one of them"
        )
    return at


def _looks_scientific(rows: list[list[str]], column: int) -> bool:
    cells = [row[column] for row in rows[:_SEEN] if len(row) > column and row[column]]
    fitting = sum(bool(_BINOMIAL.match(cell)) for cell in cells)
    return bool(cells) and fitting >= _MOST * len(cells)


def _are_names(rows: list[list[str]], column: int) -> bool:
    """Whether a column tells species apart, as orders, families and ranges do not."""
    cells = [row[column] for row in rows if len(row) > column and row[column]]
    words = [cell for cell in cells if not cell.replace(".", "").isdigit()]
    return len(words) >= _MOST * len(cells) > 0 and len(set(words)) >= _MOST * len(words)


def _key(name: str) -> str:
    return spelled(name).casefold()
