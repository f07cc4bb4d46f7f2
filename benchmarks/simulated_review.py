"""What answers about single syllables are worth: a reviewer who knows the truth, simulated.

The reviewer is asked about the first syllables of "label next", or about random ones, of HJA
Birdsong, and says the species of each. Printed are NMI and purity of the clusters, and the share
of the syllables that lie in a mode of their species, when the answers are applied to the
clustering, and when it is made again with them as constraints::

    python benchmarks/simulated_review.py --method ldc --data-dir FOLDER
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms import Bags, make_clusterer
from algorithms.bags import Known, own_bags
from algorithms.disambiguation.cluster_species import (
    ClusterSpecies,
    species_of_clusters,
    with_known_classes,
)
from algorithms.metrics import normalized_mutual_info, purity
from algorithms.preprocessing import standardize
from birdmodes.experiments.datasets import load_dataset
from birdmodes.modes.tables import compact_clusters
from birdmodes.review.suggestions import label_next

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Answer:
    """A clustering: cluster of each syllable, species of the clusters, where it was made."""

    cluster: Ints
    found: ClusterSpecies
    embedding: npt.NDArray[np.float64]


def cluster(bags: Bags, method: str, k: int) -> Answer:
    """Cluster with whatever is known of the instances of `bags`."""
    clusterer = make_clusterer(method, n_clusters=k, random_state=0)
    clusterer.fit(bags if getattr(clusterer, "reads_known", False) else own_bags(bags))
    embedding = getattr(clusterer, "embedding_", bags.X)
    labels, _ = compact_clusters(clusterer.labels_, embedding)
    found = species_of_clusters(labels, own_bags(bags), int(labels.max()) + 1)
    if hasattr(clusterer, "class_of_cluster_"):
        of_syllable = clusterer.class_of_cluster_[clusterer.labels_]
        found = with_known_classes(found, labels, of_syllable, clusterer.posterior_)
    return Answer(labels, found, embedding)


def told(bags: Bags, truth: Ints, rows: Ints) -> Bags:
    """Bags in which the classes of some instances are known."""
    may_be = np.ones((bags.n_instances, bags.n_classes + 1), dtype=bool)
    may_be[rows] = np.arange(bags.n_classes + 1) == truth[rows, None]
    known = Known(may_be, np.full(bags.n_instances, -1))
    return Bags(bags.X, bags.bag, bags.labels, bags.labelled, bags.class_names, known=known)


def applied(answer: Answer, truth: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Clusters and species after wrong ones among `rows` were moved to their species' largest."""
    labels, species = answer.cluster.copy(), answer.found.species.tolist()
    sizes = np.bincount(labels).tolist()
    for row in rows:
        if species[labels[row]] == truth[row]:
            continue
        own = [number for number, name in enumerate(species) if name == truth[row]]
        if not own:
            species.append(int(truth[row]))
            sizes.append(0)
            own = [len(species) - 1]
        labels[row] = max(own, key=sizes.__getitem__)
    return labels, np.array(species)[labels]


def scores(labels: Ints, species: Ints, truth: Ints) -> str:
    """NMI, purity and species accuracy, as text."""
    values = (
        normalized_mutual_info(truth, labels),
        purity(truth, labels),
        float((species == truth).mean()),
    )
    return " ".join(f"{value:.3f}" for value in values)


def main() -> None:
    """Print a line for each way of asking and number of answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--method", default="ldc")
    parser.add_argument("--k", type=int, default=26)
    parser.add_argument("--data-dir")
    parser.add_argument("--draws", type=int, default=3, help="Random choices for each number.")
    options = parser.parse_args()
    data = load_dataset("hja-birdsong", options.data_dir)
    given = data.bags
    bags = Bags(standardize(given.X), given.bag, given.labels, class_names=given.class_names)
    before = cluster(bags, options.method, options.k)
    species = before.found.species[before.cluster]
    print(f"before: {scores(before.cluster, species, data.y)}")
    table = pd.DataFrame(
        {
            "syllable": np.arange(bags.n_instances).astype(str),
            "recording": bags.bag.astype(str),
            "cluster": before.cluster,
            "mode": np.where(species >= 0, "mode", ""),
            "confidence": before.found.instance_confidence,
        }
    )
    asked = {"label next": label_next(before.embedding, table, method=options.method)}
    for draw in range(options.draws):
        asked[f"random {draw}"] = np.random.default_rng(draw).permutation(bags.n_instances)
    for count in (10, 50, 200):
        for way, order in asked.items():
            rows = order[:count]
            after = cluster(told(bags, data.y, rows), options.method, options.k)
            # As the command does: what the method leaves wrong of the answers is applied.
            with_review = scores(*applied(after, data.y, rows), data.y)
            direct = scores(*applied(before, data.y, rows), data.y)
            wrong = float((species[rows] != data.y[rows]).mean())
            print(f"{count} {way} ({wrong:.0%} wrong): {direct}; as constraints: {with_review}")


if __name__ == "__main__":
    main()
