"""Raw files in the data folder: as published, or gzipped with ``.gz`` after the name."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from pathlib import Path
from typing import IO, cast

from birdmodes.errors import DatasetError

GZIPPED = ".gz"


def stored_path(path: Path) -> Path | None:
    """Tell where a raw file lies: under its own name, else gzipped, else (None) not at all.

    Parameters
    ----------
    path : pathlib.Path
        Its own name, as it is downloaded.
    """
    for candidate in (path, gzipped(path)):
        if candidate.is_file():
            return candidate
    return None


def gzipped(path: Path) -> Path:
    """Name of a raw file that lies gzipped: ``.gz`` after its own."""
    return path.with_name(path.name + GZIPPED)


def sha256(path: Path) -> str | None:
    """Hash of a raw file's content, unzipped if its name ends in ``.gz``; None if that fails."""
    digest = hashlib.sha256()
    try:
        with _open(path) as file:
            while block := file.read(1 << 20):
                digest.update(block)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        return None
    return digest.hexdigest()


def _open(path: Path) -> IO[bytes]:
    if path.suffix == GZIPPED:
        return cast("IO[bytes]", gzip.open(path))
    return path.open("rb")


def read_raw(path: Path) -> bytes:
    """Read all that a raw file holds, unzipped.

    Parameters
    ----------
    path : pathlib.Path
        Its own name; it may lie gzipped.

    Raises
    ------
    DatasetError
        If it is not there, or damaged.
    """
    stored = stored_path(path) or path
    try:
        with _open(stored) as file:
            return file.read()
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DatasetError(f"{stored}: damaged ({error}); get it again") from error
    except OSError as error:
        raise DatasetError(f"{stored}: cannot be read ({error.strerror or error})") from error
