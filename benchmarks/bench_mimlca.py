"""How the training time of mimlca grows, and how much of it the assignments take, in one run.

Run as ``python benchmarks/bench_mimlca.py``. Random bags of nine instances on average and 13
classes, two in a bag on average; processor time, on one thread, the least of three:

- scaling: ten iterations, whatever comes of them, over the number of instances (at 38 features)
  and over that of features (at 20 000 instances). The exponents say by which power time grows over
  the upper half of each range; 1 is linear and 2 quadratic. ``--figure`` draws both.
- shares: whole fits, and which part of their time goes into laying out and solving the assignments,
  for several limits of a label's instances. On the HJA birdsong set too, if that is here.

Compare exponents and shares, not seconds: the seconds depend on the machine.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from _common import hja_file, synthetic_bags
from threadpoolctl import threadpool_limits

from algorithms import Bags
from algorithms.errors import ClusteringWarning
from algorithms.metric.assignment import BagAssignment
from algorithms.metric.mimlca import MIMLCA
from algorithms.preprocessing import standardize
from birdmodes.experiments.figures import STYLE, svg_text

INSTANCES = (3_125, 6_250, 12_500, 25_000, 50_000, 100_000, 200_000)
FEATURES = (16, 31, 62, 125, 250, 500)
N_AT_MOST_FEATURES = 20_000
D_AT_MOST_INSTANCES = 38
LIMITS = (1, 2, 3, 5, None)
REPEATS = 3


class Stopwatch:
    """Adds up the processor time of methods that it is put in front of."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Give a function that does the same and is timed."""

        def run(*arguments: Any) -> Any:
            start = time.process_time()
            result = function(*arguments)
            self.seconds += time.process_time() - start
            return result

        return run


ASSIGNMENTS = Stopwatch()


def watch_assignments() -> None:
    """Time everything that assignments cost beyond the distances that they are made by."""
    BagAssignment.of = ASSIGNMENTS.timed(BagAssignment.of)  # type: ignore[method-assign]
    for name in ("solve", "categories"):
        setattr(BagAssignment, name, ASSIGNMENTS.timed(getattr(BagAssignment, name)))


def random_bags(n: int, d: int, seed: int = 0) -> Bags:
    """Make bags of overlapping round classes in any number of dimensions."""
    bags, species = synthetic_bags(n, seed)
    rng = np.random.default_rng(seed)
    centres = 0.8 * rng.standard_normal((bags.n_classes, d))
    return Bags(centres[species] + rng.standard_normal((n, d)), bags.bag, bags.labels)


def fit_seconds(bags: Bags, **parameters: Any) -> tuple[float, float, int]:
    """Least time of a fit, that of its assignments, and its iterations."""
    best = (np.inf, 0.0, 0)
    for _ in range(REPEATS):
        ASSIGNMENTS.seconds = 0.0
        learner = MIMLCA(**parameters)
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ClusteringWarning)  # ten iterations may not be enough
            learner.fit(bags)
        taken = time.process_time() - start
        best = min(best, (taken, ASSIGNMENTS.seconds, len(learner.objective_path_)))
    return best


def exponent(sizes: tuple[int, ...], seconds: list[float]) -> float:
    """Slope of the logarithms over the upper half of a range."""
    half = len(sizes) // 2
    slope, _ = np.polyfit(np.log(sizes[half:]), np.log(seconds[half:]), 1)
    return float(slope)


def scaling() -> dict[str, tuple[tuple[int, ...], list[float]]]:
    """Time ten iterations over both ranges."""
    by_instances, by_features = [], []
    print("instances  features    seconds")
    for n in INSTANCES:
        by_instances.append(fit_seconds(random_bags(n, D_AT_MOST_INSTANCES), max_iter=10)[0])
        print(f"{n:9d} {D_AT_MOST_INSTANCES:9d} {by_instances[-1]:10.3f}", flush=True)
    for d in FEATURES:
        by_features.append(fit_seconds(random_bags(N_AT_MOST_FEATURES, d), max_iter=10)[0])
        print(f"{N_AT_MOST_FEATURES:9d} {d:9d} {by_features[-1]:10.3f}", flush=True)
    print(f"exponent in the number of instances: {exponent(INSTANCES, by_instances):.2f}")
    print(f"exponent in the number of features: {exponent(FEATURES, by_features):.2f}")
    return {
        f"instances, at {D_AT_MOST_INSTANCES} features": (INSTANCES, by_instances),
        f"features, at {N_AT_MOST_FEATURES // 1000} 000 instances": (FEATURES, by_features),
    }


def shares() -> None:
    """Print which part of the time of whole fits the assignments take."""
    cases = {"random, 20 000": random_bags(20_000, 38), "random, 200 000": random_bags(200_000, 38)}
    file = hja_file()
    if file is not None:
        with np.load(file, allow_pickle=False) as data:
            cases["hja-birdsong"] = Bags(
                standardize(data["X"]), data["bag"], data["bag_labels"].astype(np.bool_)
            )
    print("set              max_per_label  iterations    seconds  assignments")
    for name, bags in cases.items():
        for limit in LIMITS:
            taken, assigning, n_iter = fit_seconds(bags, max_per_label=limit)
            print(
                f"{name:16s} {limit!s:>13} {n_iter:11d} {taken:10.3f} {assigning / taken:11.0%}",
                flush=True,
            )


def draw(measured: dict[str, tuple[tuple[int, ...], list[float]]], path: Path) -> None:
    """Draw both ranges on logarithmic axes, with a line of the power that is claimed."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(STYLE):
        figure = Figure(figsize=(8, 3.2), layout="constrained")
        axes = figure.subplots(1, 2)
        powers = (("linear", 1), ("quadratic", 2))
        for axis, (name, (sizes, seconds)), (word, power) in zip(
            axes, measured.items(), powers, strict=True
        ):
            upper = np.array(sizes[len(sizes) // 2 :])
            expected = seconds[-1] * (upper / sizes[-1]) ** power
            axis.loglog(upper, expected, "--", color="#767676", label=word)
            axis.loglog(sizes, seconds, "o-", color="#0072b2", label="measured")
            shown = sizes[::-2]  # more would overlap
            axis.set_xticks(shown, [f"{size:,}".replace(",", " ") for size in shown])
            axis.set_xticks([], minor=True)
            axis.set_xlabel(f"number of {name}")
            axis.legend(frameon=False)
        axes[0].set_ylabel("processor time / s")
        path.write_text(svg_text(figure), encoding="utf-8")


def main() -> None:
    """Print the tables, and draw the figure if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--figure", type=Path, help="SVG to write, from the scaling")
    parser.add_argument("--only", choices=["scaling", "shares"], help="one of the two")
    arguments = parser.parse_args()
    watch_assignments()
    with threadpool_limits(limits=1):
        if arguments.only != "shares":
            measured = scaling()
            if arguments.figure is not None:
                draw(measured, arguments.figure)
        if arguments.only != "scaling":
            shares()


if __name__ == "__main__":
    main()
