"""A table for Kaleidoscope, as its cluster analysis writes it."""

from __future__ import annotations

import posixpath

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from birdmodes.export.text import (
    FREQUENCY_DECIMALS,
    TIME_DECIMALS,
    doubtful_cells,
    each_cell,
    one_line,
    syllable_key,
)
from birdmodes.io import cells
from birdmodes.io.formula_guard import guarded, guarded_path

GROUP = "GROUP"
"""A further column, where recordings have been grouped."""

NO_SPECIES = "NoID"
NOISE = "Noise"

_PLACES = ("INDIR", "FOLDER", "IN FILE")


def kaleidoscope_table(rows: pa.RecordBatch) -> dict[str, pa.Array]:
    """Give one table of all syllables.

    Parameters
    ----------
    rows : pyarrow.RecordBatch
        The syllables, see `birdmodes.export.picked.rows`.

    Returns
    -------
    dict of str to pyarrow.Array
        Columns by the names that Kaleidoscope gives them.
    """
    # Kaleidoscope reads line by line.
    species = each_cell(rows["species"], lambda name: guarded(one_line(name)) or NO_SPECIES)
    begin_s, end_s = (
        np.round(cells.numbers_of(rows[name]), TIME_DECIMALS) for name in ("start_s", "end_s")
    )
    hertz = [cells.numbers_of(rows[name]) for name in ("low_hz", "high_hz")]
    channel = rows["channel"]
    moment = rows["recorded_at"]  # 2021-10-01T12:00:04.250
    table = {
        **_places(rows),
        # from 0, as Kaleidoscope counts
        "CHANNEL": cells.coded(
            channel.indices, cells.from_numpy(cells.to_numpy(channel.dictionary) - 1)
        ),
        "OFFSET": cells.from_numpy(begin_s),
        "DURATION": cells.rounded(end_s - begin_s, TIME_DECIMALS),
        "Fmin": cells.rounded(hertz[0], FREQUENCY_DECIMALS),
        "Fmax": cells.rounded(hertz[1], FREQUENCY_DECIMALS),
        "DATE": pc.utf8_slice_codeunits(moment, 0, 10),
        "TIME": pc.utf8_slice_codeunits(moment, 11, 19),
        "HOUR": pc.utf8_slice_codeunits(moment, 11, 13),
        "AUTO ID": species,
        "TOP1MATCH": each_cell(rows["name"], lambda name: guarded(one_line(name))),
        # as there, 0 is the middle of the cluster
        "TOP1DIST": cells.rounded(1 - cells.numbers_of(rows["centrality"]), TIME_DECIMALS),
        "MANUAL ID": _manual(rows["review"], species),
        "CONFIDENCE": rows["confidence"],
        "SYLLABLE": doubtful_cells(rows["syllable"], syllable_key),
    }
    return {**table, GROUP: rows["group"]} if "group" in rows.schema.names else table


def _manual(review: pa.StringArray, species: pa.DictionaryArray) -> pa.StringArray:
    """What a person has said of each syllable; empty where nobody has looked at it."""
    if not cells.view(review):
        return review
    said = [pc.equal(review, word) for word in ("", "noise", "not-species")]
    return pc.case_when(pc.make_struct(*said), "", NOISE, NO_SPECIES, cells.decoded(species))


def _places(rows: pa.RecordBatch) -> dict[str, pa.DictionaryArray]:
    """Columns that tell where the recordings are: the folder given to 'segment', and below it."""
    path, recording = rows["path"], rows["recording"]
    both = zip(path.dictionary.to_pylist(), recording.dictionary.to_pylist(), strict=True)
    parts = zip(*(_place(*names) for names in both), strict=True)
    return {
        name: doubtful_cells(
            cells.coded(path.indices, cells.from_texts(part)),
            lambda text: guarded_path(one_line(text)),
        )
        for name, part in zip(_PLACES, parts, strict=True)
    }


def _place(path: str, recording: str) -> tuple[str, str, str]:
    """The folder given to 'segment', the folder below it, and the file's name."""
    slashed = path.replace("\\", "/") if "\\" in path and "/" not in path else path
    if slashed.endswith(f"/{recording}"):
        root = path[: len(path) - len(recording) - 1] or path[:1]
        return root, *posixpath.split(recording)
    root, file = posixpath.split(slashed)
    return root, "", file
