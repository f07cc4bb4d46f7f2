"""What BirdNET writes as CSV, for R and for Kaleidoscope; its species names.

The columns have changed from version to version; none of the versions quotes a path with a comma.
BirdNET's Raven tables are read by `birdmodes.labels.formats.raven`, its Audacity tracks by
`birdmodes.labels.formats.audacity`.
"""

from __future__ import annotations

import re

from birdmodes.labels.formats.columns import NOTHING_BIRDNET, ColumnFormat

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
        recording=("filepath",),
        confidence="confidence",
        nothing=NOTHING_BIRDNET,
    ),
    ColumnFormat(
        "BirdNET table for Kaleidoscope",
        columns=("in file", "offset", "duration", "common_name"),
        start="offset",
        duration="duration",
        species=("common_name", "scientific_name"),
        recording=("indir", "folder", "in file"),
        confidence="confidence",
        nothing=NOTHING_BIRDNET,
    ),
)
