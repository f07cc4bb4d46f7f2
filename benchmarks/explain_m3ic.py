"""Why m3ic groups some problems as it does: what its objective wants, and what the features allow.

Run as ``python benchmarks/explain_m3ic.py --data-dir FOLDER [NAME ...]`` (see ``birdmodes
datasets``). For every problem and preparation of the features it prints:

- what could be had at all: the share of bags that linear discriminants, *taught with the labels*,
  put into the right class by the mean of their instances, cross-validated;
- J and accuracy of m3ic when it starts from weights taught with the labels, beside those of many
  random starts. Where J ends higher from the taught start, the objective prefers other groups than
  the classes, and no better search could help;
- the correlation of J and accuracy over the random starts: near -1 where the least J is a good
  choice, near 0 where it says nothing.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import StratifiedKFold, cross_val_score

from algorithms.bags import FloatArray
from algorithms.bagwise.m3ic import M3IC
from algorithms.metrics import clustering_accuracy
from birdmodes.experiments.data import Data, Source
from birdmodes.experiments.work.bags import PREPARATIONS, load_prepared, problems_of

PROBLEMS = ("natural-scene-1", "natural-scene-2", "natural-scene-3", "natural-scene-4")
SETTINGS = ((1.0, 0.5), (16.0, 10.0))
FOLDS = StratifiedKFold(5, shuffle=True, random_state=0)


class Taught(M3IC):
    """m3ic from one given start."""

    def started_from(self, weights: FloatArray) -> Taught:
        """Tell it where to start."""
        self._weights = weights
        return self

    def _starts(self, n_features: int) -> list[FloatArray]:
        return [self._weights]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", default=list(PROBLEMS), metavar="NAME")
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument(
        "--features", nargs="*", default=["raw", "centred", "unit"], choices=list(PREPARATIONS)
    )
    parser.add_argument("--starts", type=int, default=20)
    options = parser.parse_args()
    warnings.simplefilter("ignore")  # groups without bags are part of the question
    print(
        "problem | features | taught LDA | C, l | J taught, accuracy | J least of random, accuracy"
        " | best accuracy | correlation"
    )
    for name in problems_of("m3ic").expand(options.names):
        source = Source(name, data_dir=options.data_dir)
        for preparation in options.features:
            for line in explain(load_prepared(source, preparation), preparation, options.starts):
                print(line, flush=True)


def explain(problem: Data, preparation: str, n_starts: int) -> list[str]:
    """Give a line for each pair of C and l."""
    bags, k, truth = problem.bags, problem.bags.n_classes, problem.known_truth
    counts = np.bincount(bags.bag, minlength=bags.n_bags)[:, None]
    means = np.zeros((bags.n_bags, bags.n_features))
    np.add.at(means, bags.bag, bags.X)
    means /= counts
    discriminants = LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1)
    reachable = cross_val_score(discriminants, means, truth, cv=FOLDS).mean()
    weights = discriminants.fit(means, truth).coef_
    if k == 2:
        weights = np.vstack([-weights, weights])
    weights = weights[:, np.ptp(bags.X, axis=0) > 0]  # m3ic leaves constant features out
    lines = []
    for cost, balance in SETTINGS:
        settings: dict[str, Any] = {"C": cost, "balance": balance, "scaling": "none"}
        taught = Taught(k, n_init=1, **settings).started_from(weights).fit(bags)
        random = M3IC(k, n_init=n_starts, random_state=0, **settings).fit(bags)
        accuracies = [clustering_accuracy(truth, found) for found in random.run_labels_]
        objectives = random.run_objectives_
        least = int(objectives.argmin())
        correlation = np.corrcoef(objectives, accuracies)[0, 1]
        lines.append(
            f"{problem.name} | {preparation} | {reachable:.3f} | {cost:g}, {balance:g} | "
            f"{taught.objective_:.4g}, {clustering_accuracy(truth, taught.labels_):.3f} | "
            f"{objectives[least]:.4g}, {accuracies[least]:.3f} | {max(accuracies):.3f} | "
            f"{correlation:+.2f}"
        )
    return lines


if __name__ == "__main__":
    main()
