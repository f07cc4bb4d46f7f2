"""Whether the context of a mode's syllables tells song from call, on recordings that are tagged.

Run ``python benchmarks/song_or_call.py WORKSPACE TAGS.csv [--k 122]``. The tags have a column kind;
a mode is a song's or a call's if at least three quarters of its tagged syllables, and three or
more, are. Every number of a syllable's place in time, and its length, is tried as the median of
the mode: above a high threshold it is given one word, below a low one the other, between them none.
Thresholds that are right for at least 75 % of as many modes as possible are chosen on one half of
the species, and reported on the other; then the other way round.
"""

from __future__ import annotations

import argparse
from itertools import product
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from feature_sets import truth

from birdmodes.modes.find import ClusterOptions, find_modes
from birdmodes.segmentation.windows import PLACE_NAMES
from birdmodes.workspace.store import Workspace

RIGHT = 0.75
LEAST_SYLLABLES = 3
CLEAR = 0.75

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def judged_modes(workspace: Workspace, tags: pd.DataFrame, k: int) -> pd.DataFrame:
    """Medians of every mode that is clearly of one kind, its species and whether it is song."""
    made = find_modes(workspace, ClusterOptions(k=k, stability_runs=0)).clustering
    rows = made.assignments.reset_index(drop=True)
    syllables = workspace.syllables([*PLACE_NAMES])
    rows = rows.join(syllables.reset_index(drop=True))
    kinds = tags.drop_duplicates("label").set_index("label")["kind"]
    label = truth(rows[["recording", "start_s", "end_s"]], tags)["label"]
    rows["kind"] = label.map(kinds).to_numpy()
    rows["length"] = rows["end_s"] - rows["start_s"]
    found = []
    for _, own in rows[rows["mode"] != ""].groupby("mode"):
        known = own["kind"][own["kind"].isin(["song", "call"])]
        share = (known == "song").mean() if len(known) else np.nan
        if len(known) >= LEAST_SYLLABLES and not 1 - CLEAR < share < CLEAR:
            medians = own[[*PLACE_NAMES, "length"]].median()
            found.append({"species": own["species"].iloc[0], "song": share >= CLEAR, **medians})
    return pd.DataFrame(found)


def best_limits(value: Floats, song: Bools) -> tuple[float, float, bool]:
    """Limits below and above which most modes get a word, right in `RIGHT`; and what high means."""
    steps = np.unique(np.quantile(value, np.linspace(0, 1, 21)))
    best = (0, -np.inf, np.inf, True)
    for low, high, high_is_song in product(steps, steps, (True, False)):
        given = (value <= low) | (value > high)
        if low <= high and given.any():
            right = (song == ((value > high) == high_is_song))[given].mean()
            if right >= RIGHT and given.sum() > best[0]:
                best = (int(given.sum()), float(low), float(high), high_is_song)
    return best[1:]


def main() -> None:
    """Print a row for every number and half."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("tags", type=Path)
    parser.add_argument("--k", type=int, default=122)
    options = parser.parse_args()
    modes = judged_modes(Workspace.open(options.workspace), pd.read_csv(options.tags), options.k)
    print(f"{len(modes)} modes, {modes['song'].mean():.2f} of them song")
    species = sorted(modes["species"].unique())
    first = modes["species"].isin(species[::2]).to_numpy()
    song = modes["song"].to_numpy(dtype=bool)
    for name in (*PLACE_NAMES, "length"):
        value = modes[name].clip(upper=10.0).to_numpy(dtype=float)
        cells = []
        for chosen in (first, ~first):
            low, high, high_is_song = best_limits(value[chosen], song[chosen])
            held = ~chosen & ((value <= low) | (value > high))
            right = song == ((value > high) == high_is_song)
            cells.append(
                f"{right[held].mean() if held.any() else np.nan:.2f} of {held.sum():2d}"
                f" (always song {song[held].mean() if held.any() else np.nan:.2f})"
            )
        print(f"{name:14s} " + "   ".join(cells))


if __name__ == "__main__":
    main()
