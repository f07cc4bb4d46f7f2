"""How long the distances of all bags take, against a loop over pairs of bags, in one run.

Run as ``python benchmarks/bench_bag_distances.py``. The bags are random, of as many instances and
features as those of known sets: SIVAL, Corel, natural scenes and MUSK2 (whose bags differ much in
size). Two comparisons for each:

- the average Hausdorff distances of all bags, against the baseline "loop": ``scipy`` 's ``cdist``
  for every pair of bags, in Python. Processor time, on one thread. Of many bags the loop is timed
  on some rows of the table, and the rest is reckoned.
- the same on two threads against one, by the clock; and the memory that it takes beyond the table,
  against that of all distances between instances at once.

Ratios above 1 say how many times faster this package's way is. Compare ratios, not seconds: the
seconds depend on the machine.
"""

from __future__ import annotations

import argparse
import time
import tracemalloc

import numpy as np
import numpy.typing as npt
from _common import seconds
from scipy.spatial.distance import cdist
from threadpoolctl import threadpool_limits

from algorithms import Bags
from algorithms.distances import bag_distances

# Name, bags, instances per bag (mean; "skewed" as in MUSK2), features.
SHAPES = {
    "sival": (300, 31, 30),
    "corel-eft": (300, 6.5, 230),
    "natural-scene": (1543, 9, 15),
    "musk2": (102, 64.7, 166),
}
LOOP_PAIRS = 100_000


def random_bags(name: str, factor: float) -> Bags:
    """Make bags of the shape of a set, `factor` times as many."""
    n_bags, mean_size, n_features = SHAPES[name]
    n_bags = round(factor * n_bags)
    rng = np.random.default_rng(0)
    if name == "musk2":
        sizes = rng.lognormal(sigma=1.7, size=n_bags)
        sizes = np.maximum(1, np.round(sizes * mean_size / sizes.mean())).astype(np.int64)
    elif mean_size == round(mean_size):
        sizes = np.full(n_bags, int(mean_size))
    else:
        sizes = 1 + rng.poisson(mean_size - 1, n_bags)
    bag = np.repeat(np.arange(n_bags), sizes)
    return Bags(rng.standard_normal((len(bag), n_features)), bag, np.zeros((n_bags, 0)))


def loop(parts: list[npt.NDArray[np.float64]], n_rows: int) -> npt.NDArray[np.float64]:
    """The baseline, for some rows of the table; each pair of bags once."""
    distances = np.zeros((n_rows, len(parts)))
    for m in range(n_rows):
        for other in range(m + 1, len(parts)):
            between = cdist(parts[m], parts[other])
            total = between.min(axis=0).sum() + between.min(axis=1).sum()
            distances[m, other] = total / (len(parts[m]) + len(parts[other]))
    return distances


def processor_seconds(bags: Bags) -> tuple[float, float]:
    """Processor time of both ways for all pairs; fails if they disagree."""
    times = []
    for _ in range(3):
        start = time.process_time()
        distances = bag_distances(bags, "average")
        times.append(time.process_time() - start)
    parts = np.split(bags.X, np.cumsum(bags.sizes)[:-1])
    n_rows = min(bags.n_bags, max(1, LOOP_PAIRS // bags.n_bags))
    start = time.process_time()
    expected = loop(parts, n_rows)
    looped = time.process_time() - start
    upper = np.triu(np.ones(expected.shape, dtype=np.bool_), 1)
    if not np.allclose(distances[:n_rows][upper], expected[upper], rtol=1e-9, atol=0):
        raise AssertionError("the distances and those of the loop disagree")
    pairs = bags.n_bags * (bags.n_bags - 1) / 2
    return min(times), looped * pairs / upper.sum()


def compare(name: str, factor: float) -> str:
    """Measure one shape."""
    bags = random_bags(name, factor)
    with threadpool_limits(limits=1):
        ours, looped = processor_seconds(bags)
    one, two = (seconds(lambda n=n: bag_distances(bags, "average", n_jobs=n), 3) for n in (1, 2))
    tracemalloc.start()
    table = bag_distances(bags, "average")
    beyond = tracemalloc.get_traced_memory()[1] - table.nbytes
    tracemalloc.stop()
    return (
        f"{name:14s} {bags.n_bags:6d} {bags.n_instances:7d} {bags.n_features:5d} {ours:9.3f}"
        f" {looped:9.3f} {looped / ours:6.1f}x {one / two:9.2f}x {beyond / 1e6:9.1f}"
        f" {8 * bags.n_instances**2 / 1e6:9.0f}"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", nargs="+", choices=SHAPES, default=list(SHAPES))
    parser.add_argument("--factor", type=float, default=1.0, help="times as many bags")
    arguments = parser.parse_args()
    print('average Hausdorff distances of all bags, against the baseline "loop" over pairs of bags')
    print(
        "shape            bags    inst. feat.    ours/s    loop/s   ratio  2 threads  Mbyte    all-"
        "pairs Mbyte"
    )
    for name in arguments.sets:
        print(compare(name, arguments.factor), flush=True)


if __name__ == "__main__":
    main()
