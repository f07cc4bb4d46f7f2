"""What labels with times and frequencies say of the syllables under them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.labels import split_species
from birdmodes.modes.knowledge import Knowledge
from birdmodes.segmentation.boxes import MIN_UNDER, Floats, boxes_over, shares

_ROUNDING = 1e-6  # of a syllable's duration


def label_knowledge(recordings: pd.DataFrame, syllables: pd.DataFrame) -> Knowledge:
    """Bring labels with times to syllables.

    A syllable under a box is of the box's species, see `birdmodes.segmentation.boxes`; where boxes
    of several species fit it, of one of them. A syllable in spans, labels without frequencies, is
    of one of their species or of none.
    What no label touches stays open: not every sound of a clip need have been labelled.

    Parameters
    ----------
    recordings : pandas.DataFrame
        Rows of `birdmodes.workspace.tables.RECORDINGS_SCHEMA`.
    syllables : pandas.DataFrame
        Columns recording, start_s, end_s, low_hz and high_hz; any order.

    Returns
    -------
    Knowledge
        By the rows of `syllables`.
    """
    knowledge = Knowledge()
    if "timed_labels" not in recordings:
        return knowledge
    rows = cast("list[dict[str, Any]]", recordings.to_dict("records"))
    everything = frozenset(n for row in rows for n in split_species(row["species"])) | {""}
    speaking = [row for row in rows if row["labelled"] and _labels(row)]
    if not speaking:
        return knowledge
    places = syllables.groupby("recording").indices
    extents = syllables[["start_s", "end_s", "low_hz", "high_hz"]].to_numpy(dtype=float)
    for row in speaking:
        found = np.asarray(places.get(row["recording"], ()), dtype=np.int64)
        if len(found):
            _take(knowledge, found, extents[found], _labels(row), everything)
    return knowledge


def _labels(row: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    labels = row["timed_labels"]
    # nothing where a version that had no such column wrote the row
    return () if labels is None or isinstance(labels, float) else list(labels)


def _take(
    knowledge: Knowledge,
    rows: npt.NDArray[np.int64],
    extents: Floats,
    labels: Sequence[Mapping[str, Any]],
    everything: frozenset[str],
) -> None:
    """Take in what the labels of one recording say of its syllables."""
    names = np.array([label["species"] for label in labels], dtype=object)
    sides = np.array(
        [[label[side] for side in ("start_s", "end_s", "low_hz", "high_hz")] for label in labels]
    )
    is_box = np.isfinite(sides[:, 3])
    boxes = np.zeros((len(rows), len(sides)), dtype=np.bool_)
    boxes[:, is_box] = boxes_over(extents, sides[is_box])
    in_time = shares(extents[:, :2], sides[:, :2])
    spans = ~is_box & (in_time > _ROUNDING)
    for place, row in enumerate(rows.tolist()):
        boxed = frozenset(names[boxes[place]])
        spanned = frozenset(names[spans[place]])
        if len(boxed) == 1:
            (knowledge.species[row],) = boxed
        elif boxed:
            knowledge.denied[row] = set(everything - boxed)
        elif in_time[place, spans[place]].max(initial=0.0) >= MIN_UNDER:
            knowledge.denied[row] = set(everything - spanned - {""})
