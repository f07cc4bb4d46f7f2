"""Parquet files of a few rows: the library reads from them what was put in."""

from __future__ import annotations

import pickle
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from birdmodes.io.few_rows import MOST_ROWS, FewRows

SCHEMA = pa.schema(
    [
        ("name", pa.string()),
        ("count", pa.int64()),
        ("size", pa.int32()),
        ("share", pa.float64()),
        ("level", pa.float32()),
        ("sure", pa.bool_()),
        ("image", pa.binary()),
        ("words", pa.list_(pa.string())),
        ("spans", pa.list_(pa.struct([("start_s", pa.float64()), ("species", pa.string())]))),
    ]
)
METADATA = {b"about": b"sounds"}


def table(n_rows: int, **columns: list[Any]) -> pa.Table:
    """Rows with values of every kind, long and short, and empty lists."""
    numbers = list(range(n_rows))
    rows = {
        "name": ["Zilpzalp ü" * (k % 3) for k in numbers],
        "count": [(-3) ** k % 2**62 for k in numbers],
        "size": numbers,
        "share": [k / 7 for k in numbers],
        "level": [-k / 3 for k in numbers],
        "sure": [k % 3 == 0 for k in numbers],
        "image": [bytes(range(k, 256)) * (k % 20) for k in numbers],
        "words": [[] for _ in numbers],
        "spans": [[] for _ in numbers],
    }
    return pa.table({**rows, **columns}, schema=SCHEMA)


def by_library(rows: pa.Table) -> bytes:
    """The same file, by pyarrow."""
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(
        sink,
        rows.schema,
        compression={"image": "zstd"},
        use_dictionary=False,
        write_statistics=False,
        write_page_checksum=True,
        store_schema=False,
    ) as writer:
        writer.write_table(rows)
        writer.add_key_value_metadata(METADATA)
    content: bytes = sink.getvalue().to_pybytes()
    return content


@pytest.fixture(scope="module")
def few_rows() -> FewRows:
    return FewRows(SCHEMA, ["image"], METADATA)


def nothing(n_rows: int) -> pa.Table:
    return table(n_rows, **{name: [None] * n_rows for name in SCHEMA.names})


@pytest.mark.parametrize("n_rows", [1, 2, 8, 9, MOST_ROWS])
@pytest.mark.parametrize("make", [table, nothing])
def test_the_library_reads_the_rows_and_the_metadata(
    few_rows: FewRows, make: Any, n_rows: int
) -> None:
    content = few_rows.packed(make(n_rows))
    assert content is not None
    file = pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True)
    assert file.read().replace_schema_metadata(None).equals(make(n_rows))
    assert file.schema_arrow.metadata[b"about"] == b"sounds"
    assert file.metadata.row_group(0).column(6).compression == "ZSTD"
    assert file.metadata.row_group(0).column(0).compression == "UNCOMPRESSED"


@pytest.mark.skipif(int(pa.__version__.split(".")[0]) != 26, reason="other bytes mean the same")
@pytest.mark.parametrize("n_rows", [1, 2, 8, 9, MOST_ROWS])
@pytest.mark.parametrize("make", [table, nothing])
def test_the_file_is_that_of_the_library(few_rows: FewRows, make: Any, n_rows: int) -> None:
    assert few_rows.packed(make(n_rows)) == by_library(make(n_rows))


@pytest.mark.parametrize(
    "rows", [table(1), table(3).slice(2), nothing(1)], ids=["first", "third", "nothing"]
)
def test_a_row_of_values_is_packed_as_its_table(few_rows: FewRows, rows: pa.Table) -> None:
    (row,) = rows.to_pylist()
    assert few_rows.packed_row(row) == few_rows.packed(rows)


def test_values_that_a_row_lacks_are_missing(few_rows: FewRows) -> None:
    assert few_rows.packed_row({}) == few_rows.packed(nothing(1))


def test_a_row_with_words_is_left_to_the_library(few_rows: FewRows) -> None:
    assert few_rows.packed_row({"name": "Zilpzalp", "words": ["tsilp", "tsalp"]}) is None


def test_what_was_used_travels_to_other_processes(few_rows: FewRows) -> None:
    before = few_rows.packed(table(2))
    assert pickle.loads(pickle.dumps(few_rows)).packed(table(2)) == before  # noqa: S301


def test_a_slice_of_a_table_is_packed_alone(few_rows: FewRows) -> None:
    part = table(20).slice(5, 7)
    content = few_rows.packed(part)
    assert content is not None
    read = pq.read_table(pa.BufferReader(content))
    assert read.replace_schema_metadata(None).equals(part)


@pytest.mark.parametrize(
    "rows",
    [
        table(0),
        table(MOST_ROWS + 1),
        table(2, name=["one", None]),
        table(2, words=[["one"], []]),
        table(2, spans=[[], None]),
        table(1, spans=[[{"start_s": 1.5, "species": "wren"}]]),
        table(1, image=[bytes(1 << 20)]),
        pa.concat_tables([table(1), table(1)]),
        table(1).replace_schema_metadata({"more": "words"}),
        table(1).drop_columns("spans"),
    ],
    ids=["none", "many", "null", "list", "no-list", "spans", "large", "parts", "words", "columns"],
)
def test_what_is_not_simple_is_left_to_the_library(few_rows: FewRows, rows: pa.Table) -> None:
    assert few_rows.packed(rows) is None


def test_pages_that_changed_are_found_by_their_checksums(few_rows: FewRows) -> None:
    content = bytearray(few_rows.packed(table(3)) or b"")
    content[content.index(b"Zilpzalp")] ^= 1
    file = pq.ParquetFile(pa.BufferReader(bytes(content)), page_checksum_verification=True)
    with pytest.raises(OSError, match="CRC"):
        file.read()
