"""Affinities in which must-linked pairs have weight 1 and cannot-linked ones weight 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from scipy.sparse import csr_array

from algorithms.bags import BoolArray, FloatArray, IntArray
from algorithms.constraints.pairs import InducedPairs
from algorithms.graph import SparseMatrix
from algorithms.spectral.extension import Edges

_BLOCK_ENTRIES = 1 << 22  # largest temporary array, in entries


@dataclass(frozen=True, eq=False)
class EditedAffinity:
    """A sparse graph, edited: stored edges and cliques, whose pairs are never listed.

    A product costs O(number of edges + n_instances).

    Attributes
    ----------
    kept : csr_array, shape (n_instances, n_instances)
        The edges that no pair touches, and the diagonal.
    pairs : InducedPairs
        Whose must-links have weight 1.
    """

    kept: SparseMatrix
    pairs: InducedPairs

    def __matmul__(self, vectors: FloatArray, /) -> FloatArray:
        """Apply to `vectors` of shape (n_instances,) or (n_instances, L)."""
        cliques = self.pairs.cliques
        linked = cliques.sums_of(cliques.group, vectors)
        inside = cliques.group >= 0
        linked[inside] -= vectors[inside]  # the diagonal is not edited
        return np.asarray(self.kept @ vectors, dtype=np.float64) + linked

    def toarray(self) -> FloatArray:
        """Form the matrix; for small graphs only."""
        same = self.pairs.cliques.same()
        np.fill_diagonal(same, False)
        return self.kept.toarray() + same

    def degrees(self) -> FloatArray:
        """Sum of every row, shape (n_instances,)."""
        return self @ np.ones(self.kept.shape[0])


def edit_dense(W: FloatArray, pairs: InducedPairs) -> FloatArray:
    """Return a dense W with 1 for must-linked and 0 for cannot-linked pairs, shape (n, n)."""
    n = len(W)
    edited = np.empty_like(W)
    step = max(1, _BLOCK_ENTRIES // max(1, n))
    for start in range(0, n, step):
        rows = slice(start, min(start + step, n))
        disjoint = pairs.disjoint_from_bags(pairs.labels[pairs.bag[rows]])[:, pairs.bag]
        edited[rows] = np.where(pairs.cliques.same(rows), 1.0, np.where(disjoint, 0.0, W[rows]))
    np.fill_diagonal(edited, np.diagonal(W))
    return edited


def edit_sparse(W: SparseMatrix, pairs: InducedPairs) -> EditedAffinity:
    """Drop the stored edges of must-linked and cannot-linked pairs; must-links stay cliques."""
    edges = W.tocoo()
    rows, columns = edges.row.astype(np.int64), edges.col.astype(np.int64)
    group = pairs.cliques.group
    must = (group[rows] == group[columns]) & (group[rows] >= 0)
    cannot = pairs.disjoint(pairs.labels, pairs.bag[rows], columns)
    stays = (rows == columns) | ~(must | cannot)
    kept = csr_array((edges.data[stays], (rows[stays], columns[stays])), shape=W.shape)
    return EditedAffinity(cast(SparseMatrix, kept), pairs)


@dataclass(frozen=True, eq=False)
class EditedEdges:
    """Edited affinities of new instances to the training ones.

    Attributes
    ----------
    kept : ndarray or csr_array, shape (n_new, n_instances)
        The edges that no pair touches.
    group : ndarray of int64, shape (n_new,)
        Clique that each new instance joins, or -1.
    pairs : InducedPairs
        Pairs of the training instances.
    """

    kept: Edges
    group: IntArray
    pairs: InducedPairs

    @classmethod
    def edit(cls, edges: Edges, candidates: BoolArray | None, pairs: InducedPairs) -> EditedEdges:
        """Edit the affinities of new instances, of bags with the label sets `candidates`."""
        n_new = edges.shape[0]
        if candidates is None:
            return cls(edges, np.full(n_new, -1, dtype=np.int64), pairs)
        group, others = pairs.group_of(candidates), pairs.cliques.group
        if isinstance(edges, np.ndarray):
            dropped = pairs.disjoint_from_bags(candidates)[:, pairs.bag]
            dropped |= (group[:, None] == others) & (group[:, None] >= 0)
            return cls(np.where(dropped, 0.0, edges), group, pairs)
        listed = edges.tocoo()
        rows, columns = listed.row.astype(np.int64), listed.col.astype(np.int64)
        stays = (group[rows] != others[columns]) | (group[rows] < 0)
        stays &= ~pairs.disjoint(candidates, rows, columns)
        kept = csr_array((listed.data[stays], (rows[stays], columns[stays])), shape=edges.shape)
        return cls(cast(SparseMatrix, kept), group, pairs)

    def __matmul__(self, vectors: FloatArray, /) -> FloatArray:
        """Apply to `vectors` of shape (n_instances,) or (n_instances, L)."""
        linked = self.pairs.cliques.sums_of(self.group, vectors)
        return np.asarray(self.kept @ vectors, dtype=np.float64) + linked

    def degrees(self) -> FloatArray:
        """Sum of every row, shape (n_new,)."""
        return self @ np.ones(self.kept.shape[1])
