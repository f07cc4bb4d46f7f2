from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from algorithms import Bags
from algorithms.errors import ClusteringError
from algorithms.spectral.csp import CSP
from algorithms.spectral.csp_no_pairs import CSPNoPairs
from algorithms.spectral.sp import SP

MakeBags = Callable[..., tuple[Bags, Any]]


def without_pairs(Q: np.ndarray, bags: Bags, *, unlabelled_too: bool) -> np.ndarray:
    """0 where two label sets are one and the same class, or share none."""
    labels = bags.labels[bags.bag].astype(int)
    shared, sizes = labels @ labels.T, labels.sum(axis=1)
    both = np.outer(sizes > 0, sizes > 0)
    pair = both & ((shared == 0) | ((np.outer(sizes, sizes) == 1) & (shared == 1)))
    return np.where(pair | (unlabelled_too & ~both), 0.0, Q)


@pytest.mark.parametrize("centering", ["paper", "exact"])
@pytest.mark.parametrize("k", [3, 5])
def test_it_is_algorithm_1_with_entries_of_pairs_set_to_zero(
    blob_bags: MakeBags, algorithm_1: Callable[..., Any], centering: str, k: int
) -> None:
    """For every number of clusters, more than classes included."""
    bags, _ = blob_bags(0, n_bags=14, unlabelled=0.3, spread=1.2)
    literal = algorithm_1(bags, k=k, alpha=0.7, centering=centering)
    Q = without_pairs(literal.Q, bags, unlabelled_too=centering == "exact")
    root = np.diag(np.diag(literal.D) ** -0.5)
    values, vectors = np.linalg.eigh(root @ (literal.W + 0.7 * Q) @ root)
    fitted = CSPNoPairs(k, centering=centering).fit(bags)
    np.testing.assert_allclose(fitted.eigenvalues_, values[::-1][:k], rtol=1e-9)
    rows = vectors[:, ::-1][:, :k]
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    np.testing.assert_allclose(fitted.embedding_ @ fitted.embedding_.T, rows @ rows.T, atol=1e-7)
    assert not np.allclose(fitted.eigenvalues_, CSP(k, centering=centering).fit(bags).eigenvalues_)


def test_without_weight_it_is_sp_bit_for_bit(blob_bags: MakeBags) -> None:
    bags, _ = blob_bags(1, spread=1.0)
    one, sp = CSPNoPairs(4, alpha=0).fit(bags), SP(4).fit(bags)
    assert (one.labels_ == sp.labels_).all()
    assert (one.embedding_ == sp.embedding_).all()


def test_where_every_bag_holds_one_class_nothing_is_left(blob_bags: MakeBags) -> None:
    bags, _ = blob_bags(2, spread=1.0)
    single = Bags(bags.X, bags.bag, np.eye(3, dtype=bool)[np.arange(bags.n_bags) % 3])
    sp = SP(3).fit(single).eigenvalues_
    for centering in ("paper", "exact"):
        fitted = CSPNoPairs(3, centering=centering).fit(single)
        np.testing.assert_allclose(fitted.eigenvalues_, sp, atol=1e-12)


def test_alpha_out_of_range_is_told(blob_bags: MakeBags) -> None:
    with pytest.raises(ClusteringError, match="alpha must be a number from 0"):
        CSPNoPairs(3, alpha=-1).fit(blob_bags(3)[0])
