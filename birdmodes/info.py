"""What is in a workspace, and what to do next."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from birdmodes.clusterings import clustering_names, read_clustering
from birdmodes.errors import ReviewError, WorkspaceError
from birdmodes.gallery.folder import MARKER
from birdmodes.labels import split_species
from birdmodes.parameters import SegmentationParameters
from birdmodes.review.digest import assignments_digest
from birdmodes.review.edits import read_review
from birdmodes.review.log import read_log
from birdmodes.review.session import gallery_base
from birdmodes.settings import Settings
from birdmodes.workspace import DEFAULT_FOLDER, Workspace

PARTS = {
    "recordings": "recordings",
    "syllables": "syllables",
    "gathered": "copies to read fast",
    "clusterings": "clusterings",
    "gallery": "galleries",
    "review": "corrections",
    "replaced": "replaced clusterings",
}
"""Folders of a workspace, and what they hold; other files are counted as ``others``."""


@dataclass(frozen=True)
class ClusteringInfo:
    """A clustering in a few words.

    Attributes
    ----------
    name, method : str
        Its name, and how it was made.
    k : int or None
        Number of clusters that were asked for or found.
    written : str
        When it was written, or last corrected (UTC, ISO 8601).
    modes, species : int
        How many it has.
    batches : int
        Batches of corrections in it.
    base : str
        Digest of its present state, see `birdmodes.review.digest`; empty if it cannot be used.
    problem : str
        Why it cannot be used; empty if it can.
    """

    name: str
    method: str
    k: int | None
    written: str
    modes: int
    species: int
    batches: int
    base: str
    problem: str


@dataclass(frozen=True)
class GalleryInfo:
    """A gallery of the workspace.

    Attributes
    ----------
    folder : str
        Where it is, from the workspace's folder.
    clustering : str
        What it is of.
    current : bool
        Whether it shows the clustering as it is now.
    """

    folder: str
    clustering: str
    current: bool


@dataclass(frozen=True)
class PendingInfo:
    """Corrections that were saved and not applied yet.

    Attributes
    ----------
    file : str
        Where they are, from the workspace's folder.
    clustering : str
        What they are of; empty if the file cannot be read.
    edits : int
        How many.
    """

    file: str
    clustering: str
    edits: int


@dataclass(frozen=True)
class NextStep:
    """The next useful command, and why."""

    command: str
    reason: str


@dataclass(frozen=True)
class WorkspaceInfo:
    """What is in a workspace.

    Attributes
    ----------
    folder : str
        Where it is.
    recordings, labelled, unread : int
        Recordings segmented, those of them with species lists, and those that could not be read.
    duration_s : float
        Length of the recordings segmented.
    species : list of str
        Those listed, in alphabetical order.
    syllables : int
        How many were found.
    sizes : dict of str to int
        Bytes on disk by part, see `PARTS`.
    settings : dict
        What the tables were made with, see `birdmodes.settings.Settings`.
    changed : dict
        Those of the segmentation settings that are not the default.
    clusterings : list of ClusteringInfo
        Oldest first.
    galleries : list of GalleryInfo
        Those in the workspace; others are not known.
    pending : list of PendingInfo
        Corrections not applied yet.
    corrections : int
        Edits applied and not taken back.
    next : NextStep or None
        The next useful command; None before it was thought of.
    """

    folder: str
    recordings: int
    labelled: int
    unread: int
    duration_s: float
    species: list[str]
    syllables: int
    sizes: dict[str, int]
    settings: dict[str, Any]
    changed: dict[str, Any]
    clusterings: list[ClusteringInfo]
    galleries: list[GalleryInfo]
    pending: list[PendingInfo]
    corrections: int
    next: NextStep | None = None

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON has it."""
        return asdict(self)


def workspace_info(folder: Path) -> WorkspaceInfo:
    """Look what is in a workspace.

    Parameters
    ----------
    folder : pathlib.Path
        Of the workspace.

    Raises
    ------
    WorkspaceError
        If there is none, or it cannot be read.
    """
    workspace = Workspace.open(folder)
    recordings = workspace.recordings()
    clusterings = [_clustering(workspace, name) for name in clustering_names(workspace)]
    galleries = _galleries(folder, clusterings)
    pending = _pending(folder)
    info = WorkspaceInfo(
        folder=str(folder),
        recordings=len(recordings),
        labelled=int(recordings["labelled"].sum()),
        unread=int(workspace.errors()["recording"].nunique()),
        duration_s=round(float(recordings["duration_s"].sum()), 3),
        species=sorted({name for cell in recordings["species"] for name in split_species(cell)}),
        syllables=int(recordings["n_syllables"].sum()),
        sizes=_sizes(folder),
        settings=workspace.settings.to_dict(),
        changed=_changed(workspace.settings),
        clusterings=clusterings,
        galleries=galleries,
        pending=pending,
        corrections=sum(len(b.review.edits) for b in read_log(workspace) if not b.undone),
    )
    return replace(info, next=next_step(info))


