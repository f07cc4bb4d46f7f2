"""What several benchmarks share: bags to cluster, and a stopwatch."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from algorithms import Bags
from algorithms.preprocessing import standardize

N_SPECIES = 13
N_FEATURES = 38
NOISE = 0.5  # with much less, the copies of a syllable are islands that no neighbour leaves


def synthetic_bags(n: int, seed: int = 0) -> tuple[Bags, npt.NDArray[np.int64]]:
    """Make bags of overlapping round species, and the species of every syllable."""
    rng = np.random.default_rng(seed)
    n_bags = n // 9
    labels = rng.random((n_bags, N_SPECIES)) < 2 / N_SPECIES
    silent = np.flatnonzero(~labels.any(axis=1))
    labels[silent, rng.integers(0, N_SPECIES, len(silent))] = True
    bag = np.sort(np.concatenate([np.arange(n_bags), rng.integers(0, n_bags, n - n_bags)]))
    species = np.array([rng.choice(np.flatnonzero(labels[m])) for m in bag])
    centres = 0.8 * rng.standard_normal((N_SPECIES, N_FEATURES))
    return Bags(centres[species] + rng.standard_normal((n, N_FEATURES)), bag, labels), species


def hja_file() -> Path | None:
    """Find the HJA birdsong set in the shared material, if that is here."""
    root = os.environ.get("BIRDMODES_SHARED")
    file = Path(root or "") / "datasets" / "hja-birdsong" / "dataset.npz"
    return file if root and file.is_file() else None


def resampled_bags(n: int, seed: int = 0) -> tuple[Bags, npt.NDArray[np.int64]]:
    """Draw whole bags of the HJA birdsong set with replacement, and add noise to the features.

    Without that set, :func:`synthetic_bags` stand in.
    """
    file = hja_file()
    if file is None:
        return synthetic_bags(n, seed)
    with np.load(file, allow_pickle=False) as data:
        X, bag, y, labels = (data[key] for key in ("X", "bag", "y", "bag_labels"))
    rng = np.random.default_rng(seed)
    members = np.split(np.arange(len(bag)), np.flatnonzero(np.diff(bag)) + 1)
    drawn = rng.integers(0, len(members), 1 + n * len(members) // len(bag) * 2)
    sizes = np.array([len(members[m]) for m in drawn])
    drawn = drawn[: 1 + np.searchsorted(sizes.cumsum(), n)]
    rows = np.concatenate([members[m] for m in drawn])[:n]
    new_bag = np.repeat(np.arange(len(drawn)), sizes[: len(drawn)])[:n]
    features = standardize(X)[rows] + NOISE * rng.standard_normal((n, X.shape[1]))
    return Bags(features, new_bag, labels[drawn]), y[rows]


def seconds(function: Callable[[], Any], repeats: int) -> float:
    """Median time of a call."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)
