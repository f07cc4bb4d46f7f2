"""Ridge regression that predicts every bag from all the others, in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_factor, solve_triangular

from algorithms.bags import FloatArray, IntArray
from algorithms.blocks.rows import Packed
from algorithms.blocks.runners import Arrays, Runner

Coordinates = npt.NDArray[np.floating[Any]]
"""Of single or double precision."""


_RIDGE, _RIDGE_INSTANCES, _RIDGE_POWER = 0.1, 640, 2 / 3
_FEW_BAGS, _MOST_FOR_FEW = 12, 1.0
_TILE = 4  # columns of a product that are made together; one or two left over take as long


def usual_penalty(n_instances: int, n_bags: int) -> float:
    """Penalty that suits so many instances: the more there are, the larger.

    It is larger too where there are few bags, which say little however many instances they hold.
    """
    of_instances = _RIDGE * max(1.0, n_instances / _RIDGE_INSTANCES) ** _RIDGE_POWER
    of_bags = min(_FEW_BAGS / max(1, n_bags), _MOST_FOR_FEW)
    return float(max(of_instances, of_bags))


@dataclass(frozen=True, eq=False)
class LeaveBagOutRidge:
    """Ridge regression from coordinates to targets, with exact predictions for left-out bags.

    With A = Phi'Phi + ridge I and the hat matrix H = Phi A^-1 Phi', the residual of bag b in a
    regression that never saw b is (I - H_bb)^-1 times its residual in the one regression that saw
    everything. So no folds are needed: A = LL' is factored once, and the predictions for any number
    of targets cost two products with Phi L'^-1 and one small solution per bag.

    Rows come in blocks of whole bags; what is summed over rows is summed block by block.

    Attributes
    ----------
    runner : Runner
        Who works on the blocks.
    halves : sequence
        Of each block U = Phi L'^-1, so that H = UU', of the coordinates' precision; then for the
        bags of each size their rows and the inverses of I - H_bb, or for bags of more rows than m,
        those of I - U_b'U_b, with H_bb = U_b U_b'.
    factor : ndarray, shape (m, m)
        L, lower.
    precision : numpy.dtype
        Of the coordinates.

    References
    ----------
    Cook & Weisberg, Residuals and influence in regression (1982), section 2.2, for the deletion
    of several cases at once.
    """

    runner: Runner
    halves: Sequence[Any]
    factor: FloatArray
    precision: np.dtype[Any]

    @classmethod
    def fit(
        cls,
        coordinates: Sequence[Any],
        bags: Sequence[IntArray],
        ridge: float | None,
        runner: Runner,
    ) -> LeaveBagOutRidge:
        """Factor what does not depend on the targets.

        Parameters
        ----------
        coordinates : sequence
            What `runner` made of each block: an array of shape (n, m), one row per instance.
        bags : sequence of ndarray of int64, shape (n,)
            Bag of each instance of a block; no bag in two blocks.
        ridge : float or None
            Penalty, above 0; None takes :func:`usual_penalty`.
        runner : Runner
            Who works on the blocks.
        """
        if ridge is None:
            n_bags = sum(len(np.unique(bag)) for bag in bags)
            ridge = usual_penalty(sum(len(bag) for bag in bags), n_bags)
        grams = runner.results(_gram, coordinates)
        gram = next(grams)
        precision = gram.dtype
        gram = gram.astype(np.float64)
        for further in grams:
            gram += further
        gram[np.diag_indices(len(gram))] += ridge
        factor = np.tril(cho_factor(gram, lower=True)[0])
        halves = runner.make(_half, coordinates, bags, shared=[factor.astype(precision)])
        return cls(runner, halves, factor, precision)

    def coefficients(self, targets: Sequence[Packed], mean: FloatArray) -> FloatArray:
        """Coefficients of the regression on all rows, shape (m, n_targets).

        Parameters
        ----------
        targets : sequence of Packed
            Of each block.
        mean : ndarray, shape (n_targets,)
            Taken from every row of them.
        """
        of_half = self._of_half(targets, mean).astype(np.float64)
        found = solve_triangular(self.factor, of_half, lower=True, trans="T")
        return np.asarray(found, dtype=np.float64)

    def predict_left_out(self, targets: Sequence[Packed], mean: FloatArray) -> Sequence[Any]:
        """Predict each row's targets from the rows of all other bags.

        Parameters
        ----------
        targets, mean
            As for :meth:`coefficients`.

        Returns
        -------
        sequence
            What the runner made of each block: an array of shape (n, n_targets).
        """
        of_half = _in_tiles(self._of_half(targets, mean))
        return self.runner.make(_left_out, self.halves, targets, shared=[mean, of_half])

    def _of_half(self, targets: Sequence[Packed], mean: FloatArray) -> Coordinates:
        sums = self.runner.results(_times_targets, self.halves, targets, shared=[mean])
        total = next(sums).astype(np.float64)
        for further in sums:
            total += further
        found: Coordinates = total.astype(self.precision)
        return found


def _gram(made: Arrays) -> Coordinates:
    coordinates = made[0]
    found: Coordinates = coordinates.T @ coordinates
    return found


def _half(made: Arrays, bag: IntArray, root: Coordinates) -> Arrays:
    half: Coordinates = solve_triangular(root, made[0].T, lower=True, check_finite=False).T
    of_sizes: list[npt.NDArray[Any]] = []
    for rows in _rows_by_size(bag):
        of_bag = half[rows].astype(np.float64)
        if rows.shape[1] <= half.shape[1]:
            inner = of_bag @ of_bag.transpose(0, 2, 1)
        else:
            inner = of_bag.transpose(0, 2, 1) @ of_bag
        of_sizes += [rows, np.linalg.inv(np.eye(inner.shape[1]) - inner)]
    return (half, *of_sizes)


def _times_targets(made: Arrays, targets: Packed, mean: FloatArray) -> Coordinates:
    half = made[0]
    less_mean = (targets.table() - mean).astype(half.dtype)
    # The transpose of what is wanted takes two thirds of the time.
    found: Coordinates = np.ascontiguousarray((less_mean.T @ half).T)
    return found


def _in_tiles(of_half: Coordinates) -> Coordinates:
    """Columns of zeros added: for 64 columns a product takes a fifth less time than for 62."""
    n_rows, n_columns = of_half.shape
    tiles = np.zeros((n_rows, -(-n_columns // _TILE) * _TILE), dtype=of_half.dtype)
    tiles[:, :n_columns] = of_half
    return tiles


def _left_out(made: Arrays, packed: Packed, mean: FloatArray, of_half: Coordinates) -> Arrays:
    half, *of_sizes = made
    targets = packed.table() - mean
    residual = targets - (half @ of_half)[:, : targets.shape[1]]
    predicted = np.empty_like(targets)
    for rows, inverse in zip(of_sizes[::2], of_sizes[1::2], strict=True):
        own = residual[rows]
        if rows.shape[1] <= half.shape[1]:
            left_out = inverse @ own
        else:  # the same by Woodbury's identity, for bags of many rows
            of_bag = half[rows].astype(np.float64)
            left_out = own + of_bag @ (inverse @ (of_bag.transpose(0, 2, 1) @ own))
        predicted[rows] = targets[rows] - left_out
    return (predicted,)


def _rows_by_size(bag: IntArray) -> list[IntArray]:
    """Rows of the bags of each size, as one (n_bags, size) array per size."""
    order = np.argsort(bag, kind="stable")
    sizes = np.unique(bag, return_counts=True)[1]
    starts = np.cumsum(sizes) - sizes
    return [order[starts[sizes == size][:, None] + np.arange(size)] for size in np.unique(sizes)]
