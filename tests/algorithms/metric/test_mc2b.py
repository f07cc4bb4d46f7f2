from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from algorithms import Bags
from algorithms.errors import ClusteringError
from algorithms.metric.mc2b import MC2B

Array = npt.NDArray[np.float64]


def labelled_bags(seed: int = 0, n_bags: int = 16) -> Bags:
    """Instances of each label and one of none; label c shows in feature c, the rest is noise."""
    rng = np.random.default_rng(seed)
    labels = rng.random((n_bags, 3)) < 0.4
    labels[np.arange(n_bags), np.arange(n_bags) % 3] = True
    labels[0], labels[1] = [True, False, False], [False, True, True]
    rows, bag = [], []
    for m in range(n_bags):
        for c in [*np.flatnonzero(labels[m]), -1]:
            centre = np.zeros(5) if c < 0 else 5.0 * np.eye(3, 5)[c]
            rows.append(centre + rng.standard_normal(5))
            bag.append(m)
    return Bags(np.array(rows), bag, labels)


def differences(bags: Bags, c: int, of: Bags) -> list[Array]:
    """For each bag of `of`: what instances of bags with label c differ by from its nearest."""
    examples = bags.X[bags.labels[bags.bag, c]]
    found = []
    for m in range(of.n_bags):
        X = of.X[of.bag == m]
        between = examples[:, None] - X
        nearest = (between**2).sum(axis=2).argmin(axis=1)
        found.append(between[np.arange(len(examples)), nearest])
    return found


def ratio(bags: Bags, c: int, W: Array) -> float:
    length = [np.linalg.norm(delta @ W, axis=1).sum() for delta in differences(bags, c, bags)]
    having = bags.labels[:, c]
    return float(np.sum(np.array(length)[having]) / np.sum(np.array(length)[~having]))


@given(st.integers(0, 2**20))
@settings(max_examples=10)
def test_ratio_is_that_of_the_definition_and_falls(seed: int) -> None:
    bags = labelled_bags(seed)
    learner = MC2B(2).fit(bags)
    for c, W in enumerate(learner.class_components_):
        np.testing.assert_allclose(W.T @ W, np.eye(2), atol=1e-12)
        ratios = learner.ratios_[c]
        assert ratios[0] == pytest.approx(ratio(bags, c, np.eye(5)), rel=1e-6)
        assert ratios[-1] == pytest.approx(ratio(bags, c, W), rel=1e-6)
        assert (np.diff(ratios[1:]) < 0).all()


def test_steps_as_written() -> None:
    bags = labelled_bags(1)
    for n_steps in (1, 2):
        learner = MC2B(2, max_iter=n_steps).fit(bags)
        for c in range(3):
            deltas = differences(bags, c, bags)
            mean = np.mean(
                [
                    np.linalg.norm(delta, axis=1).mean()
                    for delta, has in zip(deltas, bags.labels[:, c], strict=True)
                    if not has
                ]
            )
            W = np.eye(5)
            for _ in range(n_steps):
                S = {True: np.zeros((5, 5)), False: np.zeros((5, 5))}
                for delta, has in zip(deltas, bags.labels[:, c], strict=True):
                    for row in delta:
                        weight = 1 / (2 * np.linalg.norm(row @ W) + 1e-6 * mean)
                        S[bool(has)] += weight * np.outer(row, row)
                W = np.linalg.eigh(S[True] - ratio(bags, c, W) * S[False])[1][:, :2]
            found = learner.class_components_[c]
            np.testing.assert_allclose(found @ found.T, W @ W.T, atol=1e-5)


def test_metric_of_a_class_beats_any_at_random() -> None:
    bags = labelled_bags(2, n_bags=30)
    learner = MC2B(2).fit(bags)
    rng = np.random.default_rng(2)
    for c in range(3):
        others = [ratio(bags, c, np.linalg.qr(rng.standard_normal((5, 2)))[0]) for _ in range(30)]
        assert learner.ratios_[c][-1] < min(others)


def test_scores_as_defined() -> None:
    bags, new = labelled_bags(3), labelled_bags(4, n_bags=6)
    learner = MC2B(3).fit(bags)
    expected = [
        [
            -np.linalg.norm(delta @ learner.class_components_[c], axis=1).mean()
            for delta in differences(bags, c, new)
        ]
        for c in range(3)
    ]
    np.testing.assert_allclose(learner.bag_scores(new), np.transpose(expected), rtol=1e-9)


def test_new_bags_are_ranked_by_their_labels() -> None:
    learner = MC2B(1).fit(labelled_bags(5, n_bags=60))
    new = labelled_bags(6, n_bags=60)
    scores = learner.bag_scores(new)
    for c in range(3):
        has = new.labels[:, c]
        above = scores[has, c][:, None] > scores[~has, c]
        assert above.mean() > 0.8


