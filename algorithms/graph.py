"""Affinity graphs between instances: locally scaled, dense or sparse.

References
----------
Pei & Fern (2013), section 5.1, for the affinity; Zelnik-Manor & Perona, Self-tuning spectral
clustering, NIPS 2004, for local scaling.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from algorithms.bags import FloatArray, IntArray
from algorithms.errors import ClusteringError
from algorithms.nearest import NeighbourSearch, nearest_neighbours

GraphKind = Literal["dense", "knn"]
if TYPE_CHECKING:
    SparseMatrix = sp.csr_array[np.float64, tuple[int, int]]
else:  # scipy's own class takes no type arguments before 1.16
    SparseMatrix = sp.csr_array

DENSE_LIMIT = 6000
"""Up to this many instances ``graph="auto"`` builds the dense graph (288 MB of float64)."""

RHO_ROWS = 256
"""Rows that the share of the dense graph's weight in a sparse one is estimated from."""

_BLOCK_ENTRIES = 1 << 22  # largest temporary array, in float64 entries: 32 MB
# The smallest sigma whose square is still a normal number.
_TINY_SIGMA = float(np.sqrt(np.finfo(np.float64).tiny))


@dataclass(frozen=True, eq=False)
class Affinity:
    """A symmetric affinity graph W.

    Attributes
    ----------
    W : ndarray or csr_array, shape (n_instances, n_instances)
        Affinities, 0 to 1.
    sigma : ndarray, shape (n_instances,)
        Local scale of each instance: the distance to its t-th neighbour.
    rho : float
        sum(W) over the sum of the dense W of the same instances, at most 1: 1 for a dense graph.
    kind : {"dense", "knn"}
        Which of the two it is.
    """

    W: FloatArray | SparseMatrix
    sigma: FloatArray
    rho: float
    kind: GraphKind

    @property
    def n_instances(self) -> int:
        """Number of instances."""
        return len(self.sigma)

    def degrees(self) -> FloatArray:
        """Sum of every row of W, shape (n_instances,)."""
        return np.asarray(self.W.sum(axis=1), dtype=np.float64)


def build_affinity(
    X: FloatArray,
    *,
    graph: Literal["auto", "dense", "knn"] = "auto",
    n_neighbors: int = 10,
    t: int = 7,
    neighbours: NeighbourSearch = "exact",
    seed: int = 0,
) -> Affinity:
    """Build the affinity graph of `X`: dense up to :data:`DENSE_LIMIT` instances unless told.

    The parameters are those of :func:`dense_affinity` and :func:`knn_affinity`.
    """
    if graph == "dense" or (graph == "auto" and len(X) <= DENSE_LIMIT):
        return dense_affinity(X, t=t)
    return knn_affinity(X, n_neighbors=n_neighbors, t=t, neighbours=neighbours, seed=seed)


def dense_affinity(
    X: FloatArray, *, t: int = 7, scale_factor: float = 2.0, diagonal: float = 1.0
) -> Affinity:
    """Build the complete graph: W_pq = exp(-||x_p - x_q||^2 / (scale_factor sigma_p sigma_q)).

    Parameters
    ----------
    X : ndarray, shape (n_instances, n_features)
        Features.
    t : int
        sigma_p is the distance from x_p to its t-th nearest neighbour, x_p itself not counted; the
        farthest one when there are no more than t instances.
    scale_factor : float
        2 as in Pei & Fern; 1 gives Zelnik-Manor & Perona's own formula.
    diagonal : float
        W_pp: 1 as the formula gives. With 0 a single far outlier has a degree near 0 and takes
        over the leading eigenvectors once bag constraints are added.

    Returns
    -------
    Affinity

    Raises
    ------
    ClusteringError
        When the matrix does not fit into memory or distances overflow.
    """
    n = len(X)
    try:
        W = np.empty((n, n), dtype=np.float64)
    except MemoryError:
        raise ClusteringError(
            f"the dense graph of {n} instances needs {8e-9 * n * n:.0f} GB of memory: "
            'use graph="knn"'
        ) from None
    nth_squared = np.zeros(n)
    nth = min(t, n - 1)
    for rows in _blocks(n, n):
        W[rows] = cdist(X[rows], X, "sqeuclidean")
        # Position 0 of a sorted row is the instance itself, or one identical to it.
        nth_squared[rows] = np.partition(W[rows], nth, axis=1)[:, nth]
    sigma = _local_scales(nth_squared)
    for rows in _blocks(n, n):
        W[rows] = _kernel(W[rows], np.multiply.outer(sigma[rows], sigma), scale_factor)
    np.fill_diagonal(W, diagonal)
    return Affinity(W, sigma, 1.0, "dense")


