"""The workspace's tables: their columns, and packing of patches into them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
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

PATCH_COLUMNS = ["patch_bins", "patch_frames", "patch", "mask"]

WINDOW_COLUMN = "window"

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
        "syllable": [f"{recording}#{number:05d}" for number in range(first, first + len(found))],
        "recording": [recording] * len(found),
        "clip": [item.clip for item in found],
        "bag": [bag_name(recording, item.clip, bag_unit) for item in found],
        "start_s": [item.clip_start_s + item.segment.start_s for item in found],
        "end_s": [item.clip_start_s + item.segment.end_s for item in found],
        "low_hz": [segment.low_hz for segment in segments],
        "high_hz": [segment.high_hz for segment in segments],
        "truncated": [segment.truncated for segment in segments],
        "patch_bins": [segment.patch.shape[0] for segment in segments],
        "patch_frames": [segment.patch.shape[1] for segment in segments],
        "patch": [segment.patch.tobytes() for segment in segments],
        "mask": [np.packbits(segment.mask).tobytes() for segment in segments],
        WINDOW_COLUMN: [
            None if segment.window is None else segment.window.tobytes() for segment in segments
        ],
    }
    features = np.array([segment.features for segment in segments]).reshape(-1, len(FEATURE_NAMES))
    # One array that the columns are slices of takes less time than many.
    end_to_end = pa.array(features.T.ravel())
    for number, name in enumerate(FEATURE_NAMES):
        columns[name] = end_to_end.slice(number * len(found), len(found))
    for number, name in enumerate(PLACE_NAMES):
        columns[name] = [None if s.place is None else float(s.place[number]) for s in segments]
    return pa.Table.from_arrays(
        [_array(columns[field.name], field.type) for field in SYLLABLES_SCHEMA],
        schema=SYLLABLES_SCHEMA,
    )


def _array(values: Any, kind: pa.DataType) -> pa.Array:
    return values if isinstance(values, pa.Array) else pa.array(values, kind)


class SyllablePacker:
    """Collect the tables of a recording's clips, compressed.

    An hour may hold ten thousand syllables, and what a worker has found travels to the process
    that writes it.

    Attributes
    ----------
    n_syllables : int
        Rows so far.
    """

    def __init__(self) -> None:
        self.n_syllables = 0
        self._waiting: list[pa.Table] = []
        self._sink = pa.BufferOutputStream()
        # Compressed as a whole: column by column, as Arrow can do itself, takes five times as
        # long and saves less.
        self._compressed = pa.CompressedOutputStream(self._sink, "zstd")
        self._stream = pa.ipc.new_stream(self._compressed, SYLLABLES_SCHEMA)

    def add(self, table: pa.Table) -> None:
        """Add the rows of a clip."""
        self._waiting.append(table)
        self.n_syllables += table.num_rows
        if sum(waiting.num_rows for waiting in self._waiting) >= PACKED_ROWS:
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            self._stream.write_table(pa.concat_tables(self._waiting).combine_chunks())
            self._waiting.clear()

    def finish(self) -> bytes:
        """Give all rows, for `unpack_syllables`."""
        self._flush()
        self._stream.close()
        self._compressed.close()
        packed: bytes = self._sink.getvalue().to_pybytes()
        return packed


def unpack_syllables(packed: bytes) -> Iterator[pa.Table]:
    """Give the rows that a `SyllablePacker` collected, some thousand a table; one table at least.

    A day may hold a hundred thousand syllables, whose patches are unpacked a few at a time.
    """
    with pa.CompressedInputStream(pa.py_buffer(packed), "zstd") as content:
        stream = pa.ipc.open_stream(content)
        first = next(iter(stream), None)
        if first is None:
            yield SYLLABLES_SCHEMA.empty_table()
            return
        for batch in itertools.chain([first], stream):
            yield pa.Table.from_batches([batch])


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


def recording_table(row: dict[str, Any]) -> pa.Table:
    """One row of ``recordings/*.parquet``."""
    return pa.Table.from_pylist([row], schema=RECORDINGS_SCHEMA)


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
