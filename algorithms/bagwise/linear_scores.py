"""What the two margin methods share: options, instances of unit length, and random starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from algorithms.bags import FloatArray
from algorithms.checks import Seed, check_choice, check_count, check_number, check_seed, seed_of

Scaling = Literal["center", "unit", "none"]
"""What is done to the instances before the fit."""


def check_margin_options(clusterer: Any, counts: Sequence[str]) -> None:
    """Check the options that margin methods have in common.

    Parameters
    ----------
    clusterer : BagClusterer
        Has ``random_state``, ``C``, ``balance``, ``eps_cccp``, ``eps_planes`` and ``scaling``.
    counts : sequence of str
        Names of its options that are whole numbers from 1.

    Raises
    ------
    ClusteringError
        When one is out of range; the message names it.
    """
    check_seed(clusterer.random_state)
    for name in counts:
        check_count(name, getattr(clusterer, name))
    check_number("C", clusterer.C, above=True)
    for name in ("balance", "eps_cccp", "eps_planes"):
        check_number(name, getattr(clusterer, name))
    check_choice("scaling", clusterer.scaling, ("center", "unit", "none"))


def unit_length(X: FloatArray) -> FloatArray:
    """Bring every row of `X`, shape (n_instances, n_features), to length 1; zero rows stay."""
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    scaled: FloatArray = X / np.where(lengths > 0, lengths, 1.0)
    return scaled


def random_starts(random_state: Seed, n_init: int, shape: tuple[int, int]) -> list[FloatArray]:
    """Draw the weights that every run starts from, each by a seed of its own.

    Parameters
    ----------
    random_state : int or None
        Same seed, same starts; those of fewer runs are the first of those of more.
    n_init : int
        Number of runs.
    shape : tuple of int
        (n_clusters, n_features).

    Returns
    -------
    list of ndarray
        `n_init` of that shape, standard normal.
    """
    seeds = np.random.default_rng(seed_of(random_state)).spawn(n_init)
    return [seed.standard_normal(shape) for seed in seeds]