def test_classes_that_cannot_be_learned_have_constant_scores() -> None:
    bags = labelled_bags(7)
    everywhere, nowhere = np.ones((16, 1), dtype=bool), np.zeros((16, 1), dtype=bool)
    more = Bags(bags.X, bags.bag, np.hstack([bags.labels, everywhere, nowhere]))
    learner = MC2B(2).fit(more)
    new = Bags(labelled_bags(8).X[:5], [0, 0, 2, 3, 3], np.zeros((4, 5)))
    scores = learner.bag_scores(new)
    np.testing.assert_array_equal(scores[[0, 2, 3], 3], 0)
    np.testing.assert_array_equal(scores[:, 4], -np.inf)
    np.testing.assert_array_equal(scores[1], -np.inf)  # a bag without instances
    assert [len(r) for r in learner.ratios_[3:]] == [0, 0]
    assert not learner.class_components_[3:].any()
    alone = MC2B(2).fit(bags)
    np.testing.assert_allclose(learner.class_components_[:3], alone.class_components_, atol=1e-9)
    np.testing.assert_allclose(learner.components_, alone.components_, atol=1e-9)


def test_single_metric_is_the_mean_of_those_of_the_classes() -> None:
    bags = labelled_bags(9)
    learner = MC2B(2).fit(bags)
    one, other = bags.X[:2]
    of_classes = [np.sum(((one - other) @ W) ** 2) for W in learner.class_components_]
    mapped = learner.transform(bags.X[:2])
    assert np.sum((mapped[0] - mapped[1]) ** 2) == pytest.approx(np.mean(of_classes))


def test_many_bags_are_sampled_by_the_seed() -> None:
    bags = labelled_bags(10, n_bags=40)
    one = MC2B(2, max_bags=5, random_state=1).fit(bags)
    np.testing.assert_array_equal(one.components_, clone(one).fit(bags).components_)
    assert (one.components_ != MC2B(2, max_bags=5, random_state=2).fit(bags).components_).any()
    full = [MC2B(2, max_bags=n, random_state=n).fit(bags).components_ for n in (40, 41)]
    np.testing.assert_array_equal(*full)


def test_order_of_instances_and_numbers_of_bags_do_not_matter() -> None:
    bags = labelled_bags(11)
    rng = np.random.default_rng(11)
    rows, number = rng.permutation(bags.n_instances), rng.permutation(bags.n_bags)
    moved = Bags(bags.X[rows], number[bags.bag[rows]], bags.labels[np.argsort(number)])
    one, other = MC2B(2).fit(bags), MC2B(2).fit(moved)
    np.testing.assert_allclose(other.components_, one.components_, atol=1e-7)


def test_unlabelled_bags_are_left_out() -> None:
    bags = labelled_bags(12)
    more = Bags(
        np.vstack([bags.X, np.ones((2, 5))]),
        np.append(bags.bag, [16, 16]),
        np.vstack([bags.labels, np.zeros((1, 3), dtype=bool)]),
        np.append(bags.labelled, False),
    )
    one, other = MC2B(2).fit(bags), MC2B(2).fit(more)
    np.testing.assert_array_equal(one.class_components_, other.class_components_)


def test_equal_instances_everywhere_leave_numbers_finite() -> None:
    learner = MC2B().fit(Bags(np.ones((4, 3)), [0, 1, 2, 3], [[1], [1], [0], [0]]))
    assert np.isfinite(learner.class_components_).all()
    new = Bags(np.ones((1, 3)), [0], [[0]])
    np.testing.assert_allclose(learner.bag_scores(new), 0, atol=1e-6)


def test_what_cannot_be_fitted_is_refused() -> None:
    with pytest.raises(ClusteringError, match="no class is in some labelled bags"):
        MC2B().fit(Bags(np.eye(2), [0, 1], [[1, 0], [1, 0]]))
    with pytest.raises(ClusteringError, match="no instances"):
        MC2B().fit(Bags(np.zeros((0, 2)), [], [[1, 1]]))
    with pytest.raises(ClusteringError, match="at most the number of features, 5"):
        MC2B(6).fit(labelled_bags())
    with pytest.raises(ClusteringError, match="max_bags"):
        MC2B(max_bags=0).fit(labelled_bags())
    with pytest.raises(ClusteringError, match="call fit first"):
        MC2B().bag_scores(labelled_bags())
    with pytest.raises(ClusteringError, match="features"):
        MC2B().fit(labelled_bags()).bag_scores(Bags([[1.0]], [0], [[0]]))
