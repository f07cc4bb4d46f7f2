"""The quadratic program of maximum-margin clustering, with its demand for balance.

    minimise   1/2 ||W||^2 + C xi                        over W, shape (k, d), and xi >= 0
    such that  <W, A_j> >= h_j - xi                      for every plane j,
               |(w_p - w_q)'m| <= l                      for every two clusters p and q.

It is solved in its dual, whose size does not depend on the number of features.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from algorithms.bags import BoolArray, FloatArray, IntArray
from algorithms.errors import ClusteringError

if TYPE_CHECKING:
    from scipy.sparse import csc_matrix

_FIRST_PLANES = 16  # room for so many at first
_PRECISION = 1e-10  # of the solver, in numbers of about 1


class BalancedSolution(NamedTuple):
    """Where the quadratic program has its minimum.

    Attributes
    ----------
    weights : ndarray, shape (k, d)
        W.
    slack : float
        xi, the least that its planes allow at W.
    objective : float
        1/2 ||W||^2 + C xi.
    multipliers : ndarray, shape (n_planes,)
        How hard each plane presses; 0 for planes that could as well be missing.
    """

    weights: FloatArray
    slack: float
    objective: float
    multipliers: FloatArray


class BalancedQP:
    r"""The program above, to which planes are added one by one.

    With a_j >= 0 for the planes, W = sum_j a_j A_j + v m', where the row p of v m' is v_p m. The
    paper has a multiplier for each ordered pair of clusters, b_pq >= 0 at the cost l b_pq, and v is
    sum_pq b_pq (e_p - e_q). All that enters the objective is v; its entries sum to 0, and the
    cheapest b that gives it costs l times the sum of its positive entries (what one cluster gives,
    others get). So v = v+ - v- does as well, 2k variables instead of k (k - 1), and the program is

        maximise   -1/2 ||sum_j a_j A_j + (v+ - v-) m'||^2 + h'a - l 1'v+
        such that  a, v+, v- >= 0,  1'a <= C,  1'v+ = 1'v-.

    Where l = 0 a free v takes the place of v+ and v-. Where l >= 2 sqrt(C max h) ||m|| v is left
    out: W is no longer than sqrt(2 C max h), as W = 0 costs C max h, so the balance holds anyway.
    Products of new planes with old ones are added to those that there are.

    Parameters
    ----------
    balance_vector : ndarray, shape (d,)
        m, the sum of the bags' (or instances') features.
    n_clusters : int
        k, from 2.
    C : float
        Weight of the slack, above 0.
    balance : float
        l, from 0.

    References
    ----------
    Zhang, Wang, Si & Li, Maximum margin multiple instance clustering (2011), equations (23) to
    (30); (26) and (27) divide by l, which may be 0.
    """

    def __init__(
        self, balance_vector: FloatArray, n_clusters: int, C: float, balance: float
    ) -> None:
        self._n_clusters, self._C = n_clusters, C
        length = float(np.linalg.norm(balance_vector))
        # For a direction of length 1, v has about the size of the planes.
        self._direction = balance_vector / (length or 1.0)
        self._limit = balance / length if length else np.inf
        self._n_planes = 0
        self._offsets: FloatArray = np.empty(0)
        self._planes: FloatArray = np.empty((0, n_clusters * len(balance_vector)))
        self._moments: FloatArray = np.empty((0, n_clusters))
        self._gram: FloatArray = np.empty((0, 0))

    @property
    def n_planes(self) -> int:
        """Number of planes."""
        return self._n_planes

    def add_plane(self, plane: FloatArray, offset: float) -> None:
        """Demand <W, plane> >= offset - xi.

        Parameters
        ----------
        plane : ndarray, shape (k, d)
        offset : float
        """
        self.add_planes(plane[None], np.array([offset]))

    def add_planes(self, planes: FloatArray, offsets: FloatArray) -> None:
        """Add several planes at once.

        Parameters
        ----------
        planes : ndarray, shape (n, k, d)
        offsets : ndarray, shape (n,)
        """
        first, last = self._n_planes, self._n_planes + len(planes)
        if last > len(self._offsets):
            self._grow(max(last, 2 * len(self._offsets)))
        flat = planes.reshape(len(planes), self._planes.shape[1])
        self._planes[first:last] = flat
        self._offsets[first:last] = offsets
        self._moments[first:last] = planes @ self._direction
        products = self._planes[:last] @ flat.T
        self._gram[:last, first:last] = products
        self._gram[first:last, :last] = products.T
        self._n_planes = last

    def keep_planes(self, kept: BoolArray) -> None:
        """Drop the other planes; `kept` has the shape (n_planes,)."""
        rows = np.flatnonzero(kept)
        self._n_planes = n = len(rows)
        self._planes[:n] = self._planes[rows]
        self._offsets[:n] = self._offsets[rows]
        self._moments[:n] = self._moments[rows]
        self._gram[:n, :n] = self._gram[np.ix_(rows, rows)]

    def replace_planes(self, planes: FloatArray, offsets: FloatArray) -> None:
        """Drop all planes and add these instead; parameters as of :meth:`add_planes`."""
        self._n_planes = 0
        self.add_planes(planes, offsets)

    def solve(self) -> BalancedSolution:
        """Solve the program.

        Returns
        -------
        BalancedSolution
            Without planes W = 0.

        Raises
        ------
        ClusteringError
            When the solver gives up, as it may where features differ by many orders of magnitude.
        """
        s = self._n_planes
        if not s:
            shape = (self._n_clusters, len(self._direction))
            return BalancedSolution(np.zeros(shape), 0.0, 0.0, np.empty(0))
        multipliers, v = self._dual()
        weights = (multipliers @ self._planes[:s]).reshape(self._n_clusters, -1)
        weights += np.outer(v, self._direction)
        values = self._gram[:s, :s] @ multipliers + self._moments[:s] @ v
        slack = max(0.0, float((self._offsets[:s] - values).max()))
        objective = 0.5 * float((weights**2).sum()) + self._C * slack
        return BalancedSolution(weights, slack, objective, multipliers)

    def _grow(self, room: int) -> None:
        s, room = self._n_planes, max(room, _FIRST_PLANES)
        planes, offsets, moments, gram = self._planes, self._offsets, self._moments, self._gram
        self._offsets = np.empty(room)
        self._planes = np.empty((room, planes.shape[1]))
        self._moments = np.empty((room, self._n_clusters))
        self._gram = np.empty((room, room))
        self._offsets[:s], self._planes[:s] = offsets[:s], planes[:s]
        self._moments[:s], self._gram[:s, :s] = moments[:s], gram[:s, :s]

    def _n_blocks(self) -> int:
        """Blocks of k variables that make v up: v+ and v-, or v alone, or none."""
        most = max(0.0, float(self._offsets[: self._n_planes].max()))
        if self._limit >= 2.0 * np.sqrt(self._C * most):
            return 0
        return 2 if self._limit else 1

    def _dual(self) -> tuple[FloatArray, FloatArray]:
        """Solve the dual: multipliers a of the planes, and v for a direction of length 1.

        Units are such that the largest numbers are about 1: planes by the length R of the longest,
        a by t C and v by t C R, with t = min(1, 1 / (C R^2)).
        """
        s, k = self._n_planes, self._n_clusters
        layout = _Layout.of(s, k, self._n_blocks())
        squared = float(self._gram[:s, :s].diagonal().max()) or 1.0
        length = np.sqrt(squared)
        curvature = min(1.0, self._C * squared)
        unit = curvature / squared  # t C
        products = layout.products.copy()
        products[:s, :s] = self._gram[:s, :s] / squared
        for block, sign in layout.blocks:
            products[:s, block] = (sign / length) * self._moments[:s]
        linear = np.zeros(len(products))
        linear[:s] = -self._offsets[:s]
        if self._limit and layout.blocks:
            linear[layout.blocks[0][0]] = length * self._limit
        solution = layout.minimise(curvature * products, linear, self._C / unit)
        multipliers = unit * np.maximum(solution[:s], 0.0)
        multipliers *= self._C / max(multipliers.sum(), self._C)
        v = np.zeros(k)
        for block, sign in layout.blocks:
            v += (sign * unit * length) * solution[block]
        return multipliers, v


@dataclass(frozen=True, eq=False)
class _Layout:
    """What all programs with as many planes and blocks have in common.

    Attributes
    ----------
    blocks : tuple of (slice, float)
        Variables of each block of v, after those of the planes, and its sign.
    products : ndarray, shape (n, n)
        Products of the variables of v with each other; 0 elsewhere.
    rows : csc_matrix, shape (n_equations + n_inequalities, n)
        Left sides: the entries of v sum to 0; multipliers of planes to C at most, and they are not
        negative, nor are v+ and v-.
    n_equations, n_inequalities : int
        Number of rows of each kind, equations first.
    upper : tuple of ndarray
        Rows and columns of the upper triangle of an (n, n) matrix, column by column.
    pattern : tuple of ndarray
        The same rows, and where each column starts among them.
    """

    blocks: tuple[tuple[slice, float], ...]
    products: FloatArray
    rows: csc_matrix
    n_equations: int
    n_inequalities: int
    upper: tuple[IntArray, IntArray]
    pattern: tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]

    @staticmethod
    @lru_cache(maxsize=256)
    def of(n_planes: int, k: int, n_blocks: int) -> _Layout:
        from scipy.sparse import csc_matrix

        n = n_planes + n_blocks * k
        signs = np.array([1.0, -1.0][:n_blocks])
        products = np.zeros((n, n))
        products[n_planes:, n_planes:] = np.kron(np.outer(signs, signs), np.eye(k))
        equation = np.zeros((min(n_blocks, 1), n))
        equation[:, n_planes:] = np.repeat(signs, k)
        total = (np.arange(n) < n_planes).astype(np.float64)
        bounded = -np.eye(n)[: n_planes if n_blocks == 1 else n]
        column, row = np.tril_indices(n)
        starts = np.arange(n + 1) * np.arange(1, n + 2) // 2
        return _Layout(
            tuple(
                (slice(n_planes + i * k, n_planes + (i + 1) * k), signs[i]) for i in range(n_blocks)
            ),
            products,
            csc_matrix(np.vstack([equation, total, bounded])),
            len(equation),
            1 + len(bounded),
            (row, column),
            (row.astype(np.int32), starts.astype(np.int32)),  # scipy would convert them every time
        )

    def minimise(self, products: FloatArray, linear: FloatArray, most: float) -> FloatArray:
        """Minimise 1/2 x'Px + q'x; the multipliers of the planes sum to `most` at most."""
        import clarabel
        from scipy.sparse import csc_matrix

        right = np.zeros(self.n_equations + self.n_inequalities)
        right[self.n_equations] = most
        cones = [clarabel.NonnegativeConeT(self.n_inequalities)]
        if self.n_equations:
            cones.insert(0, clarabel.ZeroConeT(self.n_equations))
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.max_threads = 1
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = _PRECISION
        upper = csc_matrix((products[self.upper], *self.pattern), shape=products.shape)
        solution = clarabel.DefaultSolver(upper, linear, self.rows, right, cones, settings).solve()
        x = np.array(solution.x)
        if not np.isfinite(x).all():
            raise ClusteringError(
                f"the quadratic program of the clusters has no solution within reach "
                f"({solution.status}): bring the features to a common scale"
            )
        return x
