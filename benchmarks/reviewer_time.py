"""What a reviewer's answers bring on tagged recordings: species right and purity of modes.

Run ``python benchmarks/reviewer_time.py WORKSPACE TAGS.csv [--clustering NAME]``, where the tags
may be a table of true syllables, as the sample recordings have one. A reviewer who knows the tags
is asked about the first syllables of "label next", or about random ones, and says for each to which
tag it belongs, or that it is noise; of sounds that touch tags of several kinds nothing is said. The
answers are applied to the clustering, and used while clustering again (``cluster --with-review``).
Scores are of the syllables that touch tags of one kind, whether they were asked about or not.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from feature_sets import shares, truth

from birdmodes.evaluation.truth import match_syllables, read_truth
from birdmodes.modes.clustering import Clustering, read_clustering
from birdmodes.modes.find import ClusterOptions, find_modes
from birdmodes.modes.knowledge import Knowledge
from birdmodes.modes.model import clustering_space
from birdmodes.review.suggestions import label_next
from birdmodes.workspace.store import Workspace

COUNTS = (10, 20, 50, 100, 200)

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


def read_tags(path: Path, assignments: pd.DataFrame) -> tuple[pd.DataFrame, Bools]:
    """Kind and species of each syllable, empty where they are not known, and which are noise."""
    tags = pd.read_csv(path)
    if "mode" not in tags:
        return truth(assignments, tags), untagged(assignments, tags)
    boxes = read_truth(path)
    found = match_syllables(assignments, boxes, pd.unique(assignments["recording"])).truth_row
    kinds = (boxes["species"] + " " + boxes["mode"]).to_numpy()
    label = np.where(found < 0, "", kinds[found])
    species = np.where(found < 0, "", boxes["species"].to_numpy()[found])
    return pd.DataFrame({"label": label, "species": species}, assignments.index), found < 0


def untagged(assignments: pd.DataFrame, tags: pd.DataFrame) -> Bools:
    """Which syllables touch no tag at all."""
    anything = truth(assignments, tags.assign(label="x", species="x"))
    return (anything["label"] == "").to_numpy()


def known(true: pd.DataFrame, noise: Bools, rows: Ints) -> Knowledge:
    """What the reviewer says of some syllables."""
    labels = {name: number for number, name in enumerate(sorted(set(true["label"])))}
    found = Knowledge()
    for row in rows.tolist():
        if noise[row]:
            found.species[row] = ""
        elif true["label"].iloc[row]:
            found.species[row] = true["species"].iloc[row]
            found.mode[row] = (0, labels[true["label"].iloc[row]])
    return found


def applied(assignments: pd.DataFrame, true: pd.DataFrame, told: Knowledge) -> pd.DataFrame:
    """The clustering after the answers: what is wrong is moved to where its kind mostly lies."""
    table = assignments.copy()
    kinds = pd.crosstab(table["cluster"], true["label"]).drop(columns="", errors="ignore")
    species = table.drop_duplicates("cluster").set_index("cluster")["species"]
    homes: dict[str, int] = {}
    for label in kinds:
        own = true.loc[true["label"] == label, "species"].iloc[0]
        fitting = kinds.index[(kinds.idxmax(axis=1) == label) & (species[kinds.index] == own)]
        if len(fitting):
            homes[label] = int(kinds.loc[fitting, label].idxmax())
    cluster, name = (table[column].to_numpy().copy() for column in ("cluster", "species"))
    fresh = int(cluster.max()) + 1
    for row, said in told.species.items():
        label = true["label"].iloc[row]
        if not said:
            cluster[row], name[row] = -1, ""
            continue
        if name[row] == said and kinds.loc[cluster[row]].idxmax() == label:
            continue
        if label not in homes:
            homes[label], fresh = fresh, fresh + 1
        cluster[row], name[row] = homes[label], said
    return table.assign(cluster=cluster, species=name)


def again(workspace: Workspace, clustering: Clustering, told: Knowledge) -> pd.DataFrame:
    """The clustering made anew with the answers."""
    made = clustering.parameters
    options = ClusterOptions(made["method"], k=made["k"], stability_runs=0, knowledge=told, seed=0)
    return find_modes(workspace, options).clustering.assignments.reset_index(drop=True)


def main() -> None:
    """Print a line for each way of asking and number of answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("tags", type=Path)
    parser.add_argument("--clustering")
    parser.add_argument("--draws", type=int, default=2, help="Random choices for each number.")
    parser.add_argument("--only-applied", action="store_true")
    options = parser.parse_args()
    workspace = Workspace.open(options.workspace)
    clustering = read_clustering(workspace, options.clustering)
    table = clustering.assignments.reset_index(drop=True)
    true, noise = read_tags(options.tags, table)
    judged = (true["label"] != "").to_numpy()
    right = (table["species"] == true["species"]).to_numpy()
    modes, species = shares(table, true, judged)
    print(f"{judged.sum()} tagged; before: species {species:.3f}, modes {modes:.3f}", flush=True)
    space, method = clustering_space(workspace, clustering), clustering.parameters["method"]
    shares_of = clustering.model["cluster_species_probability"]
    asked = {"label next": label_next(space, table, method=method, shares=shares_of)}
    for draw in range(options.draws):
        asked[f"random {draw}"] = np.random.default_rng(draw).permutation(len(table))
    for count in COUNTS:
        for way, order in asked.items():
            rows = order[:count]
            told = known(true, noise, rows)
            lines = [applied(table, true, told)]
            if not options.only_applied:
                lines.append(again(workspace, clustering, told))
            said = [shares(one, true, judged) for one in lines]
            text = "; constraints: ".join(f"species {s:.3f}, modes {m:.3f}" for m, s in said)
            wrong = float((~right & judged)[rows].sum() / max(judged[rows].sum(), 1))
            print(
                f"{count} {way} ({noise[rows].mean():.0%} noise, {wrong:.0%} wrong): {text}",
                flush=True,
            )


if __name__ == "__main__":
    main()
