"""Syllables to be exported, a column at a time: which, in which order, and what is known of each.

Rows are a `pyarrow.RecordBatch`, sorted by recording, then by time: the columns of
`birdmodes.modes.clustering.ASSIGNMENT_COLUMNS` and path (of the recording's file), kind, name,
short_name and remark (see `birdmodes.export.picked.kinds.Kind`), channel (from 1), latitude and
longitude; with groups of recordings also group, the number of that of the syllable's bag. What is
of recordings, and what is of kinds, is a `pyarrow.DictionaryArray`: each is told of once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from birdmodes.export.picked.kinds import Asked, Kind, Kinds
from birdmodes.io.cells import from_numpy, from_texts, numbers_of, to_numpy

Ints = npt.NDArray[np.integer[Any]]
Numbers = npt.NDArray[np.float64]

RECORDING_COLUMNS = ["recording", "path", "duration_s", "channel", "latitude", "longitude"]
GROUP = "group"

_OF_SYLLABLES = (
    *("syllable", "start_s", "end_s", "low_hz", "high_hz", "confidence", "centrality"),
    *("recorded_at", "review", GROUP),
)
_OF_KINDS = {
    "species": "whole_species",
    "mode": "whole_mode",
    **{name: name for name in ("kind", "name", "short_name", "remark")},
}


class Recordings:
    """What is known of the recordings of a workspace.

    Parameters
    ----------
    table : pyarrow.Table
        `RECORDING_COLUMNS`, sorted by recording.
    channel : int or None
        Channel of the workspace's settings, for recordings of which an earlier version did not
        note it.
    """

    def __init__(self, table: pa.Table, channel: int | None) -> None:
        columns = {name: whole(table[name]) for name in RECORDING_COLUMNS}
        self.names: pa.StringArray = columns["recording"]
        noted = numbers_of(columns["channel"])
        noted = np.where(np.isnan(noted), channel or 1, noted)
        self._known = {
            **{name: columns[name] for name in ("path", "latitude", "longitude")},
            "channel": from_numpy(np.maximum(noted.astype(np.int64), 1)),
        }
        # So it is when Raven opens all recordings of the workspace in one window.
        ends_s = np.cumsum(numbers_of(columns["duration_s"]))
        self._begins_s = np.r_[0.0, ends_s][:-1]

    def of(self, names: pa.StringArray) -> dict[str, pa.Array]:
        """What is known of some recordings: path, latitude, longitude, channel (from 1)."""
        places = from_numpy(self._places(names))
        return {name: column.take(places) for name, column in self._known.items()}

    def begins_s(self, names: pa.StringArray) -> npt.NDArray[np.float64]:
        """When recordings begin if each begins where the one before it, by name, ends."""
        found: npt.NDArray[np.float64] = self._begins_s[self._places(names)]
        return found

    def _places(self, names: pa.StringArray) -> Ints:
        """Where recordings are, which are sorted, and among those here."""
        if not len(names):
            return np.empty(0, dtype=np.int64)
        first, last = (self._place(names[end].as_py()) for end in (0, -1))
        if last - first + 1 == len(names):  # mostly they lie side by side
            return np.arange(first, last + 1)
        between = self.names.slice(first, last - first + 1)
        places: Ints = to_numpy(pc.index_in(names, between)) + np.int64(first)
        return places

    def _place(self, name: str) -> int:
        return bisect_left(range(len(self.names)), name, key=lambda n: self.names[n].as_py())


@dataclass(frozen=True)
class Picked:
    """Syllables that are to be exported.

    Attributes
    ----------
    rows : pyarrow.RecordBatch
        See above.
    left_out : int
        Syllables of the wanted modes that were left out for their confidence.
    """

    rows: pa.RecordBatch
    left_out: int


def pick(table: pa.Table, recordings: Recordings, kinds: Kinds, asked: Asked) -> Picked:
    """Pick the syllables to be exported among some; there may be none.

    Parameters
    ----------
    table : pyarrow.Table
        Of a clustering: all syllables of some recordings.
    recordings : Recordings
        Of the workspace.
    kinds : Kinds
        What is to be said of the clustering's modes.
    asked : Asked
        What is wanted.
    """
    columns = {name: whole(table[name]) for name in table.column_names}
    number, told = kinds.numbered(*(columns[name] for name in ("cluster", "species", "mode")))
    names, recording = _sorted_recordings(columns["recording"])
    wanted = np.array([asked.wants(kind) for kind in told], dtype=np.bool_)[number]
    unsure = np.array([kind.kind == "mode" for kind in told], dtype=np.bool_)[number]
    confidence, least = numbers_of(columns["confidence"]), asked.choice.min_confidence
    unsure &= ~(confidence > 0 if least is None else confidence >= least)
    kept = np.flatnonzero(wanted & ~unsure)
    start_s, low_hz = (numbers_of(columns[name])[kept] for name in ("start_s", "low_hz"))
    kept = kept[_order(recording[kept], start_s, low_hz, _part(columns["syllable"], kept))]
    rows = {
        **{name: _part(columns[name], kept) for name in _OF_SYLLABLES if name in columns},
        **_coded_recordings(recording[kept], names, recordings),
        **_coded_kinds(number[kept], told),
    }
    picked = pa.RecordBatch.from_arrays(list(rows.values()), names=list(rows))
    return Picked(picked, int(wanted.sum()) - len(kept))


def whole(column: pa.ChunkedArray) -> pa.Array:
    """A column of a table as one array."""
    if column.num_chunks == 1:
        return column.chunk(0)
    return column.combine_chunks()


def numbers_within_recordings(rows: pa.RecordBatch) -> Ints:
    """Number the syllables of each recording from 1."""
    recording = to_numpy(rows["recording"].indices)
    first = np.searchsorted(recording, np.arange(len(rows["recording"].dictionary)))
    numbers: Ints = np.arange(len(recording)) - first[recording] + 1
    return numbers


def _part(column: pa.Array, rows: Ints) -> pa.Array:
    if len(rows) == len(column) and (np.diff(rows) == 1).all():
        return column
    return column.take(from_numpy(rows))


def _sorted_recordings(column: pa.Array) -> tuple[pa.StringArray, Ints]:
    """Name the recordings in order, and give the number of each syllable's."""
    coded = column.dictionary_encode()
    names, number = coded.dictionary, to_numpy(coded.indices)
    if pc.all(pc.less(names[:-1], names[1:]), min_count=0).as_py():  # as they mostly come
        return names, number
    order = pc.sort_indices(names)
    place = np.empty(len(names), dtype=np.int64)
    place[to_numpy(order)] = np.arange(len(names))
    return names.take(order), place[number]


