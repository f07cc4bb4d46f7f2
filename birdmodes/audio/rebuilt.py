"""A recording's file as it should have been: with other bytes in some places, or another head."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any


class PatchedFile(io.FileIO):
    """A file with some bytes replaced.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    patches : dict
        Places to what belongs there.
    """

    def __init__(self, path: Path, patches: dict[int, bytes]) -> None:
        super().__init__(path)
        self._patches = patches

    def readinto(self, buffer: Any) -> int:
        """Read, with the patches at their places."""
        start = self.tell()
        count = super().readinto(buffer) or 0
        view = memoryview(buffer).cast("B")
        for place, right in self._patches.items():
            for number, byte in enumerate(right, start=place - start):
                if 0 <= number < count:
                    view[number] = byte
        return count


class WithHead(io.FileIO):
    """A file from some place on, with other bytes before it.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    head : bytes
        What comes first.
    start : int
        Where in the file the rest begins.
    """

    def __init__(self, path: Path, head: bytes, start: int) -> None:
        super().__init__(path)
        self._head, self._start = head, start
        self._size = len(head) + super().seek(0, io.SEEK_END) - start
        self._at = 0

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place."""
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def tell(self) -> int:
        """Place, counted from the beginning of the head."""
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Read from the head, else from the file."""
        view = memoryview(buffer).cast("B")
        if self._at < len(self._head):
            found = self._head[self._at : self._at + len(view)]
            view[: len(found)] = found
            count = len(found)
        else:
            super().seek(self._start + self._at - len(self._head))
            count = super().readinto(view) or 0
        self._at += count
        return count

    def read(self, size: int | None = -1, /) -> bytes:
        """Read bytes, all that are left by default."""
        left = max(0, self._size - self._at)
        buffer = bytearray(left if size is None or size < 0 else min(size, left))
        done = 0
        while done < len(buffer):
            count = self.readinto(memoryview(buffer)[done:])
            if not count:
                break
            done += count
        return bytes(buffer[:done])
