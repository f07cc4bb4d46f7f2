"""Instances in the order of their bags, so that a bag is a run of rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from algorithms.bags import Bags, FloatArray, IntArray

_Number = TypeVar("_Number", bound=np.generic)


@dataclass(frozen=True, eq=False)
class SortedBags:
    """The bags that have instances, as consecutive runs of rows.

    Run `i` is rows ``starts[i] : starts[i] + sizes[i]`` of `X`. As no run is empty, ``starts`` may
    be given to ``np.add.reduceat`` and its like.

    Attributes
    ----------
    X : ndarray, shape (n_instances, n_features)
        Instances ordered by bag; within a bag in the order that they were given in.
    order : ndarray of int64, shape (n_instances,)
        Row of ``Bags.X`` that each row of `X` is.
    starts : ndarray of int64, shape (n_filled,)
        First row of each run.
    sizes : ndarray of int64, shape (n_filled,)
        Number of rows of each run, 1 or more.
    bag_numbers : ndarray of int64, shape (n_filled,)
        Bag of each run, rising: those without instances are missing.
    n_bags : int
        Number of bags, those without instances included.
    """

    X: FloatArray
    order: IntArray
    starts: IntArray
    sizes: IntArray
    bag_numbers: IntArray
    n_bags: int

    @property
    def n_filled(self) -> int:
        """Number of bags that have instances."""
        return len(self.sizes)

    @cached_property
    def means(self) -> FloatArray:
        """Mean of the rows of each run, shape (n_filled, n_features)."""
        return np.add.reduceat(self.X, self.starts, axis=0) / self.sizes[:, None]

    @property
    def run(self) -> IntArray:
        """Run of each row of `X`, 0 .. n_filled - 1, shape (n_instances,)."""
        return np.repeat(np.arange(self.n_filled), self.sizes)

    def to_bags(self, values: npt.NDArray[_Number], fill: float) -> npt.NDArray[_Number]:
        """Give each bag the value of its run.

        Parameters
        ----------
        values : ndarray, shape (n_filled,) or (n_filled, L)
            What the runs have.
        fill : float
            What bags without instances get.

        Returns
        -------
        ndarray, shape (n_bags,) or (n_bags, L)
            Of the type of `values`.
        """
        spread = np.full((self.n_bags, *values.shape[1:]), fill, dtype=values.dtype)
        spread[self.bag_numbers] = values
        return spread


def sorted_bags(bags: Bags) -> SortedBags:
    """Order the instances of `bags` by bag."""
    order = np.argsort(bags.bag, kind="stable").astype(np.int64)
    filled = np.flatnonzero(bags.sizes > 0).astype(np.int64)
    sizes = bags.sizes[filled]
    starts = np.cumsum(sizes) - sizes
    return SortedBags(bags.X[order], order, starts, sizes, filled, bags.n_bags)
