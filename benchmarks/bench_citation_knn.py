"""How long citation-knn takes on 4 000 bags, against two other ways, in one run.

Run as ``python benchmarks/bench_citation_knn.py``. The bags are random, of nine instances on
average and 38 features. Learning finds how far each of the 4 000 training bags has its 20th
neighbour, and 1 000 other bags are then annotated. Processor time, on one thread, against

- "loop": the distance of every pair of bags by ``scipy``'s ``cdist``, in a loop in Python. It is
  timed on some pairs, and what all of them would take is reckoned from that.
- "scikit-learn": ``pairwise_distances_chunked`` of all instances, whose chunks are reduced to bags
  by ``numpy.minimum.reduceat``; for the minimal distance only.

Both are timed for the distances alone, as these take nearly all of the time; the distances must
agree. Ratios say how many times as long as this package they take. Memory is the most that was in
use beyond the bags while learning and annotating (numpy's arrays included).
"""

from __future__ import annotations

import argparse
import time
import tracemalloc
from collections.abc import Callable
from typing import Literal

import numpy as np
import numpy.typing as npt
from _common import synthetic_bags
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances_chunked
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from algorithms import Bags
from algorithms.distances import bag_distances
from algorithms.layout import SortedBags, sorted_bags
from algorithms.metric.citation_knn import CitationKNN

LOOP_PAIRS = 100_000
BAG_SIZE = 9

Kind = Literal["min", "max"]
Array = npt.NDArray[np.float64]


def taken(function: Callable[[], object], repeats: int) -> float:
    """Least processor time of a call."""
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        function()
        best = min(best, time.process_time() - start)
    return best


def loop(one: SortedBags, two: SortedBags, n_rows: int, kind: Kind) -> Array:
    """The baseline "loop", for some rows of the table."""
    left, right = (np.split(side.X, side.starts[1:]) for side in (one, two))
    distances = np.empty((n_rows, len(right)))
    for m in range(n_rows):
        for other, members in enumerate(right):
            between = cdist(left[m], members)
            distances[m, other] = (
                between.min()
                if kind == "min"
                else max(between.min(axis=0).max(), between.min(axis=1).max())
            )
    return distances


def chunked(one: SortedBags, two: SortedBags) -> Array:
    """The baseline "scikit-learn": minimal distances of all bags."""

    def of_bags(chunk: Array, _: int) -> Array:
        return np.minimum.reduceat(chunk, two.starts, axis=1)

    parts = pairwise_distances_chunked(one.X, two.X, reduce_func=of_bags, working_memory=64)
    return np.asarray(np.minimum.reduceat(np.vstack(list(parts)), one.starts, axis=0))


def compare(train: Bags, new: Bags, kind: Kind, repeats: int) -> None:
    """Measure one distance and print two lines."""
    learner = CitationKNN(distance=kind)
    tracemalloc.start()
    learner.fit(train)
    learner.decision_function(new)
    most = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    ours = {
        "learning": taken(lambda: learner.fit(train), repeats),
        "annotating": taken(lambda: learner.decision_function(new), repeats),
    }
    laid_out = sorted_bags(train)
    # Learning needs each pair of bags once, annotating all pairs of an old and a new one.
    sides = {
        "learning": (laid_out, train.n_bags * (train.n_bags - 1) / 2),
        "annotating": (sorted_bags(new), train.n_bags * new.n_bags),
    }
    for task, (side, n_pairs) in sides.items():
        n_rows = min(side.n_bags, max(1, LOOP_PAIRS // train.n_bags))
        start = time.process_time()
        expected = loop(side, laid_out, n_rows, kind)
        looped = (time.process_time() - start) * n_pairs / expected.size
        bags = train if task == "learning" else new
        table = bag_distances(bags, kind, None if task == "learning" else train)
        np.testing.assert_allclose(table[:n_rows], expected, rtol=1e-9, atol=0)
        other = "        -"
        if kind == "min":
            start = time.process_time()
            found = chunked(side, laid_out)
            seconds = time.process_time() - start
            np.fill_diagonal(found, table.diagonal())  # a bag with itself: 0 but for rounding
            np.testing.assert_allclose(found, table, rtol=1e-6)
            other = f"{seconds / ours[task]:8.1f}x"
        print(
            f"{kind:5s} {task:12s} {side.n_bags:6d} {ours[task]:9.2f} {looped:9.1f}"
            f" {looped / ours[task]:8.1f}x {other:>14} {most:9.0f}",
            flush=True,
        )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bags", type=int, default=4_000, help="training bags")
    parser.add_argument("--new", type=int, default=1_000, help="bags to annotate")
    parser.add_argument("--repeats", type=int, default=2)
    arguments = parser.parse_args()
    train = synthetic_bags(BAG_SIZE * arguments.bags, seed=0)[0]
    new = synthetic_bags(BAG_SIZE * arguments.new, seed=1)[0]
    print('citation-knn against the baselines "loop" and "scikit-learn", one thread')
    shape = f"{train.n_instances} instances, {train.n_features} features"
    print(f"{train.n_bags} training bags, {shape}")
    print("dist. task           bags    ours/s    loop/s     ratio  scikit-l. ratio   Mbyte")
    with threadpool_limits(limits=1):
        for kind in ("min", "max"):
            compare(train, new, kind, arguments.repeats)


if __name__ == "__main__":
    main()
