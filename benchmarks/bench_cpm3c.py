"""How long cpm3c takes, against m3ic, in one run.

Run as ``python benchmarks/bench_cpm3c.py``, with BIRDMODES_SHARED set to the folder of the shared
material; without it, random bags of the same sizes stand in. Both methods get the same bags,
standardised, and the same parameters: one row for each C, 5 random starts each, the balance that
is the default. Processor time on one thread, the fastest of several runs.

cpm3c has a constraint for every instance where m3ic has one for every bag, and draws all its cuts
anew in every step, so it is expected to be slower: the ratio says how many times. Compare ratios,
not seconds: the seconds depend on the machine.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from pathlib import Path

from bench_bag_distances import random_bags
from threadpoolctl import threadpool_limits

from algorithms import Bags, make_clusterer
from algorithms.preprocessing import standardize
from birdmodes.experiments.datasets import load_bag_problem

# Name, groups, the shape of bench_bag_distances that stands in for it.
PROBLEMS = {
    "corel-eft": (3, "corel-eft"),
    "natural-scene-1": (3, "natural-scene"),
    "natural-scene-4": (5, "natural-scene"),
}
COSTS = (1 / 16, 1.0, 16.0)


def bags_of(name: str) -> Bags:
    """Load a problem's bags, standardised, or make bags of that shape."""
    root = os.environ.get("BIRDMODES_SHARED")
    if not root:
        return random_bags(PROBLEMS[name][1], 1.0)
    bags = load_bag_problem(name, Path(root) / "datasets").bags
    return Bags(standardize(bags.X), bags.bag, bags.labels)


def processor_seconds(method: str, k: int, bags: Bags, cost: float, scaling: str) -> float:
    """Least processor time of three fits."""
    times = []
    for _ in range(3):
        clusterer = make_clusterer(method, n_clusters=k, C=cost, scaling=scaling)
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of empty groups, which are not the point here
            clusterer.fit(bags)
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", nargs="+", choices=PROBLEMS, default=list(PROBLEMS))
    parser.add_argument("--scaling", nargs="+", default=["unit", "none"])
    arguments = parser.parse_args()
    print("problem           bags    inst. scaling        C    m3ic/s   cpm3c/s   ratio")
    for name in arguments.problems:
        bags, k = bags_of(name), PROBLEMS[name][0]
        for scaling in arguments.scaling:
            total = {"m3ic": 0.0, "cpm3c": 0.0}
            for cost in COSTS:
                with threadpool_limits(limits=1):
                    took = {m: processor_seconds(m, k, bags, cost, scaling) for m in total}
                for method, each in took.items():
                    total[method] += each
                print_row(name, bags, scaling, f"{cost:8.4g}", took)
            print_row(name, bags, scaling, "     all", total)


def print_row(name: str, bags: Bags, scaling: str, cost: str, took: dict[str, float]) -> None:
    """Print the times of both methods, and their ratio."""
    print(
        f"{name:15s} {bags.n_bags:6d} {bags.n_instances:8d} {scaling:7s} {cost} {took['m3ic']:9.3f}"
        f" {took['cpm3c']:9.3f} {took['cpm3c'] / took['m3ic']:6.1f}x",
        flush=True,
    )


if __name__ == "__main__":
    main()
