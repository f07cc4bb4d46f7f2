"""Parquet files of a few rows, byte for byte as pyarrow writes them, in a fraction of its time.

pyarrow takes some 20 microseconds a column, whatever the column holds: two milliseconds a
recording, which is a sixth of what a short one takes in all. What is simple is put together here:
one row group, one page a column, plain values that are all there or all missing, lists that are
empty. `FewRows` gives None for the rest.

References
----------
Apache Parquet, File Format (parquet.thrift, Encodings.md), and the compact protocol of Apache
Thrift that its descriptions are written in.
"""

from __future__ import annotations

import functools
import struct
import sys
import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

MOST_ROWS = 63
"""So many rows are few: their number takes one byte wherever it stands."""

_MOST_BYTES = 1 << 18  # of a column; larger ones might be cut into pages
_MAGIC = b"PAR1"
# Numbers of Parquet's physical types, and a value of theirs as `struct` writes it.
_BYTES = 6
_TYPES = {
    pa.bool_(): (0, "?"),
    pa.int32(): (1, "<i"),
    pa.int64(): (2, "<q"),
    pa.float32(): (4, "<f"),
    pa.float64(): (5, "<d"),
    pa.string(): (_BYTES, ""),
    pa.binary(): (_BYTES, ""),
}
_ZSTD = 6  # of Parquet's codecs
# Where a description of columns ends: no rows, no row groups.
_NO_ROW_GROUPS = b"\x16\x00\x19\x0c"
# Columns, size and number of rows of a row group.
_GROUP = b"\x19%b%b\x16%b\x16%c\x26\x08\x16%b\x00"


class _Plain(NamedTuple):
    """What is in a column, all of it of one definition level.

    Attributes
    ----------
    level : int
        0 if all are missing, else 1.
    values : bytes
        Of those that are there.
    n_bytes : int
        Of texts, without their lengths.
    """

    level: int
    values: bytes | memoryview = b""
    n_bytes: int = 0


@dataclass(frozen=True)
class _Leaf:
    """A column of values.

    Attributes
    ----------
    form : str
        A value as `struct` writes it; "" for texts and bytes.
    is_bytes, is_packed : bool
        Whether its values are texts or bytes, and whether its pages are compressed.
    depth : int
        Its highest definition level: 1 outside of lists.
    description : bytes
        Beginning of the description of what a file holds of it.
    """

    form: str
    is_bytes: bool
    is_packed: bool
    depth: int
    description: bytes


