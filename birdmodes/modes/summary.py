"""What there is to say of a clustering in a few words, without reading it again."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from itertools import pairwise
from typing import Any

from birdmodes.io.result_files import ResultReader
from birdmodes.modes.clustering import (
    ASSIGNMENT_COLUMNS,
    LATER_MODE_COLUMNS,
    MODE_CELLS,
    Clustering,
    assignment_tables,
    check_they_agree,
    clusterings,
    read_clustering,
)
from birdmodes.modes.counts.files import read_k_curves
from birdmodes.modes.digest import (
    DigestInParts,
    PresentSyllables,
    assignments_digest,
    other_syllables,
)
from birdmodes.modes.left_out import fit_in_words
from birdmodes.workspace.gathering.folder_state import folder_state
from birdmodes.workspace.labels import LABEL_COLUMNS, outdated
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.summaries.kept import keep, kept

PARTS = ("recordings", "syllables")
"""Folders of the workspace that a clustering is compared with."""

PART_ROWS = 100_000
"""Syllables that are read at a time."""


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


def summary_of(
    workspace: Workspace, name: str, digests: list[str] | None = None
) -> ClusteringSummary:
    """Summarise a clustering, or recall it if nothing has changed since.

    Parameters
    ----------
    workspace : Workspace
        Where it is.
    name : str
        Its name.
    digests : list of str, optional
        States of the folders `PARTS` of the workspace, if they are known.

    Raises
    ------
    WorkspaceError
        As `birdmodes.modes.clustering.read_clustering`.
    """
    of = _state(workspace, name, digests or _digests(workspace))
    answer = kept(workspace.folder, _kept_as(name), of)
    if answer is not None:
        return ClusteringSummary(**answer)
    found = _in_parts(workspace, name)
    if found is None:
        found = _of_whole(workspace, read_clustering(workspace, name))
    keep(workspace.folder, _kept_as(name), of, asdict(found))
    return found


def kept_summary(
    workspace: Workspace, name: str, digests: list[str] | None = None
) -> ClusteringSummary | None:
    """Recall the summary of a clustering; None if something has changed since, or it has none.

    Parameters
    ----------
    workspace, name, digests
        As for `summary_of`.
    """
    of = _state(workspace, name, digests or _digests(workspace))
    answer = kept(workspace.folder, _kept_as(name), of)
    return None if answer is None else ClusteringSummary(**answer)


def keep_summary(workspace: Workspace, clustering: Clustering) -> None:
    """Keep the summary of a clustering that was made of the present syllables, and stored."""
    of = _state(workspace, clustering.name, _digests(workspace))
    keep(workspace.folder, _kept_as(clustering.name), of, asdict(_of_whole(workspace, clustering)))


def _of_whole(workspace: Workspace, clustering: Clustering) -> ClusteringSummary:
    recordings = clustering.assignments["recording"]
    return _summary(
        workspace,
        clustering,
        assignments_digest(clustering.assignments),
        recordings.drop_duplicates().tolist(),
        by_recording=bool(recordings.is_monotonic_increasing),
    )


def _in_parts(workspace: Workspace, name: str) -> ClusteringSummary | None:
    """Read a clustering as `read_clustering` does, but little of it at a time.

    Returns
    -------
    ClusteringSummary or None
        None where its syllables are in no order, so that all of them are needed at a time.
    """
    store = clusterings(workspace)
    return store.read(store.chosen(name), lambda files: _read_parts(workspace, files, name))


def _read_parts(workspace: Workspace, files: ResultReader, name: str) -> ClusteringSummary | None:
    import pandas as pd  # slow to import: `info` does without

    clustering = _without_syllables(files, name)
    files.check_arrays()
    read_k_curves(files.folder, files.remedy)
    present, digest = PresentSyllables(workspace), DigestInParts()
    current = sorted_within = True
    counted = pd.Series(dtype=int)
    recordings: list[str] = []
    for table in assignment_tables(files, PART_ROWS):
        part = table.to_pandas()
        counted = counted.add(part["cluster"].value_counts(), fill_value=0)
        current = current and present.have(part)
        digest.add(part)
        recordings += part["recording"].drop_duplicates().tolist()
        sorted_within = sorted_within and part["recording"].is_monotonic_increasing
    check_they_agree(files, counted, clustering.modes)
    if not current or not present.no_more():
        raise other_syllables(name)
    if not digest.in_order:
        return None
    by_recording = sorted_within and all(one <= other for one, other in pairwise(recordings))
    return _summary(
        workspace, clustering, digest.hexdigest(), recordings, by_recording=by_recording
    )


def _without_syllables(files: ResultReader, name: str) -> Clustering:
    """Read all of a clustering but its table of syllables, and its arrays."""
    import pandas as pd

    metrics, parameters = files.metrics()
    modes = files.table("modes.csv", MODE_CELLS, LATER_MODE_COLUMNS)
    modes = modes.drop(columns="remark", errors="ignore")
    return Clustering(name, pd.DataFrame(columns=ASSIGNMENT_COLUMNS), modes, metrics, parameters)


def _summary(
    workspace: Workspace,
    clustering: Clustering,
    base: str,
    recordings: list[str],
    *,
    by_recording: bool,
) -> ClusteringSummary:
    """Summarise a clustering of some recordings, which may be named several times."""
    import pandas as pd

    named = clustering.modes[clustering.modes["mode"] != ""]
    return ClusteringSummary(
        base=base,
        names=fit_in_words(clustering.metrics),
        modes=len(named),
        species=int(named["species"].nunique()),
        by_recording=by_recording,
        outdated=outdated(
            workspace.recordings(LABEL_COLUMNS),
            clustering.name,
            pd.DataFrame({"recording": recordings}),
            clustering.parameters,
        ),
        parameters=clustering.parameters,
    )


def _state(workspace: Workspace, name: str, digests: list[str]) -> list[str]:
    return [*digests, folder_state(clusterings(workspace).folder(name)).digest]


def _digests(workspace: Workspace) -> list[str]:
    return [folder_state(workspace.folder / part).digest for part in PARTS]


def _kept_as(name: str) -> str:
    return f"clustering-{name}"
