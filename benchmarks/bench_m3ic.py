"""How long m3ic takes: against k-means, against k-medoids of bags, with a kernel, and where.

Run as ``python benchmarks/bench_m3ic.py``; with ``--figure FILE`` it draws the second table, and
``--only kernel`` prints one of them. Four tables, all in processor time on one thread:

- one fit of m3ic from one start against the baseline "50 runs": ``kmeans-vote`` with its 50 runs of
  k-means. On Corel, SIVAL and the natural scenes where BIRDMODES_SHARED names the folder that
  holds them, on random bags of their shape otherwise. m3ic with its default settings, and with
  two others whose programs are larger.
- ten times the bags: m3ic against ``bamic-min`` (10 starts), whose table of distances is counted.
  Bags are drawn from the natural scenes with replacement, with noise.
- m3ic-kernel against the baseline m3ic, five starts each, on the same sets, on SIVAL as it is
  published, all of it and three objects (where m3ic stops soonest), and on parts of the natural
  scenes; it must stay within twenty times.
- the share of single parts in the first table's fits; the quadratic programs must not dominate.

Ratios below 1 say that m3ic takes less time. Compare ratios, not seconds: the seconds depend on the
machine.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import statistics
import time
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from algorithms import Bags, make_clusterer
from algorithms.errors import ClusteringWarning
from algorithms.preprocessing import standardize

# Name, groups, and the shape of the random bags that stand in: bags, instances of each, features.
SETS = {
    "corel-eft": (3, (300, 6, 230)),
    "sival": (6, (360, 31, 30)),
    "natural-scene": (5, (1543, 9, 15)),
}
SETTINGS: dict[str, dict[str, Any]] = {
    "default": {},
    "C=4": {"C": 4.0},
    "unit, C=16": {"scaling": "unit", "C": 16.0},
}
SIZES = (100, 200, 400, 1000, 2000, 4000, 10_000, 40_000)
KERNEL_SIZES = (50, 100, 200, 500)  # bags of nine instances
BAMIC_MOST = 4000  # bags: it needs memory and time in proportion to their square
NOISE = 0.1
TABLES = ("kmeans", "sizes", "kernel", "parts")
# Parts of a fit, and the functions that do them, none inside another.
PARTS = {
    "programs": ("solve",),
    "witnesses": ("find_witnesses",),
    "planes": ("planes", "losses", "add_planes", "keep_planes", "lowest_share"),
    "layout": ("sorted_bags", "_scaled", "balance_vector"),
}


def load(name: str, *, raw: bool = False, n_classes: int | None = None) -> Bags:
    """Bags of one class of a set, standardised unless `raw`; random ones if it is not here."""
    root = os.environ.get("BIRDMODES_SHARED")
    file = Path(root or "") / "datasets" / name / "dataset.npz"
    if not root or not file.is_file():
        n_bags, size, n_features = SETS[name][1]
        X = np.random.default_rng(0).standard_normal((n_bags * size, n_features))
        return Bags(X, np.repeat(np.arange(n_bags), size), np.zeros((n_bags, 1)))
    with np.load(file, allow_pickle=False) as data:
        X, bag, labels = data["X"], data["bag"], data["bag_labels"]
    single = (labels.sum(axis=1) == 1) & labels[:, :n_classes].any(axis=1)
    kept = single[bag]
    number = np.cumsum(single) - 1
    X = X[kept] if raw else standardize(X[kept])
    return Bags(X, number[bag[kept]], np.zeros((single.sum(), 1)))


def resampled(bags: Bags, n_bags: int) -> Bags:
    """Draw bags of equal size with replacement, and add noise."""
    size = bags.n_instances // bags.n_bags
    rng = np.random.default_rng(n_bags)
    each = bags.X[np.argsort(bags.bag, kind="stable")].reshape(bags.n_bags, size, -1)
    X = each[rng.integers(0, bags.n_bags, n_bags)].reshape(n_bags * size, -1)
    X += NOISE * rng.standard_normal(X.shape)
    return Bags(X, np.repeat(np.arange(n_bags), size), np.zeros((n_bags, 1)))


def processor_seconds(function: Callable[[], object], repeats: int) -> float:
    """Median processor time of a call."""
    took = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        took.append(time.process_time() - start)
    return statistics.median(took)


def fit_seconds(bags: Bags, k: int, repeats: int, **settings: Any) -> float:
    """Processor time of a fit from one start, the median over as many seeds."""
    seeds = iter(range(repeats))
    return processor_seconds(
        lambda: make_clusterer(
            "m3ic", n_clusters=k, n_init=1, random_state=next(seeds), **settings
        ).fit(bags),
        repeats,
    )


def shares(bags: Bags, k: int, settings: dict[str, Any]) -> tuple[dict[str, float], int, int]:
    """Share of each part in a fit of five starts; steps and planes of the run that was kept."""
    profile = cProfile.Profile(time.process_time)
    clusterer = make_clusterer("m3ic", n_clusters=k, **settings)
    profile.runcall(clusterer.fit, bags)
    spent = dict.fromkeys(PARTS, 0.0)
    total = 0.0
    for (file, _, name), (*_, cumulative, _) in pstats.Stats(profile).stats.items():
        if "bagwise" in file:
            total = max(total, cumulative)
            for part, functions in PARTS.items():
                spent[part] += cumulative * (name in functions)
    share = {part: seconds / total for part, seconds in spent.items()}
    return share, len(clusterer.objectives_), clusterer.n_planes_


def compare_with_kmeans(repeats: int) -> None:
    """Print the first table."""
    print('m3ic from one start against the baseline "50 runs" of kmeans-vote')
    print("set            settings     m3ic/ms  50 runs/ms   ratio")
    for name, (k, _) in SETS.items():
        bags = load(name)
        fit_seconds(bags, k, 1)  # the first fit loads libraries
        vote = make_clusterer("kmeans-vote", n_clusters=k)
        baseline = processor_seconds(lambda bags=bags, vote=vote: vote.fit(bags), 1)
        for settings, parameters in SETTINGS.items():
            took = fit_seconds(bags, k, repeats, **parameters)
            print(
                f"{name:14s} {settings:11s} {1e3 * took:8.1f} {1e3 * baseline:11.0f}"
                f" {took / baseline:7.3f}",
                flush=True,
            )


def compare_sizes(repeats: int) -> dict[str, list[float]]:
    """Print the second table; gives the seconds of both methods."""
    print("\nten times the bags: m3ic (five starts) against the baseline bamic-min with distances")
    print("  bags     m3ic/s  bamic-min/s   ratio")
    scenes = load("natural-scene")
    took: dict[str, list[float]] = {"m3ic": [], "bamic-min": []}
    for n_bags in SIZES:
        bags = resampled(scenes, n_bags)
        for name, times in took.items():
            if name == "bamic-min" and n_bags > BAMIC_MOST:
                times.append(float("nan"))
                continue
            seeds = iter(range(repeats))
            times.append(
                processor_seconds(
                    lambda name=name, bags=bags, seeds=seeds: make_clusterer(
                        name, n_clusters=5, random_state=next(seeds)
                    ).fit(bags),
                    repeats,
                )
            )
        m3ic, bamic = took["m3ic"][-1], took["bamic-min"][-1]
        print(f"{n_bags:6d} {m3ic:10.3f} {bamic:12.3f} {m3ic / bamic:7.2f}", flush=True)
    for name, times in took.items():
        factors = " ".join(
            f"{SIZES[i]} to {10 * SIZES[i]}: {times[SIZES.index(10 * SIZES[i])] / times[i]:.1f}x"
            for i in range(len(SIZES))
            if 10 * SIZES[i] in SIZES and times[SIZES.index(10 * SIZES[i])] > 0
        )
        print(f"{name}: {factors}")
    return took


def compare_with_kernel(repeats: int) -> None:
    """Print the third table."""
    print("\nm3ic-kernel against the baseline m3ic, five starts each")
    print("set            instances   m3ic/s  m3ic-kernel/s   ratio")
    tried = [(name, k, load(name)) for name, (k, _) in SETS.items()]
    tried += [("sival, raw", 6, load("sival", raw=True))]
    tried += [("sival, raw, 3", 3, load("sival", raw=True, n_classes=3))]
    scenes = load("natural-scene")
    tried += [("natural-scene", 5, resampled(scenes, size)) for size in KERNEL_SIZES]
    for name, k, bags in tried:
        # In turns, as other work on the machine comes and goes.
        rounds = [
            [
                processor_seconds(
                    partial(make_clusterer(method, n_clusters=k, random_state=0).fit, bags), 1
                )
                for method in ("m3ic", "m3ic-kernel")
            ]
            for _ in range(repeats)
        ]
        plain, kernel = (statistics.median(took) for took in zip(*rounds, strict=True))
        print(
            f"{name:14s} {bags.n_instances:9d} {plain:8.3f} {kernel:14.3f} {kernel / plain:7.1f}",
            flush=True,
        )


def draw(took: dict[str, list[float]], file: Path) -> None:
    """Draw the second table, as Figs. 1 to 3 of the paper, with the point where the lines cross."""
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot as plt

    matplotlib.rcParams["svg.hashsalt"] = "m3ic"
    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for (name, times), colour in zip(took.items(), ("tab:blue", "tab:orange"), strict=True):
        axes.loglog(SIZES, times, "o-", color=colour, label=name)
    crossing = crossing_point(took["m3ic"], took["bamic-min"])
    if crossing is not None:
        n_bags, seconds = crossing
        axes.axvline(n_bags, color="grey", linestyle=":", linewidth=1)
        axes.annotate(f"{n_bags:.0f} bags", (n_bags, seconds), (8, -24), textcoords="offset points")
    axes.set_xticks(SIZES, [f"{n}" for n in SIZES], rotation=45)
    axes.minorticks_off()
    axes.set_xlabel("bags (9 instances of 15 features in each)")
    axes.set_ylabel("processor seconds of a fit")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(file, metadata={"Date": None})


def crossing_point(first: list[float], second: list[float]) -> tuple[float, float] | None:
    """Number of bags from which `second` takes longer to the end, and the time it takes there."""
    sizes, times = np.log(SIZES), np.log(first)
    ahead = np.log(second) - times
    below = np.flatnonzero(ahead < 0)
    if not len(below) or below[-1] + 1 == len(sizes):
        return None
    i = int(below[-1])
    share = ahead[i] / (ahead[i] - ahead[i + 1])
    at = (values[i] + share * (values[i + 1] - values[i]) for values in (sizes, times))
    n_bags, seconds = (float(np.exp(value)) for value in at)
    return n_bags, seconds


def profile() -> None:
    """Print the fourth table."""
    print("\nwhere the time goes: shares of a fit (five starts), steps and planes of the kept run")
    print("set            settings    " + "".join(f"{part:>11s}" for part in PARTS), end="")
    print("  steps planes")
    for name, (k, _) in SETS.items():
        bags = load(name)
        for settings, parameters in SETTINGS.items():
            share, n_steps, n_planes = shares(bags, k, parameters)
            parts = "".join(f"{100 * s:9.0f} %" for s in share.values())
            print(f"{name:14s} {settings:11s} {parts} {n_steps:6d} {n_planes:6d}", flush=True)


def main() -> None:
    """Print the tables, and draw the second if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3, help="seeds that a time is the median of")
    parser.add_argument("--figure", type=Path, help="file (SVG) to draw the second table into")
    parser.add_argument("--only", choices=TABLES, help="one of the tables")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ClusteringWarning)  # that groups are empty
    wanted = (arguments.only,) if arguments.only else TABLES
    with threadpool_limits(limits=1):
        if "kmeans" in wanted:
            compare_with_kmeans(arguments.repeats)
        if "sizes" in wanted:
            took = compare_sizes(arguments.repeats)
            if arguments.figure:
                draw(took, arguments.figure)
        if "kernel" in wanted:
            compare_with_kernel(arguments.repeats)
        if "parts" in wanted:
            profile()


if __name__ == "__main__":
    main()
