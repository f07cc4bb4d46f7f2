"""What windows as BirdNET gives them tell: taken as spans, and as lists of whole recordings.

Run ``python benchmarks/birdnet_windows.py RECORDINGS TAGS.csv [--recall 1 0.7 0.5 0.35] [--false
0.1] [--seeds 1]``. The tags are a CSV with the columns recording, start_s, end_s, species and
label; the recordings (all .wav and .flac in the folder) have one sample rate. They are joined in
pairs, dealt at random, so that a list of the whole says less than windows of three seconds do. In
every window a species that is tagged there is found with the probability ``--recall``, and with
``--false`` one is invented.
Scores are of the syllables that touch tags of one label: the share whose mode has the name of
their species, that has any name, and whose label is the commonest of its cluster.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import soundfile
from feature_sets import shares, truth

from birdmodes import ClusterOptions, LabelRequest, SegmentOptions, find_modes, make_syllables
from birdmodes.workspace.store import Workspace

WINDOW_S = 3.0
PAIRING = 0  # seed
HEADER = ("Start (s)", "End (s)", "Scientific name", "Common name", "Confidence", "File")


def joined_in_pairs(recordings: Path, tags: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """Write pairs of the recordings to a folder; returns their tags."""
    paths = [path for path in recordings.rglob("*") if path.suffix in (".wav", ".flac")]
    names = sorted(path.relative_to(recordings).as_posix() for path in paths)
    order = np.random.default_rng(PAIRING).permutation(len(names))
    of_pairs = []
    for number in range(len(names) // 2):
        pair, parts, offset_s = f"pair{number:03}.flac", [], 0.0
        for index in order[2 * number : 2 * number + 2]:
            samples, rate = soundfile.read(recordings / names[index])
            own = tags[tags["recording"] == names[index]].assign(recording=pair)
            own[["start_s", "end_s"]] += offset_s
            of_pairs.append(own)
            parts.append(samples)
            offset_s += len(samples) / rate
        soundfile.write(folder / pair, np.concatenate(parts), rate)
    return pd.concat(of_pairs, ignore_index=True)


def write_windows(
    path: Path, folder: Path, tags: pd.DataFrame, recall: float, false: float, seed: int
) -> None:
    """Write what a BirdNET of such a quality would say of the recordings in a folder."""
    rng = np.random.default_rng(seed)
    species = sorted(set(tags["species"].dropna()) - {""})
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(HEADER)
        for recording in sorted(folder.glob("*.flac")):
            own = tags[tags["recording"] == recording.name]
            rows = []
            for start_s in np.arange(0, soundfile.info(recording).duration, WINDOW_S):
                end_s = start_s + WINDOW_S
                touched = own[(own["start_s"] < end_s) & (own["end_s"] > start_s)]
                there = sorted(set(touched["species"].dropna()) - {""})
                found = [name for name in there if rng.random() < recall]
                if rng.random() < false:
                    found.append(str(rng.choice(species)))
                rows += [(start_s, end_s, "", name, 0.7, recording.name) for name in found]
            nothing = (0, WINDOW_S, "", "nocall", 1.0, recording.name)
            table.writerows(rows or [nothing])


def score(folder: Path, labels: Path, labels_as: str, tags: pd.DataFrame) -> tuple[float, ...]:
    """Segment and cluster as the commands do: shares right by species, named, right by mode."""
    workspace = labels.parent / "workspace"
    request = LabelRequest((str(labels),), labels_as=labels_as)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # many windows are of species that left no syllable
        make_syllables(folder, workspace, SegmentOptions(labels=request))
        made = find_modes(Workspace.open(workspace), ClusterOptions()).clustering
    table = made.assignments.reset_index(drop=True)
    true = truth(table, tags)
    judged = (true["label"] != "").to_numpy()
    modes, species = shares(table, true, judged)
    return species, float((table["species"] != "")[judged].mean()), modes


def main() -> None:
    """Print a line for each quality, seed and way of taking the windows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recordings", type=Path)
    parser.add_argument("tags", type=Path)
    parser.add_argument("--recall", type=float, nargs="+", default=[1.0, 0.7, 0.5, 0.35])
    parser.add_argument("--false", type=float, default=0.1)
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder, labels = Path(scratch) / "pairs", Path(scratch) / "windows.csv"
        folder.mkdir()
        tags = joined_in_pairs(options.recordings, pd.read_csv(options.tags), folder)
        for recall in options.recall:
            for seed in range(options.seeds):
                write_windows(labels, folder, tags, recall, options.false, seed)
                for labels_as in ("lists", "spans"):
                    species, named, modes = score(folder, labels, labels_as, tags)
                    print(
                        f"recall {recall:g}, seed {seed}, {labels_as}: species {species:.3f}, "
                        f"named {named:.3f}, modes {modes:.3f}",
                        flush=True,
                    )


if __name__ == "__main__":
    main()
