"""Tables with a column for each species: 0 and 1, or scores, as OpenSoundscape writes them."""

from __future__ import annotations

from dataclasses import dataclass

from birdmodes.errors import BirdmodesError
from birdmodes.io.printing import shown
from birdmodes.io.tables import Table
from birdmodes.labels.formats.cells import check_order
from birdmodes.labels.formats.peoples_columns import recording_column
from birdmodes.labels.model import LabelEntry
from birdmodes.labels.reading import Reading

CLIP_NAME = "table with a column for each species"
SCORE_NAME = "table with a score for each species"

_TIMES = (("start_time", "end_time"), ("start_s", "end_s"))
_YES = ("true", "t", "x", "yes", "y", "ja", "oui", "si", "sí", "sim", "present", "✓", "○")
_NO = ("", "false", "f", "no", "n", "nein", "non", "não", "absent", "-", "na", "nan", "n/a")
_WORDS = dict.fromkeys(_YES, 1.0) | dict.fromkeys(_NO, 0.0)
# Columns of tables of people beside those of species.
_NO_SPECIES = frozenset(
    {
        *("site", "location", "station", "plot", "observer", "date", "time", "datetime", "year"),
        *("month", "day", "hour", "minute", "duration", "latitude", "longitude", "lat", "lon"),
        *("id", "index", "notes", "note", "comment", "comments", "remarks", "habitat", "recorder"),
        *("ort", "standort", "datum", "uhrzeit", "zeit", "bemerkung", "bemerkungen", "beobachter"),
        *("lieu", "date", "heure", "remarque", "remarques", "observateur", "場所", "日付", "時刻"),
        *("備考", "lugar", "sitio", "fecha", "hora", "notas"),
    }
)
# What stands for all counts of more than one, and for all other numbers.
_COUNT, _SCORE = 2.0, 0.5


@dataclass(frozen=True)
class ClassColumns:
    """The columns of such a table.

    Attributes
    ----------
    table : Table
        The file.
    recording : int
        Place of the column of recordings.
    times : tuple of int or None
        Places of begin and end, if there are such.
    classes : list of int
        Places of the species' columns.
    binary : bool
        Whether they hold only 0 and 1, or counts.
    """

    table: Table
    recording: int
    times: tuple[int, int] | None
    classes: list[int]
    binary: bool

    @property
    def name(self) -> str:
        """What the format is called."""
        return CLIP_NAME if self.binary else SCORE_NAME

    def read(self, how: Reading) -> list[LabelEntry]:
        """Read the rows.

        Parameters
        ----------
        how : Reading
            How to read them; its ``min_conf`` says from which score on a species is there.

        Raises
        ------
        BirdmodesError
            The table's error, if there are scores and no such limit, or scores beyond 0 to 1.
        """
        least = 0.5 if self.binary else how.min_conf
        if least <= 0:
            raise self._error(
                "a column of scores for each species; say with --min-conf from which score on a "
                "species is there, as in --min-conf 0.5"
            )
        names = {place: self.table.header.names[place] for place in self.classes}
        entries = []
        for line, cells in self.table.rows():
            if len(cells) > len(self.table.header.names):
                raise self.table.too_many_cells(line)
            start_s, end_s = self._span(line, cells)
            heard = 0
            for place, name in names.items():
                score = self._score(line, place, cells[place])
                if score >= least:
                    heard += 1
                    conf = None if self.binary else score
                    entries.append(
                        LabelEntry(line, cells[self.recording], name, start_s, end_s, conf)
                    )
            if not heard:
                entries.append(LabelEntry(line, cells[self.recording], ""))
        return entries

    def _span(self, line: int, cells: list[str]) -> tuple[float | None, float | None]:
        if self.times is None:
            return None, None
        start_s, end_s = (self.table.number(line, i, cells[i]) for i in self.times)
        check_order(self.table, line, start_s, end_s)
        return start_s, end_s

    def _score(self, line: int, place: int, cell: str) -> float:
        score = _WORDS.get(cell.casefold())
        if score is None:
            score = self.table.number(line, place, cell)
        if not 0 <= score <= 1 and not self.binary:
            raise self._error(
                f"line {line}: the score {cell} is not from 0 to 1; let the program that made it "
                "write probabilities (in OpenSoundscape activation_layer='sigmoid')"
            )
        return score

    def _error(self, what: str) -> BirdmodesError:
        return self.table.error(f"{shown(self.table.path)}: {what}")


def class_columns(table: Table) -> ClassColumns | None:
    """Find out whether a table has a column for each species.

    It has a column of recordings, and all others but those of times, places and remarks hold
    numbers; without times, only 0 and 1 or counts, in at least two columns.

    Parameters
    ----------
    table : Table
        The file.

    Returns
    -------
    ClassColumns or None
        None if it is another kind of table.
    """
    header = table.header
    recording = recording_column(header)
    if recording is None:
        return None
    times = next((pair for pair in _TIMES if header.has(*pair)), None)
    taken = {recording} | {header.index(name) for name in times or ()}
    classes = [
        i for i, key in enumerate(header.keys) if i not in taken and key and key not in _NO_SPECIES
    ]
    values = _values(table, classes)
    if values is None or not classes or not values:
        return None
    binary = values <= {0.0, 1.0} or (times is None and values <= {0.0, 1.0, _COUNT})
    if times is None and (not binary or len(classes) < 2):
        return None
    places = (header.index(times[0]), header.index(times[1])) if times else None
    return ClassColumns(table, recording, places, classes, binary)


def _values(table: Table, places: list[int]) -> set[float] | None:
    """Numbers in some columns, counts and others as one; None if there is something else."""
    found: set[float] = set()
    for _, cells in table.rows():
        if len(cells) > len(table.header.names):
            return None
        for place in places:
            word = _WORDS.get(cells[place].casefold())
            if word is None:
                try:
                    word = float(cells[place].replace(",", "."))
                except ValueError:
                    return None
            found.add(word if word in (0.0, 1.0) else _kind(word))
    return found


def _kind(number: float) -> float:
    return _COUNT if number > 1 and number.is_integer() else _SCORE
