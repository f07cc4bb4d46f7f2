from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom

from algorithms import Bags
from algorithms.bags import Known, own_bags
from algorithms.disambiguation.cluster_species import (
    ClusterSpecies,
    counted_clusters,
    species_of_clusters,
    with_known_classes,
    without_species,
)
from algorithms.disambiguation.ldc import LDC
from algorithms.errors import ClusteringError


def judge(
    counts: npt.ArrayLike, labels: npt.ArrayLike, labelled: npt.ArrayLike | None = None
) -> ClusterSpecies:
    """Judge clusters given as a table of instances per cluster (rows) and bag (columns)."""
    table = np.asarray(counts)
    cluster, bag = np.nonzero(table)
    times = table[cluster, bag]
    bags = Bags(np.zeros((times.sum(), 1)), np.repeat(bag, times), labels, labelled)
    return species_of_clusters(np.repeat(cluster, times), bags, len(table))


LABELS = [[1, 0, 0], [1, 0, 0], [1, 1, 0], [1, 0, 1], [0, 1, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1]]
COUNTS = [
    [5, 4, 3, 1, 0, 0, 0, 0],  # in all bags of class 0, and no other
    [0, 0, 1, 0, 2, 1, 1, 0],  # class 1
    [0, 0, 0, 1, 0, 0, 1, 3],  # class 2
    [1, 0, 0, 0, 2, 1, 0, 0],  # a quarter class 0, else class 1
]


def test_worked_enrichment() -> None:
    result = judge(COUNTS, LABELS)
    np.testing.assert_allclose(np.diag(result.p_value), [1 / 70, 1 / 70, 1 / 56])
    np.testing.assert_allclose(np.diag(result.q_value), 0.071429, atol=5e-7)
    np.testing.assert_allclose(np.diag(result.consistency), 1)
    np.testing.assert_allclose(np.diag(result.coverage), 1)
    np.testing.assert_allclose(result.consistency[3], [1 / 3, 2 / 3, 0])
    np.testing.assert_allclose(result.coverage[3], [1 / 4, 1 / 2, 0])


def test_a_known_instance_counts_as_a_tenth_of_its_cluster_besides_itself() -> None:
    may_be = np.ones((10, 3), dtype=bool)
    may_be[:4] = [False, True, False]
    may_be[4] = [False, False, True]  # noise
    bags = Bags(np.zeros((10, 1)), np.zeros(10, dtype=int), [[1, 0]])
    told = Bags(bags.X, bags.bag, bags.labels, known=Known(may_be, np.full(10, -1)))
    result = species_of_clusters(np.zeros(10, dtype=int), own_bags(told), 1)
    # 5 of class 0 by the list, 4 answers and 1 of noise that count 2 each.
    np.testing.assert_allclose(result.theta, [[5 / 15, 8 / 15]])
    assert result.species.tolist() == [1]


def test_worked_fixed_point_of_the_em() -> None:
    result = judge(COUNTS, LABELS)
    np.testing.assert_allclose(result.theta[:3], np.eye(3), atol=1e-6)
    np.testing.assert_allclose(result.theta[3], [0.25, 0.75, 0])
    assert result.species.tolist() == [0, 1, 2, 1]
    np.testing.assert_allclose(result.confidence, [1, 1, 1, 0.75])


