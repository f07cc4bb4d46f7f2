"""The workspace's tables: their columns, and packing of patches into them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from birdmodes.segmentation import Segment
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.segmentation.windows import N_BANDS, N_COLUMNS, PLACE_NAMES

TIMED_LABEL = pa.struct(
    [
        ("start_s", pa.float64()),
        ("end_s", pa.float64()),
        # all frequencies, 0 to infinity, where they are not known
        ("low_hz", pa.float64()),
        ("high_hz", pa.float64()),
        ("species", pa.string()),
    ]
)

CONFIDENCE = pa.struct(
    [("clip", pa.int64()), ("species", pa.string()), ("confidence", pa.float64())]
)

RECORDINGS_SCHEMA = pa.schema(
    [
        ("recording", pa.string()),
        ("path", pa.string()),
        ("size_bytes", pa.int64()),
        ("mtime_ns", pa.int64()),
        ("duration_s", pa.float64()),
        ("sample_rate_hz", pa.int64()),
        ("channels", pa.int64()),
        ("labelled", pa.bool_()),
        ("species", pa.string()),
        ("n_clips", pa.int64()),
        ("bag_unit", pa.string()),
        ("n_syllables", pa.int64()),
        ("note", pa.string()),
        ("recorded_at", pa.string()),
        ("utc_offset", pa.string()),
        ("device", pa.string()),
        ("recorder", pa.string()),
        ("latitude", pa.float64()),
        ("longitude", pa.float64()),
        # One text for each clip; none where the species hold for the whole recording.
        ("clip_species", pa.list_(pa.string())),
        # Labels with times that say something of single sounds, see birdmodes.labels.choice.
        ("timed_labels", pa.list_(TIMED_LABEL)),
        # Of the decoded sound; null in what an earlier version wrote, and for silence.
        ("fingerprint", pa.string()),
        # How sure a detector was of the species of clips; none in what an earlier version wrote.
        ("confidences", pa.list_(CONFIDENCE)),
        # The one that was read, 0 for the mean of all; null in what an earlier version wrote.
        ("channel", pa.int64()),
        # Of the clips, see birdmodes.audio.prints; null in what an earlier version wrote.
        ("sketch", pa.binary()),
    ]
)

# Packed together: every batch of rows costs 20 kB when it is unpacked, however few they are.
PACKED_ROWS = 1000

_NUMBERS = ["start_s", "end_s", "low_hz", "high_hz", *FEATURE_NAMES]

PATCH_COLUMNS = ["patch_bins", "patch_frames", "patch", "mask"]

WINDOW_COLUMN = "window"
_WINDOW_ORDER = ["recording", "syllable"]

BULKY_COLUMNS = [*PATCH_COLUMNS, WINDOW_COLUMN]
"""Columns of images, which are read only where they are asked for."""

SYLLABLES_SCHEMA = pa.schema(
    [
        ("syllable", pa.string()),
        ("recording", pa.string()),
        ("clip", pa.int64()),
        ("bag", pa.string()),
        ("start_s", pa.float64()),
        ("end_s", pa.float64()),
        ("low_hz", pa.float64()),
        ("high_hz", pa.float64()),
        ("truncated", pa.bool_()),
        *((name, pa.float64()) for name in FEATURE_NAMES),
        ("patch_bins", pa.int32()),
        ("patch_frames", pa.int32()),
        ("patch", pa.binary()),
        ("mask", pa.binary()),
        # Null in what an earlier version wrote, as is the place in time.
        (WINDOW_COLUMN, pa.binary()),
        *((name, pa.float32()) for name in PLACE_NAMES),
    ]
)

# looked up once: a schema makes its fields anew each time
_FIELDS = [(field.name, field.type) for field in SYLLABLES_SCHEMA]

WINDOWS_SCHEMA = pa.schema(
    [SYLLABLES_SCHEMA.field(name) for name in ("syllable", "recording", WINDOW_COLUMN)]
)


@dataclass(frozen=True)
class ClipSegment:
    """A segment and the clip it was found in.

    Attributes
    ----------
    clip : int
        Number of the clip in its recording, from 0.
    clip_start_s : float
        Where the clip starts in the recording (s).
    segment : Segment
        Times from the clip's start.
    """

    clip: int
    clip_start_s: float
    segment: Segment


def bag_name(recording: str, clip: int, bag_unit: str) -> str:
    """Name of the bag that a clip's syllables go to.

    Parameters
    ----------
    recording : str
        The recording's name.
    clip : int
        Number of the clip, from 0.
    bag_unit : {"recording", "clip"}
        What a bag is.
    """
    return recording if bag_unit == "recording" else f"{recording}#{clip}"


def syllables_table(
    recording: str, found: Sequence[ClipSegment], bag_unit: str, *, first: int = 0
) -> pa.Table:
    """Rows of ``syllables/*.parquet`` for one recording, or for some of its clips.

    Parameters
    ----------
    recording : str
        The recording's name.
    found : sequence of ClipSegment
        In order of clip, then as the segmenter gave them.
    bag_unit : {"recording", "clip"}
        What a bag is.
    first : int
        Number of the first syllable, which is how many the clips before have.

    Returns
    -------
    pyarrow.Table
        With `SYLLABLES_SCHEMA`; syllables are numbered in the order of `found`.
    """
    segments = [item.segment for item in found]
    columns: dict[str, Any] = {
        "syllable": _names(recording, first, len(found)),
        "recording": [recording] * len(found),
        "clip": [item.clip for item in found],
        "bag": [bag_name(recording, item.clip, bag_unit) for item in found],
        "truncated": [segment.truncated for segment in segments],
        "patch_bins": [segment.patch.shape[0] for segment in segments],
        "patch_frames": [segment.patch.shape[1] for segment in segments],
        "patch": [segment.patch.tobytes() for segment in segments],
        "mask": [np.packbits(segment.mask).tobytes() for segment in segments],
        WINDOW_COLUMN: [
            None if segment.window is None else segment.window.tobytes() for segment in segments
        ],
    }
    numbers = np.empty((len(found), len(_NUMBERS)))
    for row, item in zip(numbers, found, strict=True):
        segment = item.segment
        row[:4] = (
            item.clip_start_s + segment.start_s,
            item.clip_start_s + segment.end_s,
            segment.low_hz,
            segment.high_hz,
        )
        row[4:] = segment.features
    columns |= _columns_of(numbers, _NUMBERS)
    if all(segment.place is not None for segment in segments):
        places = np.array([segment.place for segment in segments], dtype=np.float32)
        columns |= _columns_of(places.reshape(-1, len(PLACE_NAMES)), PLACE_NAMES)
    else:
        for number, name in enumerate(PLACE_NAMES):
            columns[name] = [None if s.place is None else float(s.place[number]) for s in segments]
    return pa.Table.from_arrays(
        [_array(columns[name], kind) for name, kind in _FIELDS],
        schema=SYLLABLES_SCHEMA,
    )


def _names(recording: str, first: int, count: int) -> list[str]:
    return [f"{recording}#{number:05d}" for number in range(first, first + count)]


def numbered(syllables: pa.Table, recording: str, first: int) -> pa.Table:
    """Number the syllables of a recording, from `first` on."""
    names = pa.array(_names(recording, first, syllables.num_rows), pa.string())
    return syllables.set_column(SYLLABLES_SCHEMA.get_field_index("syllable"), "syllable", names)


def by_clip(syllables: pa.Table) -> Iterator[pa.Table]:
    """Syllables of each clip of a recording; they are in order of clip."""
    clips = syllables["clip"].to_numpy()
    edges = [0, *(np.flatnonzero(np.diff(clips)) + 1).tolist(), len(clips)]
    for first, stop in itertools.pairwise(edges):
        if stop > first:
            yield syllables.slice(first, stop - first)


def _columns_of(rows: npt.NDArray[np.floating], names: Sequence[str]) -> dict[str, pa.Array]:
    """Columns of numbers: slices of one array, which take less time than arrays of their own."""
    end_to_end = pa.array(rows.T.ravel())
    size = len(rows)
    return {name: end_to_end.slice(at * size, size) for at, name in enumerate(names)}


def _array(values: Any, kind: pa.DataType) -> pa.Array:
    return values if isinstance(values, pa.Array) else pa.array(values, kind)


class FoundSyllables:
    """Rows of a recording's syllables.

    An hour may hold ten thousand of them: they are compressed where they are many, and where they
    travel from the worker that has found them to the process that writes them.

    Attributes
    ----------
    n_syllables : int
        Rows so far.
    """

    def __init__(self) -> None:
        self.n_syllables = 0
        self._waiting: list[pa.Table] = []
        self._packed: list[bytes] = []

    def add(self, table: pa.Table) -> None:
        """Add the rows of a clip."""
        if table.num_rows:
            self._waiting.append(table)
        self.n_syllables += table.num_rows
        if sum(waiting.num_rows for waiting in self._waiting) >= PACKED_ROWS:
            self._pack()

    def tables(self) -> Iterator[pa.Table]:
        """Give all rows, some thousand a table; one table at least.

        A day may hold a hundred thousand syllables, whose patches are unpacked a few at a time.
        """
        yield from map(_unpacked, self._packed)
        if len(self._waiting) == 1:
            yield self._waiting[0]
        elif self._waiting or not self._packed:
            tables = [SYLLABLES_SCHEMA.empty_table(), *self._waiting]
            yield pa.concat_tables(tables).combine_chunks()

    def _pack(self) -> None:
        if self._waiting:
            self._packed.append(_packed(pa.concat_tables(self._waiting)))
            self._waiting.clear()

    def __getstate__(self) -> tuple[int, list[bytes]]:
        """What travels."""
        self._pack()
        return self.n_syllables, self._packed

    def __setstate__(self, state: tuple[int, list[bytes]]) -> None:
        """What arrives."""
        self._waiting = []
        self.n_syllables, self._packed = state


def _packed(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    # Compressed as a whole: column by column, as Arrow can do itself, takes five times as long and
    # saves less.
    with (
        pa.CompressedOutputStream(sink, "zstd") as compressed,
        pa.ipc.new_stream(compressed, SYLLABLES_SCHEMA) as stream,
    ):
        stream.write_table(table.combine_chunks())
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _unpacked(content: bytes) -> pa.Table:
    with pa.CompressedInputStream(pa.py_buffer(content), "zstd") as stream:
        return pa.ipc.open_stream(stream).read_all()


def in_bags(syllables: pa.Table, bag_unit: str) -> pa.Table:
    """Put the syllables of a recording into the bags of `bag_unit`; see `bag_name`."""
    bags = [
        bag_name(recording, clip, bag_unit)
        for recording, clip in zip(
            syllables["recording"].to_pylist(), syllables["clip"].to_pylist(), strict=True
        )
    ]
    column = pa.array(bags, type=pa.string())
    return syllables.set_column(SYLLABLES_SCHEMA.get_field_index("bag"), "bag", column)


def unpack_windows(packed: pa.ChunkedArray) -> npt.NDArray[np.uint8] | None:
    """Windows of syllables from their packed column.

    Returns
    -------
    ndarray of uint8, shape (n, N_BANDS, N_COLUMNS), or None
        See `birdmodes.segmentation.windows`. None if one is missing or of another size, as where
        another version wrote them.
    """
    content = packed.to_pylist()
    if any(window is None or len(window) != N_BANDS * N_COLUMNS for window in content):
        return None
    flat = np.frombuffer(b"".join(content), dtype=np.uint8)
    return flat.reshape(len(content), N_BANDS, N_COLUMNS)


def sorted_windows(parts: Iterable[pa.Table]) -> npt.NDArray[np.uint8] | None:
    """Windows of syllables, sorted by recording and syllable.

    Parameters
    ----------
    parts : iterable of pyarrow.Table
        Of `WINDOWS_SCHEMA`; each is let go before the next is asked for.

    Returns
    -------
    ndarray of uint8, shape (n, N_BANDS, N_COLUMNS), or None
        As from `unpack_windows`.
    """
    import pyarrow.compute as pc  # slow to import: `info` does without

    keys = [WINDOWS_SCHEMA.empty_table().select(_WINDOW_ORDER)]
    blocks = []
    for part in parts:
        windows = unpack_windows(part[WINDOW_COLUMN])
        if windows is None:
            return None
        keys.append(part.select(_WINDOW_ORDER))
        blocks.append(windows)
    order = pc.sort_indices(
        pa.concat_tables(keys), sort_keys=[(name, "ascending") for name in _WINDOW_ORDER]
    )
    place = np.empty(len(order), dtype=np.int64)
    place[order.to_numpy()] = np.arange(len(order))
    found = np.empty((len(order), N_BANDS, N_COLUMNS), dtype=np.uint8)
    start = 0
    while blocks:  # so that there is never all of it twice for long
        block = blocks.pop(0)
        found[place[start : start + len(block)]] = block
        start += len(block)
    return found


def unpack_patch(
    bins: int, frames: int, patch: bytes, mask: bytes
) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_]]:
    """Patch and mask of one syllable from their packed columns.

    Returns
    -------
    patch : ndarray of uint8, shape (bins, frames)
        dB above the noise floor, 0..`birdmodes.segmentation.PATCH_RANGE_DB` mapped to 0..255;
        row 0 is the lowest frequency.
    mask : ndarray of bool, shape (bins, frames)
        Which pixels belong to the syllable.
    """
    size = bins * frames
    image = np.frombuffer(patch, dtype=np.uint8, count=size).reshape(bins, frames)
    bits = np.unpackbits(np.frombuffer(mask, dtype=np.uint8), count=size)
    return image, bits.astype(bool).reshape(bins, frames)
