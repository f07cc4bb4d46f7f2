"""Label tracks for Audacity."""

from __future__ import annotations

import pyarrow as pa

from birdmodes.export.label_tracks import label_column, number_texts
from birdmodes.export.selection import Selection
from birdmodes.export.tables import FREQUENCY_DECIMALS, TIME_DECIMALS
from birdmodes.export.text import each, one_line
from birdmodes.io import cells
from birdmodes.io.formula_guard import guarded

ENDING = ".txt"


def audacity_lines(
    selection: Selection, label: str, *, spectral: bool
) -> tuple[str, pa.StringArray]:
    """Write the labels of syllables.

    Parameters
    ----------
    selection : Selection
        The syllables.
    label : {"mode", "species"}
        What the labels say.
    spectral : bool
        Whether a second line gives the frequencies of each label.

    Returns
    -------
    header : str
        None.
    lines : pyarrow.StringArray
        One or two for each syllable.
    """
    rows = selection.rows
    # Audacity knows no quotes: what it reads between the tabs is the label.
    labels = each(label_column(rows, label), lambda name: guarded(one_line(name)))
    columns = [
        number_texts(rows["start_s"], TIME_DECIMALS),
        number_texts(rows["end_s"], TIME_DECIMALS),
        cells.texts(labels),
    ]
    if spectral:
        columns[-1] = cells.followed_by(cells.decoded(columns[-1]), "\n\\")
        columns += [number_texts(rows[name], FREQUENCY_DECIMALS) for name in ("low_hz", "high_hz")]
    return "", cells.lines(columns, "\t")
