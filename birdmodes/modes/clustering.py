"""A clustering on disk: ``clusterings/<name>/`` in a workspace.

::

    assignments.csv   one row per syllable: cluster, species, mode, confidence
    modes.csv         one row per cluster: species, mode, counts, confidence, background, remark
    metrics.json      every metric by name, and the parameters of the run
    model.npz/.json   the fitted model: arrays, and what they mean
    original-*        the tables and metrics as the method made them, where a person has corrected
                      them since; see birdmodes.review
    k_curves.csv/.svg with ``--k auto``: how the number of modes of each species was found
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from birdmodes.io.result_files import METRICS, ResultReader, ResultWriter
from birdmodes.io.stored import damaged
from birdmodes.modes.counts.files import read_k_curves, write_k_curves
from birdmodes.modes.counts.remarks import remark
from birdmodes.modes.digest import PresentSyllables, other_syllables
from birdmodes.workspace.results import Kind, Results
from birdmodes.workspace.store import Workspace

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

ASSIGNMENT_CELLS: Mapping[str, type] = {
    "syllable": str,
    "recording": str,
    "start_s": float,
    "end_s": float,
    "low_hz": float,
    "high_hz": float,
    "cluster": int,
    "species": str,
    "mode": str,
    "confidence": float,
    "centrality": float,
    "recorded_at": str,
    "review": str,
}

ASSIGNMENTS = "assignments.csv"

ASSIGNMENT_COLUMNS = list(ASSIGNMENT_CELLS)

_LATER_COLUMNS = ("recorded_at", "review")
ORIGINAL = "original-"
"""What files and arrays of a clustering are called before it was corrected."""

UNSURE_BELOW = 0.5
"""A mode whose confidence is below this is more likely not of its species than of it."""

MODE_CELLS: Mapping[str, type] = {
    "cluster": int,
    "species": str,
    "mode": str,
    "background": bool,
    "syllables": int,
    "recordings": int,
    "confidence": float,
    "consistency": float,
    "p_value": float,
    "or_species": str,
}

LATER_MODE_COLUMNS = ("or_species",)

MODE_COLUMNS = list(MODE_CELLS)

CLUSTERING = Kind(
    "clusterings",
    "clustering",
    "no clustering yet; run 'birdmodes cluster' first",
    "run 'birdmodes cluster' again, or remove its folder",
)


@dataclass(frozen=True)
class SampleOf:
    """What the syllables of a clustering are a sample of.

    Attributes
    ----------
    base : str
        Digest of the whole, see `birdmodes.modes.digest`.
    syllables, recordings : int
        How many the whole has.
    outdated : list of str
        Lines about labels that have changed since the whole was made.
    """

    base: str
    syllables: int
    recordings: int
    outdated: list[str] = field(default_factory=list)


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
        without species last. `or_species` are those that the mode may be of as well, as they are
        always listed together with its own, separated by semicolons; `p_value` and `consistency`
        are empty where lists have nothing to tell.
    metrics : dict
        Name to number (None where it is not defined).
    parameters : dict
        How the run was made.
    model : dict of ndarray
        Arrays of the fitted model.
    k_curves : pandas.DataFrame or None
        How the number of modes of each species was found, see `birdmodes.modes.counts.found`; None
        where it was given.
    """

    name: str
    assignments: pd.DataFrame
    modes: pd.DataFrame
    metrics: dict[str, float | None]
    parameters: dict[str, Any]
    model: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    k_curves: pd.DataFrame | None = None
    sample_of: SampleOf | None = None


def named_elsewhere(parameters: Mapping[str, Any]) -> bool:
    """Whether names come from other recordings, as those of ``assign`` and ``annotate`` do."""
    return "assigned_from" in parameters or "annotated_by" in parameters


def learned_metric(parameters: Mapping[str, Any]) -> str:
    """Name the learned metric that a run went by; empty if it was told none."""
    metric = parameters.get("metric")
    return "" if metric in (None, "euclidean") else str(metric)


def used_features(parameters: Mapping[str, Any]) -> list[str]:
    """Name the feature sets that a run went by, as ``--features`` takes them.

    Runs of earlier versions, which say nothing of it, had the 38 features.
    """
    sets = parameters.get("features") or [{"name": "briggs38"}]
    return [f"{one['name']}:{one['file']}" if "file" in one else str(one["name"]) for one in sets]


def clusterings(workspace: Workspace) -> Results:
    """The store of the workspace's clusterings."""
    return Results(workspace, CLUSTERING)


def clustering_names(workspace: Workspace) -> list[str]:
    """Names of the workspace's clusterings, oldest first."""
    return clusterings(workspace).names()


