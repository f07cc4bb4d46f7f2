"""What each feature set brings on recordings whose sounds are tagged.

Run ``python benchmarks/feature_sets.py WORKSPACE TAGS.csv [--k 122] [--method ldc] [--seeds 3]
[SETS ...]``. The tags are a CSV with the columns recording, start_s, end_s, species and label; a
syllable's truth is the tag with which it has most in common, and syllables that touch tags of
several labels do not count. The recordings are dealt to two halves at random: choose on the first,
report the second. Every figure is the mean over seeds, of the share of syllables

- whose label is the commonest of their cluster (modes), and
- whose cluster is named after their species (species).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms.options import find_method, parse_options
from birdmodes.labels import NameMatcher
from birdmodes.modes.features.sets import parse_features
from birdmodes.modes.find import ClusterOptions, find_modes
from birdmodes.workspace.store import Workspace

SETS = (
    *("briggs38", "mel", "learned", "briggs38,rhythm", "briggs38,mel", "briggs38,learned"),
    *("mel,learned", "briggs38,mel,rhythm", "briggs38,mel,learned", "briggs38,mel,learned,rhythm"),
    *("briggs38,mel,modulation,rhythm", "briggs38,mel,modulation,learned,rhythm"),
)
HALVES = 20261128


def truth(syllables: pd.DataFrame, tags: pd.DataFrame) -> pd.DataFrame:
    """Label and species of the syllables that touch tags of one label; empty for the others."""
    matcher = NameMatcher(pd.unique(syllables["recording"]))
    tags = tags.assign(recording=tags["recording"].map(lambda name: _one(matcher.find(name))))
    of_recording = dict(list(tags.groupby("recording")))
    found = []
    for recording, start, end in syllables[["recording", "start_s", "end_s"]].itertuples(
        index=False, name=None
    ):
        near = of_recording.get(recording, tags[:0])
        shared = np.minimum(near["end_s"], end) - np.maximum(near["start_s"], start)
        touched = near[shared > 0]
        if touched["label"].nunique() != 1:
            found.append(("", ""))
            continue
        union = np.maximum(touched["end_s"], end) - np.minimum(touched["start_s"], start)
        best = touched.iloc[int((shared[shared > 0] / union).to_numpy().argmax())]
        found.append((best["label"], best["species"]))
    return pd.DataFrame(found, columns=["label", "species"], index=syllables.index)


def _one(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ""


def shares(
    assignments: pd.DataFrame, true: pd.DataFrame, chosen: npt.NDArray[np.bool_]
) -> tuple[float, float]:
    """Shares of the chosen syllables that are right by mode and by species."""
    cluster, label = assignments["cluster"][chosen], true["label"][chosen]
    modes = pd.crosstab(cluster, label).max(axis=1).sum() / chosen.sum()
    species = (assignments["species"] == true["species"])[chosen].mean()
    return float(modes), float(species)


def main() -> None:
    """Print a row for every combination of sets."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("tags", type=Path)
    parser.add_argument("sets", nargs="*", default=SETS)
    parser.add_argument("--k", type=int, default=122)
    parser.add_argument("--method", default="ldc")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    options = parser.parse_intermixed_args()
    workspace = Workspace.open(options.workspace)
    syllables = workspace.syllables(["recording", "start_s", "end_s"])
    true = truth(syllables, pd.read_csv(options.tags))
    names = pd.unique(syllables["recording"])
    order = np.random.default_rng(HALVES).permutation(len(names))
    first = set(names[order[: len(names) // 2]])
    tagged = (true["label"] != "").to_numpy()
    here = syllables["recording"].isin(first).to_numpy()
    halves = {"first": tagged & here, "second": tagged & ~here, "all": tagged}
    parameters = parse_options(find_method(options.method), options.set)
    print(f"{'features':32s} columns  CPU s" + "".join(f"  {h:>6s}: modes species" for h in halves))
    for text in options.sets:
        figures, start = [], time.process_time()
        for seed in range(options.seeds):
            how = ClusterOptions(
                options.method,
                k=options.k,
                seed=seed,
                method_parameters=parameters,
                stability_runs=0,
                features=parse_features([text]),
            )
            made = find_modes(workspace, how).clustering
            figures.append([shares(made.assignments, true, half) for half in halves.values()])
        spent = (time.process_time() - start) / options.seeds
        columns = sum(one["columns"] for one in made.parameters["features"])
        means = np.mean(figures, axis=0)
        cells = "".join(f"{modes:15.3f} {species:7.3f}" for modes, species in means)
        print(f"{text:32s} {columns:7d} {spent:6.1f}{cells}", flush=True)


if __name__ == "__main__":
    main()