def test_worked_first_step_of_the_em(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("algorithms.disambiguation.label_set_counts._MAX_STEPS", 1)
    expected = [0.846154, 0.115385, 0.038462]  # (9 + 3/2 + 1/2, 3/2, 1/2) / 13
    np.testing.assert_allclose(judge(COUNTS, LABELS).theta[0], expected, atol=5e-7)


def test_p_values_are_hypergeometric_upper_tails() -> None:
    rng = np.random.default_rng(0)
    labels = rng.random((40, 4)) < 0.4
    counts = rng.poisson(0.5, (6, 40))
    result = judge(counts, labels)
    for g in range(6):
        for c in range(4):
            with_cluster, with_class = counts[g] > 0, labels[:, c]
            common = (with_cluster & with_class).sum()
            expected = sum(
                hypergeom.pmf(k, 40, with_class.sum(), with_cluster.sum())
                for k in range(common, with_cluster.sum() + 1)
            )
            assert result.p_value[g, c] == pytest.approx(expected, rel=1e-9)


def test_q_values_are_adjusted_over_all_clusters_and_classes() -> None:
    rng = np.random.default_rng(1)
    result = judge(rng.poisson(0.4, (5, 30)), rng.random((30, 3)) < 0.4)
    p = np.sort(result.p_value.ravel())
    adjusted = np.minimum.accumulate((p * len(p) / np.arange(1, len(p) + 1))[::-1])[::-1]
    np.testing.assert_allclose(np.sort(result.q_value.ravel()), adjusted)


def test_theta_is_the_likeliest_mixture() -> None:
    """A brute-force grid finds no better theta for the partial-label likelihood."""
    labels = np.array([[1, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 0]])
    n = np.array([5, 2, 4, 1])
    theta = judge([n], labels).theta[0]
    assert theta.sum() == pytest.approx(1)
    steps = np.linspace(0, 1, 41)
    best = max(
        n @ np.log(labels @ np.array([a, b, 1 - a - b]) + 1e-300)
        for a in steps
        for b in steps
        if a + b <= 1
    )
    assert n @ np.log(labels @ theta) >= best - 1e-9


def test_species_that_always_occur_together_cannot_be_told_apart() -> None:
    result = judge([[3, 2, 0]], [[1, 1], [1, 1], [1, 0]])
    np.testing.assert_allclose(result.theta[0], [0.5, 0.5])
    # Class 1 occurs in two of the three bags, class 0 in all: the cluster is richer in class 1.
    assert result.species.tolist() == [1]
    assert result.confidence.tolist() == [0.5]


def test_a_complete_tie_goes_to_the_lower_class() -> None:
    result = judge([[2, 1], [0, 1]], [[1, 1], [1, 1]])
    assert result.species.tolist() == [0, 0]


def test_confidence_of_an_instance_depends_on_its_bag() -> None:
    # One cluster, theta (.25, .75, 0); bags {0}, {1}, {0,1}, {2} and an unlabelled one.
    bags = Bags(
        np.zeros((8, 1)),
        [0, 1, 1, 1, 2, 3, 4, 4],
        [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0]],
        labelled=[1, 1, 1, 1, 0],
    )
    cluster = np.array([0, 0, 0, 0, 0, 1, 0, -1])
    result = species_of_clusters(cluster, bags, 2)
    np.testing.assert_allclose(result.theta[0], [0.25, 0.75, 0], atol=1e-6)
    expected = [
        0,  # the bag lacks class 1
        1,
        1,
        1,
        0.75,  # either class
        1,  # cluster 1 is class 2
        0.75,  # unlabelled: what the cluster says
        0,  # in no cluster
    ]
    np.testing.assert_allclose(result.instance_confidence, expected, atol=1e-6)


def test_a_cluster_of_unlabelled_bags_is_unknown_and_not_background() -> None:
    result = judge([[3, 0, 2], [0, 4, 1]], [[0], [1], [0]], labelled=[0, 1, 0])
    assert result.species.tolist() == [-1, 0]
    assert result.confidence.tolist() == [0, 1]
    assert result.background.tolist() == [False, False]
    assert result.theta[0].tolist() == [0]
    assert result.p_value[0].tolist() == [1]
    assert result.q_value[0].tolist() == [1]
    assert result.instance_confidence[:5].tolist() == [0] * 5


def test_unlabelled_bags_do_not_count() -> None:
    plain = judge(COUNTS, LABELS)
    padded = judge(
        np.hstack([COUNTS, np.full((4, 3), 2)]),
        [*LABELS, [0] * 3, [0] * 3, [0] * 3],
        labelled=[True] * 8 + [False] * 3,
    )
    for name in ("theta", "consistency", "coverage", "p_value", "background_share", "explained"):
        np.testing.assert_allclose(getattr(padded, name), getattr(plain, name))


def test_labelled_bags_without_instances_count_against_coverage() -> None:
    result = judge([[1, 2, 0]], [[1], [1], [1]])
    assert result.coverage[0, 0] == pytest.approx(2 / 3)
    assert result.consistency[0, 0] == 1


