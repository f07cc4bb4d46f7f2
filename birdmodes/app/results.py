"""What the commands have made in a workspace: looked at as files, so that pages come at once."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from birdmodes.errors import BirdmodesError
from birdmodes.gallery.folder import MARKER
from birdmodes.io.files import TEMPORARY_PREFIX
from birdmodes.review.edits import read_review
from birdmodes.review.pending import pending_path
from birdmodes.workspace.description import DESCRIPTION
from birdmodes.workspace.results import METRICS

MOST_FILES = 500


@dataclass(frozen=True)
class MadeClustering:
    """A clustering.

    Attributes
    ----------
    name : str
        Its name.
    has_gallery, is_current : bool
        Whether it has a gallery, and one that is newer than the clustering.
    edits : int
        Corrections that are saved and not applied yet.
    """

    name: str
    has_gallery: bool
    is_current: bool
    edits: int


@dataclass(frozen=True)
class MadeFile:
    """A file, or a folder of files.

    Attributes
    ----------
    name : str
        Its name.
    path : pathlib.Path
        Where it is.
    size : int
        Bytes; of a folder, all that is in it.
    files : int
        1, or the files in a folder.
    is_folder : bool
        Whether it is a folder.
    """

    name: str
    path: Path
    size: int
    files: int
    is_folder: bool


def made_clusterings(workspace: Path) -> list[MadeClustering]:
    """Give the clusterings of a workspace, the newest first."""
    found = []
    for path in _newest_first(workspace / "clusterings", f"[!.]*/{METRICS}"):
        name = path.parent.name
        marker = workspace / "gallery" / name / MARKER
        shown = _changed(marker)
        found.append(
            MadeClustering(name, bool(shown), shown >= _changed(path), _edits(workspace, name))
        )
    return found


def made_galleries(workspace: Path) -> list[str]:
    """Give the names of the galleries of a workspace, the newest first."""
    return [path.parent.name for path in _newest_first(workspace / "gallery", f"[!.]*/{MARKER}")]


def _edits(workspace: Path, name: str) -> int:
    try:
        return len(read_review(pending_path(workspace, name)).edits)
    except (BirdmodesError, OSError):
        return 0


def made_files(folder: Path, endings: tuple[str, ...] = ()) -> list[MadeFile]:
    """Give what lies in a folder of results, the newest first.

    Parameters
    ----------
    folder : pathlib.Path
        Such as ``exports`` of a workspace; need not exist.
    endings : tuple of str
        Only files that end so.
    """
    found = []
    for path in _newest_first(folder, "[!.]*"):
        if endings and path.suffix not in endings:
            continue
        sizes = list(_sizes(path))
        found.append(MadeFile(path.name, path, sum(sizes), len(sizes), path.is_dir()))
    return found


def made_workspaces(workspace: Path) -> list[Path]:
    """Give the workspaces of new recordings in a workspace, the newest first."""
    found: list[Path] = []
    for part in ("assigned", "annotated"):
        found += [path.parent for path in _newest_first(workspace / part, f"[!.]*/{DESCRIPTION}")]
    return found


def recordings_done(workspace: Path) -> int:
    """Count the recordings that are segmented."""
    with contextlib.suppress(OSError):
        return sum(
            name.endswith(".parquet") and not name.startswith(".")
            for name in os.listdir(workspace / "recordings")  # noqa: PTH208  names are enough
        )
    return 0


def _newest_first(folder: Path, pattern: str) -> list[Path]:
    with contextlib.suppress(OSError):
        found = [path for path in folder.glob(pattern) if TEMPORARY_PREFIX not in str(path)]
        return sorted(found, key=lambda path: (-_changed(path), path.name))
    return []


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _sizes(path: Path) -> Iterator[int]:
    inside = path.rglob("*") if path.is_dir() and not path.is_symlink() else iter([path])
    for number, each in enumerate(inside):
        if number >= MOST_FILES:
            return
        with contextlib.suppress(OSError):
            if each.is_file():
                yield each.stat().st_size
