from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.preprocessing import StandardScaler, normalize

from algorithms.bags import Bags, FloatArray
from birdmodes.errors import DatasetError
from birdmodes.experiments.data import Source
from birdmodes.experiments.work.bags import (
    BUILT_IN_PROBLEM,
    PREPARATIONS,
    load_prepared,
    prepare,
    problems_of,
    read_problem,
)


def test_the_built_in_problem_hides_its_digits_among_others() -> None:
    problem = read_problem(Source(BUILT_IN_PROBLEM))
    bags = problem.bags
    assert (bags.n_bags, bags.n_instances, bags.class_names) == (75, 375, ("0", "3", "6"))
    assert np.array_equal(np.bincount(problem.truth), [25, 25, 25])
    assert np.array_equal(bags.labels.argmax(axis=1), problem.truth)
    digits = load_digits()
    # Look every instance up by its pixels.
    known = {
        image.tobytes(): digit for image, digit in zip(digits.data, digits.target, strict=True)
    }
    found = np.array([known[row.tobytes()] for row in bags.X]).reshape(75, 5)
    own = found == np.array([0, 3, 6])[problem.truth][:, None]
    assert (own.sum(axis=1) == 3).all()
    assert not np.isin(found[~own], [0, 3, 6]).any()
    assert len(np.unique(bags.X, axis=0)) == 375


def some_bags(X: FloatArray) -> Bags:
    """Two bags, the first of a single instance."""
    return Bags(X, np.minimum(np.arange(len(X)), 1), np.eye(2))


def test_features_are_prepared_as_scikit_learn_does() -> None:
    X = np.random.default_rng(0).normal(3, 2, (20, 4))
    standardized = StandardScaler().fit_transform(X)
    expected = {
        "raw": X,
        "standardized": standardized,
        "unit": normalize(X),
        "standardized-unit": normalize(standardized),
        "centred": X - (X[0] + X[1:].mean(axis=0)) / 2,
        "standardized-centred": standardized
        - (standardized[0] + standardized[1:].mean(axis=0)) / 2,
    }
    assert set(expected) == set(PREPARATIONS)
    for preparation in PREPARATIONS:
        np.testing.assert_allclose(prepare(some_bags(X), preparation), expected[preparation])


def test_an_instance_of_zeros_and_a_constant_feature_have_no_length() -> None:
    bags = some_bags(np.array([[0.0, 0.0], [3.0, 4.0]]))
    np.testing.assert_allclose(prepare(bags, "unit"), np.array([[0, 0], [0.6, 0.8]]))
    assert np.isfinite(prepare(some_bags(np.ones((3, 2))), "standardized-unit")).all()


def test_own_data_are_cut_to_bags_with_one_label(write_problem: Callable[..., Path]) -> None:
    labels = np.repeat(np.eye(3, dtype=np.uint8), 6, axis=0)
    labels[0] = [1, 1, 0]
    labels[17] = 0
    problem = load_prepared(Source(path=write_problem(bag_labels=labels)), "raw")
    assert problem.name == "blobs"
    assert np.array_equal(problem.truth, [0] * 5 + [1] * 6 + [2] * 5)
    assert problem.bags.n_instances == 3 * 16


def test_the_fingerprint_is_of_features_bags_and_truth(write_problem: Callable[..., Path]) -> None:
    def fingerprint(name: str, **changes: Any) -> str:
        return read_problem(Source(path=write_problem(f"{name}.npz", **changes))).fingerprint

    labels = np.roll(np.repeat(np.eye(3, dtype=np.uint8), 6, axis=0), 1, axis=0)
    first = fingerprint("first")
    assert fingerprint("same") == first
    others = {
        fingerprint("labels", bag_labels=labels),
        fingerprint("features", seed=1),
        fingerprint("bags", bag=np.repeat(np.arange(18), 3)[::-1]),
    }
    assert len(others - {first}) == 3


def test_names_stand_for_the_problems_of_the_papers() -> None:
    assert problems_of("m3ic").expand([]) == [BUILT_IN_PROBLEM]
    names = problems_of("m3ic").expand(["all", "corel-eft"])
    assert len(names) == len(set(names)) == 14
    assert "musk1" not in names
    assert problems_of("mi-em").expand(["all"]) == ["musk1", "musk2"]
    assert problems_of("m3ic").expand(["natural-scene:desert+sea"]) == ["natural-scene:desert+sea"]


def test_features_as_published_come_first() -> None:
    assert next(iter(PREPARATIONS)) == "raw"


def test_unknown_problems_are_named_with_the_nearest() -> None:
    with pytest.raises(DatasetError, match="did you mean 'corel-eft'"):
        problems_of("m3ic").expand(["corel-etf"])