def _changed(settings: Settings) -> dict[str, Any]:
    """Settings of the segmentation that are not the default."""
    usual = SegmentationParameters().to_dict()
    return {
        name: value
        for name, value in settings.segmentation.to_dict().items()
        if usual[name] != value
    }


def _clustering(workspace: Workspace, name: str) -> ClusteringInfo:
    path = workspace.folder / "clusterings" / name / "metrics.json"
    written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    problem, base, modes, species = "", "", 0, 0
    try:
        clustering = read_clustering(workspace, name)
    except WorkspaceError as error:
        problem = str(error)
        parameters = json.loads(path.read_text(encoding="utf-8"))["parameters"]
    else:
        parameters = clustering.parameters
        base = assignments_digest(clustering.assignments)
        named = clustering.modes[clustering.modes["mode"] != ""]
        modes, species = len(named), int(named["species"].nunique())
    return ClusteringInfo(
        name=name,
        method=str(parameters.get("method") or ""),
        k=parameters.get("k"),
        written=f"{written:%Y-%m-%dT%H:%M:%SZ}",
        modes=modes,
        species=species,
        batches=len(parameters.get("review", {}).get("batches", [])),
        base=base,
        problem=problem,
    )


def _galleries(folder: Path, clusterings: list[ClusteringInfo]) -> list[GalleryInfo]:
    of_base = {clustering.base: clustering.name for clustering in clusterings if clustering.base}
    found = []
    for marker in sorted((folder / "gallery").glob(f"[!.]*/{MARKER}")):
        base = gallery_base(marker.parent)
        found.append(
            GalleryInfo(
                folder=marker.parent.relative_to(folder).as_posix(),
                clustering=of_base.get(base or "", marker.parent.name),
                current=base in of_base,
            )
        )
    return found


def _pending(folder: Path) -> list[PendingInfo]:
    found = []
    for path in sorted((folder / "review").glob("pending-*.json")):
        try:
            review = read_review(path)
        except ReviewError:
            clustering, edits = "", 0
        else:
            clustering, edits = review.clustering, len(review.edits)
        found.append(PendingInfo(path.relative_to(folder).as_posix(), clustering, edits))
    return found


def _sizes(folder: Path) -> dict[str, int]:
    sizes = dict.fromkeys(PARTS, 0)
    sizes["others"] = 0
    for root, _, files in os.walk(folder):
        inside = Path(root).relative_to(folder).parts
        part = inside[0] if inside and inside[0] in PARTS else "others"
        for file in files:
            # Another command may be at work, and remove what it does not need any more.
            with contextlib.suppress(FileNotFoundError):
                sizes[part] += (Path(root) / file).lstat().st_size
    return {part: size for part, size in sizes.items() if size}


def next_step(info: WorkspaceInfo) -> NextStep:
    """Find the next useful command.

    Parameters
    ----------
    info : WorkspaceInfo
        What there is.
    """
    place = Path(info.folder)
    where = [] if info.folder == DEFAULT_FOLDER else ["--workspace", info.folder]
    usable = [clustering for clustering in info.clusterings if not clustering.problem]
    pending = next((pending for pending in info.pending if pending.edits), None)

    def step(reason: str, *words: str) -> NextStep:
        return NextStep(shlex.join(["birdmodes", *words, *where]), reason)

    if not info.syllables:
        reason = (
            "no syllables were found: see errors.csv, and whether the recordings are silent"
            if info.recordings or info.unread
            else "no recordings are segmented yet"
        )
        return step(reason, "segment", "RECORDINGS")
    if not info.labelled:
        return step(
            "no recording has a species list, without which sounds get no names",
            *("segment", "RECORDINGS", "--labels", "FILE"),
        )
    if not usable:
        reason = "the syllables have changed" if info.clusterings else "no clustering yet"
        return step(reason, "cluster")
    if pending is not None:
        return step(
            "corrections are saved, but not applied",
            *("review", "apply", str(place / pending.file)),
        )
    newest = usable[-1]
    if not any(g.current and g.clustering == newest.name for g in info.galleries):
        return step(f"{newest.name} has no gallery of its present state here", "gallery")
    if not newest.batches:
        return step(f"{newest.name} is not reviewed", "review")
    return step(f"{newest.name} is reviewed", "export", "--format", "raven")
