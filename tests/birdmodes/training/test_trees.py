"""Trees as arrays: the same answers as scikit-learn's, and nothing read outside them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from birdmodes.errors import ParameterError
from birdmodes.segmentation.trees import LEAF, Forest, Trees


def rows(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(seed).normal(size=(n, 4)).astype(np.float32)
    return X, X[:, 0] * X[:, 1] + 0.3 * X[:, 2] > 0


@pytest.fixture
def stump() -> Trees:
    """Column 1 at most 0.5: probability 0.25, else look whether column 0 is at most -1."""
    return Trees(
        first=np.array([0, 5]),
        feature=np.array([1, LEAF, 0, LEAF, LEAF], dtype=np.int16),
        threshold=np.array([0.5, 0, -1, 0, 0.0]),
        left=np.array([1, LEAF, 3, LEAF, LEAF], dtype=np.int32),
        right=np.array([2, LEAF, 4, LEAF, LEAF], dtype=np.int32),
        share=np.array([0.5, 0.25, 0.75, 0.5, 1.0], dtype=np.float32),
    )


def test_rows_walk_down_to_the_leaves(stump: Trees) -> None:
    X = np.array([[0, 0.5], [-1, 0.6], [-0.9, 0.6]], dtype=np.float32)
    np.testing.assert_array_equal(Forest(stump, 2).probability(X), [0.25, 0.5, 1.0])


@pytest.mark.parametrize("kind", [RandomForestClassifier, ExtraTreesClassifier])
def test_arrays_answer_as_scikit_learn_does(kind: type) -> None:
    X, y = rows(400)
    forests = [kind(5, min_samples_leaf=3, random_state=k).fit(X, y) for k in (0, 1)]
    ours = Forest(Trees.from_forests(forests), 4).probability(rows(1000, seed=1)[0])
    theirs = np.mean([forest.predict_proba(rows(1000, seed=1)[0])[:, 1] for forest in forests], 0)
    np.testing.assert_allclose(ours, theirs, atol=1e-6)
    assert np.unique(ours).size > 50


def test_no_rows_give_no_answers(stump: Trees) -> None:
    assert Forest(stump, 2).probability(np.empty((0, 2), dtype=np.float32)).shape == (0,)


def test_rows_of_another_width_are_refused(stump: Trees) -> None:
    with pytest.raises(ValueError, match="2 columns"):
        Forest(stump, 2).probability(np.zeros((3, 5), dtype=np.float32))


def test_trees_of_more_features_are_refused(stump: Trees) -> None:
    with pytest.raises(ParameterError, match="more than 1 features"):
        Forest(stump, 1)


@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [
        ("left", 2, 2, "after its parent"),  # a node that is its own child: no way down ends
        ("left", 2, 0, "after its parent"),
        ("right", 0, 5, "after its parent"),  # outside the tree
        ("right", 0, -7, "after its parent"),
        ("left", 3, 4, "after its parent"),  # a leaf with a child
        ("feature", 0, -2, "feature"),
        ("threshold", 0, np.nan, "threshold"),
        ("threshold", 0, np.inf, "threshold"),
        ("share", 1, 1.5, "probability"),
        ("share", 1, np.nan, "probability"),
        ("first", 0, 1, "divide"),
        ("first", 1, 4, "divide"),
        ("first", 1, 2**40, "divide"),
    ],
)
def test_trees_that_cannot_be_are_refused(
    stump: Trees, name: str, place: int, value: float, message: str
) -> None:
    changed = getattr(stump, name).copy()
    changed[place] = value
    with pytest.raises(ParameterError, match=message):
        replace(stump, **{name: changed})


def test_arrays_of_another_kind_are_refused(stump: Trees) -> None:
    with pytest.raises(ParameterError, match="left must be a row of int32"):
        replace(stump, left=stump.left.astype(np.int64))
    with pytest.raises(ParameterError, match="share must be a row of float32"):
        replace(stump, share=stump.share[None])
    with pytest.raises(ParameterError, match="differ in length"):
        replace(stump, share=stump.share[:4])
    arrays = stump.to_arrays()
    del arrays["right"]
    with pytest.raises(ParameterError, match="right missing"):
        Trees.from_arrays(arrays)


def test_a_tree_without_nodes_is_refused(stump: Trees) -> None:
    with pytest.raises(ParameterError, match="divide"):
        replace(stump, first=np.array([0, 5, 5]))
