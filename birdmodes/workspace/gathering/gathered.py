"""What was read of very many shards, in one file that is read fast.

It holds the rows of the shards, each with its shard's name, and in its metadata the state (time of
change, size) that each shard had: as a digest of all, by which a command that has looked at the
folder knows at once that nothing has changed, and in full, so that what has changed can be told.
"""

from __future__ import annotations

import contextlib
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from birdmodes.workspace.gathering.folder_state import State, states_digest

SHARD = "shard"
"""Column: name of the shard that a row comes from."""

# Keys of the metadata: the digest of the states of the shards, and these as JSON, compressed.
_DIGEST = b"digest"
_STATES = b"packed states"

# Earlier versions had them as they are, where reading a hundred thousand takes half a second.
_STATES_AS_THEY_ARE = b"states"


def told_states(states: Mapping[str, State]) -> dict[bytes, bytes]:
    """Metadata of a gathered file of shards that are in these states."""
    packed = zlib.compress(json.dumps(states).encode("utf-8"), 1)
    return {_DIGEST: states_digest(states).encode("ascii"), _STATES: packed}


class Gathered:
    """The gathered file, as far as it holds shards in the state that they are in now.

    Parameters
    ----------
    path : pathlib.Path
        The file, which need not exist.
    columns : sequence of str
        Columns that it must have; a file with others, of another version, counts as empty.
    """

    def __init__(self, path: Path, columns: Sequence[str]) -> None:
        self._file: pq.ParquetFile | None = None
        self._told: dict[bytes, bytes] = {}
        self._fresh: set[str] = set()
        self._all_fresh = True
        # Opened once, so that another process may replace the file while this one reads.
        with contextlib.suppress(OSError, ValueError, pa.ArrowException):
            file = pq.ParquetFile(path, page_checksum_verification=True)
            schema = file.schema_arrow
            if schema.names == [*columns, SHARD]:
                self._told = schema.metadata or {}
                self._file = file

    @property
    def is_of_earlier_version(self) -> bool:
        """Whether it tells of the states of shards as earlier versions did."""
        return _STATES_AS_THEY_ARE in self._told

    def is_of(self, digest: str) -> bool:
        """Whether it holds the shards of a folder in this state, and no others."""
        return self._told.get(_DIGEST) == digest.encode("ascii")

    def look_for(self, states: Mapping[str, State]) -> list[str]:
        """Look which shards are in it as they are now; from then on `parts` gives these alone.

        Parameters
        ----------
        states : mapping of str to (int, int)
            The shards that are wanted, and their states.

        Returns
        -------
        list of str
            Shards that are to be read themselves.
        """
        held = self._states()
        self._fresh = {name for name, state in states.items() if held.get(name) == [*state]}
        self._all_fresh = len(self._fresh) == len(held)
        return [name for name in states if name not in self._fresh]

    def _states(self) -> dict[str, list[int]]:
        with contextlib.suppress(ValueError, KeyError, zlib.error):
            told = (
                self._told[_STATES_AS_THEY_ARE]
                if self.is_of_earlier_version
                else zlib.decompress(self._told[_STATES])
            )
            states: dict[str, list[int]] = json.loads(told)
            return states
        self._file = None
        return {}

    def parts(self, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Rows of the shards, some at a time."""
        if self._file is None:
            return
        for number in range(self._file.num_row_groups):
            if self._all_fresh:
                yield self._file.read_row_group(number, columns=list(columns)).select(columns)
            else:
                table = self._file.read_row_group(number, columns=list({*columns, SHARD}))
                yield self._of_fresh(table).select(list(columns))

    def _of_fresh(self, table: pa.Table) -> pa.Table:
        import pyarrow.compute as pc  # slow to import: `info` does without

        # Looked up among those of the group: of a hundred thousand it took seconds.
        shards = pc.unique(table[SHARD])
        fresh = pa.array([name for name in shards.to_pylist() if name in self._fresh])
        if len(fresh) == len(shards):
            return table
        return table.filter(pc.is_in(table[SHARD], fresh.cast(pa.string())))