def knn_affinity(
    X: FloatArray,
    *,
    n_neighbors: int = 10,
    t: int = 7,
    scale_factor: float = 2.0,
    diagonal: float = 1.0,
    neighbours: NeighbourSearch = "exact",
    seed: int = 0,
) -> Affinity:
    """Build the graph of nearest neighbours: W_pq as in the dense graph, or 0.

    An edge is kept when either end counts the other among its nearest `n_neighbors` (W is the
    element-wise maximum of the neighbour matrix and its transpose).

    Parameters
    ----------
    X, t, scale_factor, diagonal
        As for :func:`dense_affinity`.
    n_neighbors : int
        Neighbours of each instance, more than `t`.
    neighbours : {"exact", "approximate"}
        "exact" compares all pairs, block by block and on all cores, or searches a tree where there
        are few features. "approximate" searches with NN-descent, which pays well above 100 000
        instances: its code is compiled first, for most of a minute in every process.
    seed : int
        Seed of the approximate search and of the rows that rho is estimated from.

    Returns
    -------
    Affinity
        ``rho`` is estimated from :data:`RHO_ROWS` random rows.

    Raises
    ------
    ClusteringError
        When `n_neighbors` does not exceed `t`, or the approximate search is not installed.
    """
    n = len(X)
    if n_neighbors <= t:
        raise ClusteringError(
            f"n_neighbors={n_neighbors} must be larger than t={t}: use {t + 1} or more"
        )
    k = min(n_neighbors, n - 1)
    indices, squared = nearest_neighbours(X, k, neighbours, seed)
    sigma = _local_scales(squared[:, min(t, k) - 1] if k else np.zeros(n))
    weights = _kernel(squared, sigma[:, None] * sigma[indices], scale_factor)
    pointers = np.arange(0, n * k + 1, k) if k else np.zeros(n + 1, dtype=np.int64)
    directed = sp.csr_array((weights.ravel(), indices.ravel(), pointers), shape=(n, n))
    W = sp.csr_array(directed.maximum(directed.T) + sp.diags_array(np.full(n, diagonal)))
    W.eliminate_zeros()
    graph = cast(SparseMatrix, W)
    return Affinity(graph, sigma, _rho(graph, X, sigma, scale_factor, diagonal, seed), "knn")


def component_labels(affinity: Affinity) -> IntArray:
    """Find the connected components of a graph.

    An edge counts when its normalised weight W_pq / sqrt(d_p d_q) exceeds the rounding error of a
    float64: a weaker one is invisible to the eigenvectors.

    Returns
    -------
    ndarray of int64, shape (n_instances,)
        Component of every instance, from 0.
    """
    root_degree = np.sqrt(affinity.degrees())
    threshold = float(np.finfo(np.float64).eps)
    W = affinity.W
    if not isinstance(W, np.ndarray):
        edges = W.tocoo()
        rows, columns = edges.row, edges.col
        strong = edges.data > threshold * root_degree[rows] * root_degree[columns]
        kept = sp.csr_array((edges.data[strong], (rows[strong], columns[strong])), shape=W.shape)
        return np.asarray(sp.csgraph.connected_components(kept)[1], dtype=np.int64)
    component = np.full(len(W), -1, dtype=np.int64)
    for start in range(len(W)):
        if component[start] < 0:
            _flood(W, root_degree * threshold, root_degree, component, start)
    return component


def _flood(
    W: FloatArray, weak: FloatArray, root_degree: FloatArray, component: IntArray, start: int
) -> None:
    """Give everything that `start` reaches in a dense graph the next component number."""
    number = int(component.max()) + 1
    component[start] = number
    frontier = np.array([start])
    while len(frontier):
        reached = np.zeros(len(W), dtype=np.bool_)
        for rows in _blocks(len(frontier), len(W)):
            some = frontier[rows]
            reached |= (W[some] > np.multiply.outer(root_degree[some], weak)).any(axis=0)
            if reached.all():
                break
        frontier = np.flatnonzero(reached & (component < 0))
        component[frontier] = number


def _blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Cut rows so that a block of them with `n_columns` columns stays small."""
    step = max(1, _BLOCK_ENTRIES // max(1, n_columns))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def _local_scales(nth_squared: FloatArray) -> FloatArray:
    """Turn squared distances to the t-th neighbour into sigma, which is never 0."""
    if not np.isfinite(nth_squared).all():
        raise ClusteringError(
            "distances between instances overflow: standardise the features first"
        )
    sigma = np.sqrt(nth_squared)
    # More than t identical instances have sigma 0; they keep affinity 1 among themselves.
    return np.maximum(sigma, max(1e-10 * float(np.median(sigma)), _TINY_SIGMA))


def _kernel(squared: FloatArray, products: FloatArray, scale_factor: float) -> FloatArray:
    """exp(-d^2 / (scale_factor sigma sigma')); the arguments are overwritten."""
    with np.errstate(over="ignore"):  # a huge quotient rightly becomes affinity 0
        squared /= products
        squared /= -scale_factor
    return cast(FloatArray, np.exp(squared, out=squared))


def _rho(
    W: SparseMatrix,
    X: FloatArray,
    sigma: FloatArray,
    scale_factor: float,
    diagonal: float,
    seed: int,
) -> float:
    """Estimate sum(W) / sum(dense W) from a sample of the rows of both."""
    n = len(X)
    rng = np.random.default_rng(seed)
    sample = np.sort(rng.choice(n, size=min(n, RHO_ROWS), replace=False))
    dense_sum = (diagonal - 1.0) * len(sample)  # the kernel gives 1 on the diagonal
    for block in _blocks(len(sample), n):
        rows = sample[block]
        products = np.multiply.outer(sigma[rows], sigma)
        dense_sum += _kernel(cdist(X[rows], X, "sqeuclidean"), products, scale_factor).sum()
    return min(1.0, float(W[sample].sum() / dense_sum)) if dense_sum > 0 else 1.0
