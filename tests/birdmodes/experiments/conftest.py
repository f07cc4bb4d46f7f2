"""Data that are small enough for a whole experiment in seconds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from birdmodes.experiments.experiment import Experiment, Measured
from birdmodes.experiments.report import Report

WriteBags = Callable[..., Path]
WriteProblem = Callable[..., Path]


def blob_arrays(seed: int = 0, n_bags: int = 20, n_classes: int = 3) -> dict[str, Any]:
    """Three instances in each bag, of one or two classes; every class is a round blob."""
    rng = np.random.default_rng(seed)
    labels = np.zeros((n_bags, n_classes), dtype=np.uint8)
    truth = []
    for m in range(n_bags):
        present = rng.choice(n_classes, size=rng.integers(1, 3), replace=False)
        labels[m, present] = 1
        truth += [int(c) for c in np.resize(present, 3)]
    centres = 3.0 * np.eye(n_classes, 4)
    X = centres[truth] + rng.standard_normal((len(truth), 4))
    return {
        "X": X,
        "bag": np.repeat(np.arange(n_bags), 3),
        "bag_labels": labels,
        "y": np.array(truth),
    }


@pytest.fixture
def write_bags_file(tmp_path: Path) -> WriteBags:
    """Write a set of 60 instances; arrays can be replaced by name."""

    def write(name: str = "blobs.npz", seed: int = 0, **replaced: Any) -> Path:
        path = tmp_path / name
        np.savez(path, **{**blob_arrays(seed), **replaced})
        return path

    return write


def problem_arrays(seed: int = 0, bags_of_class: int = 6, n_classes: int = 3) -> dict[str, Any]:
    """Bags of three instances, two of the bag's class and one that tells nothing."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(n_classes), bags_of_class)
    centres = 6.0 * np.eye(n_classes, 4)
    own = np.repeat(centres[truth], 2, axis=0).reshape(len(truth), 2, 4)
    X = np.concatenate([own, np.zeros((len(truth), 1, 4))], axis=1).reshape(-1, 4)
    return {
        "X": X + rng.standard_normal(X.shape),
        "bag": np.repeat(np.arange(len(truth)), 3),
        "bag_labels": (truth[:, None] == np.arange(n_classes)).astype(np.uint8),
    }


@pytest.fixture
def write_problem(tmp_path: Path) -> WriteProblem:
    """Write a problem of 18 bags; arrays can be replaced by name."""

    def write(name: str = "blobs.npz", seed: int = 0, **replaced: Any) -> Path:
        path = tmp_path / name
        np.savez(path, **{**problem_arrays(seed), **replaced})
        return path

    return write


@pytest.fixture
def report_of() -> Callable[..., Report]:
    """Make the report of an experiment from runs that are made up."""

    def make(
        experiment: Experiment, runs: pd.DataFrame, folder: Path, notes: Sequence[str] = ()
    ) -> Report:
        measured = Measured(runs, experiment.summarise(runs))
        shown = experiment.show(folder, measured)
        verdicts = experiment.verdicts(measured)
        facts = [("data sets", str(runs["dataset"].iloc[0]))]
        notes = [*shown.notes, *notes]
        return Report(experiment.words, facts, verdicts, shown.main, shown.sections, notes)

    return make
