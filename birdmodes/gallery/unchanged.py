"""Tells whether a gallery is made from what there is now, without making it again.

What it was made from is kept in the workspace, with the sizes of its files: a gallery of which a
file is missing or has another size is made again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from birdmodes._version import __version__
from birdmodes.gallery.folder import MARKER
from birdmodes.gallery.result import GalleryResult
from birdmodes.groups.grouping import Grouping
from birdmodes.io.files import write_text
from birdmodes.io.steady import file_state, tree_states
from birdmodes.modes.clustering import Clustering
from birdmodes.workspace.sites import FILE as SITES
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.taxonomy import FILE as TAXONOMY

_PACKAGE = Path(__file__).parents[1]

COUNTS = ("pages", "pictures", "sounds", "size_bytes")


def made_from(
    workspace: Workspace,
    clustering: Clustering | None,
    grouping: Grouping | None,
    options: Mapping[str, Any],
) -> str:
    """Digest of all that a gallery depends on, but for the recordings' files.

    Parameters
    ----------
    workspace : Workspace
        Its tables count by their files' sizes and times of change.
    clustering : Clustering or None
        By its content, and the time at which its model was stored, which the pages tell.
    grouping : Grouping or None
        By its content.
    options : mapping
        What else was asked for (anything JSON can say).
    """
    digest = hashlib.sha256()
    folder = workspace.folder
    files = [
        *tree_states(_PACKAGE),
        *tree_states(folder / "recordings"),
        *tree_states(folder / "syllables"),
        *_states([folder / name for name in ("errors.csv", SITES, TAXONOMY)]),
    ]
    if clustering is not None:
        files += _states([folder / "clusterings" / clustering.name / "model.npz"])
        _add_tables(digest, clustering.assignments, clustering.modes)
        for name, array in sorted(clustering.model.items()):
            digest.update(name.encode())
            digest.update(array.tobytes())
    if grouping is not None:
        _add_tables(digest, grouping.assignments, grouping.groups, grouping.species)
    facts = {
        "version": __version__,
        "folder": folder.resolve().name,
        "settings": workspace.settings.to_dict(),
        "options": dict(options),
        "files": files,
        "runs": [
            None if run is None else [run.name, run.metrics, run.parameters]
            for run in (clustering, grouping)
        ],
    }
    digest.update(json.dumps(facts, sort_keys=True, default=str).encode())
    return digest.hexdigest()


def kept_result(workspace: Workspace, output: Path, state: str) -> GalleryResult | None:
    """What was built there, if it was from this state and all files are as they were.

    Parameters
    ----------
    workspace : Workspace
        Where that is kept.
    output : pathlib.Path
        The gallery's folder.
    state : str
        From `made_from`.
    """
    # Whatever is wrong with what was kept: the gallery is made again.
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        kept = json.loads(_path(workspace, output).read_text(encoding="utf-8"))
        same = (
            kept["state"] == state
            and kept["sources"] == _sources(workspace, kept["sources"])
            and kept["files"] == _sizes(output)
        )
        if same:
            # It is as new as what it may leave out, such as groups: `info` goes by that.
            with contextlib.suppress(OSError):
                (output / MARKER).touch()
            counts = {name: int(kept[name]) for name in COUNTS}
            return GalleryResult(
                index=output / "index.html",
                new=0,
                unchanged=len(kept["files"]),
                warnings=[str(line) for line in kept["warnings"]],
                **counts,
            )
    return None


def keep_result(workspace: Workspace, output: Path, state: str, result: GalleryResult) -> None:
    """Keep what was built, and from what; nothing is lost where that cannot be written."""
    content = {
        "state": state,
        "sources": _sources(workspace, None),
        "files": _sizes(output),
        "warnings": result.warnings,
        **{name: getattr(result, name) for name in COUNTS},
    }
    path = _path(workspace, output)
    with contextlib.suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        write_text(path, json.dumps(content) + "\n")


def _path(workspace: Workspace, output: Path) -> Path:
    name = hashlib.sha256(os.fsencode(output)).hexdigest()[:16]
    return workspace.folder / "gathered" / f"gallery-{name}.json"


def _sources(workspace: Workspace, paths: Iterable[str] | None) -> dict[str, list[int] | None]:
    """Size and time of change of the recordings' files; None for those that are gone."""
    names = workspace.recordings()["path"].tolist() if paths is None else paths
    return {name: file_state(name) for name in names}


def _sizes(folder: Path) -> dict[str, int]:
    """Size of every file of a folder, by address."""
    return {name: size for name, size, _ in tree_states(folder)}


def _states(paths: list[Path]) -> list[list[Any]]:
    return [[path.name, *(file_state(str(path)) or [])] for path in paths]


def _add_tables(digest: Any, *tables: pd.DataFrame) -> None:
    for table in tables:
        plain = table.astype({name: str for name in table if table[name].dtype == object})
        digest.update(",".join(map(str, table.columns)).encode())
        digest.update(pd.util.hash_pandas_object(plain, index=False).to_numpy().tobytes())
