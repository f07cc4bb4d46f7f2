"""A clustering of half of the recordings places the other half as one of all of them does."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest

from algorithms.metrics import adjusted_rand_index
from birdmodes.assign.run import assign_recordings
from birdmodes.audio.read import RecordingFile, find_recordings
from birdmodes.labels import FittedLabels, fit_labels
from birdmodes.modes.find import ClusterOptions, find_modes
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.segment import segment_recordings
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace

SAMPLE_DATA = Path(__file__).parents[3] / "sample_data" / "recordings"


@dataclass(frozen=True)
class Agreement:
    """Of the syllables of the other half.

    Attributes
    ----------
    unassigned : float
        Share that was left unassigned.
    rand : float
        Adjusted Rand index of the assigned ones with the clustering of all.
    same_mode : float
        Share of these that are in the same mode, by a majority map made on the first half.
    kept : float
        That share of all, each in the mode that fits best.
    """

    unassigned: float
    rand: float
    same_mode: float
    kept: float


@dataclass(frozen=True)
class Halves:
    """Recordings, all of them and each half segmented into a workspace of its own.

    Attributes
    ----------
    second : list of RecordingFile
        The other half, which is to be placed.
    all, half, new : pathlib.Path
        Workspaces of all, of the first half, and of the second without labels.
    """

    second: list[RecordingFile]
    all: Path
    half: Path
    new: Path


UNLABELLED = FittedLabels({}, [], [])


def segmented(folder: Path, recordings: list[RecordingFile], labels: FittedLabels) -> Halves:
    """Segment all recordings once, and take from copies what is not in the half."""
    made = Halves(recordings[1::2], folder / "all", folder / "half", folder / "new")
    workspace = Workspace.prepare(made.all, Settings(SegmentationParameters()))
    segment_recordings(recordings, labels, workspace)
    for copy, others in ((made.half, recordings[1::2]), (made.new, recordings[::2])):
        shutil.copytree(made.all, copy)
        for other in others:
            Workspace.open(copy).forget(other.name)
    segment_recordings(made.second, UNLABELLED, Workspace.open(made.new))
    return made


def agreement(made: Halves, folder: Path, options: ClusterOptions) -> Agreement:
    half = Workspace.open(made.half)
    of_half = find_modes(half, options, "c").clustering
    of_all = find_modes(Workspace.open(made.all), options, "c").clustering
    new = shutil.copytree(made.new, folder / "assigned")
    table = assign_recordings(half, of_half, made.second, UNLABELLED, new).table
    table = table.set_index("syllable")
    joint = of_all.assignments.set_index("syllable")["cluster"]
    known = of_half.assignments.set_index("syllable")["cluster"]
    majority = pd.crosstab(known, joint.loc[known.index]).idxmax(axis=1)
    by_name = of_half.modes["mode"].where(
        of_half.modes["mode"] != "", "background " + of_half.modes["cluster"].astype(str)
    )
    best = table["best"].map(dict(zip(by_name, of_half.modes["cluster"], strict=True)))
    expected = joint.loc[table.index].to_numpy()
    same = majority.loc[best].to_numpy() == expected
    assigned = (table["kind"] != "unassigned").to_numpy()
    return Agreement(
        float(1 - assigned.mean()),
        adjusted_rand_index(expected[assigned], table["cluster"].to_numpy()[assigned]),
        float(same[assigned].mean()),
        float(same.mean()),
    )


@pytest.fixture(scope="module")
def halves(tmp_path_factory: pytest.TempPathFactory) -> Halves:
    recordings = [each for i, each in enumerate(find_recordings([SAMPLE_DATA])) if i % 3]
    return segmented(tmp_path_factory.mktemp("halves"), recordings, fit_labels(recordings))


@pytest.mark.parametrize(
    ("features", "unassigned", "rand", "same_mode", "kept"),
    [(("briggs38",), 0.15, 0.75, 0.65, 0.6), (None, 0.37, 0.7, 0.7, 0.55)],
)
def test_sample_recordings(
    halves: Halves,
    tmp_path: Path,
    features: tuple[str, ...] | None,
    unassigned: float,
    rand: float,
    same_mode: float,
    kept: float,
) -> None:
    options = ClusterOptions(k=20, stability_runs=0, features=features)
    found = agreement(halves, tmp_path, options)
    assert found.unassigned < unassigned
    assert found.rand > rand
    # ten and twenty recordings do not make quite the same modes
    assert found.same_mode > same_mode
    assert found.kept > kept


@pytest.mark.slow
def test_nips4b(shared: Path, tmp_path: Path) -> None:
    table = pd.read_csv(shared / "recordings" / "labels.csv")
    table = table[table["set"] == "nips4b"]
    table["recording"] = table["recording"].str.removeprefix("wav/")
    table[["recording", "species"]].to_csv(tmp_path / "labels.csv", index=False)
    recordings = find_recordings([shared / "recordings" / "nips4b" / "wav"])
    labels = fit_labels(recordings, [tmp_path / "labels.csv"])
    options = ClusterOptions(method="csp", k=26, stability_runs=0)
    found = agreement(segmented(tmp_path, recordings, labels), tmp_path, options)
    # 61 species in 111 recordings of five seconds: most is rightly left undecided
    assert found.unassigned > 0.4
    assert found.rand > 0.3
    assert found.same_mode > 1.3 * found.kept
