"""Syllables of a recording as a person mended them, measured by the code of ``segment``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from birdmodes.segmentation.forest_model import ForestModel, load_model
from birdmodes.segmentation.windows import PLACE_NAMES, places_in_time
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.tables import (
    SYLLABLES_SCHEMA,
    WINDOW_COLUMN,
    ClipSegment,
    in_bags,
    syllables_table,
    unpack_windows,
)

Box = tuple[float, float, float, float]

BOX = ("start_s", "end_s", "low_hz", "high_hz")

_MENDED = b"mended"  # key of a shard's metadata: digest of the boxes that it was mended to


def found_rows(workspace: Workspace, recording: str) -> pa.Table:
    """Syllables of a recording as ``segment`` found them."""
    if workspace.found.path(recording).exists():
        return workspace.found.read_one(recording)
    return workspace.syllable_rows(recording)


def boxes_in(table: pa.Table) -> dict[str, Box]:
    """Boxes of syllables, by their names."""
    columns = [table[name].to_pylist() for name in ("syllable", *BOX)]
    return {name: box for name, *numbers in zip(*columns, strict=True) for box in [tuple(numbers)]}


def is_mended_to(workspace: Workspace, recording: str, boxes: Mapping[str, Box]) -> bool:
    """Whether the stored syllables of a recording are those that these boxes make."""
    digest = workspace.syllable_metadata(recording).get(_MENDED)
    if digest is None:
        return boxes_in(workspace.syllable_rows(recording)) == dict(boxes)
    return bool(digest == _digest(boxes))


def mended_table(
    workspace: Workspace, row: Mapping[str, Any], boxes: Mapping[str, Box]
) -> pa.Table:
    """Syllables of a recording with other boxes than were found.

    Parameters
    ----------
    workspace : Workspace
        Which has the recording.
    row : mapping
        Its row of `Workspace.recording_rows`.
    boxes : mapping of str to Box
        All syllables that it is to have. Those that have the very box that was found are as they
        were found; the others are measured anew.

    Returns
    -------
    pyarrow.Table
        For `Workspace.mend`.

    Raises
    ------
    AudioError
        If the recording cannot be read.
    BirdmodesError
        If it is too short for a spectrogram.
    """
    found = in_bags(found_rows(workspace, row["recording"]), row["bag_unit"])
    before = boxes_in(found)
    kept = pa.array([boxes.get(name) == box for name, box in before.items()], type=pa.bool_())
    drawn = {name: box for name, box in boxes.items() if before.get(name) != box}
    table = pa.concat_tables([found.filter(kept), _measured(workspace, row, drawn)])
    table = table.combine_chunks().sort_by("syllable")
    touched = {*found.filter(pc.invert(kept))["clip"].to_pylist()}
    touched |= {_clip_of(workspace, row, box) for box in drawn.values()}
    for clip in sorted(touched):
        table = _placed_anew(table, clip)
    return table.replace_schema_metadata({_MENDED: _digest(boxes)})


def _digest(boxes: Mapping[str, Box]) -> bytes:
    return hashlib.sha256(json.dumps(sorted(boxes.items())).encode("ascii")).hexdigest().encode()


def _clip_s(workspace: Workspace) -> float:
    parameters = workspace.settings.segmentation
    return parameters.n_clip / parameters.sample_rate_hz


def _clip_of(workspace: Workspace, row: Mapping[str, Any], box: Box) -> int:
    """Clip that has the middle of a box."""
    return int(min((box[0] + box[1]) / 2 / _clip_s(workspace), max(row["n_clips"] - 1, 0)))


def _measured(workspace: Workspace, row: Mapping[str, Any], drawn: Mapping[str, Box]) -> pa.Table:
    """Rows of syllables that were drawn."""
    from birdmodes.audio.read import ClipReader  # here: most corrections read no sound
    from birdmodes.segmentation.drawn import drawn_segments

    settings = workspace.settings
    parameters = settings.segmentation
    of_clip: dict[int, list[str]] = {}
    for name, box in drawn.items():
        of_clip.setdefault(_clip_of(workspace, row, box), []).append(name)
    if not drawn:
        return SYLLABLES_SCHEMA.empty_table()
    path = Path(row["path"])
    reader = ClipReader(path, parameters.sample_rate_hz, parameters.clip_s, settings.channel)
    model: ForestModel | None = None
    if settings.model_digest:
        model = load_model(workspace.model_path)
    names: list[str] = []
    segments: list[ClipSegment] = []
    for clip, samples in enumerate(reader):
        here = of_clip.get(clip, [])
        if here:
            start_s = clip * _clip_s(workspace)
            boxes = np.array([drawn[name] for name in here]) - [start_s, start_s, 0.0, 0.0]
            found = drawn_segments(samples, parameters, boxes, model)
            names += here
            segments += [ClipSegment(clip, start_s, segment) for segment in found]
    table = syllables_table(row["recording"], segments, row["bag_unit"])
    return table.set_column(0, "syllable", pa.array(names, type=pa.string()))


def _placed_anew(table: pa.Table, clip: int) -> pa.Table:
    """Count the place in time of all syllables of a clip again: some have other neighbours."""
    rows = np.flatnonzero(np.array(table["clip"].to_pylist()) == clip)
    part = table.take(rows)
    windows = unpack_windows(part[WINDOW_COLUMN])
    if windows is None or not len(rows):
        return table  # of an earlier version, which kept none
    centres = (part["start_s"].to_numpy() + part["end_s"].to_numpy()) / 2
    places = places_in_time(windows, centres)
    for name, column in zip(PLACE_NAMES, places.T, strict=True):
        values = table[name].to_numpy().copy()
        values[rows] = column
        field = SYLLABLES_SCHEMA.get_field_index(name)
        table = table.set_column(field, name, pa.array(values, type=pa.float32()))
    return table
