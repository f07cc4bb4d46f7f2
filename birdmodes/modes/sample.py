"""What a gallery shows of a season: some recordings, so chosen that every mode is among them."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.modes.clustering import ORIGINAL, Clustering, SampleOf, clusterings
from birdmodes.modes.streamed import MANY, stream_clustering
from birdmodes.workspace.store import Workspace

MOST_SYLLABLES = 20_000
"""So many are shown of a season; a few more, as recordings are shown as a whole ..."""

MOST_RECORDINGS = 1000
"""... of so many recordings: to draw one and encode its sound takes a sixth of a second."""

MIDDLING = 50_000
"""So many of more recordings are more than all that is drawn of a season."""

RECORDINGS_OF_A_MODE = (1, 3, 12)
"""So many recordings of every mode are looked for, one after the other; one there is always."""


def sampled(workspace: Workspace, name: str | None) -> tuple[Workspace, Clustering] | None:
    """Give a part of a clustering, if all of it is too much to be shown.

    Parameters
    ----------
    workspace : Workspace
        Where it is.
    name : str or None
        By default the newest.

    Returns
    -------
    workspace : Workspace
        The same, with some of its recordings alone.
    clustering : Clustering
        With their syllables, and what they are a sample of. None for both if all can be shown, up
        to `MANY` syllables, or less than `MIDDLING` of more than `MOST_RECORDINGS` recordings; or
        if the clustering is not sorted by recording.

    Raises
    ------
    WorkspaceError
        If there is no such clustering, or its files are damaged.
    """
    stream = stream_clustering(workspace, name, many=MIDDLING - 1)
    if stream is None:
        return None
    n_shown = int(stream.clustering.modes["syllables"].sum())
    if n_shown < MIDDLING:
        return None
    sizes, modes = _held(part.assignments for part in stream.parts)
    if n_shown <= MANY and len(sizes) <= MOST_RECORDINGS:
        return None
    chosen = _drawn(sizes, modes)
    again = stream_clustering(workspace, stream.clustering.name, many=MIDDLING - 1)
    if again is None:
        return None
    rows, tables, n, n_recordings = [], [], 0, 0
    for part in again.parts:
        inside = part.assignments["recording"].isin(chosen).to_numpy()
        rows.append(n + np.flatnonzero(inside))
        tables.append(part.assignments[inside])
        n += len(inside)
        n_recordings += int(part.assignments["recording"].nunique())
    clustering = replace(
        again.clustering,
        assignments=pd.concat(tables, ignore_index=True),
        model=_arrays(workspace, again.clustering.name, np.concatenate(rows), n),
        sample_of=SampleOf(again.summary.base, n, n_recordings, again.summary.outdated),
    )
    return workspace.only(chosen), clustering


def _arrays(
    workspace: Workspace, name: str, rows: npt.NDArray[np.int64], n: int
) -> dict[str, npt.NDArray[Any]]:
    """Read a model; of what has a row for each of the `n` syllables, ascending `rows` alone."""
    arrays = clusterings(workspace).read(name, lambda files: files.array_rows(rows, n))
    return {key: array for key, array in arrays.items() if not key.startswith(ORIGINAL)}


def _held(parts: Iterable[pd.DataFrame]) -> tuple[dict[str, int], dict[str, list[int]]]:
    """How many syllables every recording holds, and of which modes."""
    sizes: dict[str, int] = {}
    modes: dict[str, list[int]] = {}
    for part in parts:
        number, names = pd.factorize(part["recording"])
        sizes |= zip(names, np.bincount(number).tolist(), strict=True)
        pairs = np.unique(np.column_stack([number, part["cluster"]]), axis=0)
        first = np.searchsorted(pairs[:, 0], np.arange(1, len(names)))
        modes |= zip(names, (own.tolist() for own in np.split(pairs[:, 1], first)), strict=True)
    return sizes, modes


def _drawn(sizes: dict[str, int], modes: dict[str, list[int]]) -> set[str]:
    """Choose recordings by lot, those first that hold modes of which there are few yet."""
    # The same lot every time, whatever else there is.
    by_lot = sorted(sizes, key=lambda name: (zlib.crc32(name.encode("utf-8", "replace")), name))
    chosen: set[str] = set()
    count: dict[int, int] = {}
    total = 0
    for wanted in (*RECORDINGS_OF_A_MODE, None):
        for name in by_lot:
            few = wanted is None or any(count.get(one, 0) < wanted for one in modes[name])
            enough = total >= MOST_SYLLABLES or len(chosen) >= MOST_RECORDINGS
            if name in chosen or not few or (enough and wanted != RECORDINGS_OF_A_MODE[0]):
                continue
            chosen.add(name)
            total += sizes[name]
            for one in modes[name]:
                count[one] = count.get(one, 0) + 1
    return chosen
