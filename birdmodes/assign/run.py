"""``assign``: segment new recordings and place their syllables."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms.base import ClusteringError
from algorithms.placement.calibration import calibration_error
from algorithms.placement.placer import Placer
from birdmodes._version import __version__
from birdmodes.assign.as_clustering import as_clustering
from birdmodes.assign.kept import ASSIGNED, ASSIGNMENTS, FACTS
from birdmodes.assign.model import Training, read_training
from birdmodes.assign.table import UNASSIGNED, Limits, place_syllables
from birdmodes.audio.read import RecordingFile
from birdmodes.errors import BirdmodesError, ParameterError, WorkspaceError
from birdmodes.io.files import write_text
from birdmodes.io.formula_guard import guarded_table
from birdmodes.io.paths import AnyPath
from birdmodes.io.printing import shown
from birdmodes.io.result_files import PATHS
from birdmodes.io.stored import write_table
from birdmodes.labels import FittedLabels, split_species
from birdmodes.modes.clustering import Clustering
from birdmodes.modes.kinds import BACKGROUND, MODE, NO_SPECIES
from birdmodes.review.history import check_corrections, store_again
from birdmodes.segmentation.forest_model import load_model
from birdmodes.workspace.results import replacing_files
from birdmodes.workspace.segment import Progress, SegmentSummary, segment_recordings
from birdmodes.workspace.store import Workspace


@dataclass(frozen=True)
class TriedOut:
    """How well the clustering's own syllables are placed when their recording is left out.

    With their recordings' labels, if new recordings have labels too.

    Attributes
    ----------
    assigned : float
        Share that the threshold lets pass.
    right, right_of_assigned : float
        Share that comes to lie in its own cluster, of all and of those assigned; NaN if none is.
    calibration_error : float
        How far scores are from the share that is right; see
        `algorithms.placement.calibration.calibration_error`.
    """

    assigned: float
    right: float
    right_of_assigned: float
    calibration_error: float


@dataclass(frozen=True, eq=False)
class Assigned:
    """What ``assign`` did.

    Attributes
    ----------
    table : pandas.DataFrame
        `birdmodes.assign.table.COLUMNS`, a row per syllable of all recordings in the output.
    path : pathlib.Path
        Where it is written.
    modes : pandas.DataFrame
        A row per cluster that took in syllables, and one for the unassigned; largest first
        within each kind. Columns kind, name, species, syllables, recordings, score (the mean).
    summary : SegmentSummary
        What was segmented.
    tried_out : TriedOut
        What the scores are worth.
    warnings : list of str
        A line each.
    """

    table: pd.DataFrame
    path: Path
    modes: pd.DataFrame
    summary: SegmentSummary
    tried_out: TriedOut
    warnings: list[str]


def assign_recordings(
    workspace: Workspace,
    clustering: Clustering,
    recordings: Sequence[RecordingFile],
    labels: FittedLabels,
    output: AnyPath,
    *,
    limits: Limits | None = None,
    table: AnyPath | None = None,
    workers: int = 1,
    on_progress: Callable[[Progress], None] | None = None,
) -> Assigned:
    """Place the syllables of new recordings in the modes of a clustering.

    Each syllable is placed by its own features and its recording's labels alone, so the answer
    does not depend on what else is placed with it, in which order, or by how many workers.

    Parameters
    ----------
    workspace : Workspace
        Where the clustering is.
    clustering : Clustering
        Made by any method.
    recordings : sequence of RecordingFile
        The new recordings.
    labels : FittedLabels
        Species lists of new recordings; they restrict the modes.
    output : str or path-like
        Folder for a workspace of the new recordings, made if it does not exist. Recordings that
        it has from an earlier call are placed too, without being segmented again.
    limits : Limits, optional
        When to leave a syllable unassigned.
    table : str or path-like, optional
        Where the new recordings' own features are, if the clustering was made with such a table; by
        default in the same one.
    workers : int
        Processes.
    on_progress : callable, optional
        Called with a `Progress` while recordings are segmented.

    Raises
    ------
    BirdmodesError
        If the clustering's features or parameters do not match, or `output` is something else.
    """
    output = Path(output)
    limits = limits or Limits()
    if not 0 <= limits.threshold <= 1:
        raise ParameterError(f"threshold must be from 0 to 1, not {limits.threshold:g}")
    if limits.novelty <= 0:
        raise ParameterError(f"novelty must be above 0, not {limits.novelty:g}")
    if output.resolve() == workspace.folder.resolve():
        raise WorkspaceError(
            f"{output}: holds the syllables of the clustering itself; name another folder with "
            "--output"
        )
    with workspace.reading():
        training = read_training(workspace, clustering)
        model = load_model(workspace.model_path) if workspace.settings.model_digest else None
    training = replace(training, space=training.space.with_table(table))
    target = Workspace.prepare(output, workspace.settings)
    with target.writing():
        check_corrections(target)
        placer = _learn(training, clustering.name)
        summary = segment_recordings(
            recordings, labels, target, model=model, workers=workers, on_progress=on_progress
        )
        placed = place_syllables(target, training, placer, limits)
        result = Assigned(
            placed.table,
            output / ASSIGNMENTS,
            _modes(placed.table),
            summary,
            _tried_out(placer, training, limits, by_labels=bool(labels.species)),
            _warnings(target, training),
        )
        notes = _write(target, result, placed.features, clustering, training, limits)
    return replace(result, warnings=result.warnings + notes)


def _learn(training: Training, name: str) -> Placer:
    try:
        return Placer.fit(training.X, training.cluster, training.group, training.allowed)
    except ClusteringError as error:
        raise BirdmodesError(f"clustering {name!r}: {error}") from error


def _tried_out(placer: Placer, training: Training, limits: Limits, *, by_labels: bool) -> TriedOut:
    places = placer.left_out_restricted if by_labels else placer.left_out
    right = places.cluster == training.cluster
    assigned = places.score >= limits.threshold
    return TriedOut(
        float(assigned.mean()),
        float(right.mean()),
        float(right[assigned].mean()) if assigned.any() else float("nan"),
        calibration_error(places.score, right),
    )


def _modes(table: pd.DataFrame) -> pd.DataFrame:
    """Count syllables and recordings of each mode."""
    kinds = pd.Categorical(table["kind"], [MODE, BACKGROUND, NO_SPECIES, UNASSIGNED], ordered=True)
    name = np.where(table["kind"] == UNASSIGNED, "", table["best"])
    groups = table.assign(kind=kinds, name=name).groupby(
        ["kind", "cluster", "name", "species"], observed=True
    )
    counts = groups.agg(
        syllables=("syllable", "size"), recordings=("recording", "nunique"), score=("score", "mean")
    ).reset_index()
    counts["kind"] = pd.Categorical(counts["kind"], kinds.categories, ordered=True)
    return counts.sort_values(
        ["kind", "species", "syllables", "cluster"],
        ascending=[True, True, False, True],
        ignore_index=True,
    ).astype({"kind": str})[
        ["kind", "cluster", "name", "species", "syllables", "recordings", "score"]
    ]


def _warnings(target: Workspace, training: Training) -> list[str]:
    """What the user should know of the labels."""
    recordings = target.recordings()
    listed = {name for text in recordings["species"] for name in split_species(text)}
    unknown = sorted(listed - set(training.modes["species"]))
    if not unknown:
        return []
    names = ", ".join(shown(name) for name in unknown[:10]) + (" ..." if len(unknown) > 10 else "")
    return [
        f"no mode of {len(unknown)} species that the labels name ({names}): their syllables are "
        "taken for others, or left unassigned"
    ]


def _write(
    target: Workspace,
    result: Assigned,
    features: npt.NDArray[np.float64],
    clustering: Clustering,
    training: Training,
    limits: Limits,
) -> list[str]:
    """Write all down; gives what is to be said of corrections of what it replaces."""
    facts = summary_of(result, clustering, limits)
    with replacing_files(target, target.folder, ASSIGNED) as files:
        write_table(files / ASSIGNMENTS, guarded_table(result.table, PATHS))
        write_text(files / FACTS, json.dumps(facts, indent=2) + "\n")
    if len(result.table):
        made = as_clustering(result.table, features, clustering, training, facts)
        return store_again(target, made)
    return []


def summary_of(result: Assigned, clustering: Clustering, limits: Limits) -> dict[str, Any]:
    """What was done, in numbers, for ``assigned.json`` and ``--json``."""
    tried = result.tried_out
    right = tried.right_of_assigned
    return {
        "birdmodes": __version__,
        "assigned_from": clustering.name,
        "threshold": limits.threshold,
        "novelty": limits.novelty,
        "syllables": len(result.table),
        "recordings": int(result.table["recording"].nunique()),
        "kinds": result.table["kind"].value_counts().sort_index().to_dict(),
        "unassigned": {
            reason: int(count)
            for reason, count in result.table["unassigned"].value_counts().sort_index().items()
            if reason
        },
        "left_out": {
            "right": round(tried.right, 6),
            "assigned": round(tried.assigned, 6),
            "right_of_assigned": None if np.isnan(right) else round(right, 6),
            "calibration_error": round(tried.calibration_error, 6),
        },
    }


def result_content(result: Assigned, clustering: Clustering, limits: Limits) -> dict[str, Any]:
    """What ``assign --json`` prints."""
    return {
        **summary_of(result, clustering, limits),
        "assignments": str(result.path),
        "failed": [{"recording": name, "reason": why} for name, why in result.summary.failed],
        "modes": result.modes.to_dict("records"),
        "warnings": result.warnings,
    }
