"""What each part of ldc brings, on the four public sets: the tables of docs/ldc.md.

Run as ``python benchmarks/ablate_ldc.py --data-dir FOLDER`` (see ``birdmodes datasets``); without
the folder only the built-in digits-words set is used. Every row changes one thing; the figures are
the share of instances whose most probable class is the true one, then NMI and purity for K = C
and K = 2C clusters, means over seeds. The last rows are other ways that were tried: the cross-
fitted trees that ldc replaces, with their time, and ideas that did not help.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any
from unittest import mock

import numpy as np
from sklearn.cluster import KMeans
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.neighbors import NearestNeighbors

from algorithms import Bags
from algorithms.disambiguation import rounds
from algorithms.disambiguation.ldc import LDC
from algorithms.disambiguation.leave_bag_out import LeaveBagOutRidge
from algorithms.metrics import normalized_mutual_info, purity
from algorithms.preprocessing import standardize
from birdmodes.experiments.datasets import load_dataset

PUBLIC = ("hja-birdsong", "msrc-v2", "letter-carroll", "letter-frost")

Posterior = np.ndarray
Result = tuple[Posterior, np.ndarray, np.ndarray]  # posterior, clusters for K = C and for K = 2C


def ldc(**parameters: Any) -> Callable[[Bags, int], Result]:
    """Run with changed parameters."""

    def run(bags: Bags, seed: int) -> Result:
        fits = [LDC(k * bags.n_classes, random_state=seed, **parameters).fit(bags) for k in (1, 2)]
        return fits[0].posterior_, fits[0].labels_, fits[1].labels_

    return run


def patched(owner: Any, name: str, replacement: Any) -> Callable[[Bags, int], Result]:
    """Run with one function of ldc replaced."""

    def run(bags: Bags, seed: int) -> Result:
        with mock.patch.object(owner, name, replacement):
            return ldc()(bags, seed)

    return run


def see_every_bag(self: LeaveBagOutRidge, targets: np.ndarray) -> np.ndarray:
    """Predict each bag with itself in the regression."""
    return self.coordinates @ self.coefficients(targets)


def whitened(bags: Bags, seed: int) -> Result:
    """Run on principal components of equal variance (distances are then Mahalanobis')."""
    U, s, _ = np.linalg.svd(bags.X - bags.X.mean(axis=0), full_matrices=False)
    kept = s > 1e-8 * s[0]
    return ldc()(Bags(np.sqrt(len(U)) * U[:, kept], bags.bag, bags.labels), seed)


def smoothed(bags: Bags, seed: int) -> Result:
    """Average each posterior with those of the ten nearest neighbours, among the candidates."""
    posterior = ldc()(bags, seed)[0]
    nearest = NearestNeighbors(n_neighbors=11).fit(bags.X).kneighbors(return_distance=False)
    mixed = (posterior + posterior[nearest].mean(axis=1)) * bags.labels[bags.bag]
    return (mixed, *_kmeans(bags, mixed / mixed.sum(axis=1, keepdims=True), seed))


def trees(bags: Bags, seed: int, folds: int = 5, rounds: int = 6, n_trees: int = 100) -> Result:
    """Cross-fit trees on (instance, candidate) pairs, then k-means on [x / sqrt(d), 3 p]."""
    candidates = bags.labels[bags.bag].astype(float)
    posterior = candidates / candidates.sum(axis=1, keepdims=True)
    fold = (np.random.default_rng(seed).permutation(bags.n_bags) % folds)[bags.bag]
    rows, classes = np.nonzero(candidates)
    for step in range(rounds):
        predicted = np.zeros_like(posterior)
        for held_out in range(folds):
            fitted = fold[rows] != held_out
            model = ExtraTreesClassifier(n_trees, n_jobs=2, random_state=seed + 100 * step)
            weights = posterior[rows[fitted], classes[fitted]]
            model.fit(bags.X[rows[fitted]], classes[fitted], sample_weight=weights)
            own = np.flatnonzero(fold == held_out)
            predicted[np.ix_(own, model.classes_)] = model.predict_proba(bags.X[own])
        posterior = ((predicted + 1e-9) * candidates) ** 1.5
        posterior /= posterior.sum(axis=1, keepdims=True)
    return (posterior, *_kmeans(bags, posterior, seed))


def _kmeans(bags: Bags, posterior: Posterior, seed: int) -> tuple[np.ndarray, np.ndarray]:
    points = np.hstack([bags.X / np.sqrt(bags.n_features), 3 * posterior])
    first, second = (
        KMeans(k * bags.n_classes, n_init=10, random_state=seed).fit_predict(points) for k in (1, 2)
    )
    return first, second


VARIANTS: dict[str, Callable[[Bags, int], Result]] = {
    "ldc": ldc(),
    "labels need not occur": ldc(occupancy=0.0),
    "a label once (occupancy 1)": ldc(occupancy=1.0),
    "bags see themselves": patched(LeaveBagOutRidge, "predict_left_out", see_every_bag),
    "common classes attract": patched(rounds, "centred", lambda posterior: posterior),
    "one round": ldc(rounds=1),
    "no sharpening": ldc(power=1.0),
    "features without ranks": ldc(ranks=False),
    "500 landmarks": ldc(n_landmarks=500),
    "k-means on features alone": ldc(posterior_weight=0.0),
    "whitened features": whitened,
    "smoothed over neighbours": smoothed,
    "cross-fitted trees": trees,
}


def measure(name: str, data_dir: str | None, seeds: int) -> None:
    """Print the table of one set."""
    data = load_dataset(name, data_dir)
    bags = Bags(standardize(data.bags.X), data.bags.bag, data.bags.labels)
    print(f"\n{name}: class accuracy | NMI, purity for K = C | for K = 2C | seconds a run")
    for variant, run in VARIANTS.items():
        start, rows = time.perf_counter(), []
        for seed in range(seeds):
            posterior, *clusterings = run(bags, seed)
            row = [float((posterior.argmax(axis=1) == data.y).mean())]
            for labels in clusterings:
                row += [normalized_mutual_info(data.y, labels), purity(data.y, labels)]
            rows.append(row)
        took = (time.perf_counter() - start) / seeds
        figures = " | ".join(f"{value:.3f}" for value in np.mean(rows, axis=0))
        print(f"| {variant} | {figures} | {took:.1f} |", flush=True)


def main() -> None:
    """Print every table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", help="folder with the public sets")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sets", nargs="+", help="names; default: the four public sets")
    options = parser.parse_args()
    names = options.sets or (PUBLIC if options.data_dir else ("digits-words",))
    for name in names:
        measure(name, options.data_dir, options.seeds)


if __name__ == "__main__":
    main()
