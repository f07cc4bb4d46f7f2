"""Who works on blocks, and where what comes of them stays."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import IO, Any, Protocol

import numpy as np
import numpy.typing as npt

Arrays = tuple[npt.NDArray[Any], ...]

IN_MEMORY_BYTES = 1 << 25
"""So much of what is made by one call stays in memory; the rest goes to a temporary file."""


class Runner(Protocol):
    """Applies functions to blocks.

    A function gets one item of each column, all of which are of the same length, and then what is
    `shared` by all blocks; it must depend on nothing else. Items may be arrays that an earlier
    `make` left with the runner.
    """

    def make(
        self, function: Callable[..., Arrays], *columns: Iterable[Any], shared: Sequence[Any] = ()
    ) -> Sequence[Any]:
        """Make arrays of every block, which stay where they are made.

        Returns
        -------
        sequence
            A column for further calls; when it is forgotten, so are the arrays.
        """

    def results(
        self, function: Callable[..., Any], *columns: Iterable[Any], shared: Sequence[Any] = ()
    ) -> Iterator[Any]:
        """What a function gives for every block, in the order of the blocks."""


class Here:
    """Works on one block after the other in this process.

    Arrays of many blocks go to a temporary file, in the folder that :mod:`tempfile` chooses
    (``TMPDIR``), which is gone as soon as nobody needs them.
    """

    def __init__(self, in_memory_bytes: int = IN_MEMORY_BYTES) -> None:
        self._in_memory_bytes = in_memory_bytes

    def make(
        self, function: Callable[..., Arrays], *columns: Iterable[Any], shared: Sequence[Any] = ()
    ) -> Sequence[Any]:
        """See :class:`Runner`."""
        shelf = _Shelf(self._in_memory_bytes)
        made = self.results(function, *columns, shared=shared)
        return [_Stored(shelf, shelf.put(arrays)) for arrays in made]

    def results(
        self, function: Callable[..., Any], *columns: Iterable[Any], shared: Sequence[Any] = ()
    ) -> Iterator[Any]:
        """See :class:`Runner`."""
        for items in zip(*columns, strict=True):
            yield function(*(_arrays(item) for item in items), *shared)


class _Stored:
    """A block's arrays on a shelf."""

    def __init__(self, shelf: _Shelf, number: int) -> None:
        self.shelf = shelf
        self.number = number


def _arrays(item: Any) -> Any:
    return item.shelf.get(item.number) if isinstance(item, _Stored) else item


class _Shelf:
    """Arrays of blocks: the first ones in memory, the others in a file without a name."""

    def __init__(self, in_memory_bytes: int) -> None:
        self._left = in_memory_bytes
        self._kept: list[Arrays | list[tuple[int, tuple[int, ...], np.dtype[Any]]]] = []
        self._file: IO[bytes] | None = None

    def put(self, arrays: Arrays) -> int:
        size = sum(array.nbytes for array in arrays)
        if size <= self._left:
            self._left -= size
            self._kept.append(arrays)
        else:
            self._left = 0  # so that what comes later is not read in another order
            self._kept.append([self._write(array) for array in arrays])
        return len(self._kept) - 1

    def get(self, number: int) -> Arrays:
        kept = self._kept[number]
        return kept if isinstance(kept, tuple) else tuple(self._read(*place) for place in kept)

    def _write(self, array: npt.NDArray[Any]) -> tuple[int, tuple[int, ...], np.dtype[Any]]:
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115  lives as long as the shelf
            weakref.finalize(self, self._file.close)
        start = self._file.seek(0, 2)
        self._file.write(np.ascontiguousarray(array).data.cast("B") if array.size else b"")
        return start, array.shape, array.dtype

    def _read(self, start: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        array = np.empty(shape, dtype=dtype)
        if array.size:
            self._file.seek(start)  # type: ignore[union-attr]
            self._file.readinto(array.data.cast("B"))  # type: ignore[union-attr]
        return array
