"""Components and codebooks: right by an independent way, exact, and each row by itself."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.decomposition import PCA

from algorithms.features.codebook import PatchCodebook
from algorithms.features.components import UnitComponents
from algorithms.features.exact import (
    FULL,
    as_whole,
    exact_product,
    exact_weights,
    lengths,
    some_rows,
)


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    rng = np.random.default_rng(0)
    base = rng.gamma(2.0, 20.0, (300, 6)) @ rng.random((6, 50))
    return (base + rng.random((300, 50))).clip(0, 255).astype(np.uint8)


def test_products_are_exact_in_any_order() -> None:
    rng = np.random.default_rng(1)
    whole = rng.integers(0, 256, (20, 1152)).astype(np.uint8)
    weights = exact_weights(rng.standard_normal((1152, 3)))
    found = exact_product(whole, weights)
    order = rng.permutation(1152)
    assert (found == exact_product(whole[:, order], weights[order])).all()
    in_steps = np.rint(weights * 2**20).astype(np.int64)
    assert (found == (whole.astype(np.int64) @ in_steps) / 2**20).all()


def test_weights_that_could_be_rounded_are_refused() -> None:
    with pytest.raises(ValueError, match="not be exact"):
        exact_weights(np.full((2, 2), 65.0))
    with pytest.raises(ValueError, match="not be exact"):
        exact_weights(np.zeros((5000, 1)))


def test_numbers_up_to_one_become_whole_numbers() -> None:
    assert as_whole(np.array([-1.0, 0.0, 0.5, 1.0])).tolist() == [-FULL, 0, FULL // 2, FULL]
    assert lengths(np.array([[3, 4], [0, 0]], dtype=np.uint8)).tolist() == [5.0, 1.0]
    assert some_rows(3, 5, 0).tolist() == [0, 1, 2]
    chosen = some_rows(100, 10, 0)
    assert len(set(chosen.tolist())) == 10
    assert (np.diff(chosen) > 0).all()


def test_components_are_those_of_another_implementation(rows: np.ndarray) -> None:
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    reference = PCA(5, svd_solver="full").fit(unit)
    found = UnitComponents.learn(rows, 5, seed=0)
    np.testing.assert_allclose(
        np.abs(found.apply(rows)), np.abs(reference.transform(unit)), atol=2e-5
    )
    assert found.explained == pytest.approx(reference.explained_variance_ratio_.sum(), abs=1e-4)
    largest = np.abs(found.components).argmax(axis=0)
    assert (found.components[largest, np.arange(5)] > 0).all()


def test_components_of_few_rows_are_those_of_another_implementation(rows: np.ndarray) -> None:
    few = rows[:12]
    unit, of_all = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in (few, rows))
    reference = PCA(5, svd_solver="full").fit(unit)
    found = UnitComponents.learn(few, 5, seed=0)
    np.testing.assert_allclose(
        np.abs(found.apply(rows)), np.abs(reference.transform(of_all)), atol=2e-5
    )
    assert found.explained == pytest.approx(reference.explained_variance_ratio_.sum(), abs=1e-4)
    alone = UnitComponents.learn(few[:1], 5, seed=0)
    assert alone.components.shape == (50, 1)
    np.testing.assert_allclose(alone.apply(few[:1]), 0, atol=1e-6)


def test_coordinates_depend_on_their_own_row_alone(rows: np.ndarray) -> None:
    found = UnitComponents.learn(rows, 8, seed=0)
    together = found.apply(rows)
    for number in (0, 7, 299):
        assert (found.apply(rows[number : number + 1]) == together[number]).all()


def test_there_are_no_more_components_than_directions() -> None:
    line = np.array([[10, 0, 0], [0, 10, 0], [5, 5, 0], [20, 20, 0]], dtype=np.uint8)
    assert UnitComponents.learn(line, 3, seed=0).components.shape == (3, 2)
    same = np.full((4, 3), 7, dtype=np.uint8)
    alone = UnitComponents.learn(same, 3, seed=0)
    assert alone.components.shape == (3, 1)
    np.testing.assert_allclose(alone.apply(same), 0, atol=1e-6)
    assert alone.explained == 1


def test_a_codebook_finds_the_kinds_of_patches() -> None:
    rng = np.random.default_rng(2)
    kinds = rng.integers(0, 200, (4, 24))
    kind = rng.integers(0, 4, 400)
    patches = (kinds[kind] + rng.integers(0, 10, (400, 24))).astype(np.uint8)
    book = PatchCodebook.learn(patches, 4, seed=3)
    np.testing.assert_allclose(np.linalg.norm(book.centres, axis=0), 1, atol=1e-5)
    told = book.describe(patches, np.arange(400), 400)
    # a group of one patch: mean and maximum are the same cosines, of unit length
    np.testing.assert_array_equal(told[:, :4], told[:, 4:])
    np.testing.assert_allclose(np.linalg.norm(told[:, :4], axis=1), 1)
    nearest = told[:, :4].argmax(axis=1)
    for number in range(4):
        assert len(set(nearest[kind == number])) == 1
    assert len(set(nearest)) == 4


def test_groups_of_patches_are_told_by_mean_and_maximum_of_their_own() -> None:
    rng = np.random.default_rng(4)
    patches = rng.integers(0, 256, (60, 16)).astype(np.uint8)
    group = np.repeat(np.arange(20), 3)
    book = PatchCodebook.learn(patches, 6, seed=0)
    told = book.describe(patches, group, 20)
    white = patches @ book.whitening - book.offset
    cosine = white / np.linalg.norm(white, axis=1, keepdims=True) @ book.centres
    like = np.maximum(cosine[3:6], 0)
    for half, expected in ((told[1, :6], like.mean(axis=0)), (told[1, 6:], like.max(axis=0))):
        np.testing.assert_allclose(half, expected / np.linalg.norm(expected), atol=1e-3)
    alone = book.describe(patches[3:6], np.zeros(3, dtype=np.int64), 1)
    assert (alone[0] == told[1]).all()


def test_a_codebook_can_be_larger_than_what_it_is_learned_from() -> None:
    patches = np.array([[1, 2, 3, 4], [4, 3, 2, 1]], dtype=np.uint8)
    book = PatchCodebook.learn(patches, 5, seed=0)
    told = book.describe(patches, np.array([0, 1]), 2)
    assert told.shape == (2, 10)
    assert np.isfinite(told).all()
    again = PatchCodebook.learn(patches, 5, seed=0)
    assert (book.centres == again.centres).all()


def test_no_groups_give_no_rows() -> None:
    patches = np.arange(12, dtype=np.uint8).reshape(3, 4)
    book = PatchCodebook.learn(patches, 2, seed=0)
    assert book.describe(patches[:0], np.empty(0, dtype=np.int64), 0).shape == (0, 4)
