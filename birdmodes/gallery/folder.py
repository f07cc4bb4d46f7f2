"""The gallery's folder appears whole or not at all."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from birdmodes.errors import BirdmodesError
from birdmodes.files import TEMPORARY_PREFIX

MARKER = "birdmodes-gallery.json"
FORMAT = 1


@contextlib.contextmanager
def new_gallery_folder(output: Path) -> Iterator[Path]:
    """Give an empty folder beside `output` that takes its place when the block succeeds.

    Parameters
    ----------
    output : pathlib.Path
        Where the gallery goes: a folder that does not exist, is empty, or holds a gallery, which
        is replaced.

    Yields
    ------
    pathlib.Path
        Where to write. If the block raises, it is removed and `output` stays as it was.

    Raises
    ------
    BirdmodesError
        If `output` holds something else, or cannot be written.
    """
    _check_replaceable(output)
    unfinished = output.with_name(f"{TEMPORARY_PREFIX}{os.getpid()}-{output.name}")
    try:
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
    except OSError as error:
        raise BirdmodesError(_cannot_write(output, error)) from error
    try:
        yield unfinished
        marker = json.dumps({"format": FORMAT}) + "\n"
        (unfinished / MARKER).write_text(marker, encoding="utf-8")
        _put_in_place(unfinished, output)
    except OSError as error:
        raise BirdmodesError(_cannot_write(output, error)) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _check_replaceable(output: Path) -> None:
    if not output.exists():
        return
    if not output.is_dir():
        raise BirdmodesError(f"{output}: is a file; name a folder with --output")
    if any(output.iterdir()) and not (output / MARKER).is_file():
        raise BirdmodesError(
            f"{output}: not empty and not a gallery; name another folder with --output"
        )


def _put_in_place(unfinished: Path, output: Path) -> None:
    superseded = output.with_name(f"{TEMPORARY_PREFIX}{os.getpid()}-old-{output.name}")
    if output.exists():
        output.rename(superseded)
    try:
        unfinished.rename(output)
    except OSError:
        if superseded.exists():
            superseded.rename(output)
        raise
    shutil.rmtree(superseded, ignore_errors=True)


def _cannot_write(output: Path, error: OSError) -> str:
    return (
        f"{output}: the gallery cannot be written ({error.strerror or error}); free the folder or "
        "name another with --output"
    )
