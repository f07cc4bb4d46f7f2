from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from birdmodes.errors import DamagedError, WorkspaceError
from birdmodes.workspace import shards as module
from birdmodes.workspace.gathering.folder_state import folder_state
from birdmodes.workspace.gathering.gathered import Gathered
from birdmodes.workspace.shards import Shards

SCHEMA = pa.schema([("name", pa.string()), ("value", pa.int64()), ("picture", pa.binary())])
MANY = 12


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gather a dozen shards, of which three are in memory at a time."""
    monkeypatch.setattr(module, "MANY", MANY)
    monkeypatch.setattr(module, "BATCH", 3)


@pytest.fixture
def shards(tmp_path: Path) -> Shards:
    """Give shards 0 to 15 of so many rows as their number says."""
    (tmp_path / "table").mkdir()
    made = Shards(tmp_path / "table", SCHEMA, tmp_path / "gathered/table.parquet", ["picture"])
    for number in range(16):
        write(made, number, rows=number)
    return made


def write(shards: Shards, number: int, rows: int, value: int | None = None) -> None:
    values = [number if value is None else value] * rows
    columns = {"name": [str(number)] * rows, "value": values, "picture": [b"x"] * rows}
    shards.write(str(number), pa.table(columns, schema=SCHEMA))


def read(shards: Shards, *columns: str) -> list[tuple[object, ...]]:
    table = shards.read(shards.names(), columns or ("name", "value"))
    return sorted(tuple(row.values()) for row in table.to_pylist())


def expected(**changed: int) -> list[tuple[object, ...]]:
    return sorted(
        (str(number), changed.get(f"n{number}", number))
        for number in range(16)
        for _ in range(number)
    )


def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the shards that are read from now on."""
    names: list[str] = []
    original = module.read_shard

    def noting(path: Path, wanted: pa.Schema) -> pa.Table:
        names.append(path.name)
        return original(path, wanted)

    monkeypatch.setattr(module, "read_shard", noting)
    return names


def test_a_folder_that_is_not_there_yet_has_no_shards(tmp_path: Path) -> None:
    assert Shards(tmp_path / "none", SCHEMA, tmp_path / "gathered").names() == []


