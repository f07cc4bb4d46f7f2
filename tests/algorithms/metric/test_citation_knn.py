from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.base import clone

from algorithms import Bags
from algorithms.errors import ClusteringError
from algorithms.metric import citation_knn
from algorithms.metric.citation_knn import CitationKNN, CiterPool
from algorithms.metric.euclidean import Euclidean

Array = npt.NDArray[np.float64]


class Stretch:
    """A metric that is told its factors."""

    def __init__(self, factors: list[float]) -> None:
        self.factors = factors

    def transform(self, X: Array) -> Array:
        return np.asarray(X * self.factors)


def grid_bags(seed: int, n_bags: int, *, n_classes: int = 3, empty: bool = False) -> Bags:
    """Bags of points of a small grid, so that many distances are equal."""
    rng = np.random.default_rng(seed)
    bag = np.repeat(np.arange(n_bags), rng.integers(0 if empty else 1, 4, n_bags))
    rng.shuffle(bag)
    X = rng.integers(0, 4, (len(bag), 2)).reshape(-1, 2).astype(float)
    return Bags(X, bag, rng.random((n_bags, n_classes)) < 0.4)


def distance(A: Array, B: Array, kind: str) -> float:
    D = cdist(A, B)
    if kind == "min":
        return float(D.min())
    return float(max(D.min(axis=0).max(), D.min(axis=1).max()))


def by_definition(train: Bags, new: Bags, kind: str, n: tuple[int, int], pool: str) -> Array:
    """Count votes bag by bag, from sorted lists of (distance, place)."""

    def members(bags: Bags, number: int) -> Array:
        return bags.X[bags.bag == number]

    scores = np.zeros((new.n_bags, train.n_classes))
    filled = [e for e in range(new.n_bags) if len(members(new, e))]
    for e in filled:
        to_e = [distance(members(train, b), members(new, e), kind) for b in range(train.n_bags)]
        for b in sorted(range(train.n_bags), key=lambda b: (to_e[b], b))[: n[0]]:
            scores[e] += train.labels[b]
        for b in range(train.n_bags):
            if pool == "train":
                ranked = [
                    (distance(members(train, b), members(train, o), kind), o)
                    for o in range(train.n_bags)
                    if o != b
                ]
                ranked.append((to_e[b], train.n_bags))
                mark = train.n_bags
            else:
                ranked = [(distance(members(train, b), members(new, o), kind), o) for o in filled]
                mark = e
            if mark in [place for _, place in sorted(ranked)[: n[1]]]:
                scores[e] += train.labels[b]
    return scores


def test_worked_example(monkeypatch: pytest.MonkeyPatch) -> None:
    between = np.array([[0, 1, 4, 5], [1, 0, 3, 6], [4, 3, 0, 2], [5, 6, 2, 0]], dtype=float)
    to_new = np.array([[2, 3.5, 1, 6]])

    def told(bags: Bags, kind: str, other: Bags | None = None, n_jobs: int = 1) -> Array:
        return between.copy() if other is None else to_new

    monkeypatch.setattr(citation_knn, "bag_distances", told)
    train = Bags(np.zeros((4, 1)), range(4), [[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1]])
    annotator = CitationKNN(n_references=2, n_citers=2).fit(train)
    new = Bags(np.zeros((1, 1)), [0], np.zeros((1, 3)))
    # References 2 and 0, citers 0 and 2.
    assert annotator.decision_function(new).tolist() == [[2, 2, 0]]
    assert annotator.vote_share(new).tolist() == [[0.5, 0.5, 0]]
    assert annotator.predict(new).tolist() == [[False, False, False]]


