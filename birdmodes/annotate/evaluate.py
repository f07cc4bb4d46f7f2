"""``evaluate``: how well the labelled recordings of a workspace annotate each other."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from algorithms.bags import BoolArray, FloatArray, IntArray
from algorithms.placement.calibration import calibration_error
from birdmodes._version import __version__
from birdmodes.annotate.confusion import false_alarms, syllable_confusion
from birdmodes.annotate.cross_validation import LeftOut, cross_validate
from birdmodes.annotate.evaluation import Evaluation
from birdmodes.annotate.kept import EVALUATIONS
from birdmodes.annotate.material import Material, read_material
from birdmodes.annotate.measures import (
    Metrics,
    SyllableNames,
    decision_metrics,
    ranking_metrics,
    reliability_table,
    species_table,
    syllable_metrics,
    truth_metrics,
)
from birdmodes.annotate.methods import annotator_class
from birdmodes.annotate.page import to_html
from birdmodes.annotate.thresholds import Thresholds
from birdmodes.errors import ParameterError
from birdmodes.evaluation.truth import match_syllables, read_truth
from birdmodes.io.files import write_text
from birdmodes.io.paths import AnyPath
from birdmodes.io.printing import shown
from birdmodes.io.stored import write_table
from birdmodes.io.versions import library_versions
from birdmodes.modes.features.sets import short_name
from birdmodes.modes.left_out import fit_in_words, fit_of_names
from birdmodes.workspace.results import check_name, replacing_files
from birdmodes.workspace.store import Workspace

DEFAULT_FOLDS = 10


def evaluate_workspace(
    workspace: Workspace,
    method: str,
    *,
    features: Sequence[str] | None = None,
    n_folds: int = DEFAULT_FOLDS,
    seed: int = 0,
    thresholds: Thresholds | None = None,
    truth_file: AnyPath | None = None,
    on_fold: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """Evaluate a method by cross-validation over the labelled recordings.

    Parameters
    ----------
    workspace : Workspace
        With species lists of two or more recordings.
    method : str
        A key of `birdmodes.annotate.methods.ANNOTATORS`.
    features : sequence of str, optional
        Feature sets, see `birdmodes.modes.features.sets`; by default those that suit the method.
        They are learned on all recordings, without their labels.
    n_folds : int
        Parts that are left out in turn. Clips of one recording are always left out together.
    seed : int
        Same seed, same result.
    thresholds : Thresholds, optional
        From where on a species counts as found.
    truth_file : str or path-like, optional
        True syllables, see `birdmodes.evaluation.truth.read_truth`.
    on_fold : callable, optional
        Called with the rounds done and their number.

    Raises
    ------
    BirdmodesError
        If there is too little to learn from, the method refuses, or the truth does not fit.
    """
    thresholds = thresholds or Thresholds()
    of_syllables = annotator_class(method).of_syllables
    if truth_file is not None and not of_syllables:
        raise ParameterError(
            f"--truth is about syllables, and {method} annotates whole recordings; leave it out"
        )
    material = read_material(workspace, method, features, seed)
    warnings = [*material.notes, *scarce_species(material)]
    true = None
    if truth_file is not None:
        true, notes = _true_species(workspace, material, truth_file)
        warnings += notes
    left_out = cross_validate(material, method, n_folds, seed, on_fold)
    said = left_out.calibrated(thresholds.likeness)
    labels = left_out.bags.labels
    metrics, reliability = _bag_results(labels, said.presence, thresholds.score)
    species = material.bags.class_names
    confusion = {"false_alarms": false_alarms(said.presence >= thresholds.score, labels, species)}
    metrics |= _left_out_fit(said.posterior, left_out)
    of_syllable: Metrics = {}
    if of_syllables:
        names = SyllableNames.of(said.posterior, said.likeness)
        of_syllable, tables = _syllable_results(names, left_out, true, thresholds)
        reliability |= tables
        if true is not None:
            confusion["syllables"] = syllable_confusion(names, true, thresholds, species)
    parameters = {
        "birdmodes": __version__,
        "libraries": library_versions(),
        "method": method,
        "features": material.space.described(),
        "folds": int(left_out.fold.max()) + 1,
        "seed": seed,
        "min_score": thresholds.score,
        "min_confidence": thresholds.confidence if of_syllables else None,
        "min_likeness": thresholds.likeness if of_syllables else None,
        "bags": len(labels),
        "recordings": len(np.unique(material.group[left_out.chosen])),
        "species": int(labels.any(axis=0).sum()),
        "unlabelled_bags": int((~left_out.chosen).sum()),
        "truth": None if truth_file is None else Path(truth_file).name,
    }
    unit = "syllables" if of_syllables else "bags"
    summary = fit_in_words(metrics, unit)
    table = species_table(labels, said.presence, species, thresholds.score)
    return Evaluation(
        parameters, metrics, of_syllable, table, reliability, confusion, warnings, summary
    )


def make_evaluation(
    workspace: Workspace | AnyPath,
    method: str,
    name: str | None = None,
    *,
    features: Sequence[str] | None = None,
    n_folds: int = DEFAULT_FOLDS,
    seed: int = 0,
    thresholds: Thresholds | None = None,
    truth_file: AnyPath | None = None,
    on_fold: Callable[[int, int], None] | None = None,
) -> tuple[Evaluation, Path]:
    """Evaluate a method and store what was found; nobody else writes meanwhile.

    Parameters
    ----------
    workspace, method, features, n_folds, seed, thresholds, truth_file, on_fold
        As for `evaluate_workspace`.
    name : str, optional
        Of the evaluation; by default the method's, with the features if they are not the
        method's own.

    Returns
    -------
    evaluation : Evaluation
        What was found.
    path : pathlib.Path
        Its JSON file, see `write_evaluation`.

    Raises
    ------
    BirdmodesError
        As for the two, and if another command is writing to the workspace.
    """
    name = check_name(name or method + short_name(features, method), "evaluation")
    workspace = Workspace.open(workspace)
    with workspace.writing():
        evaluation = evaluate_workspace(
            workspace,
            method,
            features=features,
            n_folds=n_folds,
            seed=seed,
            thresholds=thresholds,
            truth_file=truth_file,
            on_fold=on_fold,
        )
        return evaluation, write_evaluation(workspace, evaluation, name)


def write_evaluation(workspace: Workspace, evaluation: Evaluation, name: str) -> Path:
    """Store an evaluation: ``evaluations/<name>.json``, its table of species as CSV, and a page.

    Returns
    -------
    pathlib.Path
        The JSON file.

    Raises
    ------
    BirdmodesError
        If `name` cannot name a file, or another command is writing to the workspace.
    """
    check_name(name, "evaluation")
    folder = workspace.folder / EVALUATIONS
    with replacing_files(workspace, folder, name) as files:
        write_table(files / f"{name}.csv", evaluation.species.round(6))
        write_text(files / f"{name}.html", to_html(evaluation, name))
        text = json.dumps(evaluation.content(), indent=2, ensure_ascii=False, allow_nan=False)
        write_text(files / f"{name}.json", text + "\n")
    return folder / f"{name}.json"


def scarce_species(material: Material) -> list[str]:
    """Say which species nothing is left to learn from when their one recording is left out."""
    bags = material.bags
    recordings = [
        len(np.unique(material.group[bags.labels[:, column]])) for column in range(bags.n_classes)
    ]
    once = [name for name, n in zip(bags.class_names, recordings, strict=True) if n == 1]
    if not once:
        return []
    names = ", ".join(shown(name) for name in once[:10]) + (" ..." if len(once) > 10 else "")
    return [
        f"in one labelled recording only: {names} ({len(once)} species); when it is left out "
        "nothing tells what they sound like, so they count as missed; label more recordings"
    ]


def _bag_results(
    labels: BoolArray, presence: FloatArray, min_score: float
) -> tuple[Metrics, dict[str, pd.DataFrame]]:
    metrics = {
        **ranking_metrics(labels, presence),
        **decision_metrics(labels, presence, min_score),
        "calibration_error": calibration_error(presence.ravel(), labels.ravel()),
    }
    return _rounded(metrics), {"bags": reliability_table(presence.ravel(), labels.ravel())}


def _left_out_fit(posterior: FloatArray, left_out: LeftOut) -> Metrics:
    """How often the likeliest species, of syllables or of bags, fits the lists."""
    if not posterior.shape[1]:
        return {}
    bags = left_out.bags
    name = np.where(posterior.any(axis=1), posterior.argmax(axis=1), -1).astype(np.int64)
    bag = bags.bag if left_out.of_syllables else np.arange(bags.n_bags)
    found = fit_of_names(name, bag, bags.labels)
    return {} if found is None else dict(found.metrics())


def _syllable_results(
    names: SyllableNames, left_out: LeftOut, true: IntArray | None, thresholds: Thresholds
) -> tuple[Metrics, dict[str, pd.DataFrame]]:
    label_set = left_out.bags.labels[left_out.bags.bag]
    metrics = syllable_metrics(names, label_set, thresholds)
    bird = (names.best >= 0) & names.like(thresholds)
    possible = label_set[np.arange(len(label_set)), names.best]
    tables = {"syllables": reliability_table(names.confidence[bird], possible[bird])}
    if true is not None:
        metrics |= truth_metrics(names, true, thresholds)
        known = bird & (true >= 0)
        right = names.best[known] == true[known]
        tables["truth"] = reliability_table(names.confidence[known], right)
    return _rounded(metrics), tables


def _true_species(
    workspace: Workspace, material: Material, truth_file: AnyPath
) -> tuple[IntArray, list[str]]:
    """Column of the true species of the labelled bags' syllables; see `truth_metrics`."""
    truth = read_truth(truth_file)
    match = match_syllables(
        material.syllables, truth, workspace.recordings()["recording"], source=str(truth_file)
    )
    number = {name: column for column, name in enumerate(material.bags.class_names)}
    of_row = np.array([number.get(name, -2) for name in truth["species"]], dtype=np.int64)
    true = np.where(match.truth_row >= 0, of_row[match.truth_row], -1)
    return true[material.bags.labelled[material.bags.bag]], list(match.warnings)


def _rounded(metrics: Metrics) -> Metrics:
    return {
        name: round(value, 6) if isinstance(value, float) else value
        for name, value in metrics.items()
    }