def test_what_was_gathered_is_not_read_again(
    shards: Shards, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = opened(monkeypatch)
    assert read(shards) == expected()
    assert sorted(names) == shards.names()
    names.clear()
    assert read(shards) == expected()
    assert read(shards, "value") == sorted((value,) for _, value in expected())
    assert names == []


def test_shards_that_changed_are_read_themselves(
    shards: Shards, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(shards)
    write(shards, 5, rows=5, value=-1)
    write(shards, 16, rows=1)
    shards.remove("7")
    names = opened(monkeypatch)
    rows = [row for row in expected(n5=-1) if row[0] != "7"]
    assert read(shards) == sorted([*rows, ("16", 16)])
    assert sorted(names) == sorted(shards.path(name).name for name in ("5", "16"))


def test_a_shard_that_was_read_and_has_turned_bad_is_told_though_its_state_is_the_same(
    shards: Shards,
) -> None:
    path = shards.path("5")
    before, data = path.stat(), bytearray(path.read_bytes())
    assert shards.read_one("5") == shards.read_one("5")
    data[len(data) // 3] ^= 1
    path.write_bytes(data)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(DamagedError, match="checksum"):
        shards.read_one("5")


def test_when_many_have_changed_all_are_gathered_anew(
    shards: Shards, monkeypatch: pytest.MonkeyPatch
) -> None:
    read(shards)
    for number in range(MANY):
        write(shards, number, rows=number, value=-number)
    changed = {f"n{number}": -number for number in range(MANY)}
    names = opened(monkeypatch)
    assert read(shards) == expected(**changed)
    assert len(names) == MANY, "the others come from the gathered file"
    names.clear()
    assert read(shards) == expected(**changed)
    assert names == []


def test_what_an_earlier_version_gathered_is_taken_over(
    shards: Shards, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It told of the states of shards as they are, and of no digest."""
    read(shards)
    gathered = tmp_path / "gathered/table.parquet"
    states = json.dumps(folder_state(shards.folder).files)
    table = pq.read_table(gathered).replace_schema_metadata({"states": states})
    pq.write_table(table, gathered)
    write(shards, 5, rows=5, value=-1)
    names = opened(monkeypatch)
    for _ in range(2):
        assert read(shards) == expected(n5=-1)
    assert names == [shards.path("5").name]
    assert b"states" not in pq.read_metadata(gathered).metadata


def test_of_a_folder_that_is_as_it_was_gathered_no_shard_is_looked_for(
    shards: Shards, monkeypatch: pytest.MonkeyPatch
) -> None:
    def seen() -> list[tuple[object, ...]]:
        table = shards.read_seen(folder_state(shards.folder), ["name", "value"])
        return sorted(tuple(row.values()) for row in table.to_pylist())

    assert seen() == expected()
    names = opened(monkeypatch)
    with monkeypatch.context() as patch:
        patch.setattr(Gathered, "look_for", lambda *_: pytest.fail("it was known already"))
        assert seen() == expected()
    write(shards, 5, rows=5, value=-1)
    assert seen() == expected(n5=-1)
    shards.remove("5")
    assert seen() == [row for row in expected() if row[0] != "5"]
    assert names == [shards.path("5").name]


def test_bulky_columns_and_few_shards_are_read_from_the_shards(
    shards: Shards, tmp_path: Path
) -> None:
    assert len(read(shards, "name", "picture")) == len(expected())
    assert len(shards.read(shards.names()[: MANY - 1])) < len(expected())
    assert not (tmp_path / "gathered").exists()


@pytest.mark.parametrize("damage", ["cut", "other columns", "no states", "spoilt states", "folder"])
def test_a_gathered_file_that_is_no_good_is_made_anew(
    shards: Shards, tmp_path: Path, damage: str
) -> None:
    read(shards)
    gathered = tmp_path / "gathered/table.parquet"
    if damage == "cut":
        gathered.write_bytes(gathered.read_bytes()[:-20])
    elif damage == "other columns":
        pq.write_table(pa.table({"x": [1]}), gathered)
    elif damage == "no states":
        pq.write_table(pq.read_table(gathered).replace_schema_metadata(), gathered)
    elif damage == "spoilt states":
        told = {"packed states": b"nonsense"}
        pq.write_table(pq.read_table(gathered).replace_schema_metadata(told), gathered)
    else:
        gathered.unlink()
        gathered.mkdir()
    assert read(shards) == expected()


@pytest.mark.parametrize("way", ["by states", "by digest"])
def test_a_gathered_file_that_is_damaged_within_is_told_once_and_made_anew(
    shards: Shards, tmp_path: Path, way: str
) -> None:
    def read(shards: Shards) -> list[tuple[object, ...]]:
        names, columns = shards.names(), ["name", "value"]
        seen = folder_state(shards.folder)
        table = (
            shards.read(names, columns) if way == "by states" else shards.read_seen(seen, columns)
        )
        return sorted(tuple(row.values()) for row in table.to_pylist())

    read(shards)
    gathered = tmp_path / "gathered/table.parquet"
    whole = gathered.read_bytes()
    told = []
    for place in range(0, len(whole), 29):
        changed = bytearray(whole)
        changed[place] ^= 4
        gathered.write_bytes(changed)
        try:
            found = read(shards)
        except DamagedError as error:
            told.append(str(error))
            found = read(shards)
        assert found == expected()
    assert len(told) > 20
    for line in told:
        assert line.startswith(f"{gathered}: damaged (")
        assert line.endswith("deleted now: run the command again")
        assert "\n" not in line


def test_reading_goes_on_where_nothing_can_be_written(shards: Shards, tmp_path: Path) -> None:
    (tmp_path / "gathered").touch()
    assert read(shards) == expected()


def test_columns_that_a_shard_lacks_are_null(shards: Shards) -> None:
    for number in range(MANY):
        pq.write_table(pa.table({"name": [str(number)]}), shards.path(str(number)))
    for _ in range(2):
        rows = shards.read(shards.names(), ["name", "value"]).to_pylist()
        values = {row["name"]: row["value"] for row in rows}
        assert values == {str(n): None if n < MANY else n for n in range(16)}
    assert shards.read_one("3").to_pylist() == [{"name": "3", "value": None, "picture": None}]


@pytest.mark.parametrize("damage", ["missing", "nonsense"])
def test_a_missing_or_damaged_shard_is_named(shards: Shards, damage: str) -> None:
    names = shards.names()
    read(shards)
    path = shards.path("4")
    path.unlink()
    if damage == "nonsense":
        path.write_bytes(b"nonsense")
    with pytest.raises(WorkspaceError, match=rf"{path.name}: cannot be read .*segment' again"):
        shards.read(names, ["value"])


def test_no_changed_byte_goes_unnoticed(shards: Shards) -> None:
    """In the data, in what describes them, or in the checksum; or it changes nothing."""
    path = shards.path("3")
    whole, rows = path.read_bytes(), shards.read_one("3").to_pylist()
    harmless = 0
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        try:
            read_then = shards.read_one("3").to_pylist()
        except DamagedError:
            continue
        assert read_then == rows
        harmless += 1
    assert harmless <= len("crc32:")


def test_a_changed_byte_in_a_page_of_an_older_shard_is_found(shards: Shards) -> None:
    """They have no checksum over the whole, but one over each page."""
    path = shards.path("3")
    table = shards.read_one("3")
    pq.write_table(table, path, compression="none", use_dictionary=False, write_page_checksum=True)
    assert shards.read_one("3") == table
    whole = path.read_bytes()
    columns = pq.ParquetFile(path).metadata.row_group(0)
    for number in range(len(SCHEMA)):
        column = columns.column(number)
        # The last bytes of a column are of its page's values, not of the page's header.
        place = column.data_page_offset + column.total_compressed_size - 1
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(DamagedError, match=r"3-.*\.parquet: cannot be read .*; delete it"):
            shards.read_one("3")


def test_a_long_recording_is_written_a_table_at_a_time(shards: Shards) -> None:
    whole = shards.read_one("15")
    shards.write("15", iter([whole.slice(0, 5), whole.slice(5, 3), whole.slice(8)]))
    assert pq.ParquetFile(shards.path("15")).num_row_groups == 3
    assert shards.read_one("15").equals(whole)
    assert b"crc32:00000000" not in shards.path("15").read_bytes()
    assert list(shards.damaged()) == []
