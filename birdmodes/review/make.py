"""Modes found, corrected as before, scored and stored: all of ``cluster``."""

from __future__ import annotations

import contextlib
import filecmp
import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from algorithms.threads import one_blas_thread
from birdmodes.evaluation.scoring import check_truth, score_clustering
from birdmodes.io.paths import AnyPath
from birdmodes.modes.clustering import Clustering, clustering_names, clusterings
from birdmodes.modes.find import ClusterOptions, find_modes
from birdmodes.modes.summary import keep_summary
from birdmodes.parallel.blocks import ClusterRunner
from birdmodes.parallel.dask import Cluster
from birdmodes.review.history import check_corrections, reapply, store_made
from birdmodes.review.knowledge import review_knowledge
from birdmodes.review.replay import Reviewed
from birdmodes.workspace.results import check_name
from birdmodes.workspace.store import Workspace


@dataclass(frozen=True)
class MadeModes:
    """A clustering that was made and stored.

    Attributes
    ----------
    clustering : Clustering
        As it is stored, with corrections and scores.
    folder : pathlib.Path
        Where it is stored.
    warnings : list of str
        What the user should know, a line each.
    reviewed : Reviewed or None
        What became of earlier corrections; None if they were left out.
    kept_as : str or None
        Name under which the clustering that was replaced is kept, if it is.
    """

    clustering: Clustering
    folder: Path
    warnings: list[str]
    reviewed: Reviewed | None
    kept_as: str | None = None


def make_modes(
    workspace: Workspace | AnyPath,
    options: ClusterOptions | None = None,
    name: str | None = None,
    *,
    truth_file: AnyPath | None = None,
    with_review: bool = False,
    corrected: bool = True,
    scheduler: str | None = None,
    on_step: Callable[[str], None] | None = None,
) -> MadeModes:
    """Find the modes of a workspace, apply earlier corrections again, score and store them.

    The workspace is locked from the beginning, and what can be found wrong is found wrong before
    anything is computed; so nothing is computed in vain, and nothing that somebody else writes
    meanwhile is lost.

    Parameters
    ----------
    workspace : Workspace, str or path-like
        What ``segment`` made.
    options : ClusterOptions, optional
        How to cluster.
    name : str, optional
        Name of the clustering, see `birdmodes.modes.find.find_modes`; one of the same name is
        replaced.
    truth_file : path-like, optional
        True syllables to score against, see `birdmodes.evaluation.truth.read_truth`.
    with_review : bool
        Use the corrections already while clustering, as `ClusterOptions.knowledge`. A clustering
        of the same name, which somebody may have corrected, is then kept under another one.
    corrected : bool
        Apply the corrections again to what was found, as far as they fit.
    scheduler : str, optional
        Address of a Dask scheduler, such as ``tcp://host:8786``, whose workers do what can be done
        on blocks of syllables. The result is that of this machine, if theirs compute alike.
    on_step : callable, optional
        Called with a line at the start of each step.

    Raises
    ------
    BirdmodesError
        If there is nothing to cluster, the method refuses, the truth does not fit, a file of the
        workspace is damaged, another command is writing to it, or the Dask cluster is lost.
    OSError
        If the workspace is read-only, or the disk is full.
    """
    workspace, options = Workspace.open(workspace), options or ClusterOptions()
    if name is not None:
        check_name(name)
    # Threads that wait for the next product take processor time, too; those here are small.
    with workspace.writing(), one_blas_thread():
        clusterings(workspace).check_writable()
        if truth_file is not None:
            check_truth(workspace, truth_file)
        if corrected or with_review:
            check_corrections(workspace)
        if with_review:
            options = replace(options, knowledge=review_knowledge(workspace))
        with contextlib.nullcontext() if scheduler is None else Cluster(scheduler) as cluster:
            runner = None if cluster is None else ClusterRunner(cluster)
            found = find_modes(workspace, options, name, on_step=on_step, runner=runner)
        reviewed = reapply(workspace, found.clustering) if corrected else None
        clustering = found.clustering if reviewed is None else reviewed.clustering
        notes: list[str] = []
        if truth_file is not None:
            clustering, notes = score_clustering(workspace, clustering, truth_file)
        kept_as = None
        if with_review and clustering.name in clustering_names(workspace):
            kept_as = _kept_name(workspace, clustering.name)
        folder = store_made(workspace, found.clustering, clustering, keep_as=kept_as)
        keep_summary(workspace, clustering)
    return MadeModes(clustering, folder, notes + found.warnings, reviewed, kept_as)


def _kept_name(workspace: Workspace, name: str) -> str:
    """Name to keep a clustering under: a free one, or that of a copy which a killed run made."""
    taken = set(clustering_names(workspace))
    names = (f"{name}-before-{number}" for number in itertools.count(1))
    return next(one for one in names if one not in taken or _is_copy(workspace, one, name))


def _is_copy(workspace: Workspace, one: str, other: str) -> bool:
    folders = [clusterings(workspace).folder(name) for name in (one, other)]
    try:
        return all(
            filecmp.cmp(folders[0] / file, folders[1] / file, shallow=False)
            for file in ("assignments.csv", "modes.csv", "metrics.json")
        )
    except OSError:  # damaged
        return False
