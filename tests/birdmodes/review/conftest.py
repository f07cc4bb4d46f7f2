"""A clustering of eight syllables whose corrections can be worked out by hand."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from algorithms import Bags
from birdmodes.modes.clustering import Clustering, read_clustering, write_clustering
from birdmodes.modes.digest import assignments_digest
from birdmodes.review.edits import Edit, Review
from birdmodes.review.history import Reviewed
from birdmodes.segmentation import Segment
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.tables import ClipSegment, syllables_table

CLUSTER = [0, 0, 0, 1, 1, 2, 2, 3]
SPECIES = {0: "Robin", 1: "Robin", 2: "Wren", 3: ""}
MODES = {0: "Robin mode 1", 1: "Robin mode 2", 2: "Wren mode 1", 3: ""}
RECORDINGS = ["a.wav", "a.wav", "b.wav", "b.wav", "c.wav", "c.wav", "d.wav", "d.wav"]
NAMES = [f"{recording}#{i % 2:05d}" for i, recording in enumerate(RECORDINGS)]
CONFIDENCE = [0.9, 0.8, 0.7, 0.6, 0.8, 0.5, 0.7, 0.0]
PLACE = np.array([[0.0], [1.0], [5.0], [10.0], [12.0], [20.0], [21.0], [30.0]])


def small_clustering(order: Sequence[int] = range(8)) -> Clustering:
    """Rows in any order; the centralities are made up, to see which are ranked anew."""
    rows = list(order)
    assignments = pd.DataFrame(
        {
            "syllable": [NAMES[i] for i in rows],
            "recording": [RECORDINGS[i] for i in rows],
            "start_s": [float(i % 2) for i in rows],
            "end_s": [i % 2 + 0.5 for i in rows],
            "low_hz": 1000.0,
            "high_hz": 2000.0,
            "cluster": [CLUSTER[i] for i in rows],
            "species": [SPECIES[CLUSTER[i]] for i in rows],
            "mode": [MODES[CLUSTER[i]] for i in rows],
            "confidence": [CONFIDENCE[i] for i in rows],
            "centrality": 0.123,
            "recorded_at": "",
            "review": "",
        }
    )
    modes = pd.DataFrame(
        {
            "cluster": [0, 1, 2, 3],
            "species": [SPECIES[c] for c in range(4)],
            "mode": [MODES[c] for c in range(4)],
            "background": [False, False, False, True],
            "syllables": [3, 2, 2, 1],
            "recordings": [2, 2, 2, 1],
            "confidence": [0.81, 0.71, 0.61, 0.0],
            "consistency": [0.9, 0.9, 0.9, np.nan],
            "p_value": [0.05, 0.05, 0.05, np.nan],
            "or_species": "",
        }
    )
    metrics = {"clusters": 4, "modes": 3, "stability": 0.9, "truth_recall": 1.0}
    return Clustering("small-k4", assignments, modes, metrics, {"seed": 0})


def small_bags(order: Sequence[int] = range(8)) -> Bags:
    """Bags a and b have Robin, c both, d Wren."""
    rows = list(order)
    labels = [[True, False], [True, False], [True, True], [False, True]]
    bag = ["abcd".index(RECORDINGS[i][0]) for i in rows]
    return Bags(PLACE[rows], bag, labels, class_names=["Robin", "Wren"])


@pytest.fixture
def small() -> Clustering:
    return small_clustering()


@pytest.fixture
def ids() -> list[str]:
    return NAMES


@pytest.fixture
def edit() -> Callable[..., Edit]:
    """Make an edit with an id of its own: ``edit("mark", syllables=[...], as_="good")``."""
    numbers = itertools.count(1)

    def make(action: str, **values: Any) -> Edit:
        if "as_" in values:
            values["as"] = values.pop("as_")
        return Edit(f"{next(numbers):016x}", "2026-01-01T10:00:00Z", action, values)

    return make


LABELS = {"a.wav": "Robin", "b.wav": "Robin", "c.wav": "Robin;Wren", "d.wav": "Wren"}


def store_syllables(folder: Path, *, shift_s: float = 0.0, restart: bool = False) -> Workspace:
    """The workspace that the small clustering is of; `shift_s` later, as if segmented anew."""
    workspace = Workspace.prepare(folder, Settings(SegmentationParameters()), restart=restart)
    for recording, species in LABELS.items():
        rows = [i for i in range(8) if RECORDINGS[i] == recording]
        segments = [ClipSegment(0, 0.0, _segment(i, i % 2 + shift_s)) for i in rows]
        about: dict[str, Any] = dict.fromkeys(
            ("size_bytes", "mtime_ns", "channels", "n_clips"), 1
        ) | {"path": recording, "note": "", "bag_unit": "clip", "sample_rate_hz": 22050}
        row = about | {
            "recording": recording,
            "duration_s": 10.0,
            "labelled": True,
            "species": species,
            "n_syllables": len(rows),
        }
        workspace.commit(row, syllables_table(recording, segments, "clip"))
    return workspace


def _segment(number: int, start_s: float) -> Segment:
    patch = np.zeros((2, 2), dtype=np.uint8)
    features = np.zeros(len(FEATURE_NAMES))
    features[:2] = PLACE[number, 0], number
    mask = np.ones((2, 2), dtype=bool)
    return Segment(start_s, start_s + 0.5, 1000.0, 2000.0, features, patch, mask, False)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return store_syllables(tmp_path / "w")


@pytest.fixture
def clustered(workspace: Workspace) -> Workspace:
    write_clustering(workspace, small_clustering())
    return workspace


def review_of(workspace: Workspace, *edits: Edit, name: str = "small-k4") -> Review:
    base = assignments_digest(read_clustering(workspace, name).assignments)
    return Review(name, base, "Ana", edits)


def files(workspace: Workspace, name: str = "small-k4") -> dict[str, bytes]:
    folder = workspace.folder / "clusterings" / name
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix != ".npz"}


def clusters(reviewed: Reviewed | Clustering) -> list[int]:
    made = reviewed.clustering if isinstance(reviewed, Reviewed) else reviewed
    return made.assignments["cluster"].tolist()
