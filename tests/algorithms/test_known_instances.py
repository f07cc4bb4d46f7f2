"""What is known of single instances, and what the methods make of it."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms import Bags, make_clusterer
from algorithms.bags import Known, own_bags
from algorithms.constraints.pairs import InducedPairs
from algorithms.disambiguation.disambiguator import LabelDisambiguator
from algorithms.disambiguation.splitting import kmeans_with_fixed, share_clusters
from algorithms.errors import BagsError

LABELS = [[True, True, False], [True, False, False], [False, False, False]]


def known(n: int, classes: int, **facts: list[int]) -> Known:
    """``i3=[0]``: instance 3 may be of class 0 only; the last class is none."""
    may_be = np.ones((n, classes + 1), dtype=bool)
    for name, allowed in facts.items():
        may_be[int(name[1:])] = np.isin(np.arange(classes + 1), allowed)
    return Known(may_be, np.full(n, -1))


def test_what_is_known_becomes_bags_of_their_own() -> None:
    facts = known(6, 3, i0=[2], i1=[3], i2=[1, 2, 3], i5=[0, 2, 3])
    bags = Bags(np.zeros((6, 1)), [0, 0, 0, 1, 1, 2], LABELS, [True, True, False], known=facts)
    told = own_bags(bags)
    # 0 is of class 2, 1 of none, 2 not of class 0; of 5 the label set is unknown, so it stays.
    assert told.bag.tolist() == [3, 4, 5, 1, 1, 2]
    assert told.labels[3:].astype(int).tolist() == [[0, 0, 1], [0, 0, 0], [0, 1, 0]]
    assert told.labelled.tolist() == [True, True, False, True, True, True]


def test_bags_of_which_nothing_is_known_stay_themselves() -> None:
    bags = Bags(np.zeros((3, 1)), [0, 1, 2], LABELS)
    assert own_bags(bags) is bags
    nothing = Bags(np.zeros((3, 1)), [0, 1, 2], LABELS, known=known(3, 3))
    assert own_bags(nothing).bag.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("may_be", "mode", "said"),
    [
        (np.ones((2, 4), bool), [-1, -1, -1], "3 rows"),
        (np.ones((3, 3), bool), [-1, -1, -1], "4 columns"),
        (np.ones((3, 4), bool), [-1, -2, -1], "whole numbers"),
        (np.ones((3, 4), bool), [0.5, 0, 0], "whole numbers"),
        (np.array([[1] * 4, [0] * 4, [1] * 4]), [-1, -1, -1], "instance 1 may be of nothing"),
    ],
)
def test_what_cannot_be_known_is_refused(may_be: object, mode: list[int], said: str) -> None:
    facts = Known(np.asarray(may_be), np.asarray(mode))
    with pytest.raises(BagsError, match=said):
        Bags(np.zeros((3, 1)), [0, 1, 2], LABELS, known=facts)


def test_known_modes_are_must_linked_beside_what_labels_imply() -> None:
    facts = Known(np.ones((5, 4), bool), np.array([0, 1, -1, 1, 0]))
    bags = Bags(np.zeros((5, 1)), [0, 0, 1, 1, 2], LABELS, known=facts)
    assert InducedPairs.from_bags(bags, 4).cliques.group.tolist() == [3, 4, -1, 4, 3]
    # With as many clusters as classes, bag 1 with its only label is a clique already.
    assert InducedPairs.from_bags(bags, 3).cliques.group.tolist() == [3, 4, 0, 0, 3]


@pytest.fixture
def blobs() -> tuple[Bags, np.ndarray]:
    """Two classes far apart; bags with both, which alone tell nothing, and one of each."""
    rng = np.random.default_rng(0)
    truth = np.tile([0, 1], 40)
    X = 6.0 * truth[:, None] + rng.standard_normal((80, 3))
    bag = np.arange(80) // 4
    labels = np.ones((20, 2), dtype=bool)
    return Bags(X, bag, labels), truth


def test_a_few_known_instances_tell_what_bags_cannot(blobs: tuple[Bags, np.ndarray]) -> None:
    bags, truth = blobs
    facts = known(80, 2, i0=[0], i1=[1], i6=[0], i7=[1])
    told = Bags(bags.X, bags.bag, bags.labels, known=facts)
    posterior = LabelDisambiguator(gamma=2.0).fit(told).posterior_
    assert posterior[[0, 1, 6, 7]].tolist() == [[1, 0], [0, 1], [1, 0], [0, 1]]
    assert (posterior.argmax(axis=1) == truth).mean() > 0.95


def test_known_classes_hold_whatever_the_bag_says(blobs: tuple[Bags, np.ndarray]) -> None:
    bags, _ = blobs
    labels = bags.labels.copy()
    labels[0] = [True, False]
    unlabelled = np.ones(20, dtype=bool)
    labels[1], unlabelled[1] = False, False
    # 0: of class 1 though its bag lacks it; 1: noise; 4: class 0 in an unlabelled bag.
    facts = known(80, 2, i0=[1], i1=[2], i4=[0], i8=[0, 2])
    told = Bags(bags.X, bags.bag, labels, unlabelled, known=facts)
    for background in ("cautious", "off"):
        posterior = LabelDisambiguator(background=background).fit(told).posterior_
        assert posterior[[0, 1, 4]].tolist() == [[0, 1], [0, 0], [1, 0]]
        assert posterior[8, 1] == 0


def test_nothing_known_changes_nothing(blobs: tuple[Bags, np.ndarray]) -> None:
    bags, _ = blobs
    labels = np.array(bags.labels)
    labels[::3, 0] = False
    plain = Bags(bags.X, bags.bag, labels)
    told = Bags(bags.X, bags.bag, labels, known=known(80, 2))
    for method in ("ldc", "csp", "splearn"):
        one, other = (make_clusterer(method, n_clusters=4).fit(b).labels_ for b in (plain, told))
        assert (one == other).all()


def test_ldc_keeps_known_modes_together_and_apart(blobs: tuple[Bags, np.ndarray]) -> None:
    bags, _ = blobs
    may_be = np.ones((80, 3), dtype=bool)
    may_be[:8] = [True, False, False]
    mode = np.full(80, -1)
    mode[:8] = [0, 0, 0, 1, 1, 1, 2, 2]
    told = Bags(bags.X, bags.bag, bags.labels, known=Known(may_be, mode))
    labels = make_clusterer("ldc", n_clusters=2).fit(told).labels_
    first = [set(labels[mode == number].tolist()) for number in range(3)]
    assert [len(found) for found in first] == [1, 1, 1]
    assert len(set.union(*first)) == 3, "more clusters than asked for, as three modes are known"


def test_fixed_points_stay_and_draw_what_is_near() -> None:
    points = np.array([[0.0], [1.0], [10.0], [11.0], [20.0], [21.0]])
    fixed = np.array([7, -1, -1, 7, 3, -1])
    labels, centres = kmeans_with_fixed(points, fixed, 2, 1, 0)
    # 3 is cluster 0 at 20, 7 is cluster 1 at (0 + 11) / 2: 10 goes to 5.5, and then stays.
    assert labels.tolist() == [1, 1, 1, 1, 0, 0]
    assert centres.ravel().tolist() == [20.5, 5.5]


def test_further_clusters_are_found_among_free_points() -> None:
    points = np.array([[0.0], [1.0], [50.0], [51.0], [90.0], [91.0]])
    fixed = np.array([0, -1, -1, -1, -1, -1])
    labels, _ = kmeans_with_fixed(points, fixed, 3, 5, 0)
    assert labels[0] == labels[1] == 0
    assert labels[2] == labels[3] != labels[4] == labels[5]
    assert (kmeans_with_fixed(points, fixed, 3, 5, 0)[0] == labels).all()


def test_shares_begin_with_what_is_known() -> None:
    points = np.array([[0.0], [1.0], [2.0], [50.0], [90.0]])
    group = np.array([0, 0, 0, 1, 1])
    assert share_clusters(points, group, 3, 0) == {0: 1, 1: 2}
    assert share_clusters(points, group, 3, 0, {0: 2}) == {0: 2, 1: 1}
    assert share_clusters(points, group, 2, 0, {0: 3}) == {0: 3, 1: 1}
