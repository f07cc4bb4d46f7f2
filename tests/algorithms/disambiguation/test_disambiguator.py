"""Which class each instance is of."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from algorithms import Bags
from algorithms.disambiguation.disambiguator import LabelDisambiguator
from algorithms.disambiguation.told import DOUBT
from algorithms.errors import ClusteringError, ClusteringWarning

CENTRES = np.array([[0.0, 0.0], [6.0, 0.0], [0.0, 6.0], [6.0, 6.0]])


def mixed_bags(
    n_bags: int = 40, seed: int = 0, noise: int = 0, unlabelled: float = 0.0
) -> tuple[Bags, Any]:
    """Bags of two of three classes each; no bag has one alone. Noise lies apart, in every bag."""
    rng = np.random.default_rng(seed)
    rows, bag, truth, labels = [], [], [], np.zeros((n_bags, 3), dtype=bool)
    for m in range(n_bags):
        pair = rng.choice(3, 2, replace=False)
        labels[m, pair] = True
        classes = np.r_[np.repeat(pair, rng.integers(1, 5, 2)), np.full(noise, 3)]
        rows.append(CENTRES[classes] + 0.7 * rng.standard_normal((len(classes), 2)))
        bag += [m] * len(classes)
        truth += list(classes)
    labelled = rng.random(n_bags) >= unlabelled
    return (
        Bags(np.vstack(rows), bag, labels & labelled[:, None], labelled=labelled),
        np.array(truth),
    )


def species_posterior(bags: Bags, **options: Any) -> npt.NDArray[np.float64]:
    return LabelDisambiguator(**options).fit(bags).posterior_


def test_no_bag_has_one_class_alone_and_yet_they_are_told_apart():
    bags, truth = mixed_bags()
    posterior = species_posterior(bags)
    assert (posterior.argmax(axis=1) == truth).mean() > 0.98
    np.testing.assert_allclose(posterior.sum(axis=1), 1.0)


def test_only_candidates_have_a_probability():
    bags, _ = mixed_bags()
    assert not species_posterior(bags)[~bags.labels[bags.bag]].any()


def test_bags_of_one_class_are_certain():
    bags, truth = mixed_bags()
    labels = bags.labels.copy()
    own = np.flatnonzero(bags.bag == 0)
    labels[0] = np.arange(3) == truth[own[0]]
    posterior = species_posterior(Bags(bags.X, bags.bag, labels))
    np.testing.assert_allclose(posterior[own, truth[own[0]]], 1.0)


def test_unlabelled_bags_are_predicted_too():
    bags, truth = mixed_bags(unlabelled=0.6)
    free = ~bags.labelled[bags.bag]
    assert free.mean() > 0.4
    assert (species_posterior(bags)[free].argmax(axis=1) == truth[free]).mean() > 0.95


def test_noise_in_every_bag_becomes_background():
    bags, truth = mixed_bags(noise=2)
    posterior = species_posterior(bags, background="cautious")
    background = 1 - posterior.sum(axis=1)
    assert background[truth == 3].mean() > 0.9
    assert background[truth < 3].mean() < 0.1
    assert species_posterior(bags).sum(axis=1).min() == pytest.approx(1.0)  # unless asked for


def test_a_bag_labelled_with_no_class_is_background():
    bags, _ = mixed_bags()
    labels = bags.labels.copy()
    labels[3] = False
    model = LabelDisambiguator().fit(Bags(bags.X, bags.bag, labels))
    assert model.seen_[-1]
    np.testing.assert_allclose(model.posterior_[bags.bag == 3], 0.0)


def test_unless_asked_for_only_bags_of_no_class_hold_background():
    bags, _ = mixed_bags()
    labels = bags.labels.copy()
    labels[3] = False
    posterior = species_posterior(Bags(bags.X, bags.bag, labels))
    np.testing.assert_allclose(posterior[bags.bag != 3].sum(axis=1), 1.0)


@pytest.mark.parametrize("choice", ["cautious", "eager"])
def test_without_a_list_what_is_like_no_class_is_background(choice: str):
    bags, truth = mixed_bags(60, unlabelled=0.2)
    free = np.flatnonzero(~bags.labelled[bags.bag])
    strange = free[::4]
    features = bags.X.copy()
    features[strange] += np.array([9.0, 9.0]) - CENTRES[truth[strange]]
    odd = bags.with_features(features)
    found = LabelDisambiguator(background=choice).fit(odd).class_
    assert (found[strange] == -1).mean() > 0.9
    usual = np.setdiff1d(free, strange)
    assert (found[usual] == truth[usual]).mean() > 0.95
    assert (LabelDisambiguator().fit(odd).class_ >= 0).all()


def test_where_lists_cannot_tell_nothing_without_a_list_is_background_for_want_of_support():
    bags, _ = mixed_bags(unlabelled=0.3)
    everywhere = np.tile(bags.labelled[:, None], (1, 3))  # all lists are the same
    same = Bags(bags.X, bags.bag, everywhere, labelled=bags.labelled)
    assert (LabelDisambiguator(background="cautious").fit(same).class_ >= 0).all()


def test_bags_of_rarely_heard_classes_hold_no_background():
    bags, truth = mixed_bags(noise=2)
    # The class 3 stands beside the others in four bags: too few to know it well.
    labels = np.column_stack([bags.labels, np.arange(bags.n_bags) < 4])
    rare = bags.bag < 4
    background = 1 - species_posterior(Bags(bags.X, bags.bag, labels), background="cautious").sum(
        axis=1
    )
    np.testing.assert_allclose(background[rare], 0.0, atol=1e-12)
    assert background[~rare & (truth == 3)].mean() > 0.9


def test_every_label_of_a_bag_is_expected_to_occur():
    bags, _ = mixed_bags()
    posterior = species_posterior(bags)
    total = np.zeros((bags.n_bags, 3))
    np.add.at(total, bags.bag, posterior)
    assert total[bags.labels].min() > 0.8


def test_a_label_without_any_instance_may_be_left_empty():
    bags, _ = mixed_bags()
    # Nothing was found of the class 3, which half of the bags list.
    labels = np.column_stack([bags.labels, np.arange(bags.n_bags) < 20])
    silent = Bags(bags.X, bags.bag, labels)
    expected, free = (
        LabelDisambiguator(occupancy=occupancy).fit(silent).posterior_[bags.bag < 20, 3].sum()
        for occupancy in (1.5, 0)
    )
    assert expected > 15
    assert free < 3


def test_new_instances_get_what_the_training_ones_have():
    bags, truth = mixed_bags()
    new, new_truth = mixed_bags(seed=9)
    model = LabelDisambiguator().fit(bags)
    free = model.predict_posterior(new.X)
    assert (free.argmax(axis=1) == new_truth).mean() > 0.97
    told = model.predict_posterior(new.X, new.labels[new.bag])
    assert not told[~new.labels[new.bag]].any()
    assert (told.argmax(axis=1) == new_truth).mean() >= (free.argmax(axis=1) == new_truth).mean()
    several = new.labels[new.bag].sum(axis=1) > 1
    assert told[several].max() < 1 - DOUBT / 3 < free.max()
    unknown = np.zeros((new.n_instances, 3), dtype=bool)
    np.testing.assert_array_equal(model.predict_posterior(new.X, unknown), free)
    assert (model.predict_posterior(bags.X).argmax(axis=1) == truth).mean() > 0.97


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 1000))
def test_numbering_of_bags_and_classes_does_not_matter(seed):
    bags, _ = mixed_bags(n_bags=15, seed=seed)
    rng = np.random.default_rng(seed)
    bag_order, class_order = rng.permutation(bags.n_bags), rng.permutation(3)
    renumbered = Bags(
        bags.X, np.argsort(bag_order)[bags.bag], bags.labels[bag_order][:, class_order]
    )
    # Coordinates of the kernel are in single precision, and the rounds carry their rounding on:
    # 39 times it with the worst of the thousand seeds, 4 times with most.
    np.testing.assert_allclose(
        species_posterior(renumbered), species_posterior(bags)[:, class_order], atol=50 * 2.0**-24
    )


def test_order_of_instances_does_not_matter():
    bags, _ = mixed_bags()
    order = np.random.default_rng(1).permutation(bags.n_instances)
    shuffled = Bags(bags.X[order], bags.bag[order], bags.labels)
    np.testing.assert_allclose(
        species_posterior(shuffled), species_posterior(bags)[order], atol=1e-5
    )


def test_same_seed_same_posterior():
    bags, _ = mixed_bags(n_bags=60)
    model = LabelDisambiguator(random_state=4, n_landmarks=20)
    first, second = (clone(model).fit(bags).posterior_ for _ in range(2))
    np.testing.assert_array_equal(first, second)
    other = clone(model).set_params(random_state=5).fit(bags).posterior_
    assert not np.array_equal(first, other)


def test_without_any_label_nothing_is_known():
    bags = Bags(np.eye(4), [0, 0, 1, 1], np.zeros((2, 3)), labelled=[False, False])
    with pytest.warns(ClusteringWarning, match="label some bags"):
        model = LabelDisambiguator().fit(bags)
    assert not model.posterior_.any()
    assert not model.predict_posterior(np.eye(4)).any()


def test_a_class_that_no_labelled_bag_has_is_not_given():
    bags, _ = mixed_bags()
    wider = np.column_stack([bags.labels, np.zeros(bags.n_bags, dtype=bool)])
    model = LabelDisambiguator().fit(Bags(bags.X, bags.bag, wider))
    assert not model.posterior_[:, 3].any()
    only_unseen = np.tile([False, False, False, True], (5, 1))
    np.testing.assert_array_equal(
        model.predict_posterior(bags.X[:5], only_unseen), model.predict_posterior(bags.X[:5])
    )


def many_bags(seed: int = 0) -> tuple[Bags, Any]:
    """Bags of one to three of eight classes, which lie on a circle."""
    rng = np.random.default_rng(seed)
    labels = np.zeros((160, 8), dtype=bool)
    rows, bag, truth = [], [], []
    for m in range(len(labels)):
        for c in rng.choice(8, rng.integers(1, 4), replace=False):
            labels[m, c] = True
            angle = 2 * np.pi * c / 8
            rows.append(8 * np.array([np.cos(angle), np.sin(angle)]) + rng.standard_normal((3, 2)))
            bag += [m] * 3
            truth += [c] * 3
    return Bags(np.vstack(rows), bag, labels), np.array(truth)


def test_right_lists_are_found_right():
    bags, _ = many_bags()
    model = LabelDisambiguator().fit(bags)
    assert model.present_ > 0.97
    assert model.missing_ == 0.0


def test_false_species_are_counted_and_not_believed():
    bags, truth = many_bags()
    rng = np.random.default_rng(1)
    listed = bags.labels | (rng.random(bags.labels.shape) < 0.2)
    noisy = Bags(bags.X, bags.bag, listed)
    model = LabelDisambiguator().fit(noisy)
    assert model.present_ == pytest.approx(bags.labels.sum() / listed.sum(), abs=0.08)
    assert (model.class_ == truth).mean() > 0.95
    believing = LabelDisambiguator(judge_lists=False).fit(noisy)
    assert (believing.class_ == truth).mean() < (model.class_ == truth).mean() - 0.05


def test_forgotten_species_are_counted_and_found():
    bags, truth = many_bags()
    rng = np.random.default_rng(1)
    listed = bags.labels & (rng.random(bags.labels.shape) > 0.2)
    short = Bags(bags.X, bags.bag, listed, labelled=listed.any(axis=1))
    model = LabelDisambiguator().fit(short)
    assert model.missing_ == pytest.approx(0.2, abs=0.12)
    lost = ~listed[bags.bag, truth] & listed[bags.bag].any(axis=1)
    assert (model.class_ == truth)[lost].mean() > 0.8


def test_confidences_of_lists_weigh_their_species():
    bags, truth = many_bags()
    rng = np.random.default_rng(1)
    listed = bags.labels | (rng.random(bags.labels.shape) < 0.5)
    sure = np.where(bags.labels, 0.9, 0.1) * listed
    plain, told = (
        LabelDisambiguator().fit(Bags(bags.X, bags.bag, listed, weights=weights))
        for weights in (None, sure)
    )
    assert (told.class_ == truth).mean() > (plain.class_ == truth).mean()


def test_classes_that_are_always_listed_together_share_their_instances():
    bags, _ = mixed_bags()
    twice = Bags(bags.X, bags.bag, np.column_stack([bags.labels, bags.labels[:, 1]]))
    model = LabelDisambiguator().fit(twice)
    assert model.inseparable_ == [(1, 3)]
    np.testing.assert_allclose(model.posterior_[:, 1], model.posterior_[:, 3], atol=1e-9)
    assert not (model.class_ == 3).any()  # of equals the first
    assert LabelDisambiguator().fit(bags).inseparable_ == []


def test_a_class_in_all_lists_is_certain_and_never_background():
    bags, _ = mixed_bags(n_bags=80)
    one = Bags(bags.X, bags.bag, np.ones((80, 1)))
    for background in ("off", "cautious", "eager"):
        np.testing.assert_allclose(LabelDisambiguator(background=background).fit(one).posterior_, 1)


def test_another_seed_goes_on_from_where_the_fit_ended():
    bags, truth = mixed_bags(n_bags=60, unlabelled=0.2)
    model = LabelDisambiguator(n_landmarks=60).fit(bags)
    first, second, other = (model.again(seed) for seed in (7, 7, 8))
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(first, other)
    assert (first.argmax(axis=1) == truth).mean() > 0.95


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rounds": 0}, "rounds must be a whole number from 1"),
        ({"n_landmarks": 2.5}, "n_landmarks must be a whole number"),
        ({"gamma": 0}, "gamma must be a number above 0"),
        ({"ridge": float("inf")}, "ridge must be"),
        ({"sharpness": "x"}, "sharpness must be"),
        ({"power": 0.5}, "power must be a number from 1"),
        ({"occupancy": -1}, "occupancy must be a number from 0"),
        ({"background": "yes"}, "background must be one of off, cautious, eager"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters, message):
    with pytest.raises(ClusteringError, match=message):
        LabelDisambiguator(**parameters).fit(mixed_bags(n_bags=4)[0])


def test_arrays_that_do_not_fit_are_refused():
    bags, _ = mixed_bags(n_bags=6)
    with pytest.raises(ClusteringError, match="call fit"):
        LabelDisambiguator().predict_posterior(bags.X)
    model = LabelDisambiguator().fit(bags)
    with pytest.raises(ClusteringError, match="5 columns but the training instances have 2"):
        model.predict_posterior(np.zeros((3, 5)))
    with pytest.raises(ClusteringError, match="3 rows, one per new instance, and 3 columns"):
        model.predict_posterior(np.zeros((3, 2)), np.ones((3, 2)))
    with pytest.raises(ClusteringError, match="no instances"):
        LabelDisambiguator().fit(Bags(np.zeros((0, 2)), [], np.zeros((2, 3))))


def test_few_right_lists_are_not_doubted():
    bags, truth = many_bags()
    some = Bags(bags.X[bags.bag < 12], bags.bag[bags.bag < 12], bags.labels[:12])
    model = LabelDisambiguator().fit(some)
    assert model.present_ > 0.9
    assert (model.class_ == truth[bags.bag < 12]).mean() > 0.9
