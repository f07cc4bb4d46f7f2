"""How new recordings placed in modes agree with a clustering of all: the table of docs/assign.md.

Run ``python benchmarks/assign_halves.py RECORDINGS [--labels FILE] [--method NAME] [--k NUMBER]``.
Every other recording is clustered and the others, without their lists, are placed by ``assign``;
then the other way round. Of the placed syllables that were assigned: the adjusted Rand index with a
clustering of all recordings, and the share in the same mode, by a map from each cluster to the one
of the clustering of all that holds most of its syllables, made on the clustered half. Beside it
what one can hope for: how the two clusterings agree on the half that both have seen.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from algorithms.metrics import adjusted_rand_index
from birdmodes.assign.run import assign_recordings
from birdmodes.audio.find import find_recordings
from birdmodes.audio.read import RecordingFile
from birdmodes.labels import FittedLabels, fit_labels
from birdmodes.modes.clustering import Clustering
from birdmodes.modes.find import ClusterOptions, find_modes
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.segment import segment_recordings
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import Workspace

UNLABELLED = FittedLabels({}, [], [])


def without(whole: Path, others: Sequence[RecordingFile], folder: Path) -> Workspace:
    """Copy a workspace, and take recordings from the copy."""
    shutil.copytree(whole, folder)
    copy = Workspace.open(folder)
    for other in others:
        copy.forget(other.name)
    return Workspace.open(folder)


def placed(
    whole: Path,
    of_all: Clustering,
    clustered: Sequence[RecordingFile],
    new: Sequence[RecordingFile],
    options: ClusterOptions,
) -> list[float]:
    """Cluster one half, place the other, and compare with the clustering of all."""
    folder = Path(tempfile.mkdtemp(dir=whole.parent))
    half = without(whole, new, folder / "half")
    target = without(whole, clustered, folder / "new")
    segment_recordings(new, UNLABELLED, target)  # the lists are taken away
    of_half = find_modes(half, options, "c").clustering
    table = assign_recordings(half, of_half, new, UNLABELLED, target.folder).table
    table = table.set_index("syllable")
    joint = of_all.assignments.set_index("syllable")["cluster"]
    known = of_half.assignments.set_index("syllable")["cluster"]
    seen = joint.loc[known.index]
    majority = pd.crosstab(known, seen).idxmax(axis=1)
    assigned = table[table["kind"] != "unassigned"]
    expected = joint.loc[assigned.index]
    return [
        1 - len(assigned) / len(table),
        adjusted_rand_index(expected.to_numpy(), assigned["cluster"].to_numpy()),
        float((assigned["cluster"].map(majority).to_numpy() == expected.to_numpy()).mean()),
        adjusted_rand_index(seen.to_numpy(), known.to_numpy()),
        float((known.map(majority).to_numpy() == seen.to_numpy()).mean()),
    ]


def main() -> None:
    """Print a row for each half."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recordings", type=Path)
    parser.add_argument("--labels", type=Path)
    parser.add_argument("--method", default="ldc")
    parser.add_argument("--k", type=int, default=20)
    asked = parser.parse_args()
    recordings = find_recordings([asked.recordings])
    labels = fit_labels(recordings, [asked.labels] if asked.labels else None)
    options = ClusterOptions(asked.method, k=asked.k, stability_runs=0)
    even, odd = recordings[::2], recordings[1::2]
    with tempfile.TemporaryDirectory() as name:
        whole = Path(name) / "all"
        workspace = Workspace.prepare(whole, Settings(SegmentationParameters()))
        segment_recordings(recordings, labels, workspace)
        of_all = find_modes(Workspace.open(whole), options, "c").clustering
        print("placed  unassigned   Rand  same mode   both seen: Rand  same mode")
        for title, clustered, new in (("second", even, odd), ("first", odd, even)):
            figures = placed(whole, of_all, clustered, new, options)
            print("{:6s} {:11.3f} {:6.3f} {:10.3f} {:17.3f} {:10.3f}".format(title, *figures))


if __name__ == "__main__":
    main()