def test_an_empty_cluster_is_unknown() -> None:
    result = judge([[0, 0], [1, 2]], [[1, 0], [1, 1]])
    assert result.species.tolist() == [-1, 0]
    assert not result.background.any()


def test_syllables_in_bags_without_species_belong_to_none() -> None:
    # Six syllables in two bags of class 0, two in a bag that was searched and found silent.
    result = judge([[4, 2, 2, 0]], [[1, 0], [1, 0], [0, 0], [0, 1]])
    np.testing.assert_allclose(result.theta[0], [0.75, 0])
    assert result.confidence.tolist() == [0.75]
    assert result.background_share[0] >= 0.25


def test_a_cluster_of_bags_without_species_is_background() -> None:
    result = judge([[0, 0, 3, 2], [2, 3, 0, 0]], [[1, 0], [1, 0], [0, 0], [0, 0]])
    assert result.background.tolist() == [True, False]
    assert result.species.tolist() == [-1, 0]
    assert result.theta[0].tolist() == [0, 0]
    assert result.background_share[0] == pytest.approx(1)


def test_noise_that_is_also_in_bags_without_species_is_background() -> None:
    """In single-species data, silent bags are all that tells noise from calls."""
    labels = np.array([[1]] * 20 + [[0]] * 10)
    noise, calls = np.ones(30, int), np.repeat([2, 0], [20, 10])
    result = judge([noise, calls], labels)
    assert result.background.tolist() == [True, False]


def test_in_single_species_data_everything_is_the_species() -> None:
    rng = np.random.default_rng(2)
    result = judge(rng.poisson(0.5, (6, 40)), np.ones((40, 1)))
    assert (result.species == 0).all()
    assert (result.explained == 1).all()
    assert not result.background.any()
    np.testing.assert_allclose(result.confidence, 1)


def bag_labels(rng: np.random.Generator, n_bags: int, rates: Sequence[float]) -> Any:
    labels = rng.random((n_bags, len(rates))) < rates
    silent = np.flatnonzero(~labels.any(axis=1))
    labels[silent, rng.integers(0, len(rates), len(silent))] = True
    return labels


def calls_of(rng: np.random.Generator, labels: Any, c: int, n_bags: int | None = None) -> Any:
    """Count the syllables of a mode of class c: one or more in some of its bags."""
    where = np.flatnonzero(labels[:, c])
    if n_bags is not None:
        where = rng.choice(where, min(n_bags, len(where)), replace=False)
    counts = np.zeros(len(labels), dtype=int)
    counts[where] = np.ceil(rng.lognormal(0.5, 1.0, len(where)))
    return counts


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 5), st.floats(0.1, 0.95))
def test_a_rare_mode_of_one_species_is_never_background(
    seed: int, n_bags: int, rate: float
) -> None:
    rng = np.random.default_rng(seed)
    labels = bag_labels(rng, 30, [rate, 0.3, 0.3, 0.3, 0.3])
    labels[:n_bags, 0] = True
    others = [calls_of(rng, labels, c) for c in range(1, 5)]
    result = judge([calls_of(rng, labels, 0, n_bags), *others], labels)
    assert not result.background[0]


