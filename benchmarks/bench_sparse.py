"""How sparse CSP compares with other spectral clusterings, where its time goes, how it grows.

Run as ``python benchmarks/bench_sparse.py``; ``--sizes 5000 25000 --large 25000 100000`` is the
full comparison (scikit-learn then takes minutes), ``--large 25000 100000 300000 --neighbours
approximate`` shows the growth. The syllables are those of the HJA birdsong set where the
environment variable BIRDMODES_SHARED names the folder with the shared data sets: whole bags drawn
with replacement, noise added to the features. Otherwise synthetic bags stand in.

- Fits: csp on the graph of 10 neighbours against the baselines "scikit-learn"
  (SpectralClustering on a graph of as many neighbours; it knows nothing of bag labels) and "dense"
  (csp on the dense graph, up to 6000 syllables). Purity beside the time. The rounds alternate
  between the methods, and the medians are compared, by the clock and by processor time. With
  ``--threads 1`` libraries get one thread each; without it as many as there are cores. On a machine
  that does other things only processor time on one thread can be trusted.
- Stages: graph (all but finding neighbours is little), eigenvectors, k-means, each size in a
  process of its own, whose largest memory is shown. "load" is what the libraries take once per
  process, which is much for the approximate search: its code is compiled first.

Ratios above 1 say how many times faster this package's way is. Compare ratios, not seconds: the
seconds depend on the machine.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from _common import hja_file, resampled_bags, seconds
from sklearn.cluster import SpectralClustering
from threadpoolctl import threadpool_limits

from algorithms import make_clusterer
from algorithms.graph import DENSE_LIMIT, build_affinity
from algorithms.metrics import purity

K = 26
N_NEIGHBORS = 10


def compare_fits(n: int, rounds: int) -> str:
    """Time fits of sparse csp, scikit-learn and, for small n, dense csp."""
    bags, species = resampled_bags(n)
    fits: dict[str, Any] = {
        "csp": lambda: make_clusterer("csp", n_clusters=K, graph="knn").fit(bags).labels_,
        "scikit-learn": lambda: SpectralClustering(
            K, affinity="nearest_neighbors", n_neighbors=N_NEIGHBORS, random_state=0
        ).fit_predict(bags.X),
    }
    if n <= DENSE_LIMIT:
        fits["dense"] = lambda: make_clusterer("csp", n_clusters=K, graph="dense").fit(bags).labels_
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in fits}
    pure: dict[str, float] = {}
    for _ in range(rounds):
        for name, fit in fits.items():
            start = time.perf_counter(), time.process_time()
            labels = fit()
            ended = time.perf_counter(), time.process_time()
            took[name].append((ended[0] - start[0], ended[1] - start[1]))
            pure[name] = purity(species, labels)
    lines = []
    for which, clock in enumerate(("clock", "processor")):
        median = {name: statistics.median(t[which] for t in times) for name, times in took.items()}
        cells = [f"{n:7d} {clock:9s} {median['csp']:8.2f} {pure['csp']:7.3f}"]
        for name in ("scikit-learn", "dense"):
            if name in median:
                ratio = median[name] / median["csp"]
                cells.append(f"{median[name]:10.2f} {pure[name]:7.3f} {ratio:6.1f}x")
        lines.append("  ".join(cells))
    return "\n".join(lines)


def measure_stages(n: int, neighbours: str) -> dict[str, float]:
    """Time the stages of one fit, in seconds, and take the largest memory, in bytes."""
    small, _ = resampled_bags(2000)
    clusterer = make_clusterer("csp", n_clusters=K, graph="knn", neighbours=neighbours)
    result = {"load": seconds(lambda: clusterer.fit(small), 1)}
    bags, species = resampled_bags(n)
    start = time.perf_counter()
    affinity = build_affinity(
        bags.X, graph="knn", n_neighbors=N_NEIGHBORS, neighbours=neighbours, seed=0
    )
    result["graph"] = time.perf_counter() - start
    start = time.perf_counter()
    embedding = clusterer.embed(bags, affinity=affinity)
    result["eigenvectors"] = time.perf_counter() - start
    start = time.perf_counter()
    labels = embedding.cluster(K, n_init=clusterer.n_init, seed=0)
    result["k-means"] = time.perf_counter() - start
    return result | {"purity": purity(species, labels), "memory": largest_memory()}


def largest_memory() -> float:
    """Most memory that this process has held, in bytes; not a number where it cannot be known.

    The resource module would also count what the parent held when it started this process.
    """
    status = Path("/proc/self/status")
    lines = status.read_text().splitlines() if status.exists() else []
    sizes = [float(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")]
    return sizes[0] if sizes else float(np.nan)


def stages_in_a_process(n: int, neighbours: str) -> dict[str, float]:
    """Run :func:`measure_stages` in a new process."""
    command = [sys.executable, __file__, "--stages-of", str(n), "--neighbours", neighbours]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    stages: dict[str, float] = json.loads(printed)
    return stages


def print_stages(sizes: list[int], neighbours: str) -> None:
    """Print where the time goes at each size, and how it has grown since the size before."""
    print(f"\nstages of a sparse csp fit, {neighbours} neighbours")
    print(
        "      N   load/s  graph/s  eigenvectors/s  k-means/s  total/s  growth"
        "  with load  purity  Mbyte"
    )
    before: dict[str, float] = {}
    for n in sizes:
        stages = stages_in_a_process(n, neighbours)
        total = stages["graph"] + stages["eigenvectors"] + stages["k-means"]
        totals = {"total": total, "loaded": total + stages["load"]}
        growth = {name: f"{totals[name] / before[name]:.1f}x" for name in before}
        before = totals
        print(
            f"{n:7d} {stages['load']:8.1f} {stages['graph']:8.1f} {stages['eigenvectors']:15.1f}"
            f" {stages['k-means']:10.1f} {total:8.1f} {growth.get('total', ''):>7}"
            f" {growth.get('loaded', ''):>10} {stages['purity']:7.3f}"
            f" {stages['memory'] / 1e6:6.0f}",
            flush=True,
        )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="*", default=[2500, 5000], help="of the fits")
    parser.add_argument("--large", type=int, nargs="*", default=[5000, 20000], help="of the stages")
    parser.add_argument("--neighbours", choices=["exact", "approximate"], default="exact")
    parser.add_argument("--rounds", type=int, default=3, help="fits of each method up to N=10000")
    parser.add_argument("--threads", type=int, help="of each library in the fits")
    parser.add_argument("--stages-of", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    # scikit-learn's remarks on graphs that fall apart do not concern the time.
    warnings.simplefilter("ignore")
    if options.stages_of:
        print(json.dumps(measure_stages(options.stages_of, options.neighbours)))
        return
    resampled, stand_in = (
        "HJA birdsong, resampled with noise",
        "synthetic, for want of HJA birdsong",
    )
    print(f"syllables: {resampled if hja_file() else stand_in}; {K} clusters")
    if options.sizes:
        compare_fits(1000, 1)  # the first fit loads libraries
        print('whole fits: sparse csp against the baselines "scikit-learn" and "dense"')
        print(
            "      N  time         csp/s  purity  sklearn/s  purity  ratio   dense/s  purity  ratio"
        )
    with threadpool_limits(options.threads):
        for n in options.sizes:
            print(compare_fits(n, options.rounds if n <= 10_000 else 1), flush=True)
    if options.large:
        print_stages(options.large, options.neighbours)


if __name__ == "__main__":
    main()
