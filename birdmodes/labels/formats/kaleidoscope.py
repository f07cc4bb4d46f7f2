"""Tables of Kaleidoscope, and those that BirdNET writes in its manner."""

from __future__ import annotations

from birdmodes.labels.formats.columns import NOTHING_BIRDNET, ColumnFormat

# A person's decision goes before a program's. A row without either is a sound without a name.
_SPECIES = ("manual id", "auto id", "top1match")
_NOTHING = NOTHING_BIRDNET | {"", "noid", "no id", "noise"}

FORMATS = (
    ColumnFormat(
        "Kaleidoscope table",
        columns=("in file", "offset", "duration"),
        start="offset",
        duration="duration",
        species=_SPECIES,
        recording=("indir", "folder", "in file"),
        confidence="confidence",
        channel="channel",
        first_channel=0,
        nothing=_NOTHING,
    ),
)
