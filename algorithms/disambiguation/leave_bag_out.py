"""Ridge regression that predicts every bag from all the others, in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.linalg import cho_factor, solve_triangular

from algorithms.bags import FloatArray, IntArray

Coordinates = npt.NDArray[np.floating[Any]]
"""Of single or double precision."""


_RIDGE, _RIDGE_INSTANCES, _RIDGE_POWER = 0.1, 640, 2 / 3
_FEW_BAGS, _MOST_FOR_FEW = 12, 1.0


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

    Attributes
    ----------
    half : ndarray, shape (n, m)
        U = Phi L'^-1, so that H = UU'; of the coordinates' precision.
    factor : ndarray, shape (m, m)
        L, lower.
    bags : list of tuple
        For bags of one size: the rows (n_bags, size), and the inverses of I - H_bb, or for bags
        of more rows than m, U_b and the inverse of I - U_b'U_b, with H_bb = U_b U_b'.

    References
    ----------
    Cook & Weisberg, Residuals and influence in regression (1982), section 2.2, for the deletion
    of several cases at once.
    """

    half: Coordinates
    factor: FloatArray
    bags: list[tuple[IntArray, FloatArray, FloatArray | None]]

    @classmethod
    def fit(cls, coordinates: Coordinates, bag: IntArray, ridge: float | None) -> LeaveBagOutRidge:
        """Factor what does not depend on the targets.

        Parameters
        ----------
        coordinates : ndarray, shape (n, m)
            One row per instance.
        bag : ndarray of int64, shape (n,)
            Its bag.
        ridge : float or None
            Penalty, above 0; None takes :func:`usual_penalty`.
        """
        if ridge is None:
            ridge = usual_penalty(len(coordinates), len(np.unique(bag)))
        m = coordinates.shape[1]
        gram = (coordinates.T @ coordinates).astype(np.float64)
        gram[np.diag_indices(m)] += ridge
        factor = np.tril(cho_factor(gram, lower=True)[0])
        root = factor.astype(coordinates.dtype)
        half: Coordinates = solve_triangular(root, coordinates.T, lower=True).T
        bags: list[tuple[IntArray, FloatArray, FloatArray | None]] = []
        for rows in _rows_by_size(bag):
            of_bag = half[rows].astype(np.float64)
            if rows.shape[1] <= m:
                hat = of_bag @ of_bag.transpose(0, 2, 1)
                inverse = np.asarray(np.linalg.inv(np.eye(rows.shape[1]) - hat), np.float64)
                bags.append((rows, inverse, None))
            else:
                inner = np.eye(m) - of_bag.transpose(0, 2, 1) @ of_bag
                inverse = np.asarray(np.linalg.inv(inner), np.float64)
                bags.append((rows, inverse, of_bag))
        return cls(half, factor, bags)

    def coefficients(self, targets: FloatArray) -> FloatArray:
        """Coefficients of the regression on all rows, shape (m, n_targets)."""
        of_half = self._of_half(targets).astype(np.float64)
        found = solve_triangular(self.factor, of_half, lower=True, trans="T")
        return np.asarray(found, dtype=np.float64)

    def _of_half(self, targets: FloatArray) -> Coordinates:
        found: Coordinates = self.half.T @ targets.astype(self.half.dtype)
        return found

    def predict_left_out(self, targets: FloatArray) -> FloatArray:
        """Predict each row's targets from the rows of all other bags, shape (n, n_targets)."""
        residual = targets - self.half @ self._of_half(targets)
        predicted = np.empty_like(targets)
        for rows, inverse, of_bag in self.bags:
            own = residual[rows]
            if of_bag is None:
                left_out = inverse @ own
            else:  # the same by Woodbury's identity, for bags of many rows
                left_out = own + of_bag @ (inverse @ (of_bag.transpose(0, 2, 1) @ own))
            predicted[rows] = targets[rows] - left_out
        return predicted


def _rows_by_size(bag: IntArray) -> list[IntArray]:
    """Rows of the bags of each size, as one (n_bags, size) array per size."""
    order = np.argsort(bag, kind="stable")
    sizes = np.unique(bag, return_counts=True)[1]
    starts = np.cumsum(sizes) - sizes
    return [order[starts[sizes == size][:, None] + np.arange(size)] for size in np.unique(sizes)]
