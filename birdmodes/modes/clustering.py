"""A clustering on disk: ``clusterings/<name>/`` in a workspace.

::

    assignments.csv   one row per syllable: cluster, species, mode, confidence
    modes.csv         one row per cluster: species, mode, counts, confidence, background
    metrics.json      every metric by name, and the parameters of the run
    model.npz/.json   the fitted model: arrays, and what they mean
    original-*        the tables and metrics as the method made them, where a person has corrected
                      them since; see birdmodes.review
    k_curves.csv/.svg with ``--k auto``: how the number of modes of each species was found
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.errors import WorkspaceError
from birdmodes.io.files import atomic_path, write_text
from birdmodes.modes.count_files import read_k_curves, write_k_curves
from birdmodes.workspace.store import Workspace

ASSIGNMENT_COLUMNS = [
    "syllable",
    "recording",
    "start_s",
    "end_s",
    "low_hz",
    "high_hz",
    "cluster",
    "species",
    "mode",
    "confidence",
    "centrality",
    "recorded_at",
    "review",
]

_LATER_COLUMNS = ("recorded_at", "review")
_ORIGINAL = "original-"

UNSURE_BELOW = 0.5
"""A mode whose confidence is below this is more likely not of its species than of it."""

MODE_COLUMNS = [
    "cluster",
    "species",
    "mode",
    "background",
    "syllables",
    "recordings",
    "confidence",
    "consistency",
    "p_value",
]


@dataclass(frozen=True)
class Clustering:
    """The result of ``birdmodes cluster``.

    Attributes
    ----------
    name : str
        Name of its folder.
    assignments : pandas.DataFrame
        Columns of `ASSIGNMENT_COLUMNS`, a row per syllable. `cluster` counts from 0; `species`
        and `mode` are empty for clusters that belong to no species; `mode` is the mode's whole
        name, ``<species> mode <n>``; `confidence` (0 to 1) is that the syllable is of the
        species; `centrality` (0 to 1] is 1 for the syllable nearest the middle of its cluster and
        falls with rank; `recorded_at` is the date and time of the syllable's start by the
        recorder's clock (ISO 8601), empty where it is not known; `review` is what a person did to
        the syllable: "", good, noise, not-species or moved.
    modes : pandas.DataFrame
        Columns of `MODE_COLUMNS`, a row per cluster, species by species, largest first, those
        without species last.
    metrics : dict
        Name to number (None where it is not defined).
    parameters : dict
        How the run was made.
    model : dict of ndarray
        Arrays of the fitted model.
    k_curves : pandas.DataFrame or None
        How the number of modes of each species was found, see `birdmodes.modes.counts`; None where
        it was given.
    """

    name: str
    assignments: pd.DataFrame
    modes: pd.DataFrame
    metrics: dict[str, float | None]
    parameters: dict[str, Any]
    model: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    k_curves: pd.DataFrame | None = None


def check_name(name: str, of: str = "clustering") -> str:
    """Return `name` if it can name the folder or files of a result.

    Parameters
    ----------
    name : str
        What was asked for.
    of : str
        What kind of result the error is to speak of.

    Raises
    ------
    WorkspaceError
        If it has other characters than letters, digits, ``-``, ``_`` and ``.``, or starts with
        a dot.
    """
    if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}", name):
        raise WorkspaceError(
            f"{of} name {name!r}: use letters, digits, '-', '_' and '.', at most 100"
        )
    return name


def learned_metric(parameters: Mapping[str, Any]) -> str:
    """Name the learned metric that a run went by; empty if it was told none."""
    metric = parameters.get("metric")
    return "" if metric in (None, "euclidean") else str(metric)


def clustering_names(workspace: Workspace) -> list[str]:
    """Names of the workspace's clusterings, oldest first."""
    done = (workspace.folder / "clusterings").glob("[!.]*/metrics.json")
    return [path.parent.name for path in sorted(done, key=lambda path: path.stat().st_mtime_ns)]


