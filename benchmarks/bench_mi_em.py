"""How long mi-em takes, against the mixture of Gaussians of scikit-learn, in one run.

Run as ``python benchmarks/bench_mi_em.py``, with BIRDMODES_SHARED set to the folder that holds the
public data sets; without it, random instances of as many bags, instances and features as MUSK2 has
stand in. For each number of concepts, processor time on one thread of

- a whole fit of mi-em: mixture of concepts with 5 starts, then EM over the bags with 10;
- the baseline "sklearn": ``GaussianMixture`` alone, with as many components and 5 starts;
- the baseline with a start for every number of components from 2 to 20, then 5 for the best by
  BIC, against mi-em that is to find the number itself.

Ratios are mi-em's time over the baseline's: below 1, mi-em is faster, bags included. Every time is
the median of some repeats, which take turns. Compare ratios, not seconds: the seconds depend on
the machine.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from threadpoolctl import threadpool_limits

from algorithms import Bags, make_clusterer
from algorithms.errors import ClusteringWarning
from algorithms.preprocessing import standardize

N_GROUPS = 8
N_STARTS = 5


def musk2() -> tuple[str, Bags]:
    """MUSK2, or random instances of its shape."""
    file = Path(os.environ.get("BIRDMODES_SHARED", "")) / "datasets" / "musk2" / "dataset.npz"
    if file.is_file():
        with np.load(file, allow_pickle=False) as data:
            return "musk2", Bags(standardize(data["X"]), data["bag"], data["bag_labels"])
    rng = np.random.default_rng(0)
    bag = np.sort(np.concatenate([np.arange(102), rng.integers(0, 102, 6496)]))
    X = rng.standard_normal((30, 166))[rng.integers(0, 30, 6598)] + rng.standard_normal((6598, 166))
    return "random", Bags(standardize(X), bag, np.zeros((102, 0)))


def components(X: npt.NDArray[np.float64], number: int, n_init: int) -> GaussianMixture:
    """Fit scikit-learn's mixture, with the variances that mi-em takes for so few instances."""
    mixture = GaussianMixture(number, covariance_type="diag", n_init=n_init, random_state=0)
    return mixture.fit(X)


def components_by_bic(X: npt.NDArray[np.float64]) -> GaussianMixture:
    """Try every number of components with one start, and refit the best."""
    best = min(range(2, 21), key=lambda number: components(X, number, 1).bic(X))
    return components(X, best, N_STARTS)


def turns(first: Callable[[], Any], second: Callable[[], Any], repeats: int) -> list[float]:
    """Median processor time of two calls that take turns, so that a busy machine is fair."""
    times: list[list[float]] = [[], []]
    for _ in range(repeats):
        for call, taken in zip((first, second), times, strict=True):
            start = time.process_time()
            call()
            taken.append(time.process_time() - start)
    return [statistics.median(taken) for taken in times]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--concepts", type=int, nargs="+", default=[5, 10, 20])
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    name, bags = musk2()
    warnings.simplefilter("ignore", ConvergenceWarning)
    warnings.simplefilter("ignore", ClusteringWarning)  # BIC still falls at 20, for both
    print(f"{name}: {bags.n_bags} bags, {bags.n_instances} instances, {bags.n_features} features")
    print("concepts   mi-em/s  sklearn/s   ratio")
    with threadpool_limits(limits=1):
        make_clusterer("mi-em", n_clusters=2, n_concepts=2).fit(bags)  # loads libraries
        for number in [*arguments.concepts, None]:
            clusterer = make_clusterer(
                "mi-em",
                n_clusters=N_GROUPS,
                n_concepts=number,
                instance_model="diag",
                n_init_concepts=N_STARTS,
            )

            def baseline(number: int | None = number) -> GaussianMixture:
                if number is None:
                    return components_by_bic(bags.X)
                return components(bags.X, number, N_STARTS)

            ours, theirs = turns(lambda made=clusterer: made.fit(bags), baseline, arguments.repeats)
            label = "by BIC" if number is None else str(number)
            print(f"{label:>8} {ours:9.2f} {theirs:10.2f} {ours / theirs:7.2f}", flush=True)


if __name__ == "__main__":
    main()
