"""Columns that say whether the species of a row was there, and rows that say it was not."""

from __future__ import annotations

import re
from collections.abc import Mapping

from birdmodes.io.printing import shown
from birdmodes.io.tables import Table
from birdmodes.io.text import shorten

_REMARK = re.compile(r"[(\[].*[)\]]")
# Who judged, and that it is a judgement; what is left says what of.
_BESIDE = frozenset(
    {
        *("is", "was", "status", "result", "outcome", "flag", "state", "manual", "manually"),
        *("human", "expert", "user", "observer", "final", "visual", "visually", "detection"),
        *("ergebnis", "manuell", "statut", "estado"),
    }
)
_PRESENT = frozenset(
    {
        *(
            "present",
            "presence",
            "presence absence",
            "presence/absence",
            "is present",
            "occurrence",
        ),
        *("occurrence status", "occurrencestatus", "detected", "detection", "is detected", "heard"),
        *("present/absent", "present absent", "presence absence", "p/a", "anwesenheit"),
        *("vorhanden", "anwesend", "erkannt", "gehört", "nachgewiesen", "nachweis"),
        *("présent", "présence", "détecté", "entendu", "presente", "presencia", "detectado"),
        *("presença", "presenza", "aanwezig", "在", "有無", "存在", "检出", "検出"),
    }
)
_ABSENT = frozenset(
    {
        *("absent", "absence", "is absent", "not present", "not detected", "false positive"),
        *("falsepositive", "is false positive", "fp", "abwesend", "fehlt", "ausente", "ausencia"),
    }
)
_COUNT = frozenset(
    {
        *("count", "counts", "abundance", "individuals", "individual count", "individualcount"),
        *(
            "detections",
            "n detections",
            "number of detections",
            "calls",
            "n calls",
            "number of calls",
        ),
        *("number of individuals", "n individuals", "number observed", "anzahl", "individuen"),
        *("effectif", "nombre", "nombre d'individus", "número", "numero", "cantidad", "aantal"),
        *("個体数", "数量", "數量", "羽数"),
    }
)
_VALID = frozenset(
    {
        *("validated", "validation", "valid", "is valid", "validity", "verified", "is verified"),
        *("verification", "confirmed", "is confirmed", "confirmation", "correct", "is correct"),
        *("true positive", "is true positive", "tp", "review status", "reviewed status"),
        *("bestätigt", "geprüft", "verifiziert", "validé", "validée", "vérifié", "confirmé"),
        *("validado", "confirmado", "verificado", "確認", "確認済", "确认"),
    }
)
# These may also be numbers of rows, or scores.
_MAYBE_COUNT = frozenset({"n", "number", "quantity", "value", "total", "seen", "occupancy"})
_STATUS = frozenset(
    {
        *("status", "review", "outcome", "result", "accept", "accepted", "agree", "agreed"),
        *("approved", "tp/fp", "tp fp", "fp/tp", "akzeptiert", "accepté", "aceptado"),
    }
)
_YES = frozenset(
    {
        *("1", "1.0", "yes", "y", "true", "t", "x", "✓", "✔", "present", "detected", "heard", "+"),
        *("ja", "j", "oui", "o", "si", "sí", "s", "sim", "wahr", "vrai", "verdadero", "tp", "○"),
        *("positive", "correct", "valid", "validated", "confirmed", "verified", "accepted", "p"),
        *("right", "good", "ok", "true positive", "有", "あり", "是"),
    }
)
_NO = frozenset(
    {
        *("0", "0.0", "no", "n", "false", "f", "absent", "not present", "-", "nein", "non", "não"),
        *("falsch", "faux", "falso", "fp", "a", "negative", "not detected", "undetected", "×"),
        *("incorrect", "invalid", "wrong", "rejected", "unsure", "uncertain", "unverified", "?"),
        *("unconfirmed", "not confirmed", "not verified", "not validated", "unvalidated", "bad"),
        *("false positive", "無", "なし", "无", "否"),
    }
)
_NONE = frozenset({"", ".", "none", "no", "absent"})
_MARKS = frozenset({"x", "+", "1", "✓", "✔", "○", "yes", "ja", "oui", "true"})


def _column(key: str) -> str:
    """What a column is called, without how it is to be filled."""
    return " ".join(re.sub(r"[_.\-?]", " ", _REMARK.sub("", key)).split())


def _bare(name: str) -> str:
    """What a judgement is about, without who judged."""
    return " ".join(word for word in name.split() if word not in _BESIDE)


def _kind(key: str, kinds: Mapping[frozenset[str], str]) -> str:
    """Kind of a column; ``maybe`` before it where only its values can tell; empty for others."""
    name = _column(key)
    for names, kind in kinds.items():
        if name in names:
            return kind
    return next((f"maybe {kind}" for names, kind in kinds.items() if _bare(name) in names), "")


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
        if counts:
            kinds |= {_COUNT: "count", _STATUS: "status", _MAYBE_COUNT: "unknown"}
        self._columns = [
            (place, kind)
            for place, key in enumerate(table.header.keys)
            if (kind := _kind(key, kinds))
        ]
        self._rows = 0
        self._filled = self._contents() if self._columns else {}
        self._unknown = [
            place
            for place, kind in self._columns
            if kind == "unknown" and "0" in self._filled[place] and not self._counts(place)
        ]
        self._columns = [
            (place, kind.removeprefix("maybe "))
            for place, kind in self._columns
            if self._is_heeded(place, kind)
        ]
        self._absent = 0

    def _is_heeded(self, place: int, kind: str) -> bool:
        """Whether a column is filled; one that may be of anything, only with yes and no."""
        values = self._filled[place]
        if kind == "unknown":
            return self._counts(place)
        unsure = kind == "status" or kind.startswith("maybe ")
        return bool(values) and (not unsure or values <= _YES | _NO)

    def _counts(self, place: int) -> bool:
        """Whether a column that may count animals does: whole numbers, some 0, no numbering."""
        values = self._filled[place]
        whole = [int(value) for value in values if value.isdecimal()]
        numbered = len(whole) == self._rows and max(whole, default=0) == self._rows - 1
        return "0" in values and len(whole) == len(values) and not (numbered and self._rows > 2)

    def _contents(self) -> dict[int, set[str]]:
        """Values of each of the columns."""
        found: dict[int, set[str]] = {place: set() for place, _ in self._columns}
        for _, cells in self._table.rows():
            self._rows += 1
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
        if kind in ("count", "unknown"):
            return bool(text) and text.replace(",", ".").strip("0") in _NONE
        if not text:
            # a column of marks leaves empty what is not so
            return kind in ("present", "valid") and self._filled[place] <= _MARKS
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
        for place in self._unknown:
            self._table.notes.append(
                f"{shown(self._table.path)}: the column {self._table.header.names[place]!r}, which "
                "has zeros, is not used; if it counts animals, call it 'count'"
            )
