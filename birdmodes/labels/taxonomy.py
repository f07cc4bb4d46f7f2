"""Tables of scientific names, and of names in people's own languages."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from birdmodes.errors import LabelError
from birdmodes.io.paths import AnyPath
from birdmodes.io.sheets import read_sheets
from birdmodes.io.tables import RowsTable, Table, column_key, read_table
from birdmodes.labels.spelling import spelled

SCIENTIFIC = (
    *("sci_name", "scientific name", "scientific_name", "scientificname", "scientific"),
    *("latin name", "latin_name", "latin", "binomial", "species_scientific"),
)
"""Columns of scientific names; else it is the first in which most cells look like such."""

COMMON = (
    *("primary_com_name", "common name", "common_name", "com_name", "english name", "english"),
    *("english_name", "vernacular name", "vernacular_name", "vernacularname"),
    *("species (english)", "species english", "name"),
)
"""Columns of common names, for those who name no language."""

EPITHET = ("species (scientific)", "species scientific", "specific epithet", "specificepithet")
"""Columns of the second half of scientific names, the first of which is in `GENUS`."""

GENUS, SUBSPECIES = "genus", "subspecies"

_TITLE_LINES = 10
"""Lines above the names of columns that are looked at, for such a table."""

_EXTINCT = " †‡"
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

    A scientific name goes before all others, and one in the language wanted before those of other
    languages, in which another species may be called so. What several are called tells none.

    Parameters
    ----------
    taxa : iterable of (Taxon, sequence of str)
        The species, and all that they are called in any column.
    """

    def __init__(self, taxa: Iterable[tuple[Taxon, Sequence[str]]]) -> None:
        found: dict[str, set[Taxon]] = defaultdict(set)
        wanted: dict[str, set[Taxon]] = defaultdict(set)
        first: dict[str, Taxon] = {}
        for taxon, names in taxa:
            first.setdefault(_key(taxon.scientific), taxon)
            wanted[_key(taxon.common)].add(taxon)
            for name in names:
                found[_key(name)].add(taxon)
        self._taxa = _single(found | wanted) | first

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
    table = _with_whole_names(table) or table
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


def _with_whole_names(table: Table) -> Table | None:
    """Put the halves of scientific names together, where they have columns of their own.

    So they have in IOC's master list, which has a row for each order, family and genus, and below
    it those of its species and subspecies, where what stood above is left out.
    """
    names_line, names = _names_of_columns(table)
    keys = [column_key(name) for name in names]
    epithet = next((keys.index(key) for key in EPITHET if key in keys), None)
    if epithet is None:
        return None
    common = next((keys.index(key) for key in COMMON if key in keys), None)
    lesser = keys.index(SUBSPECIES) if SUBSPECIES in keys else None
    rows, genus = [[SCIENTIFIC[1], "" if common is None else names[common]]], ""
    for line, row in table.rows():
        if line <= names_line:
            continue
        cells = row + [""] * len(keys)  # those after the last that is filled may be left out
        genus = cells[keys.index(GENUS)].strip(_EXTINCT) or genus
        second = cells[epithet].strip(_EXTINCT)
        if genus and second and (lesser is None or not cells[lesser].strip()):
            name = "" if common is None else cells[common].strip(_EXTINCT)
            rows.append([f"{genus.capitalize()} {second}", name])
    return RowsTable(table.path, rows, LabelError)


def _names_of_columns(table: Table) -> tuple[int, list[str]]:
    """Line and cells of the row that has the names for both halves, if there is one."""
    first = (table.header.line, list(table.header.names))
    for line, cells in [first, *itertools.islice(table.rows(), _TITLE_LINES)]:
        keys = {column_key(cell) for cell in cells}
        if GENUS in keys and not keys.isdisjoint(EPITHET):
            return line, cells
    return 0, []


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


def _single(found: Mapping[str, set[Taxon]]) -> dict[str, Taxon]:
    return {name: next(iter(of)) for name, of in found.items() if len(of) == 1 and name}


def _key(name: str) -> str:
    return spelled(name).casefold()