@pytest.mark.parametrize(
    ("n_bags", "rates"), [(30, [0.3] * 5), (100, [0.3] * 5), (500, [0.15] * 13), (500, [0.06] * 40)]
)
def test_noise_is_background_and_modes_with_stray_syllables_are_not(
    n_bags: int, rates: list[float]
) -> None:
    noise_flagged, modes_flagged = [], []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        labels = bag_labels(rng, n_bags, rates)
        noise = np.where(rng.random(n_bags) < 0.8, np.ceil(rng.lognormal(0.5, 1.0, n_bags)), 0)
        mode = calls_of(rng, labels, 0)
        np.add.at(mode, rng.integers(0, n_bags, mode.sum() // 6), 1)
        result = judge([noise.astype(int), mode], labels)
        noise_flagged.append(result.background[0])
        modes_flagged.append(result.background[1])
        assert result.species[1] == 0
    assert np.mean(noise_flagged) >= 0.9
    assert np.mean(modes_flagged) <= 0.1


def test_a_call_shared_by_three_species_is_not_background() -> None:
    rng = np.random.default_rng(3)
    labels = bag_labels(rng, 300, [0.15] * 8)
    shared = sum(calls_of(rng, labels, c) for c in range(3))
    result = judge([shared], labels)
    assert result.explained[0] < 0.5
    assert result.background_share[0] < 0.02
    assert not result.background[0]


def test_a_species_in_every_bag_does_not_make_modes_of_others_background() -> None:
    rng = np.random.default_rng(4)
    labels = bag_labels(rng, 30, [0.3] * 5)
    labels[:, 0] = True
    result = judge([calls_of(rng, labels, c) for c in range(5)], labels)
    assert not result.background.any()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000))
def test_shares_are_shares(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labelled = rng.random(15) < 0.8
    labels = (rng.random((15, 3)) < 0.4) & labelled[:, None]
    result = judge(rng.poisson(0.5, (4, 15)), labels, labelled)
    for name in ClusterSpecies.__dataclass_fields__:
        values = getattr(result, name)
        if name != "species":
            assert (values >= 0).all()
            assert (values <= 1 + 1e-9).all()
    assert (result.theta.sum(axis=1) <= 1 + 1e-9).all()
    assert (result.p_value <= result.q_value + 1e-12).all()


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_order_and_numbering_do_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = bag_labels(rng, 20, [0.3, 0.4, 0.2])
    counts = rng.poisson(0.6, (4, 20))
    bag_order, class_order, cluster_order = (rng.permutation(n) for n in (20, 3, 4))
    one = judge(counts, labels)
    other = judge(counts[cluster_order][:, bag_order], labels[bag_order][:, class_order])
    for name in ("theta", "consistency", "coverage", "p_value", "q_value"):
        expected = getattr(one, name)[cluster_order][:, class_order]
        np.testing.assert_allclose(getattr(other, name), expected, atol=1e-6)
    assert (other.background == one.background[cluster_order]).all()


def test_no_instances_and_no_classes_are_legal() -> None:
    nothing = species_of_clusters([], Bags(np.zeros((0, 1)), [], [[1, 0]]), 3)
    assert nothing.species.tolist() == [-1] * 3
    assert nothing.theta.shape == (3, 2)
    no_classes = judge([[1, 2]], np.zeros((2, 0)))
    assert no_classes.species.tolist() == [-1]
    assert no_classes.p_value.shape == (1, 0)


@pytest.mark.parametrize(
    ("cluster", "message"),
    [
        ([0, 1], "each of the 3 instances"),
        ([0.0, 1.0, 1.0], "whole numbers"),
        ([0, 1, 2], r"instance 2 is in cluster 2, outside 0 to 1"),
        ([0, -2, 1], r"instance 1 is in cluster -2"),
    ],
)
def test_clusters_that_do_not_fit_are_an_error(cluster: list[Any], message: str) -> None:
    bags = Bags(np.zeros((3, 1)), [0, 0, 0], [[1]])
    with pytest.raises(ClusteringError, match=message):
        species_of_clusters(cluster, bags, 2)


def test_worked_names_by_known_classes() -> None:
    # Cluster 0 is of class 0, cluster 1 of class 2, cluster 2 background.
    bags = Bags(np.zeros((6, 1)), [0, 1, 1, 2, 0, 2], [[1, 1, 0], [1, 0, 1], [0, 1, 1]])
    cluster = np.array([0, 0, 1, 1, 2, 2])
    known = np.array([0, 0, 2, 2, -1, -1])
    posterior = np.array(
        [
            [0.9, 0.1, 0.0],
            [0.6, 0.0, 0.3],
            [0.2, 0.0, 0.8],
            [0.0, 0.5, 0.5],
            [0.1, 0.2, 0.0],
            [0.0, 0.0, 0.0],
        ]
    )
    found = species_of_clusters(cluster, bags, 3)
    named = with_known_classes(found, cluster, known, posterior)
    np.testing.assert_allclose(
        named.theta, [[0.75, 0.05, 0.15], [0.1, 0.25, 0.65], [0.05, 0.1, 0.0]]
    )
    assert named.species.tolist() == [0, 2, -1]
    np.testing.assert_allclose(named.confidence, [0.75, 0.65, 0])
    assert named.background.tolist() == [False, False, True]
    np.testing.assert_allclose(named.instance_confidence, [0.9, 0.6, 0.8, 0.5, 0, 0])
    for kept in ("consistency", "coverage", "p_value", "q_value", "explained", "background_share"):
        np.testing.assert_array_equal(getattr(named, kept), getattr(found, kept))


def test_known_classes_overrule_what_the_label_sets_make_of_a_cluster() -> None:
    # By its bags the cluster is class 1's, which is in both of them.
    bags = Bags(np.zeros((2, 1)), [0, 1], [[1, 1], [0, 1]])
    found = species_of_clusters([0, 0], bags, 1)
    assert found.species.tolist() == [1]
    posterior = np.array([[0.8, 0.2], [0.6, 0.4]])
    named = with_known_classes(found, np.zeros(2, int), np.zeros(2, int), posterior)
    assert named.species.tolist() == [0]
    np.testing.assert_allclose(named.confidence, [0.7])


@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from(["off", "cautious"]))
def test_clusters_of_ldc_are_named_by_a_class_of_all_their_bags(
    seed: int, background: Literal["off", "cautious"]
) -> None:
    rng = np.random.default_rng(seed)
    labels = bag_labels(rng, 12, [0.4, 0.4, 0.4])
    bags = Bags(rng.standard_normal((40, 2)), rng.integers(0, 12, 40), labels)
    fitted = LDC(8, background=background, n_init=1).fit(bags)
    n_clusters = len(fitted.class_of_cluster_)
    known = fitted.class_of_cluster_[fitted.labels_]
    found = species_of_clusters(fitted.labels_, bags, n_clusters)
    named = with_known_classes(found, fitted.labels_, known, fitted.posterior_)
    assert (named.species == fitted.class_of_cluster_).all()
    assert (named.background == (named.species < 0)).all()
    of_species = known >= 0
    assert labels[bags.bag[of_species], known[of_species]].all()
    for g in np.flatnonzero(~named.background):
        members = fitted.labels_ == g
        assert named.consistency[g, named.species[g]] == 1
        mean = fitted.posterior_[members, named.species[g]].mean()
        assert named.confidence[g] == pytest.approx(mean)
        assert named.instance_confidence[members].mean() == pytest.approx(mean)
    if not background:
        assert of_species.all()


