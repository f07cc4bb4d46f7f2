"""A table that is kept as one Parquet file, a shard, for each recording.

Shards make every recording a unit of work that is there or not. But opening one takes a
millisecond or two, which is minutes for a hundred thousand. So what has been read of very many is
gathered in one further file, together with the state (time of change, size) that each shard had.
A shard in another state is read itself, so the gathered file never has the last word: it may be
out of date, or deleted, at any time.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from birdmodes.errors import DamagedError
from birdmodes.io import seal
from birdmodes.io.files import atomic_path, safe_name
from birdmodes.io.stored import damaged
from birdmodes.workspace.gathering.folder_state import FolderState, State
from birdmodes.workspace.gathering.gathered import SHARD, Gathered, told_states

ENDING = ".parquet"

# So many shards are worth gathering; fewer are read in a tenth of a second.
MANY = 50

# Shards in memory at a time while they are gathered.
BATCH = 500

# So many small shards are remembered with what was read of them: a command reads the same ones up
# to a dozen times. 32 MB at most, and none of them larger than this.
REMEMBERED = 128
SMALL_BYTES = 1 << 17

_MAGIC = b"PAR1"
_COPY_REMEDY = "it is a copy that is not needed, and deleted now: run the command again"


class Shards:
    """Read and write the shards of one table.

    Parameters
    ----------
    folder : pathlib.Path
        Where the shards are.
    schema : pyarrow.Schema
        Columns of the table. A shard that lacks some, because an earlier version wrote it, has
        nulls in them.
    gathered : pathlib.Path
        The gathered file.
    bulky : sequence of str
        Columns that are never gathered.
    """

    def __init__(
        self, folder: Path, schema: pa.Schema, gathered: Path, bulky: Sequence[str] = ()
    ) -> None:
        self.folder = folder
        self.schema = schema
        self._gathered = gathered
        self._bulky = tuple(bulky)
        self._light = [name for name in schema.names if name not in bulky]
        # Compressing a handful of numbers takes longer than anything else with them.
        packed = [name for name in bulky if pa.types.is_binary(schema.field(name).type)]
        self._compression = dict.fromkeys(packed, "zstd") or "none"
        self._seen: frozenset[str] | None = None
        self._row_type = pa.struct(list(schema))

    def only(self, recordings: Collection[str]) -> Shards:
        """Give the same table, of which the shards of some recordings alone are seen."""
        part = Shards(self.folder, self.schema, self._gathered, self._bulky)
        part._seen = frozenset(safe_name(name) + ENDING for name in recordings)
        return part

    def path(self, recording: str) -> Path:
        """Where the shard of a recording is."""
        return self.folder / (safe_name(recording) + ENDING)

    def state(self, recording: str) -> tuple[int, int]:
        """Time of change (ns) and size of a recording's shard; zeros if it is missing."""
        name = safe_name(recording) + ENDING
        return self._states([name])[name]

    def is_whole(self, recording: str) -> bool:
        """Whether a recording's shard is there from its first byte to its last.

        What is between is only looked at when it is read: this must be fast for very many.
        """
        return _is_whole(self.path(recording))

    def whole_names(self) -> list[str]:
        """File names of the shards that are whole, see `is_whole`."""
        return [name for name in self.names() if _is_whole(self.folder / name)]

    def damaged(self) -> Iterator[DamagedError]:
        """Read every byte of every shard; gives the error of each that cannot be read."""
        for name in self.names():
            try:
                read_shard(self.folder / name, self.schema)
            except DamagedError as error:
                yield error

    def names(self) -> list[str]:
        """File names of all shards, sorted; none if there is no folder yet."""
        if self._seen is not None:  # a few of very many
            return sorted(name for name in self._seen if (self.folder / name).exists())
        with contextlib.suppress(FileNotFoundError):
            return sorted(
                name
                for name in os.listdir(self.folder)  # noqa: PTH208  faster
                if name.endswith(ENDING) and not name.startswith(".")
            )
        return []

    def write(self, recording: str, table: pa.Table | Iterator[pa.Table]) -> None:
        """Write a recording's shard, or replace it; tables, of which there is one, as they come."""
        with atomic_path(self.path(recording), sweep=False) as temporary:
            if isinstance(table, pa.Table):
                buffer = pa.BufferOutputStream()
                self._write_tables(buffer, table, iter(()))
                temporary.write_bytes(seal.sealed(memoryview(buffer.getvalue())))
            else:
                self._write_tables(temporary, next(table), table)
                seal.seal_file(temporary)

    def write_row(self, recording: str, row: Mapping[str, Any]) -> None:
        """Write a recording's shard of one row, or replace it."""
        # as a table from a list of rows, in half the time
        whole = pa.array([row], self._row_type)
        self.write(recording, pa.Table.from_batches([pa.RecordBatch.from_struct_array(whole)]))

    def _write_tables(
        self, where: pa.NativeFile | Path, first: pa.Table, others: Iterator[pa.Table]
    ) -> None:
        with pq.ParquetWriter(
            where,
            first.schema,
            # Statistics, dictionaries and compression of single numbers take longer to write and
            # read than a small shard's data.
            compression=self._compression,
            write_statistics=False,
            use_dictionary=False,
            write_page_checksum=True,
            # Parquet's own types say all; Arrow's description is a third of a small shard.
            store_schema=False,
        ) as writer:
            for table in itertools.chain([first], others):
                writer.write_table(table)
            writer.add_key_value_metadata({**(first.schema.metadata or {}), **seal.UNSEALED})

    def metadata(self, recording: str) -> dict[bytes, bytes]:
        """Metadata of the table that a recording's shard was written from."""
        try:
            return dict(pq.read_schema(self.path(recording)).metadata or {})
        except (OSError, pa.ArrowException):
            return {}  # whoever reads the shard says what is the matter

    def remove(self, recording: str) -> None:
        """Remove a recording's shard, if it is there."""
        self.path(recording).unlink(missing_ok=True)

    def read_one(self, recording: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Columns, by default all, of one recording's shard."""
        return read_shard(self.path(recording), self._wanted(columns))

    def read(self, names: Sequence[str], columns: Sequence[str] | None = None) -> pa.Table:
        """Columns, by default all, of the shards with these file names, in any order.

        Raises
        ------
        DamagedError
            If a shard is missing or damaged, or the gathered file turns out to be.
        """
        empty = self._wanted(columns).empty_table()
        return pa.concat_tables([empty, *self.parts(names, columns)])

    def read_seen(self, seen: FolderState, columns: Sequence[str]) -> pa.Table:
        """Columns of all shards, of which it is known in which states they are.

        Parameters
        ----------
        seen : FolderState
            Of the folder of the shards.
        columns : sequence of str
            Which; none that are never gathered.
        """
        gathered, wanted = Gathered(self._gathered, self._light), self._wanted(columns)
        if gathered.is_of(seen.digest):
            parts = list(self._gathered_parts(gathered, wanted))
        else:
            states = seen.files
            names = sorted(name for name in states if name.endswith(ENDING) and name[0] != ".")
            parts = list(self._parts(names, columns, states))
        # An empty table imports pandas, which exports do without.
        return pa.concat_tables(parts) if parts else wanted.empty_table()

    def parts(
        self, names: Sequence[str], columns: Sequence[str] | None = None
    ) -> Iterator[pa.Table]:
        """What `read` gives, some shards at a time, so that it need not all be in memory."""
        return self._parts(names, columns, None)

    def _parts(
        self,
        names: Sequence[str],
        columns: Sequence[str] | None,
        seen: Mapping[str, State] | None,
    ) -> Iterator[pa.Table]:
        wanted = self._wanted(columns)
        if len(names) < MANY or not set(wanted.names) <= set(self._light):
            yield from self._some_shards(names, wanted)
            return
        states = self._states(names) if seen is None else {name: seen[name] for name in names}
        gathered = Gathered(self._gathered, self._light)
        stale = gathered.look_for(states)
        # What was gathered of the others is not lost for some that are seen.
        anew = self._seen is None and (len(stale) >= MANY or gathered.is_of_earlier_version)
        if anew and self._gather(gathered, stale, states):
            gathered = Gathered(self._gathered, self._light)
            stale = gathered.look_for(states)
        yield from self._gathered_parts(gathered, wanted)
        yield from self._some_shards(stale, wanted)

    def _gathered_parts(self, gathered: Gathered, wanted: pa.Schema) -> Iterator[pa.Table]:
        try:
            for part in gathered.parts(wanted.names):
                yield part.cast(wanted)
        except (OSError, pa.ArrowException) as error:
            # Some was given already: only a new beginning gives each row once.
            with contextlib.suppress(OSError):
                self._gathered.unlink()
            raise damaged(self._gathered, error, _COPY_REMEDY) from error

    def _wanted(self, columns: Sequence[str] | None) -> pa.Schema:
        names = self.schema.names if columns is None else columns
        return pa.schema([self.schema.field(name) for name in names])

    def _states(self, names: Sequence[str]) -> dict[str, State]:
        states = {}
        for name in names:
            try:
                status = os.stat(f"{self.folder}/{name}")  # noqa: PTH116  faster
                states[name] = (status.st_mtime_ns, status.st_size)
            except OSError:
                # One that is missing is in no state: it will be read, and the reader complains.
                states[name] = (0, 0)
        return states

    def _gather(self, before: Gathered, stale: list[str], states: dict[str, State]) -> bool:
        """Write the gathered file anew; whether that was possible."""
        schema = self._wanted(self._light).append(pa.field(SHARD, pa.string()))
        try:
            self._gathered.parent.mkdir(exist_ok=True)
            with (
                atomic_path(self._gathered) as temporary,
                pq.ParquetWriter(
                    temporary,
                    schema,
                    compression="zstd",
                    write_statistics=False,
                    use_dictionary=[SHARD],
                    write_page_checksum=True,
                    # Parquet's own types say all.
                    store_schema=False,
                ) as writer,
            ):
                for part in before.parts(schema.names):
                    writer.write_table(part.cast(schema))
                for first in range(0, len(stale), BATCH):
                    batch = stale[first : first + BATCH]
                    writer.write_table(self._read_named(batch).cast(schema))
                writer.add_key_value_metadata(told_states(states))
        except OSError:
            # The workspace may be read-only, or the disk full: reading must go on.
            return False
        return True

    def _read_named(self, names: Sequence[str]) -> pa.Table:
        """What is gathered of some shards, with the column `SHARD`."""
        tables = []
        for name in names:
            table = read_shard(self.folder / name, self._wanted(self._light))
            column = pa.repeat(pa.scalar(name), table.num_rows)
            tables.append(table.append_column(SHARD, column))
        return pa.concat_tables(tables)

    def _some_shards(self, names: Sequence[str], wanted: pa.Schema) -> Iterator[pa.Table]:
        for first in range(0, len(names), BATCH):
            batch = names[first : first + BATCH]
            yield pa.concat_tables([read_shard(self.folder / name, wanted) for name in batch])


def _is_whole(path: Path) -> bool:
    """Whether a file begins and ends as Parquet does, and what its end announces fits into it."""
    try:
        with path.open("rb") as file:
            first = file.read(len(_MAGIC))
            size = file.seek(-len(_MAGIC) - 4, os.SEEK_END)
            footer = int.from_bytes(file.read(4), "little")
            return first == file.read() == _MAGIC and len(_MAGIC) + footer <= size
    except OSError:  # also where it is shorter than that
        return False


def read_shard(path: Path, wanted: pa.Schema) -> pa.Table:
    """Read the columns of `wanted`; those that the file lacks are null.

    Raises
    ------
    DamagedError
        If the file is missing or damaged.
    """
    try:
        data = path.read_bytes()
        # Remembered by all of its bytes: whatever happens to a file, what it holds now is read.
        return (_remembered if len(data) <= SMALL_BYTES else _decoded)(data, wanted)
    except (OSError, pa.ArrowException) as error:
        raise DamagedError(
            f"{path}: cannot be read ({error}); delete it and run 'birdmodes segment' again", path
        ) from error


def _decoded(data: bytes, wanted: pa.Schema) -> pa.Table:
    """Give the columns of `wanted` from the bytes of a shard."""
    if seal.is_broken(data):
        raise OSError("its checksum does not fit")
    # Those of earlier versions have checksums over their pages alone, or none.
    file = pq.ParquetFile(pa.BufferReader(data), page_checksum_verification=True)
    there = set(file.schema_arrow.names)
    columns = [name for name in wanted.names if name in there]
    # To look for columns by name takes a quarter of the time of reading them all.
    table = file.read(columns if len(columns) < len(there) else None, use_threads=False)
    for name in wanted.names:
        if name not in there:
            nothing = pa.nulls(table.num_rows, wanted.field(name).type)
            table = table.append_column(wanted.field(name), nothing)
    table = table.select(wanted.names)
    table = table.replace_schema_metadata(None)
    return table if table.schema.equals(wanted) else table.cast(wanted)


_remembered = functools.lru_cache(REMEMBERED)(_decoded)
