from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.metric import pair_products
from algorithms.metric.pair_products import PairProducts


@settings(max_examples=100, deadline=None)
@given(
    n=st.integers(1, 12),
    m=st.integers(1, 40),
    d=st.integers(0, 4),
    n_pairs=st.integers(0, 60),
    block=st.sampled_from([1, 7, 1 << 16]),
    seed=st.integers(0, 2**32 - 1),
)
def test_products_are_those_of_the_matrices(
    n: int, m: int, d: int, n_pairs: int, block: int, seed: int
) -> None:
    """Few pairs or many, repeated or in any order, in one block or several."""
    rng = np.random.default_rng(seed)
    one = rng.integers(-9, 10, (n, d)).astype(np.float64)
    two = rng.integers(-9, 10, (m, d)).astype(np.float64)
    row, column = rng.integers(0, n, n_pairs), rng.integers(0, m, n_pairs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pair_products, "_BLOCK_ENTRIES", block)
        found = PairProducts.of(row, column, (n, m))(one, two)
    np.testing.assert_array_equal(found, (one @ two.T)[row, column])


def test_few_pairs_among_many_are_multiplied_one_by_one() -> None:
    everything = np.divmod(np.arange(200), 20)
    assert PairProducts.of(*everything, (10, 20)).order is not None
    diagonal = np.arange(10)
    assert PairProducts.of(diagonal, diagonal, (10, 200)).order is None