def test_known_classes_without_classes_or_instances_are_legal() -> None:
    no_classes = Bags(np.zeros((2, 1)), [0, 1], np.zeros((2, 0)))
    cluster = np.zeros(2, dtype=np.int64)
    found = species_of_clusters(cluster, no_classes, 1)
    named = with_known_classes(found, cluster, np.full(2, -1), np.zeros((2, 0)))
    assert named.species.tolist() == [-1]
    assert named.theta.shape == (1, 0)
    nothing = species_of_clusters([], Bags(np.zeros((0, 1)), [], [[1, 0]]), 0)
    none = np.zeros(0, dtype=np.int64)
    assert with_known_classes(nothing, none, none, np.zeros((0, 2))).theta.shape == (0, 2)


def test_counting_alone_gives_the_same_counts_and_no_names():
    cluster = np.array([0, 0, 1, 1, 2, 0])
    bags = Bags(np.zeros((6, 1)), [0, 1, 1, 2, 2, 3], [[1, 0], [1, 1], [0, 1], [1, 0]])
    named, counted = (
        function(cluster, bags, 3) for function in (species_of_clusters, counted_clusters)
    )
    for part in ("consistency", "coverage", "p_value", "q_value"):
        np.testing.assert_array_equal(getattr(counted, part), getattr(named, part))
    assert (counted.species == -1).all()
    unnamed = without_species(named)
    assert (unnamed.species == -1).all()
    assert not unnamed.background.any()
    assert not unnamed.instance_confidence.any()