def write_clustering(
    workspace: Workspace, clustering: Clustering, *, original: Clustering | None = None
) -> Path:
    """Store a clustering, replacing one of the same name.

    Parameters
    ----------
    workspace : Workspace
        Where.
    clustering : Clustering
        What to store.
    original : Clustering, optional
        As the method made it, where `clustering` holds a person's corrections of it; its tables
        and metrics are kept beside, for `read_original`.

    Returns
    -------
    pathlib.Path
        Its folder.
    """
    root = workspace.folder / "clusterings"
    target = root / check_name(clustering.name)
    unfinished = root / f".unfinished-{clustering.name}"
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    _write_tables(unfinished, clustering)
    if original is not None:
        _write_tables(unfinished, original, _ORIGINAL)
    if clustering.k_curves is not None:
        write_k_curves(unfinished, clustering.k_curves)
    model = clustering.model
    if original is not None:
        other = {k: v for k, v in original.model.items() if v is not model.get(k)}
        model = {**model, **{f"{_ORIGINAL}{name}": array for name, array in other.items()}}
    with atomic_path(unfinished / "model.npz") as temporary:
        np.savez_compressed(temporary, allow_pickle=False, **model)
    shapes = {name: list(array.shape) for name, array in model.items()}
    _write_json(unfinished / "model.json", {"method": clustering.parameters, "arrays": shapes})
    superseded = root / f".superseded-{clustering.name}"
    shutil.rmtree(superseded, ignore_errors=True)
    if target.exists():
        target.rename(superseded)
    unfinished.rename(target)
    shutil.rmtree(superseded, ignore_errors=True)
    return target


def _write_tables(folder: Path, clustering: Clustering, prefix: str = "") -> None:
    for table, columns, file in (
        (clustering.assignments, ASSIGNMENT_COLUMNS, "assignments.csv"),
        (clustering.modes, MODE_COLUMNS, "modes.csv"),
    ):
        with atomic_path(folder / f"{prefix}{file}") as temporary:
            table[columns].to_csv(temporary, index=False, lineterminator="\n")
    content = {"metrics": clustering.metrics, "parameters": clustering.parameters}
    _write_json(folder / f"{prefix}metrics.json", content)


def _write_json(path: Path, content: dict[str, Any]) -> None:
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def read_clustering(workspace: Workspace, name: str | None = None) -> Clustering:
    """Read a clustering.

    Parameters
    ----------
    workspace : Workspace
        Where.
    name : str, optional
        By default the newest.

    Raises
    ------
    WorkspaceError
        If there is none (of that name), or the syllables have changed since it was made.
    """
    names = clustering_names(workspace)
    if not names:
        raise WorkspaceError(
            f"{workspace.folder}: no clustering yet; run 'birdmodes cluster' first"
        )
    if name is None:
        name = names[-1]
    if name not in names:
        raise WorkspaceError(f"no clustering {name!r}; there are: {', '.join(names)}")
    return _read(workspace, name, "")


def read_original(workspace: Workspace, name: str) -> Clustering:
    """Read a clustering as the method made it, without the corrections that were made since.

    Raises
    ------
    WorkspaceError
        As for `read_clustering`.
    """
    corrected = read_clustering(workspace, name)
    folder = workspace.folder / "clusterings" / name
    if not (folder / f"{_ORIGINAL}metrics.json").is_file():
        return corrected
    return _read(workspace, name, _ORIGINAL)


def _read(workspace: Workspace, name: str, prefix: str) -> Clustering:
    folder = workspace.folder / "clusterings" / name
    content = json.loads((folder / f"{prefix}metrics.json").read_text(encoding="utf-8"))
    text = dict.fromkeys(("syllable", "recording", "species", "mode", *_LATER_COLUMNS), str)
    assignments = pd.read_csv(
        folder / f"{prefix}assignments.csv",
        dtype=text,
        keep_default_na=False,
    )
    for column in _LATER_COLUMNS:
        if column not in assignments:  # written by an earlier version
            assignments[column] = ""
    modes = pd.read_csv(
        folder / f"{prefix}modes.csv",
        dtype={"species": str, "mode": str},
        keep_default_na=False,
        na_values={"consistency": [""], "p_value": [""], "confidence": [""]},
    )
    with np.load(folder / "model.npz", allow_pickle=False) as stored:
        arrays = {key: stored[key] for key in stored.files}
    model = {key: array for key, array in arrays.items() if not key.startswith(_ORIGINAL)}
    if prefix:
        kept = (key for key in arrays if key.startswith(_ORIGINAL))
        model |= {key.removeprefix(_ORIGINAL): arrays[key] for key in kept}
    if not _same_syllables(workspace, assignments):
        raise WorkspaceError(
            f"clustering {name!r} was made from other syllables than the workspace holds now; "
            "run 'birdmodes cluster' again"
        )
    return Clustering(
        name,
        assignments,
        modes,
        content["metrics"],
        content["parameters"],
        model,
        read_k_curves(folder),
    )


def _same_syllables(workspace: Workspace, assignments: pd.DataFrame) -> bool:
    """Whether the clustering is of the syllables that are there now, not of an earlier run."""
    box = ["start_s", "end_s", "low_hz", "high_hz"]
    now = workspace.syllables(["syllable", *box]).set_index("syllable")
    then = assignments.set_index("syllable")[box]
    if len(now) != len(then) or not then.index.isin(now.index).all():
        return False
    return bool(np.allclose(now.loc[then.index], then, rtol=0, atol=1e-6))
