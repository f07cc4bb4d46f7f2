"""What answers about single syllables are worth: a reviewer who knows the truth, simulated.

The reviewer is asked about the first syllables of "label next", or about random ones, of HJA
Birdsong (or another set, or its bags of even or odd number), and says the species of each. Printed
are NMI and purity of the clusters, and the share of the syllables that lie in a mode of their
species, when the answers are applied to the clustering, and when it is made again with them as
constraints. With several seeds, what is
printed last is how much larger that share is than with random answers of the same seed: the mean
and its standard error::

    python benchmarks/simulated_review.py --method ldc --data-dir FOLDER
    python benchmarks/simulated_review.py --method csp --seeds 7 --answers 50 --data-dir FOLDER
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


def cluster(bags: Bags, method: str, k: int, seed: int) -> Answer:
    """Cluster with whatever is known of the instances of `bags`."""
    clusterer = make_clusterer(method, n_clusters=k, random_state=seed)
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


def scores(labels: Ints, species: Ints, truth: Ints) -> tuple[float, float, float]:
    """NMI, purity and species accuracy."""
    return (
        normalized_mutual_info(truth, labels),
        purity(truth, labels),
        float((species == truth).mean()),
    )


def as_text(values: tuple[float, ...]) -> str:
    """Three digits of each."""
    return " ".join(f"{value:.3f}" for value in values)


def review(
    bags: Bags, truth: Ints, options: argparse.Namespace, seed: int
) -> dict[int, tuple[float, float]]:
    """Print a line for each way of asking and number of answers, all with one seed.

    Returns
    -------
    dict of int to (float, float)
        By the number of answers: by how much more of the syllables the species is right with
        "label next" than with random answers; applied, and as constraints.
    """
    before = cluster(bags, options.method, options.k, seed)
    species = before.found.species[before.cluster]
    print(f"seed {seed}, before: {as_text(scores(before.cluster, species, truth))}")
    table = pd.DataFrame(
        {
            "syllable": np.arange(bags.n_instances).astype(str),
            "recording": bags.bag.astype(str),
            "cluster": before.cluster,
            "mode": np.where(species >= 0, "mode", ""),
            "confidence": before.found.instance_confidence,
        }
    )
    shares = before.found.theta
    asked = [
        ("label next", label_next(before.embedding, table, method=options.method, shares=shares))
    ]
    for draw in range(options.draws):
        rng = np.random.default_rng(seed * options.draws + draw)
        asked.append((f"random {draw}", rng.permutation(bags.n_instances)))
    more = {}
    for count in options.answers:
        right = []
        for way, order in asked:
            rows = order[:count]
            after = cluster(told(bags, truth, rows), options.method, options.k, seed)
            # As the command does: what the method leaves wrong of the answers is applied.
            with_review = scores(*applied(after, truth, rows), truth)
            direct = scores(*applied(before, truth, rows), truth)
            wrong = float((species[rows] != truth[rows]).mean())
            print(
                f"{count} {way} ({wrong:.0%} wrong): {as_text(direct)}; "
                f"as constraints: {as_text(with_review)}",
                flush=True,
            )
            right.append((direct[2], with_review[2]))
        by_chance = np.mean(right[1:] or right, axis=0)
        more[count] = (right[0][0] - by_chance[0], right[0][1] - by_chance[1])
    return more


def read(options: argparse.Namespace) -> tuple[Bags, Ints]:
    """Read the standardised syllables and the species of each."""
    data = load_dataset(options.set, options.data_dir)
    given = data.bags
    rows = np.arange(given.n_instances)
    if options.half:
        rows = rows[given.bag % 2 == (options.half == "odd")]
    kept, bag = np.unique(given.bag[rows], return_inverse=True)
    X = standardize(given.X)[rows]
    return Bags(X, bag, given.labels[kept], class_names=given.class_names), data.y[rows]


def main() -> None:
    """Print a line for each seed, way of asking and number of answers, and the differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--method", default="ldc")
    parser.add_argument("--k", type=int, default=26)
    parser.add_argument("--data-dir")
    parser.add_argument("--set", default="hja-birdsong", help="Name of the data set.")
    parser.add_argument("--half", choices=["even", "odd"], help="Only bags of such a number.")
    parser.add_argument("--draws", type=int, default=3, help="Random choices for each number.")
    parser.add_argument("--answers", type=int, nargs="+", default=[10, 50, 200])
    parser.add_argument("--seeds", type=int, default=1, help="Of the clustering and the choices.")
    options = parser.parse_args()
    bags, truth = read(options)
    of_seeds = [review(bags, truth, options, seed) for seed in range(options.seeds)]
    if options.seeds < 2 or options.draws < 1:
        return
    for count in options.answers:
        more = np.array([of_seed[count] for of_seed in of_seeds])
        error = more.std(axis=0, ddof=1) / np.sqrt(len(more))
        for way, mean, uncertain in zip(
            ("applied", "as constraints"), more.mean(axis=0), error, strict=True
        ):
            print(
                f"{count} {way}: {mean:+.4f} +- {uncertain:.4f} than random, of {len(more)} seeds"
            )


if __name__ == "__main__":
    main()