class FewRows:
    """Packs tables of one schema.

    Parameters
    ----------
    schema : pyarrow.Schema
        Without metadata: numbers of 32 and 64 bits, truth values, texts, bytes, and lists of such
        or of structures of such.
    packed : collection of str
        Columns that are compressed.
    metadata : mapping of bytes to bytes
        What every file carries.
    """

    def __init__(
        self, schema: pa.Schema, packed: Collection[str], metadata: Mapping[bytes, bytes]
    ) -> None:
        self._schema, self._names = schema, schema.names
        self._leaves = [
            _leaves(field.name, field.type, is_packed=field.name in packed) for field in schema
        ]
        self._list_head = _list_head(sum(map(len, self._leaves)))
        # The library itself writes what is the same in all files.
        sink = pa.BufferOutputStream()
        with pq.ParquetWriter(sink, schema, store_schema=False) as writer:
            writer.add_key_value_metadata(dict(metadata))
        empty = sink.getvalue().to_pybytes()
        self._columns, _, self._end = empty[len(_MAGIC) : -8].rpartition(_NO_ROW_GROUPS)

    def packed(self, table: pa.Table) -> bytes | None:
        """Give the file of a table, or None if it is not simple.

        Parameters
        ----------
        table : pyarrow.Table
            Of the schema.
        """
        batches, n_rows = table.to_batches(), table.num_rows
        if (
            len(batches) != 1
            or n_rows > MOST_ROWS
            or not table.schema.equals(self._schema, check_metadata=True)
        ):
            return None
        columns = zip(batches[0].columns, self._leaves, strict=True)
        return self._file(n_rows, (_plain(column, leaves[0]) for column, leaves in columns))

    def packed_row(self, row: Mapping[str, Any]) -> bytes | None:
        """Give the file of one row, or None if it is not simple.

        Parameters
        ----------
        row : mapping of str to object
            Values of the columns; those that are not there, or None, are missing.
        """
        values = zip(self._names, self._leaves, strict=True)
        return self._file(1, (_plain_value(row.get(name), leaves[0]) for name, leaves in values))

    def _file(self, n_rows: int, columns: Iterable[_Plain | None]) -> bytes | None:
        if not self._columns or sys.byteorder != "little":
            return None
        parts, at, size = [_MAGIC], len(_MAGIC), 0
        chunks: list[bytes] = []
        for leaves, found in zip(self._leaves, columns, strict=True):
            if found is None:
                return None
            for leaf in leaves:
                content = _levels(n_rows, found.level, leaf.depth) + found.values
                page = _zstd().compress(content, asbytes=True) if leaf.is_packed else content
                first, rest = _page_head(n_rows, len(content), len(page))
                checksum = _crc(page)
                parts += (first, checksum, rest, page)
                head_size = len(first) + len(checksum) + len(rest)
                taken, raw = head_size + len(page), head_size + len(content)
                n_bytes = found.n_bytes if leaf.is_bytes else None
                counts = _chunk_end(n_rows, found.level, leaf.depth, n_bytes)
                chunks += (leaf.description, _sizes(n_rows, raw, taken), _varint(2 * at), counts)
                at, size = at + taken, size + raw
        group = _GROUP % (
            self._list_head,
            b"".join(chunks),
            _varint(2 * size),
            2 * n_rows,
            _varint(2 * (at - len(_MAGIC))),
        )
        end = b"%b\x16%c\x19\x1c%b%b" % (self._columns, 2 * n_rows, group, self._end)
        parts += (end, len(end).to_bytes(4, "little"), _MAGIC)
        return b"".join(parts)


def _leaves(name: str, kind: pa.DataType, *, is_packed: bool) -> list[_Leaf]:
    """Columns of values that a column of a table consists of."""
    if not pa.types.is_list(kind):
        return [_leaf([name], kind, is_packed=is_packed, depth=1)]
    path, kind = [name, "list", "element"], kind.value_type
    if not pa.types.is_struct(kind):
        return [_leaf(path, kind, is_packed=is_packed, depth=3)]
    return [_leaf([*path, field.name], field.type, is_packed=is_packed, depth=4) for field in kind]


def _leaf(path: Sequence[str], kind: pa.DataType, *, is_packed: bool, depth: int) -> _Leaf:
    number, form = _TYPES[kind]
    names = b"".join(_text(name.encode()) for name in path)
    return _Leaf(
        form=form,
        is_bytes=number == _BYTES,
        is_packed=is_packed,
        depth=depth,
        description=b"\x26\x00\x1c\x15%c\x19%%\x06\x00\x19%c%b\x15%c"
        % (2 * number, len(path) << 4 | 8, names, 2 * (_ZSTD if is_packed else 0)),
    )


def _plain(column: pa.Array, leaf: _Leaf) -> _Plain | None:
    """Values of a column as Parquet has them; None if they are not simple."""
    n_rows = len(column)
    if column.null_count:
        return _Plain(0) if column.null_count == n_rows else None
    if leaf.depth > 1:
        return None if len(column.flatten()) else _Plain(1)
    if leaf.is_bytes:
        return _plain_bytes(column.to_pylist())
    if leaf.form == "?":  # eight a byte
        bits = np.packbits(column.to_numpy(zero_copy_only=False), bitorder="little")
        return _Plain(1, bits.tobytes())
    width = struct.calcsize(leaf.form)
    first = column.offset * width
    return _Plain(1, memoryview(column.buffers()[1])[first : first + n_rows * width])


