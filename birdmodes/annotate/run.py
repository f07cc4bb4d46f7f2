"""``annotate``: segment new recordings and tell which species are in them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes._version import __version__
from birdmodes.annotate.as_clustering import annotation_clustering
from birdmodes.annotate.cross_validation import LeftOut, cross_validate
from birdmodes.annotate.evaluate import scarce_species
from birdmodes.annotate.kept import ANNOTATED, FACTS, PROBABILITIES, RECORDINGS, SYLLABLES
from birdmodes.annotate.likeness import Examples
from birdmodes.annotate.material import Material, read_material
from birdmodes.annotate.measures import Metrics, decision_metrics
from birdmodes.annotate.methods import annotator_class
from birdmodes.annotate.table import (
    NEXT,
    PRESENT,
    UNLIKE_ANYTHING,
    Expert,
    annotation_tables,
    readable,
)
from birdmodes.annotate.thresholds import Thresholds
from birdmodes.audio.read import RecordingFile
from birdmodes.errors import WorkspaceError
from birdmodes.io.files import write_text
from birdmodes.io.formula_guard import guarded, guarded_path
from birdmodes.io.paths import AnyPath
from birdmodes.io.stored import write_table
from birdmodes.labels import FittedLabels
from birdmodes.modes.features.material import SyllableMaterial
from birdmodes.modes.model import kept_features
from birdmodes.review.history import check_corrections, store_again
from birdmodes.segmentation.forest_model import load_model
from birdmodes.workspace.description import DESCRIPTION
from birdmodes.workspace.folder import is_ours
from birdmodes.workspace.results import replacing_files
from birdmodes.workspace.segment import Progress, SegmentSummary, segment_recordings
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace

FOLDS = 5
"""Rounds in which is found out what the probabilities are worth."""


@dataclass(frozen=True)
class AnnotateOptions:
    """How to annotate.

    Attributes
    ----------
    method : str
        A key of `birdmodes.annotate.methods.ANNOTATORS`.
    thresholds : Thresholds
        What counts.
    n_folds : int
        Parts of the labelled recordings that are left out in turn to find out what the
        probabilities are worth.
    seed : int
        Same seed, same result.
    features : sequence of str or str, optional
        Feature sets, see `birdmodes.modes.features.sets`; None takes those that suit the method.
    """

    method: str = "ldc"
    thresholds: Thresholds = field(default_factory=Thresholds)
    n_folds: int = FOLDS
    seed: int = 0
    features: Sequence[str] | str | None = None


@dataclass(frozen=True, eq=False)
class AnnotateResult:
    """What ``annotate`` did.

    Attributes
    ----------
    syllables, recordings : pandas.DataFrame
        See `birdmodes.annotate.table.annotation_tables`.
    species : pandas.DataFrame
        A row per species: columns species, recordings (where it is present), syllables.
    summary : SegmentSummary
        What was segmented.
    tried_out : dict
        How well left-out recordings were annotated, see
        `birdmodes.annotate.measures.decision_metrics`.
    warnings : list of str
        A line each.
    facts : dict
        What was done, in numbers: the content of ``annotated.json``.
    paths : list of pathlib.Path
        Tables that were written.
    folder : pathlib.Path
        The workspace of the new recordings.
    """

    syllables: pd.DataFrame
    recordings: pd.DataFrame
    species: pd.DataFrame
    summary: SegmentSummary
    tried_out: Metrics
    warnings: list[str]
    facts: dict[str, Any]
    paths: list[Path]
    folder: Path

    def content(self) -> dict[str, Any]:
        """What ``annotate --json`` prints."""
        return {
            **self.facts,
            "tables": [str(path) for path in self.paths],
            "failed": [{"recording": name, "reason": why} for name, why in self.summary.failed],
            "by_species": self.species.to_dict("records"),
            "warnings": self.warnings,
        }


def annotate_recordings(
    workspace: Workspace,
    recordings: Sequence[RecordingFile],
    output: AnyPath,
    options: AnnotateOptions,
    *,
    table: AnyPath | None = None,
    workers: int = 1,
    on_fold: Callable[[int, int], None] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> AnnotateResult:
    """Annotate recordings that have no labels from those of a workspace that have.

    Each recording is annotated by itself, so the answer does not depend on what else is annotated
    with it, in which order, or by how many workers.

    Parameters
    ----------
    workspace : Workspace
        To learn from.
    recordings : sequence of RecordingFile
        The new recordings.
    output : str or path-like
        A workspace of them; made if it does not exist. Recordings in it that have not changed are
        not segmented again.
    options : AnnotateOptions
        How.
    table : str or path-like, optional
        Where the new recordings' own features are, if a set is a table; by default in the one that
        was learned from.
    workers : int
        Processes.
    on_fold, on_progress : callable, optional
        Told how far learning is (rounds done and their number), and segmenting (a `Progress`).

    Raises
    ------
    BirdmodesError
        If there is too little to learn from, the method refuses, or `output` is something else.
    """
    output = Path(output)
    _check_output(output, workspace)
    with workspace.reading():
        material = read_material(workspace, options.method, options.features, options.seed)
        seen = _files(workspace)
        model = load_model(workspace.model_path) if workspace.settings.model_digest else None
    is_new, settings = not output.exists(), new_settings(workspace.settings, material)
    with Workspace.filling(output, settings, restart=False) as target:
        try:  # before anything is segmented, and when nobody else can begin to write there
            check_corrections(target)
            folds, seed = options.n_folds, options.seed
            left_out = cross_validate(material, options.method, folds, seed, on_fold)
            expert = _learn(material, left_out, options, table)
        except BaseException:
            if is_new:
                shutil.rmtree(output, ignore_errors=True)
            raise
        summary = segment_recordings(
            recordings,
            FittedLabels({}, [], []),
            target,
            model=model,
            workers=workers,
            on_progress=on_progress,
        )
        result = _annotated(workspace, target, material, left_out, expert, options, summary)
        return replace(result, warnings=result.warnings + _seen_before(seen & _files(target)))


def _annotated(
    workspace: Workspace,
    target: Workspace,
    material: Material,
    left_out: LeftOut,
    expert: Expert,
    options: AnnotateOptions,
    summary: SegmentSummary,
) -> AnnotateResult:
    """Annotate what is segmented, and write it down."""
    new = SyllableMaterial(target)
    columns = expert.space.columns(new)
    syllables, of_recordings = annotation_tables(new, columns, expert, options.thresholds)
    species = _by_species(of_recordings, expert)
    tried_out = decision_metrics(
        left_out.bags.labels,
        left_out.calibrated(options.thresholds.likeness).presence,
        options.thresholds.score,
    )
    learned_from = {
        "workspace": str(workspace.folder),
        "recordings": len(np.unique(material.group[left_out.chosen])),
        "bags": left_out.bags.n_bags,
    }
    facts = {
        **_facts(syllables, of_recordings, expert, tried_out, options),
        "learned_from": learned_from,
    }
    described = kept_features(expert.space, expert.examples.scale.transform(columns))
    paths, notes = _write(target, syllables, of_recordings, expert, facts, described)
    warnings = [*material.notes, *scarce_species(material), *_untested(left_out), *notes]
    return AnnotateResult(
        syllables, of_recordings, species, summary, tried_out, warnings, facts, paths, target.folder
    )


def _check_output(output: Path, workspace: Workspace) -> None:
    """Refuse what `Workspace.prepare` would, before learning, and what must not be written to."""
    if output.resolve() == workspace.folder.resolve():
        what = "holds the recordings that are learned from"
    elif output.is_file():
        what = "is a file"
    elif not is_ours(output):
        what = "not empty, and not a workspace"
    elif (output / DESCRIPTION).exists():
        existing = Workspace.open(output)
        with existing.writing():  # who writes there now would still do so after learning
            if not existing.recordings()["labelled"].any():
                return
        what = "holds recordings with species lists, which would be lost"
    else:
        return
    raise WorkspaceError(f"{output}: {what}; name another folder with --output")


def new_settings(settings: Settings, material: Material) -> Settings:
    """Settings for new recordings: bags as long as those that were learned from."""
    return replace(settings, bag="clip" if material.by_clip else "recording")


def _learn(
    material: Material, left_out: LeftOut, options: AnnotateOptions, table: AnyPath | None
) -> Expert:
    bags, blocks = material.bags, material.space.blocks
    annotator = annotator_class(options.method)(options.seed, blocks).fit(bags)
    return Expert(
        annotator,
        left_out.calibration(options.thresholds.likeness),
        bags.class_names,
        Examples.of(bags.X, options.seed, blocks),
        left_out.distance,
        material.space.with_table(table),
    )


def _by_species(recordings: pd.DataFrame, expert: Expert) -> pd.DataFrame:
    present = recordings[recordings["decision"] == PRESENT]["species"].value_counts()
    table = pd.DataFrame({"species": list(expert.class_names)})
    table["recordings"] = [int(present.get(name, 0)) for name in table["species"]]
    named = recordings.groupby("species")["syllables"].sum()
    if expert.annotator.of_syllables:
        table["syllables"] = [int(named.get(name, 0)) for name in table["species"]]
    return table


def _facts(
    syllables: pd.DataFrame,
    recordings: pd.DataFrame,
    expert: Expert,
    tried_out: Metrics,
    options: AnnotateOptions,
) -> dict[str, Any]:
    calibration = expert.calibration
    return {
        "birdmodes": __version__,
        "annotated_by": options.method,
        "features": expert.space.described(),
        "min_confidence": options.thresholds.confidence,
        "min_score": options.thresholds.score,
        "min_likeness": options.thresholds.likeness,
        "folds": options.n_folds,
        "seed": options.seed,
        "species": list(expert.class_names),
        "species_found": int(
            recordings.loc[recordings["decision"] == PRESENT, "species"].nunique()
        ),
        "recordings": int(recordings["recording"].nunique()),
        "syllables": len(syllables),
        "kinds": {
            str(kind): int(count)
            for kind, count in syllables["kind"].value_counts().sort_index().items()
        },
        "unsure": {
            str(reason): int(count)
            for reason, count in syllables["unsure"].value_counts().sort_index().items()
            if reason
        },
        "unlike_recordings": unlike_recordings(syllables),
        "calibration": {
            "power": round(calibration.power, 6),
            "slope": round(calibration.slope, 6),
            "intercept": round(calibration.intercept, 6),
        },
        "left_out": {
            name: None if value is None else round(value, 6) for name, value in tried_out.items()
        },
    }


def unlike_recordings(syllables: pd.DataFrame) -> int:
    """Count the recordings of whose syllables one in two or more is like nothing learned from."""
    unlike = (syllables["unsure"] == UNLIKE_ANYTHING).astype(float)
    share = unlike.groupby(syllables["recording"]).mean()
    return int((share >= 0.5).sum())


def _untested(left_out: LeftOut) -> list[str]:
    if (left_out.learned & left_out.bags.labels).any():
        return []
    return [
        "no species is in two of the recordings with species lists, so nothing tells what the "
        "probabilities are worth: do not trust them"
    ]


def _seen_before(again: set[tuple[str, int]]) -> list[str]:
    """Warn of recordings that were learned from, wherever they lie now."""
    if not again:
        return []
    return [
        f"{len(again)} of these recordings are among those learned from: what is said of them "
        "looks better than it is"
    ]


def _files(workspace: Workspace) -> set[tuple[str, int]]:
    rows = workspace.recordings()
    return {
        (PurePath(path).name, size)
        for path, size in zip(rows["path"], rows["size_bytes"], strict=True)
    }


def _write(
    target: Workspace,
    syllables: pd.DataFrame,
    recordings: pd.DataFrame,
    expert: Expert,
    facts: dict[str, Any],
    described: dict[str, npt.NDArray[Any]],
) -> tuple[list[Path], list[str]]:
    tables, columns = {RECORDINGS: recordings}, expert.probability_columns
    if columns:
        tables[SYLLABLES] = readable(syllables, columns)
    with replacing_files(target, target.folder, ANNOTATED) as files:
        for name, table in tables.items():
            write_table(files / name, _guarded(table))
        if columns:
            syllables.to_parquet(files / PROBABILITIES, index=False, compression="zstd")
        write_text(files / FACTS, json.dumps(facts, indent=2, ensure_ascii=False) + "\n")
    if not columns:  # those of another method would be taken for this one's
        for name in (SYLLABLES, PROBABILITIES):
            (target.folder / name).unlink(missing_ok=True)
    notes = []
    if len(syllables):
        name = f"annotated-{facts['annotated_by']}"
        clustering = annotation_clustering(syllables, expert.class_names, name, facts)
        notes = store_again(target, replace(clustering, model=described))
    written = (*tables, PROBABILITIES) if columns else tables
    return [target.folder / name for name in written], notes


def _guarded(table: pd.DataFrame) -> pd.DataFrame:
    """Names that a spreadsheet would not run, see `birdmodes.io.formula_guard`."""
    ways: dict[str, Callable[[str], str]] = {
        "recording": guarded_path,
        "syllable": guarded_path,
        "best_syllable": guarded_path,
    }
    ways |= dict.fromkeys(("species", "best", *NEXT, "device"), guarded)
    table = table.copy()
    for column in ways.keys() & set(table.columns):
        table[column] = table[column].map(ways[column], na_action="ignore")
    return table
