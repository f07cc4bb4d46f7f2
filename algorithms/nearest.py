"""The nearest neighbours of every instance of a data set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

from algorithms.bags import FloatArray, IntArray
from algorithms.errors import ClusteringError
from algorithms.threads import one_blas_thread

NeighbourSearch = Literal["exact", "approximate"]
# Whose candidates they are, in rising order, and which instances, rising for each.
_Candidates = tuple[IntArray, IntArray]
_SingleArray = npt.NDArray[np.float32]

_BLOCK_ENTRIES = 1 << 22  # largest temporary array, in float64 entries: 32 MB
_SPARE_NEIGHBOURS = 8  # asked for beyond k, so that ties are broken by index and not by the search
_TREE_FEATURES = 15  # up to so many a tree search is faster than comparing all pairs
_GROUPS = 128  # of instances, whose minima bound the distance to the neighbours
_SCREEN_ENTRIES = 1 << 20  # distances screened at once; they should stay in the cache ...
_SCREEN_ROWS = 64  # ... but products of fewer rows are slow
_UNDERFLOW = 1e-30  # more than the squares that a float32 drops, coordinates being 1 at most


def nearest_neighbours(
    X: FloatArray, k: int, neighbours: NeighbourSearch, seed: int
) -> tuple[IntArray, FloatArray]:
    """Find the `k` nearest others of every instance; ties go to the lower index.

    The search only proposes candidates: their distances are computed anew, because fast searches
    expand the square and lose what distinguishes near-duplicates.

    Parameters
    ----------
    X : ndarray, shape (n_instances, n_features)
        Features.
    k : int
        Below the number of instances.
    neighbours : {"exact", "approximate"}
        How candidates are searched; see :func:`algorithms.graph.knn_affinity`.
    seed : int
        Seed of the approximate search.

    Returns
    -------
    indices : ndarray of int64, shape (n_instances, k)
        From the nearest to the farthest.
    squared : ndarray, shape (n_instances, k)
        Their squared distances.

    Raises
    ------
    ClusteringError
        When the approximate search is not installed or finds too few.
    """
    n, n_features = X.shape
    n_candidates = min(n, k + 1 + _SPARE_NEIGHBOURS)
    most_rows = max(1, _BLOCK_ENTRIES // max(1, n_candidates * n_features))
    n_threads = 1
    propose: Callable[[slice], _Candidates]
    if neighbours == "approximate":
        propose = _approximate(X, n_candidates, seed)
    elif n_features <= _TREE_FEATURES or n < 2 * _GROUPS or k >= _GROUPS:
        propose = _exact(X, n_candidates)
    else:
        propose = _Screen.of(X, k, _exact(X, n_candidates))
        most_rows = min(most_rows, max(_SCREEN_ROWS, _SCREEN_ENTRIES // n))
        n_threads = _n_threads()
    indices = np.empty((n, k), dtype=np.int64)
    squared = np.empty((n, k))

    def search(rows: slice) -> None:
        indices[rows], squared[rows] = _choose(X, rows, propose(rows), k)

    if n_threads == 1:
        for rows in _blocks(n, most_rows):
            search(rows)
    else:
        with one_blas_thread(), ThreadPoolExecutor(n_threads) as pool:
            list(pool.map(search, _blocks(n, most_rows)))
    return indices, squared


def _blocks(n_rows: int, step: int) -> Iterator[slice]:
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def _n_threads() -> int:
    """Threads that products of matrices may use."""
    threads = [int(pool["num_threads"]) for pool in threadpool_info() if pool["user_api"] == "blas"]
    return max(1, min(threads, default=1))


def _choose(
    X: FloatArray, rows: slice, candidates: _Candidates, k: int
) -> tuple[IntArray, FloatArray]:
    """Pick the k nearest others of some instances from their candidates, at least k for each."""
    owner, candidate = candidates
    others = owner != candidate
    owner, candidate = owner[others], candidate[others]
    with np.errstate(over="ignore"):  # the graph tells the user
        squared = ((X[candidate] - X[owner]) ** 2).sum(axis=1)
    order = np.lexsort((squared, owner))  # stable: ties stay in rising order of the candidates
    first = np.searchsorted(owner, np.arange(rows.start, rows.stop))
    chosen = order[first[:, None] + np.arange(k)]
    return candidate[chosen], squared[chosen]


def _listed(rows: slice, table: IntArray) -> _Candidates:
    """Turn a table with the candidates of one instance per row into a list."""
    owner = np.repeat(np.arange(rows.start, rows.stop), table.shape[1])
    return owner, np.sort(table, axis=1).ravel()


def _exact(X: FloatArray, n_candidates: int) -> Callable[[slice], _Candidates]:
    from sklearn.neighbors import NearestNeighbors

    finder = NearestNeighbors(n_neighbors=n_candidates, n_jobs=-1).fit(X)

    def propose(rows: slice) -> _Candidates:
        found = finder.kneighbors(X[rows], return_distance=False)
        return _listed(rows, np.asarray(found, dtype=np.int64))

    return propose


def _approximate(X: FloatArray, n_candidates: int, seed: int) -> Callable[[slice], _Candidates]:
    try:
        from pynndescent import NNDescent
    except ImportError:
        raise ClusteringError(
            'neighbours="approximate" needs pynndescent: pip install "birdmodes[large]", '
            'or use neighbours="exact"'
        ) from None
    # Its threads race for updates: one thread gives the same neighbours every time, as fast.
    index: Any = NNDescent(X, n_neighbors=n_candidates, random_state=seed, n_jobs=1)
    table = np.asarray(index.neighbor_graph[0], dtype=np.int64)
    if (table < 0).any():  # it gives up among many identical instances
        raise ClusteringError(
            'the approximate search found too few neighbours: use neighbours="exact"'
        )
    return lambda rows: _listed(rows, table[rows])


@dataclass(frozen=True, eq=False)
class _Screen:
    r"""All pairs compared in float32, and those kept that may be neighbours.

    Instance j is in group j mod G. The (k + 1)-th smallest of the G minima of a row of distances
    (an instance itself is among them) is no less than its distance to its k-th neighbour, and what
    does not exceed it is a candidate: hardly more than k, if G is well above k.

    With a = ||x||^2, b = ||y||^2 and c = (d + 8) 2^-24, b - 2 x'y from float32 errs by no more than
    c (a + 2 b), so that (1 - 2c) b - 2 x'y is a lower bound up to c a, and as b <= 2 a + 2 ||x -
    y||^2, where it is m the distance is at most ((1 + 9c) a + m) / (1 - 8c). So no neighbour is
    lost to rounding.

    Attributes
    ----------
    points : ndarray of float32, shape (n, d + 1)
        Centred instances x, 1 at most in any coordinate, times -2, and a 1.
    columns : ndarray of float32, shape (d + 1, n)
        The instances, and (1 - 2c) times their squared lengths.
    squares : ndarray, shape (n,)
        Their squared lengths a.
    k : int
        Number of neighbours.
    unscreened : callable
        Proposes candidates where float32 cannot tell the instances apart.
    """

    points: _SingleArray
    columns: _SingleArray
    squares: FloatArray
    k: int
    unscreened: Callable[[slice], _Candidates]

    @classmethod
    def of(cls, X: FloatArray, k: int, unscreened: Callable[[slice], _Candidates]) -> _Screen:
        n, n_features = X.shape
        with np.errstate(over="ignore", invalid="ignore"):  # of sizes that nothing can compare
            centred = X - X.mean(axis=0)
            largest = float(np.abs(centred).max())
            centred /= largest if largest > 0 else 1.0
        columns = np.empty((n_features + 1, n), dtype=np.float32)
        columns[:-1] = centred.T
        squares = (columns[:-1].astype(np.float64) ** 2).sum(axis=0)
        columns[-1] = (1.0 - 2.0 * _rounding(n_features)) * squares
        points = np.ones((n, n_features + 1), dtype=np.float32)
        points[:, :-1] = -2.0 * columns[:-1].T
        return cls(points, columns, squares, k, unscreened)

    def __call__(self, rows: slice) -> _Candidates:
        lowest = self.points[rows] @ self.columns
        n = lowest.shape[1]
        grouped = lowest[:, : n - n % _GROUPS].reshape(len(lowest), -1, _GROUPS)
        nth = np.partition(grouped.min(axis=1), self.k, axis=1)[:, self.k]
        c, squares = _rounding(len(self.columns) - 1), self.squares[rows]
        farthest = ((1.0 + 9.0 * c) * squares + nth) / (1.0 - 8.0 * c)
        bound = (farthest - (1.0 - c) * squares + _UNDERFLOW).astype(np.float32)
        kept = lowest <= np.nextafter(bound, np.float32(np.inf))[:, None]
        most = 4 * (self.k + 1 + _SPARE_NEIGHBOURS) * len(kept)
        # Where overflow has left no number, nothing is kept.
        if np.count_nonzero(kept) > most or not np.isfinite(bound).all():
            return self.unscreened(rows)
        owner, candidate = np.divmod(np.flatnonzero(kept), n)
        return owner + rows.start, candidate


def _rounding(n_features: int) -> float:
    return (n_features + 8) * 2.0**-24
