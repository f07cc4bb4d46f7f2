"""What the commands have made in a workspace: looked at as files, so that pages come at once."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from birdmodes.errors import BirdmodesError
from birdmodes.gallery.folder import MARKER
from birdmodes.gallery.review_session import gallery_base
from birdmodes.io.files import TEMPORARY_PREFIX
from birdmodes.io.result_files import METRICS
from birdmodes.modes.clustering import read_clustering
from birdmodes.review.edits import read_review
from birdmodes.review.log import base_table, keep_base
from birdmodes.review.pending import pending_path
from birdmodes.workspace.description import DESCRIPTION
from birdmodes.workspace.store import Workspace

MOST_FILES = 500


@dataclass(frozen=True)
class MadeClustering:
    """A clustering.

    Attributes
    ----------
    name : str
        Its name.
    has_gallery, is_current : bool
        Whether it has a gallery, and one of its present state.
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


class Bases:
    """Digests of the states of clusterings, worked out once for each; safe for several threads."""

    def __init__(self) -> None:
        self._known: dict[tuple[Path, str, int], str] = {}
        self._lock = threading.Lock()

    def base(self, workspace: Path, name: str) -> str:
        """Give the digest of a clustering's state, which is kept for edits that are made of it.

        Raises
        ------
        BirdmodesError
            If the clustering cannot be read.
        """
        changed = (workspace / "clusterings" / name / METRICS).stat().st_mtime_ns
        key = (workspace, name, changed)
        with self._lock:
            if key not in self._known:
                store = Workspace.open(workspace)
                clustering = read_clustering(store, name)
                self._known[key] = keep_base(store, base_table(clustering))
            return self._known[key]

    def is_shown(self, workspace: Path, name: str) -> bool:
        """Whether the gallery of a clustering shows its present state."""
        try:
            return gallery_base(workspace / "gallery" / name) == self.base(workspace, name)
        except (BirdmodesError, OSError):
            return False


def made_clusterings(workspace: Path, bases: Bases) -> list[MadeClustering]:
    """Give the clusterings of a workspace, the newest first.

    Parameters
    ----------
    workspace : pathlib.Path
        Its folder.
    bases : Bases
        Of the clusterings.
    """
    found = []
    for path in _newest_first(workspace / "clusterings", f"[!.]*/{METRICS}"):
        name = path.parent.name
        shown = (workspace / "gallery" / name / MARKER).is_file()
        current = shown and bases.is_shown(workspace, name)
        found.append(MadeClustering(name, shown, current, _edits(workspace, name)))
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