def test_citers_look_among_training_bags_or_among_the_new_ones() -> None:
    train = Bags([[0.0], [10.0]], [0, 1], [[1, 0], [0, 1]])
    new = Bags([[1.0], [2.0], [9.0]], [0, 1, 2], np.zeros((3, 2)))
    # The references are the bags at 0, 0 and 10. To either of the two every new bag is nearer than
    # the other one is, so that both cite all of them.
    annotator = CitationKNN(n_references=1, n_citers=1).fit(train)
    assert annotator.decision_function(new).tolist() == [[2, 1], [2, 1], [1, 2]]
    # As the authors' program has it, the bag at 0 cites the one at 1, and that at 10 the one at 9.
    annotator = CitationKNN(n_references=1, n_citers=1, citer_pool="test").fit(train)
    assert annotator.decision_function(new).tolist() == [[2, 0], [1, 0], [0, 2]]
    # Asked about alone, the bag at 2 is cited by both.
    alone = Bags([[2.0]], [0], np.zeros((1, 2)))
    assert annotator.decision_function(alone).tolist() == [[2, 1]]


@pytest.mark.parametrize("kind", ["min", "max"])
@pytest.mark.parametrize("pool", ["train", "test"])
@given(st.integers(0, 2**20), st.integers(1, 9), st.integers(0, 9))
@settings(max_examples=12)
def test_votes_as_defined_with_many_ties(
    kind: Any, pool: Any, seed: int, n_references: int, n_citers: int
) -> None:
    train, new = grid_bags(seed, 7), grid_bags(seed + 1, 5, empty=True)
    annotator = CitationKNN(
        distance=kind, n_references=n_references, n_citers=n_citers, citer_pool=pool
    ).fit(train)
    expected = by_definition(train, new, kind, (n_references, n_citers), pool)
    np.testing.assert_array_equal(annotator.decision_function(new), expected)


@given(st.integers(0, 2**20))
@settings(max_examples=12)
def test_the_order_of_instances_and_numbers_of_new_bags_do_not_matter(seed: int) -> None:
    train, new = grid_bags(seed, 12), grid_bags(seed + 1, 6)
    rng = np.random.default_rng(seed)
    rows, renumbered = rng.permutation(train.n_instances), rng.permutation(new.n_bags)
    shuffled = Bags(train.X[rows], train.bag[rows], train.labels)
    moved = Bags(new.X, renumbered[new.bag], new.labels[np.argsort(renumbered)])
    annotator = CitationKNN(n_references=3, n_citers=3)
    expected = annotator.fit(train).decision_function(new)
    found = annotator.fit(shuffled).decision_function(moved)
    np.testing.assert_array_equal(found[renumbered], expected)


def test_rounding_of_distances_does_not_part_ties() -> None:
    """A new bag equal to a neighbour of every training bag is no nearer than that neighbour."""
    rng = np.random.default_rng(0)
    X = 100 + rng.standard_normal((40, 7))
    train = Bags(X, np.arange(40), np.eye(40))
    annotator = CitationKNN(n_references=1, n_citers=1).fit(train)
    voters = annotator.decision_function(Bags(X[::-1], np.arange(40), np.zeros((40, 40))))[::-1]
    # Bag e is the reference of its own copy, which is cited by e alone: for all others, bag e
    # itself is just as near and comes first.
    np.testing.assert_array_equal(voters, 2 * np.eye(40))


def test_training_bags_that_say_nothing_are_left_out() -> None:
    train = grid_bags(3, 10)
    told = Bags(
        np.vstack([train.X, np.full((2, 2), 1.5)]),
        np.concatenate([train.bag, [10, 10]]),
        np.vstack([train.labels, np.zeros((2, 3), dtype=bool)]),
        [True] * 10 + [False, True],
    )
    new = grid_bags(4, 6)
    annotator = CitationKNN(n_references=3, n_citers=3)
    expected = annotator.fit(train).decision_function(new)
    np.testing.assert_array_equal(annotator.fit(told).decision_function(new), expected)


def test_a_bag_of_no_class_takes_a_place_and_votes_for_nothing() -> None:
    train = Bags([[0.0], [1.0], [5.0]], [0, 1, 2], [[0, 0], [1, 0], [0, 1]])
    annotator = CitationKNN(n_references=1, n_citers=0).fit(train)
    assert annotator.decision_function(Bags([[0.1]], [0], [[0, 0]])).tolist() == [[0, 0]]


