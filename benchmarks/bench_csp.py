"""What the operator and the sparse graph of CSP save, measured in one run.

Run as ``python benchmarks/bench_csp.py``. Two comparisons per number of syllables, on synthetic
bags (about 9 syllables and 2 of 13 species each, 38 features, as the HJA birdsong set):

- one product with the bag constraints Q applied as an operator, against the baseline "formed Q":
  Q as an N x N matrix, as Algorithm 1 of Pei & Fern (2013) writes it. Forming it is timed apart.
- a whole fit on the sparse graph of 10 neighbours, against the dense graph of Algorithm 1.

Ratios above 1 say how many times faster this package's way is. Compare ratios, not seconds: the
seconds depend on the machine.
"""

from __future__ import annotations

import argparse

import numpy as np
import numpy.typing as npt
from _common import N_SPECIES, seconds, synthetic_bags

from algorithms import Bags, make_clusterer
from algorithms.constraints.operator import BagConstraints
from algorithms.metrics import normalized_mutual_info


def formed_q(bags: Bags) -> npt.NDArray[np.float64]:
    """The baseline: Q = B (Y'Y - mu I) B' as a matrix."""
    weights = bags.labels / bags.labels.sum(axis=1, keepdims=True)
    similarity = weights @ weights.T
    core = similarity - similarity.mean() * np.eye(bags.n_bags)
    return core[np.ix_(bags.bag, bags.bag)]


def compare_operator(n: int) -> str:
    """Time Q as an operator against Q as a matrix."""
    bags, _ = synthetic_bags(n)
    constraints, Q = BagConstraints.from_bags(bags), formed_q(bags)
    vector = np.random.default_rng(1).standard_normal(n)
    if not np.allclose(constraints @ vector, Q @ vector):
        raise AssertionError("the operator and the formed Q disagree")
    setup = seconds(lambda: BagConstraints.from_bags(bags), 5)
    forming = seconds(lambda: formed_q(bags), 3)
    applied = seconds(lambda: constraints @ vector, 50)
    multiplied = seconds(lambda: Q @ vector, 20)
    return (
        f"{n:6d} {1e3 * applied:11.3f} {1e3 * multiplied:11.3f} {multiplied / applied:7.1f}x"
        f" {1e3 * setup:11.3f} {1e3 * forming:11.1f} {forming / setup:7.0f}x {Q.nbytes / 1e6:9.0f}"
    )


def compare_fit(n: int) -> str:
    """Time a fit on the sparse graph against one on the dense graph."""
    bags, species = synthetic_bags(n)
    took, nmi = {}, {}
    for graph in ("dense", "knn"):
        clusterer = make_clusterer("csp", n_clusters=N_SPECIES, graph=graph)
        took[graph] = seconds(lambda made=clusterer: made.fit(bags), 1)
        nmi[graph] = normalized_mutual_info(species, clusterer.labels_)
    return (
        f"{n:6d} {took['knn']:11.2f} {took['dense']:11.2f} {took['dense'] / took['knn']:7.1f}x"
        f" {nmi['knn']:11.3f} {nmi['dense']:11.3f}"
    )


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[2000, 3000, 4000, 6000])
    sizes = parser.parse_args().sizes
    compare_fit(min(sizes))  # the first fit loads libraries
    print('bag constraints: operator against the baseline "formed Q"')
    print("     N  product/ms formed Q/ms   ratio    setup/ms  forming/ms   ratio  Q/Mbyte")
    for n in sizes:
        print(compare_operator(n), flush=True)
    print("\nwhole fit: sparse graph against the dense graph of Algorithm 1")
    print("     N    sparse/s     dense/s   ratio  sparse NMI   dense NMI")
    for n in sizes:
        print(compare_fit(n), flush=True)


if __name__ == "__main__":
    main()
