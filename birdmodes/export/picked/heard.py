"""Which species were heard in which recordings: what checklists and detections are made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from birdmodes.io import cells
from birdmodes.parallel.threads import in_order


@dataclass(frozen=True, eq=False)
class Heard:
    """Species by recording.

    Attributes
    ----------
    table : pandas.DataFrame
        A row for each species of each recording: recording, species, syllables (how many),
        confidence (the highest).
    recordings : pandas.DataFrame
        All recordings of the workspace, by name: recording, path, duration_s, recorded_at,
        latitude, longitude.
    """

    table: pd.DataFrame
    recordings: pd.DataFrame


def heard_in(batches: Iterable[pa.RecordBatch], recordings: pd.DataFrame) -> Heard:
    """Count the syllables of each species in each recording.

    Parameters
    ----------
    batches : iterable of pyarrow.RecordBatch
        All syllables of some recordings each, see `birdmodes.export.picked.rows`.
    recordings : pandas.DataFrame
        Of the workspace.
    """
    found = pa.concat_tables(in_order(_heard_in, batches, threads=1))
    return Heard(found.to_pandas(), recordings)


def _heard_in(rows: pa.RecordBatch) -> pa.Table:
    recordings = rows["recording"].dictionary
    # Several kinds are of the same species.
    of_kind = rows["species"].dictionary.dictionary_encode()
    species = of_kind.dictionary
    key = cells.to_numpy(rows["recording"].indices).astype(np.int64) * len(species)
    key += cells.to_numpy(of_kind.indices)[cells.to_numpy(rows["species"].indices)]
    order = np.argsort(key, kind="stable")
    pairs, first, n = np.unique(key[order], return_index=True, return_counts=True)
    confidence = np.fmax.reduceat(cells.numbers_of(rows["confidence"])[order], first)
    recording, number = np.divmod(pairs, len(species))
    table = {
        "recording": recordings.take(cells.from_numpy(recording)),
        "species": species.take(cells.from_numpy(number)),
        "syllables": cells.from_numpy(n),
        "confidence": cells.from_numpy(confidence),
    }
    named = pc.not_equal(table["species"], "")
    return pa.table(table).filter(named)
