"""What there is to say of a clustering in a few words, without reading it again."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from birdmodes.modes.clustering import Clustering, clusterings, read_clustering
from birdmodes.modes.digest import assignments_digest
from birdmodes.modes.left_out import fit_in_words
from birdmodes.workspace.labels import outdated
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.summaries.kept import folder_state, keep, kept

PARTS = ("recordings", "syllables")
"""Folders of the workspace that a clustering is compared with."""


@dataclass(frozen=True)
class ClusteringSummary:
    """A clustering that can be used, in a few words.

    Attributes
    ----------
    base : str
        See `birdmodes.modes.digest.assignments_digest`.
    names : str
        How good its names are, see `birdmodes.modes.left_out.fit_in_words`.
    modes, species : int
        How many it has.
    by_recording : bool
        Whether its table of syllables is sorted by recording.
    outdated : list of str
        Lines about labels that have changed since.
    parameters : dict
        How it was made.
    """

    base: str
    names: str
    modes: int
    species: int
    by_recording: bool = False
    outdated: list[str] = field(default_factory=list)
    parameters: dict[str, Any] = field(default_factory=dict)


def summary_of(workspace: Workspace, name: str, digests: list[str]) -> ClusteringSummary:
    """Summarise a clustering, or recall it if nothing has changed since.

    Parameters
    ----------
    workspace : Workspace
        Where it is.
    name : str
        Its name.
    digests : list of str
        States of the folders `PARTS` of the workspace.

    Raises
    ------
    WorkspaceError
        As `birdmodes.modes.clustering.read_clustering`.
    """
    of = _state(workspace, name, digests)
    answer = kept(workspace.folder, _kept_as(name), of)
    if answer is not None:
        return ClusteringSummary(**answer)
    return _keep(workspace, read_clustering(workspace, name), of)


def kept_summary(workspace: Workspace, name: str) -> ClusteringSummary | None:
    """Recall the summary of a clustering; None if something has changed since, or it has none."""
    answer = kept(workspace.folder, _kept_as(name), _state(workspace, name, _digests(workspace)))
    return None if answer is None else ClusteringSummary(**answer)


def keep_summary(workspace: Workspace, clustering: Clustering) -> None:
    """Keep the summary of a clustering that was made of the present syllables, and stored."""
    of = _state(workspace, clustering.name, _digests(workspace))
    _keep(workspace, clustering, of)


def _keep(workspace: Workspace, clustering: Clustering, of: list[str]) -> ClusteringSummary:
    named = clustering.modes[clustering.modes["mode"] != ""]
    found = ClusteringSummary(
        base=assignments_digest(clustering.assignments),
        names=fit_in_words(clustering.metrics),
        modes=len(named),
        species=int(named["species"].nunique()),
        by_recording=bool(clustering.assignments["recording"].is_monotonic_increasing),
        outdated=outdated(
            workspace.recordings(),
            clustering.name,
            clustering.assignments,
            clustering.parameters,
        ),
        parameters=clustering.parameters,
    )
    keep(workspace.folder, _kept_as(clustering.name), of, asdict(found))
    return found


def _state(workspace: Workspace, name: str, digests: list[str]) -> list[str]:
    return [*digests, folder_state(clusterings(workspace).folder(name)).digest]


def _digests(workspace: Workspace) -> list[str]:
    return [folder_state(workspace.folder / part).digest for part in PARTS]


def _kept_as(name: str) -> str:
    return f"clustering-{name}"
