"""Accuracy of the classifiers of whole recordings on MUSK1: the figures of docs/methods.md.

Run ``python benchmarks/bag_annotators.py DATASETS``, where DATASETS holds ``musk1/dataset.npz``.
Every figure is the mean over three stratified tenfold cross-validations; features are standardised
over all molecules, parameters are the defaults.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold

from algorithms import Bags
from algorithms.bags import BoolArray
from algorithms.mil.emdd import EMDD
from algorithms.mil.mi_kernel import MIKernel
from algorithms.mil.milboost import MILBoost
from algorithms.mil.miles import MILES
from algorithms.mil.mind import MInD
from algorithms.mil.misvm import MISVM
from algorithms.preprocessing import standardize

ANNOTATORS: dict[str, Any] = {
    "MISVM": MISVM(),
    "MILES": MILES(),
    "MILBoost": MILBoost(),
    "EMDD": EMDD(),
    "MInD, meanmin": MInD(),
    "MInD, minmin": MInD(dissimilarity="minmin"),
    "MInD, maxmin": MInD(dissimilarity="maxmin"),
    "MInD, meanmin, C=1000": MInD(C=1000.0),
    "MIKernel": MIKernel(),
}
ROUNDS = 3
FOLDS = 10


def accuracy(annotator: Any, bags: Bags, seed: int) -> float:
    """Share of bags that are told right by an annotator that has not seen their labels."""
    musk: BoolArray = bags.labels[:, 0]
    right = np.zeros(bags.n_bags, dtype=bool)
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(musk, musk):
        labelled = np.isin(np.arange(bags.n_bags), train)
        shown = Bags(bags.X, bags.bag, bags.labels & labelled[:, None], labelled)
        said = clone(annotator).fit(shown).predict(bags)
        right[test] = (said == bags.labels)[test, 0]
    return float(right.mean())


def main() -> None:
    """Print a row for every classifier."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("datasets", type=Path)
    options = parser.parse_args()
    with np.load(options.datasets / "musk1" / "dataset.npz", allow_pickle=False) as data:
        labels = data["bag_labels"][:, data["class_names"] == "musk"].astype(bool)
        bags = Bags(standardize(data["X"]), data["bag"], labels)
    print(f"{'class':22s} accuracy, %  CPU s")
    for name, annotator in ANNOTATORS.items():
        start = time.process_time()
        mean = np.mean([accuracy(annotator, bags, seed) for seed in range(ROUNDS)])
        spent = time.process_time() - start
        print(f"{name:22s} {100 * mean:11.1f} {spent:6.1f}", flush=True)


if __name__ == "__main__":
    main()
