"""MIMLCA, which computes what concerns an instance and its candidates only, against all pairs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import cdist
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from algorithms import Bags
from algorithms.metric.mimlca import MIMLCA

Ints = npt.NDArray[np.int64]


def bags_with(n_classes: int, seed: int, n_features: int = 5) -> Bags:
    """Bags of which a few are not labelled, or labelled with no class.

    No two classes are those of the same bags, as nothing would tell their centres apart, and none
    is of one bag alone, whose two examples would be equally far from their mean.
    """
    rng = np.random.default_rng(seed)
    n_bags = 20 + 3 * n_classes
    bag = rng.integers(0, n_bags, 6 * n_bags)
    labels = rng.random((n_bags, n_classes)) < 2 / n_classes
    labels[bag[0], 0] = True
    labelled = rng.random(n_bags) < 0.9
    labelled[bag[0]] = True
    labels[~labelled] = False
    filled = np.unique(bag)
    labels = labels[:, np.unique(labels[filled], axis=1, return_index=True)[1]]
    labels = labels[:, labels[filled].sum(axis=0) > 1]
    return Bags(rng.standard_normal((len(bag), n_features)), bag, labels, labelled)


def published_k_means(bags: Bags, limit: int) -> tuple[Ints, list[float]]:
    """Algorithm 1, steps 1 to 9, written down bag by bag and with all distances."""
    points = np.linalg.svd(bags.X, full_matrices=False)[0]
    inside = bags.labels[bags.bag].T
    centres = np.array([points[of].mean(axis=0) if of.any() else points[0] for of in inside])
    category, objectives = np.full(bags.n_instances, -1), []
    for _ in range(100):
        squared = cdist(points, centres, "sqeuclidean")
        before, category = category, np.full(bags.n_instances, -1)
        for m in range(bags.n_bags):
            rows, own = np.flatnonzero(bags.bag == m), np.flatnonzero(bags.labels[m])
            copies = np.repeat(own, limit)
            row, column = linear_sum_assignment(squared[np.ix_(rows, copies)])
            category[rows[row]] = copies[column]
        found = category >= 0
        objectives.append(squared[found, category[found]].sum())
        if (category == before).all():
            break
        for c in np.unique(category[found]):
            examples = np.flatnonzero(category == c)
            # two of one bag are equally far from their mean: which is left first, rounding decides
            assume(len(examples) != 2 or len(set(bags.bag[examples])) == 2)
            centres[c] = points[examples].mean(axis=0)
    return category, objectives


@pytest.mark.parametrize("n_classes", [3, 60])  # all products of matrices, and the candidates' only
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), limit=st.sampled_from([1, 2]))
def test_examples_are_those_of_the_published_steps(n_classes: int, seed: int, limit: int) -> None:
    bags = bags_with(n_classes, seed)
    category, objectives = published_k_means(bags, limit)
    learner = MIMLCA(max_per_label=limit).fit(bags)
    np.testing.assert_array_equal(learner.assigned_, category)
    shortest = min(len(objectives), len(learner.objective_path_))
    np.testing.assert_allclose(learner.objective_path_[:shortest], objectives[:shortest])


@pytest.mark.parametrize("n_classes", [3, 60])
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_instances_go_to_the_nearest_mean_of_their_candidates(n_classes: int, seed: int) -> None:
    bags = bags_with(n_classes, seed)
    learner = MIMLCA().fit(bags)
    squared = cdist(learner.transform(bags.X), learner.class_means_, "sqeuclidean")
    may_be = (bags.labels | ~bags.labelled[:, None])[bags.bag] & learner.competes_
    squared[~may_be] = np.inf
    others = learner.assigned_ < 0
    expected = np.where(may_be.any(axis=1), squared.argmin(axis=1), -1)
    np.testing.assert_array_equal(learner.labels_[others], expected[others])


@pytest.mark.parametrize("n_classes", [3, 60])
def test_posteriors_are_those_of_discriminant_analysis_on_the_features(n_classes: int) -> None:
    """A linear map that loses nothing does not change them."""
    bags = bags_with(n_classes, 5, n_features=3)
    learner = MIMLCA(max_per_label=None).fit(bags)
    examples = learner.assigned_ >= 0
    oracle = LinearDiscriminantAnalysis(solver="lsqr")
    oracle.fit(bags.X[examples], learner.assigned_[examples])
    may_be = (bags.labels | ~bags.labelled[:, None])[bags.bag]
    expected = np.zeros((bags.n_instances, bags.n_classes))
    expected[:, oracle.classes_] = oracle.predict_proba(bags.X)
    np.testing.assert_allclose(learner.class_probabilities(bags.X), expected, atol=1e-7)
    expected *= may_be
    expected /= np.maximum(expected.sum(axis=1, keepdims=True), 1e-300)
    np.testing.assert_allclose(learner.posterior_, expected, atol=1e-7)
