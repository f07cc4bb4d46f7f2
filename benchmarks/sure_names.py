"""How often the names of modes are right, by the gallery's word for how sure they are.

Run ``python benchmarks/sure_names.py WORKSPACE TAGS.csv [--clustering NAME]``, with tags as for
``feature_sets.py``. Of the syllables that touch tags of one label, in modes that have a species:
the share that is of the mode's species, over two random halves of the recordings and over all.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from feature_sets import HALVES, truth

from birdmodes.gallery.plan import make_plan
from birdmodes.gallery.syllable_table import syllable_table
from birdmodes.gallery.windows import Windows
from birdmodes.modes.clustering import Clustering, read_clustering
from birdmodes.modes.words import syllable_measures
from birdmodes.modes.words.sureness import WORDS
from birdmodes.workspace.store import Workspace


def words(workspace: Workspace, clustering: Clustering) -> dict[int, str]:
    """How sure the name of each cluster that has a species is, as the gallery says."""
    table = syllable_table(workspace, clustering, syllable_measures(workspace))
    pages = make_plan(workspace, clustering, table, Windows(workspace, table), examples=1)
    modes = [mode for page in pages for mode in page.modes]
    return {mode.cluster: mode.sureness.word for mode in modes if mode.sureness}


def main() -> None:
    """Print a row for every word."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("tags", type=Path)
    parser.add_argument("--clustering")
    options = parser.parse_args()
    workspace = Workspace.open(options.workspace)
    clustering = read_clustering(workspace, options.clustering)
    table = clustering.assignments
    table = table.assign(word=table["cluster"].map(words(workspace, clustering)))
    true = truth(table, pd.read_csv(options.tags))
    table = table.assign(right=table["species"] == true["species"])[true["label"] != ""]
    names = pd.unique(table["recording"])
    order = np.random.default_rng(HALVES).permutation(len(names))
    first = table["recording"].isin(names[order[: len(names) // 2]])
    print("name        first half  second half  all  (syllables)")
    for word in reversed(WORDS):
        of_word = table["word"] == word
        halves = (table["right"][of_word & part].mean() for part in (first, ~first))
        everywhere = table["right"][of_word]
        cells = "".join(f"{share:12.3f}" for share in (*halves, everywhere.mean()))
        print(f"{word:8s}{cells}  ({len(everywhere)})")


if __name__ == "__main__":
    main()
