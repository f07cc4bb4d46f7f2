"""Blocks of whole bags, and tables of mostly zeros."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.blocks.rows import Packed, PackedRows, blocks_of_bags, column_variances

BAGS = st.lists(st.integers(0, 6), max_size=40).map(lambda bag: np.array(bag, dtype=np.int64))


@given(bag=BAGS, n_rows=st.integers(1, 50))
def test_every_row_is_in_one_block_and_no_bag_in_two(bag: np.ndarray, n_rows: int) -> None:
    blocks = blocks_of_bags(bag, n_rows)
    assert sorted(np.concatenate([*blocks, []]).tolist()) == list(range(len(bag)))
    own = [set(bag[rows].tolist()) for rows in blocks]
    assert sum(map(len, own)) == len(set(bag.tolist()))
    assert all(len(rows) >= n_rows for rows in blocks[:-1])


def test_rows_that_are_sorted_by_bag_stay_in_their_order() -> None:
    blocks = blocks_of_bags(np.array([0, 0, 1, 2, 2, 2, 3]), 3)
    assert [rows.tolist() for rows in blocks] == [[0, 1, 2], [3, 4, 5], [6]]


@pytest.mark.parametrize("n_rows", [1, 7, 1000])
def test_variances_are_those_of_the_table(n_rows: int) -> None:
    X = np.random.default_rng(0).standard_normal((50, 3)) + 100
    np.testing.assert_allclose(column_variances(X, n_rows=n_rows), X.var(axis=0), rtol=1e-12)
    squares = column_variances(X, np.square, n_rows)
    np.testing.assert_allclose(squares, (X**2).var(axis=0), rtol=1e-12)


@given(bag=BAGS.filter(len), n_rows=st.integers(1, 20), seed=st.integers(0, 100))
def test_packing_loses_nothing(bag: np.ndarray, n_rows: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.standard_normal((len(bag), 5)) * (rng.random((len(bag), 5)) < 0.3)
    rows = blocks_of_bags(bag, n_rows)
    blocks = [Packed.of(table[own]) for own in rows]
    assert all((b.table() == table[own]).all() for b, own in zip(blocks, rows, strict=True))
    for block in blocks:
        np.testing.assert_allclose(block.of_each_column(), block.table().sum(axis=0))
    joined = PackedRows.of(blocks, rows, 4)
    assert (joined.table() == table[:, :4]).all()
    some = rng.integers(0, len(bag), 6)
    assert (joined.table(some) == table[some, :4]).all()