def _order(recording: Ints, start_s: Numbers, low_hz: Numbers, syllable: pa.Array) -> Ints:
    """Sort by recording, start and lowest frequency, and by name where these are the same."""
    ranks = [recording, _ranks(start_s), _ranks(low_hz)]
    order = _order_of(ranks)
    same = np.ones(max(len(order) - 1, 0), dtype=np.bool_)
    for rank in ranks:
        same &= np.diff(rank[order]) == 0
    before = np.flatnonzero(same)
    one, other = (syllable.take(from_numpy(order[places])) for places in (before, before + 1))
    if pc.all(pc.less_equal(one, other), min_count=0).as_py():
        return order
    names = np.empty(len(order), dtype=np.int64)
    names[to_numpy(pc.sort_indices(syllable))] = np.arange(len(order))
    return np.lexsort([names, *ranks[::-1]])


def _ranks(numbers: Numbers) -> Ints:
    """Number the different values by size; missing ones come last."""
    found = from_numpy(numbers.view(np.int64)).dictionary_encode()
    different = to_numpy(found.dictionary).view(np.float64)
    ranks: Ints = np.unique(different, return_inverse=True)[1][to_numpy(found.indices)]
    return ranks


def _order_of(ranks: Sequence[Ints]) -> Ints:
    """Sort rows by numbers from 0, the first of them first; rows that are the same stay so."""
    key, n = np.zeros(len(ranks[0]), dtype=np.int64), 1
    for rank in [*ranks, np.arange(len(key))]:
        size = int(rank.max(initial=0)) + 1
        key, n = key * size + rank, n * size
    if n >= 1 << 63:
        return np.lexsort(ranks[::-1])
    # Sorting numbers takes a third of the time of finding their order.
    return np.sort(key) % max(len(key), 1)


def _coded_recordings(
    number: Ints, names: pa.StringArray, recordings: Recordings
) -> dict[str, pa.Array]:
    """Name and all that is known of each syllable's recording; nothing of any others."""
    used, number = _used(number, len(names))
    here = names.take(from_numpy(used))
    return _coded(number, {"recording": here, **recordings.of(here)})


def _coded_kinds(number: Ints, told: Sequence[Kind]) -> dict[str, pa.Array]:
    used, number = _used(number, len(told))
    known = {
        name: from_texts(getattr(told[one], attribute) for one in used)
        for name, attribute in _OF_KINDS.items()
    }
    cluster = np.array([told[one].cluster for one in used], dtype=np.int64)
    return _coded(number, {**known, "cluster": from_numpy(cluster)})


def _used(number: Ints, n: int) -> tuple[Ints, Ints]:
    """Which of `n` are used, and the numbers of these among each other."""
    there = np.bincount(number, minlength=n) > 0
    return np.flatnonzero(there), (np.cumsum(there) - 1)[number]


def _coded(number: Ints, known: Mapping[str, pa.Array]) -> dict[str, pa.Array]:
    indices = from_numpy(number.astype(np.int32))
    return {name: pa.DictionaryArray.from_arrays(indices, values) for name, values in known.items()}
