"""Columns that say whether the species of a row was there, and rows that say it was not."""

from __future__ import annotations

from birdmodes.io.printing import shown
from birdmodes.io.tables import Table
from birdmodes.io.text import shorten

_PRESENT = frozenset(
    {
        *("present", "presence", "presence_absence", "detected", "vorhanden", "anwesend"),
        *("présent", "présence", "presente", "presencia"),
    }
)
_ABSENT = frozenset({"absent", "absence", "abwesend", "ausente"})
_COUNT = frozenset({"count", "counts", "abundance", "individuals", "anzahl", "número"})
_VALID = frozenset(
    {
        *("validated", "validation", "valid", "verified", "verification", "confirmed", "correct"),
        *("bestätigt", "geprüft", "validé", "validado"),
    }
)
_YES = frozenset(
    {
        *("1", "yes", "y", "true", "t", "x", "present", "+", "ja", "oui", "si", "sí", "tp"),
        *("positive", "correct", "valid", "confirmed", "verified", "p"),
    }
)
_NO = frozenset(
    {
        *("0", "no", "n", "false", "f", "absent", "-", "nein", "non", "fp", "a", "negative"),
        *("incorrect", "invalid", "wrong", "rejected", "unsure", "uncertain", "unverified", "?"),
    }
)
_MARKS = frozenset({"x", "+"})


class Judgement:
    """What the columns of a table say on whether species were there.

    Columns such as ``present`` and ``validated`` hold yes or no (0 or 1, x or nothing ...);
    ``absent`` the contrary; a ``count`` of 0 is none.

    Parameters
    ----------
    table : Table
        The file.
    counts : bool
        Whether columns called ``count`` are heeded.
    """

    def __init__(self, table: Table, *, counts: bool = False) -> None:
        self._table = table
        kinds = {_PRESENT: "present", _ABSENT: "absent", _VALID: "valid"}
        kinds |= {_COUNT: "count"} if counts else {}
        self._columns = [
            (place, kind)
            for place, key in enumerate(table.header.keys)
            for names, kind in kinds.items()
            if key in names
        ]
        self._filled = self._contents() if self._columns else {}
        self._columns = [each for each in self._columns if self._filled[each[0]]]
        self._absent = 0

    def _contents(self) -> dict[int, set[str]]:
        """Values of each of the columns."""
        found: dict[int, set[str]] = {place: set() for place, _ in self._columns}
        for _, cells in self._table.rows():
            for place, values in found.items():
                values.add(cells[place].casefold())
        return {place: values - {""} for place, values in found.items()}

    def denies(self, line: int, cells: list[str]) -> bool:
        """Whether a row says that its species was not there.

        Raises
        ------
        BirdmodesError
            The table's error, if a cell is neither yes nor no.
        """
        if not self._columns:
            return False
        denied = any(
            self._says_no(line, cells[place], place, kind) for place, kind in self._columns
        )
        self._absent += denied
        return denied

    def _says_no(self, line: int, cell: str, place: int, kind: str) -> bool:
        text = cell.casefold()
        if kind == "count":
            return text.strip("0") in ("", ".") and text[:1] == "0"
        if not text:
            # a column of marks leaves empty what is not so
            return kind == "present" and self._filled[place] <= _MARKS
        if text in _NO or text in _YES:
            return (text in _NO) != (kind == "absent" and text not in ("absent", "present"))
        name = self._table.header.names[place]
        raise self._table.wrong(
            line,
            f"{name!r} is {shorten(cell)!r}; write 1 for yes, 0 for no, or rename the column",
        )

    def note(self) -> None:
        """Tell the user how many rows were taken so."""
        if self._absent:
            names = ", ".join(repr(self._table.header.names[place]) for place, _ in self._columns)
            self._table.notes.append(
                f"{shown(self._table.path)}: {self._absent} rows say by {names} that their species "
                "was not there; they give no label"
            )
