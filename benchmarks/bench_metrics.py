"""Training time of mimlca against that of its rivals on the same bags, in one run.

Run as ``python benchmarks/bench_metrics.py``. Processor time, on one thread, the least of some
turns, in each of which every method has its turn. The sets are hja-birdsong, msrc-v2 and corel5k
(of which the features of 500 images are public), if they are here, and random bags, so many that
mildml takes samples.

Ratios say how many times as long as mimlca the baselines "miml" and "mildml" take (and "mc2b"),
beside what Law et al. report for their implementations of other features: compare ratios, not
seconds, as the seconds depend on the machine. As in the paper it is the metric that is timed; what
it takes to cluster the instances by it as well is in the row "with clusters".
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from pathlib import Path
from typing import Self

import numpy as np
from _common import synthetic_bags
from threadpoolctl import threadpool_limits

from algorithms import Bags
from algorithms.errors import ClusteringWarning
from algorithms.metric.base import MetricLearner
from algorithms.metric.mc2b import MC2B
from algorithms.metric.mildml import MildML
from algorithms.metric.miml import MIML
from algorithms.metric.mimlca import MIMLCA
from algorithms.preprocessing import standardize
from algorithms.threads import one_blas_thread

SETS = ("hja-birdsong", "msrc-v2", "corel5k")
N_RANDOM = 20_000
# Law et al. (2017): training time of miml and mildml, as multiples of that of mimlca.
PUBLISHED = {"miml": "109x faces, 37x corel5k", "mildml": "45x faces, 2.5x corel5k"}


class MetricOnly(MIMLCA):
    """mimlca without the clustering of instances that comes after the metric."""

    def fit(self, bags: Bags) -> Self:
        """Learn the metric."""
        self._check_parameters(bags)
        with one_blas_thread():
            self._learn(bags)
        return self


def learners() -> dict[str, MetricLearner]:
    """Give new learners with their default parameters."""
    return {
        "mimlca": MetricOnly(),
        "with clusters": MIMLCA(),
        "miml": MIML(),
        "mildml": MildML(),
        "mc2b": MC2B(),
    }


def load(name: str) -> Bags | None:
    """Read a set, features standardised, if it is in the shared material."""
    root = os.environ.get("BIRDMODES_SHARED")
    file = Path(root or "") / "datasets" / name / "dataset.npz"
    if not root or not file.is_file():
        return None
    with np.load(file, allow_pickle=False) as data:
        return Bags(standardize(data["X"]), data["bag"], data["bag_labels"])


def train_seconds(bags: Bags, turns: int, methods: list[str]) -> dict[str, tuple[float, int]]:
    """Least processor time of every method, and the rounds or steps that it took."""
    found: dict[str, tuple[float, int]] = {}
    for _ in range(turns):
        new = learners()
        for name in methods:
            learner = new[name]
            start = time.process_time()
            learner.fit(bags)
            taken = time.process_time() - start
            found[name] = min(taken, found.get(name, (np.inf, 0))[0]), rounds(learner)
    return found


def rounds(learner: MetricLearner) -> int:
    """Iterations that a fitted learner took; of mc2b those of all classes."""
    if isinstance(learner, MIMLCA):
        return len(learner.objective_path_)
    if isinstance(learner, MC2B):
        return sum(max(0, len(ratios) - 1) for ratios in learner.ratios_)
    return int(getattr(learner, "n_iter_", 0))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument(
        "--rivals",
        nargs="*",
        choices=list(learners())[1:],
        default=list(learners())[1:],
        help="compare with these only; some take seconds a turn, the others hundredths",
    )
    arguments = parser.parse_args()
    sets = {name: bags for name in SETS if (bags := load(name)) is not None}
    sets["random"] = synthetic_bags(N_RANDOM)[0]
    print('training time against the baselines "miml", "mildml" and "mc2b"')
    print(
        "set              bags   inst. feat. labels  method         rounds        s   ratio  paper"
    )
    warnings.simplefilter("ignore", ClusteringWarning)
    for name, bags in sets.items():
        with threadpool_limits(limits=1):
            found = train_seconds(bags, arguments.turns, ["mimlca", *arguments.rivals])
        for method, (taken, n_rounds) in found.items():
            ratio = taken / found["mimlca"][0]
            print(
                f"{name:14s} {bags.n_bags:6d} {bags.n_instances:7d} {bags.n_features:5d}"
                f" {bags.n_classes:6d}  {method:14s} {n_rounds:6d} {taken:8.3f} {ratio:6.1f}x"
                f"  {PUBLISHED.get(method, '')}",
                flush=True,
            )


if __name__ == "__main__":
    main()