def test_small_sets_clip_the_numbers_of_neighbours() -> None:
    train = Bags([[0.0], [1.0], [5.0]], [0, 1, 2], [[1, 0], [1, 0], [0, 1]])
    annotator = CitationKNN().fit(train)
    new = Bags([[0.4], [9.0]], [0, 2], np.zeros((3, 2)))
    assert annotator.decision_function(new).tolist() == [[4, 2], [0, 0], [4, 2]]
    assert annotator.predict(new).tolist() == [[True, False], [False, False], [True, False]]


def test_distances_are_those_of_the_metric() -> None:
    train = Bags([[0.0, 3.0], [1.0, 0.0]], [0, 1], [[1, 0], [0, 1]])
    new = Bags([[0.0, 0.0]], [0], [[0, 0]])
    for metric, expected in ((None, [0, 1]), (Stretch([1, 0.1]), [1, 0])):
        annotator = CitationKNN(metric, n_references=1, n_citers=0).fit(train)
        assert annotator.decision_function(new).tolist() == [expected]


def test_a_learner_is_fitted_to_the_training_bags_unless_it_has_been() -> None:
    train = grid_bags(5, 9)
    learner = Euclidean()
    annotator = CitationKNN(learner).fit(train)
    assert not hasattr(learner, "components_")
    assert annotator.metric_.components_.shape == (2, 2)
    learner.fit(train)
    assert CitationKNN(learner).fit(train).metric_ is learner
    assert not hasattr(clone(CitationKNN(learner)).metric, "components_")


def test_any_number_of_threads_gives_the_same_votes() -> None:
    rng = np.random.default_rng(6)
    train = Bags(rng.standard_normal((90, 5)), np.arange(90) % 30, rng.random((30, 4)) < 0.4)
    new = Bags(rng.standard_normal((20, 5)), np.arange(20) % 10, np.zeros((10, 4)))
    one, two = (CitationKNN(n_citers=4, n_jobs=n).fit(train).decision_function(new) for n in (1, 2))
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("pool", ["train", "test"])
def test_many_new_bags_are_compared_some_at_a_time(
    monkeypatch: pytest.MonkeyPatch, pool: CiterPool
) -> None:
    train, new = grid_bags(0, 15), grid_bags(1, 11, empty=True)
    monkeypatch.setattr(citation_knn, "_TABLE_ENTRIES", 2 * 15)
    learner = CitationKNN(n_references=3, n_citers=2, citer_pool=pool).fit(train)
    expected = by_definition(train, new, "min", (3, 2), pool)
    np.testing.assert_array_equal(learner.decision_function(new), expected)


def test_no_bags_to_annotate_give_an_empty_table() -> None:
    annotator = CitationKNN(Stretch([1, 1])).fit(grid_bags(7, 5))
    assert annotator.predict(Bags(np.zeros((0, 2)), [], np.zeros((0, 3)))).shape == (0, 3)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"distance": "average"}, "distance must be one of min, max"),
        ({"citer_pool": "all"}, "citer_pool must be one of train, test"),
        ({"n_references": 0}, "n_references must be a whole number from 1"),
        ({"n_citers": -1}, "n_citers must be a whole number from 0"),
        ({"metric": "euclidean"}, "metric must have a method transform"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ClusteringError, match=message):
        CitationKNN(**parameters).fit(grid_bags(8, 5))


def test_what_cannot_be_learned_or_annotated_is_refused() -> None:
    with pytest.raises(ClusteringError, match="no labelled bags with instances"):
        CitationKNN().fit(Bags([[1.0]], [0], [[0]], [False]))
    with pytest.raises(ClusteringError, match="call fit first"):
        CitationKNN().predict(grid_bags(9, 5))
    with pytest.raises(ClusteringError, match="features"):
        CitationKNN().fit(grid_bags(9, 5)).predict(Bags([[1.0]], [0], [[0]]))
