"""What BirdNET writes as CSV, for R and for Kaleidoscope; its species names.

The columns have changed from version to version; none of the versions quotes a path with a comma.
BirdNET's Raven tables are read by `birdmodes.labels.formats.raven`, its Audacity tracks by
`birdmodes.labels.formats.audacity`.
"""

from __future__ import annotations

import re
from datetime import datetime

from birdmodes.io.tables import Table
from birdmodes.labels.formats.cells import chosen_column, confidence
from birdmodes.labels.formats.columns import NOTHING_BIRDNET, ColumnFormat
from birdmodes.labels.model import LabelEntry
from birdmodes.labels.reading import Reading

_BINOMIAL = re.compile(r"[A-Z][a-z-]+( [a-z.-]+){1,2}")


def common_name(label: str) -> str:
    """Common name in a label that holds both: ``Turdus merula_Eurasian Blackbird``.

    Newer versions write an underscore between the two, older ones a comma. Labels of other
    classifiers hold no scientific name in front, and stay as they are.

    Parameters
    ----------
    label : str
        The label.
    """
    for separator in ("_", ", "):
        scientific, found, common = label.partition(separator)
        if found and common.strip() and (_BINOMIAL.fullmatch(scientific) or scientific == common):
            return common.strip()
    return label


FORMATS = (
    ColumnFormat(
        "BirdNET CSV",
        columns=("start (s)", "end (s)", "common name"),
        start="start (s)",
        end="end (s)",
        species=("common name", "scientific name"),
        scientific=("scientific name",),
        recording=("file",),
        confidence="confidence",
        nothing=NOTHING_BIRDNET,
    ),
    ColumnFormat(
        "BirdNET table for R",
        columns=("filepath", "start", "end", "common_name"),
        start="start",
        end="end",
        species=("common_name", "scientific_name"),
        scientific=("scientific_name",),
        recording=("filepath",),
        confidence="confidence",
        nothing=NOTHING_BIRDNET,
    ),
    ColumnFormat(
        "birdnetlib detections",
        columns=("common_name", "start_time", "end_time"),
        start="start_time",
        end="end_time",
        species=("common_name", "scientific_name", "label"),
        scientific=("scientific_name",),
        recording=("file",),
        confidence="confidence",
        nothing=NOTHING_BIRDNET,
    ),
    ColumnFormat(
        "BirdNET table for Kaleidoscope",
        columns=("in file", "offset", "duration", "common_name"),
        start="offset",
        duration="duration",
        species=("common_name", "scientific_name"),
        scientific=("scientific_name",),
        recording=("indir", "folder", "in file"),
        confidence="confidence",
        nothing=NOTHING_BIRDNET,
    ),
)

BIRDDB_COLUMNS = ("date", "time", "com_name")
BIRDDB_WINDOW_S = 3.0
"""BirdNET listens to three seconds at a time."""


def read_birddb(table: Table, how: Reading) -> list[LabelEntry]:
    """Read the detections of BirdNET-Pi (BirdDB.txt), which have times by the clock only.

    Parameters
    ----------
    table : Table
        The file.
    how : Reading
        How to read it.

    Raises
    ------
    LabelError
        If a row cannot be understood.
    """
    header = table.header
    place = header.index("com_name")
    if how.label_column is not None:
        place = chosen_column(table, how.label_column)
    scientific, conf = header.first(("sci_name",)), header.first(("confidence",))
    entries = []
    for line, cells in table.rows():
        text = f"{cells[header.index('date')]}T{cells[header.index('time')]}"
        try:
            moment = datetime.fromisoformat(text).replace(tzinfo=None)
        except ValueError:
            raise table.wrong(
                line, f"{text!r} is not a date and a time such as 2024-05-03 and 04:30:00"
            ) from None
        entries.append(
            LabelEntry(
                line,
                "",
                cells[place],
                0.0,
                BIRDDB_WINDOW_S,
                None if conf is None else confidence(table, line, conf, cells[conf]),
                scientific="" if scientific is None else cells[scientific],
                moment=moment,
            )
        )
    return entries
