"""Label tracks for Audacity."""

from __future__ import annotations

import pyarrow as pa

from birdmodes.export.text import (
    FREQUENCY_DECIMALS,
    TIME_DECIMALS,
    each_cell,
    label_cells,
    one_line,
)
from birdmodes.io import cells
from birdmodes.io.formula_guard import guarded


def audacity_lines(rows: pa.RecordBatch, label: str, *, spectral: bool) -> pa.StringArray:
    """Write the labels of syllables.

    Parameters
    ----------
    rows : pyarrow.RecordBatch
        The syllables, see `birdmodes.export.picked.rows`.
    label : {"mode", "species"}
        What the labels say.
    spectral : bool
        Whether a second line gives the frequencies of each label.

    Returns
    -------
    pyarrow.StringArray
        One or two lines for each syllable.
    """
    # Audacity knows no quotes: what it reads between the tabs is the label.
    labels = each_cell(label_cells(rows, label), lambda name: guarded(one_line(name)))
    columns = [
        *(
            cells.fixed(cells.numbers_of(rows[name]), TIME_DECIMALS)
            for name in ("start_s", "end_s")
        ),
        labels,
    ]
    if spectral:
        columns[-1] = cells.followed_by(labels, "\n\\")
        columns += [
            cells.fixed(cells.numbers_of(rows[name]), FREQUENCY_DECIMALS)
            for name in ("low_hz", "high_hz")
        ]
    return cells.lines(columns, "\t")
