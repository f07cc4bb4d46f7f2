"""Clusters within classes that the bags' labels tell apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from algorithms import Bags, make_clusterer
from algorithms.disambiguation.ldc import LDC
from algorithms.errors import ClusteringError, ClusteringWarning


def song_and_call(n_bags: int = 40, seed: int = 0) -> tuple[Bags, Any, Any]:
    """Two of three classes a bag; each class has two modes. Bags, classes, modes."""
    rng = np.random.default_rng(seed)
    centres = 4.0 * np.random.default_rng(99).standard_normal((3, 2, 5))
    rows, bag, classes, modes = [], [], [], []
    labels = np.zeros((n_bags, 3), dtype=bool)
    for m in range(n_bags):
        pair = rng.choice(3, 2, replace=False)
        labels[m, pair] = True
        for c in np.repeat(pair, 3):
            mode = rng.integers(2)
            rows.append(centres[c, mode] + 0.5 * rng.standard_normal(5))
            bag.append(m)
            classes.append(c)
            modes.append(2 * c + mode)
    return Bags(np.array(rows), bag, labels), np.array(classes), np.array(modes)


def test_classes_with_as_many_clusters_as_classes():
    bags, classes, _ = song_and_call()
    fitted = make_clusterer("ldc", n_clusters=3).fit(bags)
    assert adjusted_rand_score(classes, fitted.labels_) > 0.97


def test_modes_with_two_clusters_for_each():
    bags, _, modes = song_and_call()
    for fitted in (LDC(6).fit(bags), LDC().fit(bags), LDC(clusters_per_class=[2, 2, 2]).fit(bags)):
        assert len(fitted.class_of_cluster_) == 6
        assert adjusted_rand_score(modes, fitted.labels_) > 0.97


def test_every_cluster_lies_within_one_class():
    bags, _, _ = song_and_call(n_bags=25, seed=3)
    fitted = LDC(9).fit(bags)
    np.testing.assert_array_equal(
        fitted.class_of_cluster_[fitted.labels_], fitted.disambiguator_.class_
    )
    # ... so never in a bag without it.
    assert bags.labels[bags.bag, fitted.class_of_cluster_[fitted.labels_]].all()


def test_clusters_per_class_are_taken_to_the_letter():
    bags, _, _ = song_and_call()
    fitted = LDC(clusters_per_class=[1, 3, 2]).fit(bags)
    assert list(fitted.class_of_cluster_) == [0, 1, 1, 1, 2, 2]


def test_background_has_clusters_of_its_own():
    bags, classes, _ = song_and_call()
    noise = np.tile([0.0, 0.0, 30.0, 0.0, 0.0], (bags.n_bags, 1))
    noise += 0.5 * np.random.default_rng(5).standard_normal(noise.shape)
    noisy = Bags(np.vstack([bags.X, noise]), np.r_[bags.bag, np.arange(bags.n_bags)], bags.labels)
    fitted = LDC(4, background="cautious").fit(noisy)
    assert sorted(fitted.class_of_cluster_) == [-1, 0, 1, 2]
    found = fitted.class_of_cluster_[fitted.labels_]
    assert (found[bags.n_instances :] == -1).mean() > 0.9
    assert (found[: bags.n_instances] == classes).mean() > 0.9


def test_fewer_clusters_than_classes_are_refused():
    bags, _, _ = song_and_call()
    with pytest.raises(ClusteringError, match=r"below the 3 classes .* use n_clusters=3 or more"):
        LDC(2).fit(bags)


def test_without_labels_it_is_k_means_and_says_so():
    bags, _, modes = song_and_call()
    bare = Bags(bags.X, bags.bag, np.zeros((bags.n_bags, 3)), labelled=np.zeros(bags.n_bags))
    with pytest.warns(ClusteringWarning, match="label some bags"):
        fitted = LDC(6).fit(bare)
    assert adjusted_rand_score(modes, fitted.labels_) > 0.9
    assert set(fitted.class_of_cluster_) == {-1}


def test_one_class_only():
    bags, _, _ = song_and_call()
    one = Bags(bags.X, bags.bag, np.ones((bags.n_bags, 1)))
    assert not LDC(1).fit(one).labels_.any()
    assert set(LDC(2).fit(one).labels_) == {0, 1}


def test_identical_instances_get_fewer_clusters_with_a_warning():
    bags = Bags(np.ones((8, 2)), np.repeat(np.arange(4), 2), np.eye(4, 2, dtype=bool) | True)
    with pytest.warns(ClusteringWarning, match="only . of 4 clusters have instances"):
        fitted = LDC(4).fit(bags)
    assert len(set(fitted.labels_)) <= 2


def test_empty_bags_play_no_part():
    bags, _, _ = song_and_call()
    more = np.vstack([bags.labels, np.eye(3, dtype=bool)])
    with_empty = Bags(bags.X, bags.bag, more)
    np.testing.assert_array_equal(LDC(6).fit(with_empty).labels_, LDC(6).fit(bags).labels_)


def test_training_instances_get_their_clusters_back():
    bags, _, _ = song_and_call()
    fitted = LDC(6).fit(bags)
    again = fitted.predict(bags.X, bags.labels[bags.bag])
    assert (again == fitted.labels_).mean() > 0.97


def test_new_instances_with_and_without_label_sets():
    bags, _, _ = song_and_call()
    new, new_classes, _ = song_and_call(seed=8)
    fitted = LDC(6).fit(bags)
    for candidates in (None, new.labels[new.bag]):
        found = fitted.predict(new.X, candidates)
        assert (fitted.class_of_cluster_[found] == new_classes).mean() > 0.97


def test_what_is_like_nothing_is_rejected():
    bags, _, _ = song_and_call()
    new, _, _ = song_and_call(seed=8)
    fitted = LDC(6).fit(bags)
    far = np.full((2, 5), 1e3)
    assert list(fitted.predict(far)) == [-1, -1]
    assert fitted.rejection_score(far).min() > 0.99
    assert np.median(fitted.rejection_score(new.X)) < 0.5
    np.testing.assert_allclose(fitted.rejection_score(bags.X), 0.0, atol=1e-9)


def test_same_seed_same_labels():
    bags, _, _ = song_and_call()
    model = LDC(7, random_state=3, n_landmarks=30)
    np.testing.assert_array_equal(model.fit(bags).labels_, clone(model).fit(bags).labels_)


def test_another_seed_gives_nearly_the_same_where_the_answer_is_clear():
    bags, _, _ = song_and_call()
    fitted = LDC(6, n_landmarks=60).fit(bags)
    again = fitted.again(bags, 5)
    assert adjusted_rand_score(fitted.labels_, again) > 0.97
    np.testing.assert_array_equal(again, fitted.again(bags, 5))


def test_order_of_instances_does_not_matter():
    bags, _, _ = song_and_call()
    order = np.random.default_rng(1).permutation(bags.n_instances)
    shuffled = LDC(6).fit(Bags(bags.X[order], bags.bag[order], bags.labels))
    assert adjusted_rand_score(LDC(6).fit(bags).labels_[order], shuffled.labels_) == 1.0


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters must be a whole number from 1"),
        ({"n_clusters": 10_000}, "must be below the number of instances"),
        ({"n_init": 1.5}, "n_init must be a whole number"),
        ({"random_state": -1}, "random_state must be a whole number from 0"),
        ({"clusters_per_class": [2, 2]}, "one number for each of the 3 classes, not 2"),
        ({"clusters_per_class": [2, 0, 2]}, "clusters_per_class must be a whole number from 1"),
        ({"posterior_weight": -1}, "posterior_weight must be a number from 0"),
        ({"column_weights": [1.0]}, "column_weights must have one number for each of the"),
        ({"drawn_weights": [1.0]}, "drawn_weights must have one number for each of the"),
        ({"drawn": [True]}, "drawn must have True or False for each of the"),
        ({"gamma": -1}, "gamma must be a number above 0"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, message):
    with pytest.raises(ClusteringError, match=message):
        LDC(**parameters).fit(song_and_call(n_bags=6)[0])


def test_nothing_can_be_predicted_before_the_fit():
    for call in (LDC().predict, LDC().rejection_score):
        with pytest.raises(ClusteringError, match="call fit"):
            call(np.zeros((1, 5)))


def test_no_instances_are_refused():
    with pytest.raises(ClusteringError, match="no instances"):
        LDC().fit(Bags(np.zeros((0, 2)), [], np.zeros((2, 3))))


def test_columns_without_weight_do_not_split_a_class():
    rng = np.random.default_rng(0)
    told, untold = np.repeat([0.0, 8.0], 20), np.tile([0.0, 8.0], 20)
    X = np.column_stack([told, untold]) + 0.1 * rng.standard_normal((40, 2))
    bags = Bags(X, np.arange(40), np.ones((40, 1), dtype=bool))
    for weights, seen in (((1, 0), told), ((0, 1), untold)):
        labels = LDC(2, column_weights=weights).fit(bags).labels_
        assert len({(int(a), float(b)) for a, b in zip(labels, seen, strict=True)}) == 2


def test_bouts_are_told_apart_where_single_instances_overlap():
    rng = np.random.default_rng(0)
    bag = np.repeat(np.arange(30), 12)
    kind = bag % 2
    X = np.column_stack([1.5 * kind, np.zeros(360)]) + rng.standard_normal((360, 2))
    bags = Bags(X, bag, np.ones((30, 1), dtype=bool))
    single = LDC(2).fit(bags)
    drawn = LDC(2, drawn=[True], drawn_weights=[1, 0]).fit(bags)
    assert adjusted_rand_score(kind, drawn.labels_) > 0.85
    assert adjusted_rand_score(kind, single.labels_) < 0.5
    # Only its bag tells where an instance belongs.
    assert adjusted_rand_score(drawn.labels_, drawn.predict(bags)) > 0.95
    assert adjusted_rand_score(drawn.labels_, drawn.predict(X)) < 0.8
    assert adjusted_rand_score(drawn.labels_, drawn.again(bags, 1)) > 0.85