def _plain_value(value: Any, leaf: _Leaf) -> _Plain | None:
    """The only value of a column as Parquet has it; None if it is not simple."""
    if value is None:
        return _Plain(0)
    if leaf.depth > 1:
        return None if len(value) else _Plain(1)
    return _plain_bytes([value]) if leaf.is_bytes else _Plain(1, struct.pack(leaf.form, value))


def _plain_bytes(values: Sequence[str | bytes]) -> _Plain | None:
    """Texts or bytes, each behind its length; None if they are too large."""
    rows = [row.encode() if isinstance(row, str) else row for row in values]
    n_bytes = sum(map(len, rows))
    if n_bytes > _MOST_BYTES:
        return None
    parts = (part for row in rows for part in (len(row).to_bytes(4, "little"), row))
    return _Plain(1, b"".join(parts), n_bytes)


# The same pieces come again and again, from column to column and from table to table.
_remembered = functools.lru_cache(maxsize=4096)


@functools.cache
def _zstd() -> pa.Codec:
    """The codec, which does not travel to other processes."""
    return pa.Codec("zstd")


@_remembered
def _levels(n_rows: int, level: int, depth: int) -> bytes:
    """Levels of as many rows: runs of one value."""
    run = b"\x02\x00\x00\x00%c%c"
    repeated = b"" if depth == 1 else run % (2 * n_rows, 0)
    return repeated + run % (2 * n_rows, level)


@_remembered
def _page_head(n_rows: int, n_content: int, n_page: int) -> tuple[bytes, bytes]:
    """What comes before a page's checksum, its sizes, and behind it, how its values are written."""
    sizes = _varint(2 * n_content), _varint(2 * n_page)
    plain = b"\x1c\x15%c\x15\x00\x15\x06\x15\x06\x1c\x00\x00\x00"
    return b"\x15\x00\x15%b\x15%b\x15" % sizes, plain % (2 * n_rows)


@_remembered
def _sizes(n_rows: int, raw: int, taken: int) -> bytes:
    """Number of values of a column, its bytes before and after compression."""
    return b"\x16%c\x16%b\x16%b\x26" % (2 * n_rows, _varint(2 * raw), _varint(2 * taken))


@_remembered
def _chunk_end(n_rows: int, level: int, depth: int, n_bytes: int | None) -> bytes:
    """End of a column's description: bytes of its texts, and how many values of each level."""
    counts = bytearray(depth + 1)
    counts[level] = 2 * n_rows
    return b"\x49\x1c\x15\x00\x15\x00\x15\x02\x00\x3c%b%b\x19%c%b\x00\x00\x00" % (
        b"\x29" if n_bytes is None else b"\x16%b\x19" % _varint(2 * n_bytes),
        b"\x06" if depth == 1 else b"\x26%c\x00" % (2 * n_rows),
        (depth + 1) << 4 | 6,
        bytes(counts),
    )


def _text(content: bytes) -> bytes:
    return _varint(len(content)) + content


def _list_head(length: int) -> bytes:
    """What comes before the structures of a list."""
    return bytes([length << 4 | 12]) if length < 15 else b"\xfc" + _varint(length)


def _crc(content: bytes) -> bytes:
    """Checksum of a page, as a number with a sign in the compact protocol."""
    checksum = zlib.crc32(content)
    value = 2 * checksum if checksum < 1 << 31 else 2 * ((1 << 32) - checksum) - 1
    if value < 1 << 28:
        return _varint(value)
    # nearly always: five bytes, in half the time
    low = value & 127 | 128, value >> 7 & 127 | 128, value >> 14 & 127 | 128
    return bytes((*low, value >> 21 & 127 | 128, value >> 28))


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; the eighth says that more follow."""
    more = []
    while value > 127:
        more.append(value & 127 | 128)
        value >>= 7
    return bytes((*more, value))