def write_clustering(
    workspace: Workspace,
    clustering: Clustering,
    *,
    original: Clustering | None = None,
    newest: bool = True,
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
    newest : bool
        Whether it is the newest clustering then, or stays what it was among the others.

    Returns
    -------
    pathlib.Path
        Its folder.

    Raises
    ------
    WorkspaceError
        If the name cannot be one, or another command is writing into the workspace.
    """
    store = clusterings(workspace)
    with store.replacing(clustering.name, newest=newest) as files:
        _write_tables(files, clustering)
        if original is not None:
            _write_tables(files, original, ORIGINAL)
        if clustering.k_curves is not None:
            write_k_curves(files.folder, clustering.k_curves)
        model = clustering.model
        if original is not None:
            other = {k: v for k, v in original.model.items() if v is not model.get(k)}
            model = {**model, **{f"{ORIGINAL}{name}": array for name, array in other.items()}}
        files.model(model, clustering.parameters)
    return store.folder(clustering.name)


def _write_tables(files: ResultWriter, clustering: Clustering, prefix: str = "") -> None:
    files.table(f"{prefix}{ASSIGNMENTS}", clustering.assignments[ASSIGNMENT_COLUMNS])
    files.table(f"{prefix}modes.csv", _remarked(clustering))
    files.metrics(clustering.metrics, clustering.parameters, prefix)


def _remarked(clustering: Clustering) -> pd.DataFrame:
    """The table of modes, with what is to be said of each for readers of the file."""
    modes = clustering.modes
    told = {name: "" for name in LATER_MODE_COLUMNS if name not in modes}
    said = [remark(clustering.parameters, species) for species in modes["species"]]
    return modes.assign(**told)[MODE_COLUMNS].assign(remark=said)


def read_clustering(
    workspace: Workspace, name: str | None = None, *, unmended: bool = False
) -> Clustering:
    """Read a clustering.

    Parameters
    ----------
    workspace : Workspace
        Where.
    name : str, optional
        By default the newest.
    unmended : bool
        Read also one that lacks what a person has mended of single recordings' syllables since.

    Raises
    ------
    WorkspaceError
        If there is none (of that name), the syllables have changed since it was made, or its
        files are damaged (`birdmodes.errors.DamagedError`).
    """
    store = clusterings(workspace)
    name = store.chosen(name)
    clustering = store.read(name, lambda files: _read_files(files, name, ""))
    mended = []
    if unmended:
        mended = workspace.mended(clustering.assignments["recording"].unique())
    if not is_current(workspace, clustering, but=mended):
        raise other_syllables(name)
    return clustering


def read_parameters(workspace: Workspace, name: str) -> dict[str, Any]:
    """How a clustering was made, also one of syllables that are not there any more.

    Raises
    ------
    DamagedError
        If that cannot be read.
    """
    return clusterings(workspace).read(name, lambda files: files.metrics()[1])


def read_original(workspace: Workspace, name: str, *, checked: bool = False) -> Clustering:
    """Read a clustering as the method made it, without the corrections that were made since.

    Its syllables are those that the method saw, also where a person has mended some since.

    Parameters
    ----------
    workspace : Workspace
        Where.
    name : str
        Of the clustering.
    checked : bool
        That `read_clustering` has read it just now.

    Raises
    ------
    WorkspaceError
        As for `read_clustering`.
    """
    store = clusterings(workspace)
    if not store.read(store.chosen(name), _is_corrected):
        return read_clustering(workspace, name, unmended=True)
    if not checked:
        read_clustering(workspace, name, unmended=True)
    return store.read(name, lambda files: _read_files(files, name, ORIGINAL))


def _is_corrected(files: ResultReader) -> bool:
    if (files.folder / f"{ORIGINAL}{METRICS}").is_file():
        return True
    return bool(files.metrics()[1].get("review", {}).get("batches"))


def _read_files(files: ResultReader, name: str, prefix: str) -> Clustering:
    metrics, parameters = files.metrics(prefix)
    assignments = files.table(f"{prefix}{ASSIGNMENTS}", ASSIGNMENT_CELLS, _LATER_COLUMNS)
    modes = files.table(f"{prefix}modes.csv", MODE_CELLS, LATER_MODE_COLUMNS)
    modes = modes.drop(columns="remark", errors="ignore")  # the parameters say it
    check_they_agree(files, assignments["cluster"].value_counts(), modes, prefix)
    arrays = files.arrays()
    model = {key: array for key, array in arrays.items() if not key.startswith(ORIGINAL)}
    if prefix:
        kept = (key for key in arrays if key.startswith(ORIGINAL))
        model |= {key.removeprefix(ORIGINAL): arrays[key] for key in kept}
    curves = read_k_curves(files.folder, files.remedy)
    return Clustering(name, assignments, modes, metrics, parameters, model, curves)


def assignment_tables(files: ResultReader, n_rows: int) -> Iterator[pa.Table]:
    """Read the table of syllables, `n_rows` at a time."""
    return files.table_parts(ASSIGNMENTS, ASSIGNMENT_CELLS, _LATER_COLUMNS, n_rows)


def check_they_agree(
    files: ResultReader, counted: pd.Series, modes: pd.DataFrame, prefix: str = ""
) -> None:
    """Refuse tables of which one has lost rows: modes say how many syllables they have.

    Parameters
    ----------
    files : ResultReader
        Where they are.
    counted : pandas.Series
        Rows by cluster in the table of syllables.
    modes : pandas.DataFrame
        The table of modes.
    prefix : str
        Of the files' names.

    Raises
    ------
    DamagedError
        If they have lost some.
    """
    listed = modes.set_index("cluster")["syllables"]
    unlisted = counted.index.difference(listed.index)
    short = listed.index[listed > counted.reindex(listed.index, fill_value=0)]
    for file, clusters in (("modes.csv", unlisted), (ASSIGNMENTS, short)):
        if len(clusters):
            what = f"rows of cluster {clusters[0]} are missing"
            raise damaged(files.folder / f"{prefix}{file}", what, files.remedy)


def is_current(workspace: Workspace, clustering: Clustering, *, but: Collection[str] = ()) -> bool:
    """Whether a clustering is of the syllables that are there now, not of an earlier run.

    Parameters
    ----------
    workspace : Workspace
        Where it is.
    clustering : Clustering
        The clustering.
    but : collection of str
        Recordings that are not looked at.
    """
    present = PresentSyllables(workspace, but)
    return present.have(clustering.assignments) and present.no_more()
