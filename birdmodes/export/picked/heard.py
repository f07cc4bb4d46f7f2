"""Which species were heard in which recordings: what checklists and detections are made of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa

from birdmodes.io import cells
from birdmodes.parallel.threads import in_order

COLUMNS = ["recording", "path", "duration_s", "recorded_at", "latitude", "longitude"]
"""What is to be known of recordings."""


@dataclass(frozen=True, eq=False)
class Heard:
    """Species by recording.

    Attributes
    ----------
    table : pandas.DataFrame
        A row for each species of each recording: recording, species, syllables (how many),
        confidence (the highest).
    recordings : pandas.DataFrame
        All recordings of the workspace, with `COLUMNS` at least.
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
    found = pd.concat(in_order(_heard_in, batches, threads=1), ignore_index=True)
    return Heard(found, recordings)


def _heard_in(rows: pa.RecordBatch) -> pd.DataFrame:
    recordings = rows["recording"].dictionary.to_pylist()
    names = rows["species"].dictionary.to_pylist()
    species = {name: number for number, name in enumerate(dict.fromkeys(names))}
    of_kind = np.array([species[name] for name in names])
    key = cells.to_numpy(rows["recording"].indices).astype(np.int64) * len(species)
    key += of_kind[cells.to_numpy(rows["species"].indices)]
    order = np.argsort(key, kind="stable")
    pairs, first, n = np.unique(key[order], return_index=True, return_counts=True)
    confidence = cells.numbers_of(rows["confidence"])[order]
    table = pd.DataFrame(
        {
            "recording": [recordings[pair] for pair in pairs // len(species)],
            "species": [list(species)[pair] for pair in pairs % len(species)],
            "syllables": n,
            "confidence": np.fmax.reduceat(confidence, first),
        }
    )
    return table[table["species"] != ""]
