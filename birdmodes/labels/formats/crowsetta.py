"""Sequences of notes as crowsetta and DAS write them."""

from __future__ import annotations

from birdmodes.labels.formats.columns import ColumnFormat

FORMATS = (
    ColumnFormat(
        "crowsetta generic-seq",
        columns=("onset_s", "offset_s", "notated_path"),
        start="onset_s",
        end="offset_s",
        species=("label",),
        recording=("notated_path",),
    ),
    ColumnFormat(
        "crowsetta simple-seq",
        columns=("onset_s", "offset_s"),
        start="onset_s",
        end="offset_s",
        species=("label",),
    ),
    ColumnFormat(
        "DAS table",
        columns=("name", "start_seconds", "stop_seconds"),
        start="start_seconds",
        end="stop_seconds",
        species=("name",),
    ),
)

SAMPLES_ONLY = ("onset_sample", "offset_sample")
