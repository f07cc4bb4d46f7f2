"""Where an export goes: a file or a folder that appears whole or not at all.

A folder has a note of what was written into it. So a later export can take its place, but never
that of work somebody has done in it, such as selections corrected in Raven.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from birdmodes.errors import BirdmodesError
from birdmodes.io.files import (
    atomic_path,
    put_back,
    put_in_place,
    sweep_abandoned,
    temporary_path,
)
from birdmodes.workspace.folder import check_output

NOTE = "birdmodes-export.json"
CLIPS_NOTE = "birdmodes-clips.json"
"""The note of a folder of clips: 'segment' must not take these for recordings."""

FORMAT = 1


@contextlib.contextmanager
def new_file(output: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Give a temporary path beside `output` that takes its place when the block succeeds.

    Raises
    ------
    BirdmodesError
        If `output` is there and `overwrite` is False, or it cannot be written.
    """
    check_output(output)
    if output.is_dir():
        raise BirdmodesError(f"{output}: is a folder; name a file with --output")
    if output.exists() and not overwrite:
        raise BirdmodesError(
            f"{output}: is there already; add --overwrite to replace it, or name another file "
            "with --output"
        )
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(output) as temporary:
            yield temporary
    except OSError as error:
        raise _cannot_write(output, error) from error


@contextlib.contextmanager
def new_folder(
    output: Path,
    about: dict[str, Any],
    *,
    note: str = NOTE,
    overwrite: bool = False,
    digests: dict[str, str] | None = None,
) -> Iterator[Path]:
    """Give an empty folder beside `output` that takes its place when the block succeeds.

    Parameters
    ----------
    output : pathlib.Path
        A folder that does not exist, is empty, or holds an export as it was written, which is
        replaced.
    about : dict
        What to note of the export.
    note : str
        Name of the note's file.
    overwrite : bool
        Replace an export also if files in it were changed or added.
    digests : dict, optional
        Filled within the block: the SHA-256 of every file that was written, by its path with
        forward slashes. By default the files are read again.

    Yields
    ------
    pathlib.Path
        Where to write. If the block raises, it is removed and `output` stays as it was.

    Raises
    ------
    BirdmodesError
        If `output` holds something else, or cannot be written.
    """
    output = Path(os.path.abspath(output))  # noqa: PTH100  keeps symbolic links
    check_output(output)
    unfinished = temporary_path(output)
    try:
        put_back(output)
        sweep_abandoned(output.parent, output.name)
        _check_replaceable(output, overwrite)
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        yield unfinished
        written = digests or _digests(unfinished)
        files = {name: written[name] for name in sorted(written, key=lambda name: name.split("/"))}
        content = {"format": FORMAT, **about, "files": files}
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        (unfinished / note).write_text(text, encoding="utf-8", newline="")
        put_in_place(unfinished, output)
    except OSError as error:
        raise _cannot_write(output, error) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _check_replaceable(output: Path, overwrite: bool) -> None:
    if not output.exists():
        return
    if not output.is_dir():
        raise BirdmodesError(f"{output}: is a file; name a folder with --output")
    written = _written(output)
    if written is None:
        if any(output.iterdir()):
            raise BirdmodesError(
                f"{output}: not empty and not an export; name another folder with --output"
            )
    elif not overwrite:
        now = _digests(output)
        changed = sorted(name for name in now if written.get(name) != now[name])
        if changed:
            raise BirdmodesError(
                f"{output}: {changed[0]!r} was changed or added after the export"
                f"{f' ({len(changed)} files in all)' if len(changed) > 1 else ''}; add --overwrite "
                "to lose that, or name another folder with --output"
            )


def _written(folder: Path) -> dict[str, str] | None:
    """Files of the export in a folder, with their digests; None if there is no export."""
    for note in (NOTE, CLIPS_NOTE):
        try:
            content = json.loads((folder / note).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            continue
        files = content.get("files") if isinstance(content, dict) else None
        return files if isinstance(files, dict) else {}
    return None


def _digests(folder: Path) -> dict[str, str]:
    """Every file but the notes, as a path with forward slashes, and the SHA-256 of its content."""
    digests = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not (path.parent == folder and path.name in (NOTE, CLIPS_NOTE)):
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "sha256").hexdigest()
            digests[path.relative_to(folder).as_posix()] = digest
    return digests


def _cannot_write(output: Path, error: OSError) -> BirdmodesError:
    return BirdmodesError(
        f"{output}: the export cannot be written ({_reason(error)}); free the place or "
        "name another with --output"
    )


def _reason(error: OSError) -> str:
    # pyarrow's errors have a number, and words of their own.
    return os.strerror(error.errno) if error.errno else str(error)
