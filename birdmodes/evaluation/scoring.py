"""Score a clustering against syllables whose species and mode are known."""

from __future__ import annotations

from dataclasses import asdict, replace

from birdmodes.evaluation.cluster_scores import score_clusters
from birdmodes.evaluation.truth import match_syllables, read_truth
from birdmodes.io.paths import AnyPath
from birdmodes.modes.clustering import Clustering
from birdmodes.workspace.store import Workspace


def check_truth(workspace: Workspace, truth_file: AnyPath) -> None:
    """Make sure that a truth table fits the workspace, before a long run that it is to score.

    Raises
    ------
    TruthError
        If the file cannot be understood or is about other recordings.
    """
    boxes = workspace.syllables(["recording", "start_s", "end_s", "low_hz", "high_hz"])
    match_syllables(
        boxes,
        read_truth(truth_file),
        workspace.recordings()["recording"],
        source=str(truth_file),
    )


def score_clustering(
    workspace: Workspace, clustering: Clustering, truth_file: AnyPath
) -> tuple[Clustering, list[str]]:
    """Add the scores against the truth to a clustering's metrics.

    Parameters
    ----------
    workspace : Workspace
        What the clustering is of; its recordings without a syllable count as missed.
    clustering : Clustering
        What to score.
    truth_file : str or path-like
        See `birdmodes.evaluation.truth.read_truth`.

    Returns
    -------
    clustering : Clustering
        With the metrics ``truth_recall`` and ``truth_precision`` of the syllables, and those of
        `birdmodes.evaluation.cluster_scores.ClusterScores` with ``truth_`` before their names.
    warnings : list of str
        A line each.

    Raises
    ------
    TruthError
        If the file cannot be understood or is about other recordings.
    """
    truth = read_truth(truth_file)
    assignments = clustering.assignments
    match = match_syllables(
        assignments, truth, workspace.recordings()["recording"], source=str(truth_file)
    )
    scores = score_clusters(
        match, truth, assignments["cluster"].to_numpy(), list(assignments["species"])
    )
    found: dict[str, float | None] = {"recall": match.recall, "precision": match.precision}
    found |= asdict(scores)
    rounded = {
        f"truth_{name}": value if value is None else round(value, 6)
        for name, value in found.items()
    }
    metrics = {**clustering.metrics, **rounded}
    return replace(clustering, metrics=metrics), list(match.warnings)
