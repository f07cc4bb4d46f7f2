"""MI-EM as a whole: known groups, defined edges, what must not matter."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from algorithms import Bags, make_clusterer
from algorithms.bagwise.mi_em import MIEM
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.metrics import f_measure
from algorithms.preprocessing import standardize

CENTRES = 6.0 * np.eye(3, 4)
PROFILES = np.array([[0.8, 0.2, 0.0], [0.1, 0.1, 0.8]])


def bags_of(X: npt.ArrayLike, bag: npt.ArrayLike, n_bags: int | None = None) -> Bags:
    numbers = np.asarray(bag)
    return Bags(X, numbers, np.zeros((n_bags or int(numbers.max()) + 1, 0)))


def grouped_bags(
    n_bags: int = 60, seed: int = 0, lengths: tuple[int, int] = (12, 12)
) -> tuple[Bags, npt.NDArray[np.int64]]:
    """Bags of two groups that differ in how often they draw from three blobs, and how much."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 2, n_bags)
    sizes = 1 + rng.poisson(np.array(lengths)[group])
    bag = np.repeat(np.arange(n_bags), sizes)
    blob = np.array([rng.choice(3, p=PROFILES[group[m]]) for m in bag])
    return bags_of(CENTRES[blob] + rng.normal(size=(len(bag), 4)), bag), group


def fit(bags: Bags, n_clusters: int = 2, **parameters: Any) -> MIEM:
    parameters = {"n_concepts": 3, "n_init": 4, "n_init_concepts": 2, **parameters}
    return MIEM(n_clusters, **parameters).fit(bags)


@pytest.mark.parametrize("likelihood", ["mixture", "multinomial"])
@pytest.mark.parametrize("length_model", ["binomial", "poisson", "none"])
@pytest.mark.parametrize("instance_model", ["diag", "full"])
def test_groups_that_mix_concepts_differently_are_found(
    likelihood: str, length_model: str, instance_model: str
) -> None:
    bags, group = grouped_bags()
    found = fit(
        bags, likelihood=likelihood, length_model=length_model, instance_model=instance_model
    )
    assert adjusted_rand_score(group, found.labels_) == 1.0
    # concepts in the order of the blobs, groups in that of the truth
    concepts = [int(np.abs(found.concept_means_ - c).sum(axis=1).argmin()) for c in CENTRES]
    groups = [int(found.labels_[group == g][0]) for g in (0, 1)]
    np.testing.assert_allclose(
        found.concept_profiles_[np.ix_(groups, concepts)], PROFILES, atol=0.06
    )
    np.testing.assert_allclose(found.concept_means_[concepts], CENTRES, atol=0.3)
    np.testing.assert_allclose(found.weights_[groups], np.bincount(group) / 60, atol=1e-3)
    assert found.longest_ == bags.sizes.max()
    for g in (0, 1):
        mean_size = bags.sizes[group == g].mean()
        assert found.lengths_[groups[g]] == pytest.approx(mean_size, abs=0.1)


def test_length_tells_groups_of_like_content_apart() -> None:
    rng = np.random.default_rng(0)
    group = np.repeat([0, 1], 30)
    bag = np.repeat(np.arange(60), np.where(group == 0, 2, 20))
    bags = bags_of(rng.normal(size=(len(bag), 2)), bag)
    assert adjusted_rand_score(group, fit(bags, n_concepts=2).labels_) == 1.0
    with pytest.warns(ClusteringWarning, match="only 1 of 2 groups"):
        fit(bags, n_concepts=2, length_model="none")


def test_counts_make_groups() -> None:
    rng = np.random.default_rng(0)
    themes = np.array([[0.6, 0.3, 0.05, 0.05], [0.05, 0.05, 0.3, 0.6]])
    group = rng.integers(0, 2, 30)
    bag = np.repeat(np.arange(30), 6)
    X = np.array([rng.multinomial(30, themes[group[m]]) for m in bag], dtype=float)
    found = fit(bags_of(X, bag), n_concepts=2, instance_model="multinomial")
    assert adjusted_rand_score(group, found.labels_) == 1.0
    assert found.instance_model_ == "multinomial"
    np.testing.assert_array_equal(found.predict(bags_of(X, bag)), found.labels_)


def test_fitted_attributes_hang_together() -> None:
    bags, _ = grouped_bags(lengths=(5, 9))
    found = fit(bags, 3)
    np.testing.assert_allclose(found.responsibilities_.sum(axis=1), 1.0)
    np.testing.assert_array_equal(found.labels_, found.responsibilities_.argmax(axis=1))
    np.testing.assert_array_equal(found.strength_, found.responsibilities_.max(axis=1))
    np.testing.assert_allclose(found.weights_, found.responsibilities_.mean(axis=0), atol=0.01)
    assert found.weights_.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(found.concept_profiles_.sum(axis=1), 1.0)
    assert found.run_log_likelihoods_.shape == (4,)
    assert found.log_likelihoods_[-1] == found.run_log_likelihoods_.max()
    assert (np.diff(found.log_likelihoods_) >= -1e-9 * abs(found.log_likelihoods_[0])).all()
    assert found.labels_.dtype == np.int64
    np.testing.assert_array_equal(found.predict(bags), found.labels_)


def test_bags_without_instances_take_no_part() -> None:
    bags, _ = grouped_bags(lengths=(5, 9))
    plain = fit(bags)
    spread = fit(bags_of(bags.X, 2 * bags.bag + 1, 2 * bags.n_bags + 3))
    np.testing.assert_array_equal(spread.labels_[1::2][: bags.n_bags], plain.labels_)
    assert (spread.labels_[::2] == -1).all()
    assert np.isnan(spread.strength_[::2]).all()
    np.testing.assert_array_equal(spread.weights_, plain.weights_)
    # what is left to say of them is share and length: (1 - l)^longest under the binomial
    chance = plain.lengths_ / plain.longest_
    expected = plain.weights_ * (1 - chance) ** plain.longest_
    np.testing.assert_allclose(spread.responsibilities_[0], expected / expected.sum(), rtol=1e-6)
    np.testing.assert_array_equal(spread.predict(bags_of(bags.X[:2], [1, 1], 3)) >= 0, [0, 1, 0])


def test_units_and_constant_features_do_not_matter() -> None:
    bags, _ = grouped_bags()
    plain = fit(bags)
    X = np.hstack(
        [bags.X * [1e6, 1e-6, 1.0, 30.0] + [0, 0, 1e3, 0], np.full((len(bags.X), 1), 5.0)]
    )
    np.testing.assert_array_equal(fit(bags_of(X, bags.bag)).labels_, plain.labels_)


@settings(max_examples=5)
@given(st.integers(0, 999))
def test_numbers_of_bags_and_order_of_instances_do_not_matter(seed: int) -> None:
    bags, _ = grouped_bags(30)
    rng = np.random.default_rng(seed)
    number, order = rng.permutation(30), rng.permutation(len(bags.X))
    shuffled = fit(bags_of(bags.X[order], number[bags.bag[order]]), n_init=2, n_init_concepts=1)
    plain = fit(bags, n_init=2, n_init_concepts=1)
    assert adjusted_rand_score(plain.labels_, shuffled.labels_[number]) == 1.0


def test_same_seed_same_result_on_any_number_of_threads() -> None:
    bags, _ = grouped_bags(40, lengths=(8, 8))
    results = []
    for threads in (1, 2):
        with threadpool_limits(limits=threads):
            results.append(fit(bags, 4, n_concepts=6))
    np.testing.assert_array_equal(results[0].responsibilities_, results[1].responsibilities_)
    np.testing.assert_array_equal(results[0].run_log_likelihoods_, results[1].run_log_likelihoods_)
    other = fit(bags, 4, n_concepts=6, random_state=1)
    assert (other.run_log_likelihoods_ != results[0].run_log_likelihoods_).any()
    MIEM(2, random_state=None, n_concepts=2).fit(bags)


def test_new_bags_go_where_they_belong() -> None:
    bags, group = grouped_bags()
    found = fit(bags)
    new, new_group = grouped_bags(40, seed=9)
    assert adjusted_rand_score(new_group, found.predict(new)) == 1.0
    of_first = int(found.labels_[group == 0][0])
    rng = np.random.default_rng(0)
    long = CENTRES[rng.choice(3, 500, p=PROFILES[0])] + rng.normal(size=(500, 4))
    assert list(found.predict(bags_of(long, np.zeros(500, dtype=int)))) == [of_first]


@pytest.mark.parametrize("length_model", ["binomial", "poisson", "none"])
def test_one_group(length_model: str) -> None:
    bags, _ = grouped_bags(20)
    found = fit(bags, 1, length_model=length_model)
    assert (found.labels_ == 0).all()
    np.testing.assert_allclose(found.strength_, 1.0)
    assert found.lengths_[0] == pytest.approx(bags.sizes.mean())


def test_as_many_groups_as_bags() -> None:
    X = np.repeat(10.0 * np.eye(4), 3, axis=0) + np.random.default_rng(0).normal(size=(12, 4))
    found = MIEM(4, n_concepts=4).fit(bags_of(X, np.repeat(range(4), 3)))
    assert sorted(found.labels_) == [0, 1, 2, 3]


@pytest.mark.parametrize("n_concepts", [None, 1])
def test_identical_bags(n_concepts: int | None) -> None:
    bags = bags_of(np.ones((12, 3)), np.repeat(range(4), 3))
    with pytest.warns(ClusteringWarning, match="only 1 of 3 groups have bags: use fewer groups"):
        found = MIEM(3, n_concepts=n_concepts).fit(bags)
    assert len(set(found.labels_)) == 1
    assert found.n_concepts_ == 1
    assert np.isfinite(found.responsibilities_).all()


def test_bags_of_one_instance() -> None:
    rng = np.random.default_rng(0)
    X = 8.0 * np.eye(2)[np.repeat([0, 1], 20)] + rng.normal(size=(40, 2))
    found = MIEM(2).fit(bags_of(X, np.arange(40)))
    assert adjusted_rand_score(np.repeat([0, 1], 20), found.labels_) == 1.0


def test_a_single_instance() -> None:
    found = MIEM(1).fit(bags_of([[2.0, 3.0]], [1]))
    assert list(found.labels_) == [-1, 0]


@settings(max_examples=10)
@given(
    st.integers(1, 12),
    st.integers(1, 3),
    st.sampled_from(["auto", "diag", "full", "multinomial"]),
    st.sampled_from(["mixture", "multinomial"]),
    st.sampled_from(["binomial", "poisson", "none"]),
    st.integers(0, 999),
)
def test_small_integer_data_never_fail(
    n: int, d: int, instance_model: Any, likelihood: Any, length_model: Any, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    bags = bags_of(rng.integers(0, 3, (n, d)), rng.integers(0, 4, n), 5)
    n_filled = int((bags.sizes > 0).sum())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ClusteringWarning)
        found = MIEM(
            min(2, n_filled),
            instance_model=instance_model,
            likelihood=likelihood,
            length_model=length_model,
            n_init=2,
            n_init_concepts=1,
        ).fit(bags)
    assert ((found.labels_ >= 0) == (bags.sizes > 0)).all()
    assert np.isfinite(found.log_likelihoods_).all()
    np.testing.assert_array_equal(found.predict(bags), found.labels_)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 0}, "n_clusters must be a whole number from 1"),
        ({"n_clusters": 61}, "at most 60 groups"),
        ({"n_concepts": 0}, "n_concepts must be a whole number from 1, not 0"),
        ({"n_concepts": 2.0}, "n_concepts must be a whole number from 1, not 2.0"),
        ({"instance_model": "spherical"}, "instance_model must be one of auto, diag, full"),
        ({"instance_model": "multinomial"}, "needs counts"),
        ({"likelihood": "paper"}, "likelihood must be one of mixture, multinomial"),
        ({"length_model": None}, "length_model must be one of binomial, poisson, none"),
        ({"n_init": 0}, "n_init must be a whole number from 1"),
        ({"n_init_concepts": True}, "n_init_concepts must be"),
        ({"max_iter": 0}, "max_iter must be"),
        ({"tol": -1}, "tol must be a number from 0"),
        ({"tol": np.nan}, "tol must be a number from 0"),
        ({"random_state": -1}, "random_state must be"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(
    parameters: dict[str, Any], message: str
) -> None:
    bags, _ = grouped_bags()
    with pytest.raises(ClusteringError, match=message):
        MIEM(**parameters).fit(bags)


def test_predict_is_refused_before_fit_and_for_other_features() -> None:
    bags, _ = grouped_bags(10)
    with pytest.raises(ClusteringError, match="fitted"):
        MIEM(2).predict(bags)
    with pytest.raises(ClusteringError, match="have 3 features but those of the fit have 4"):
        fit(bags).predict(bags_of(bags.X[:, :3], bags.bag))


def test_parameters_are_stored_as_given() -> None:
    made = make_clusterer("mi-em", n_clusters=3, n_concepts=7, length_model="poisson")
    assert isinstance(made, MIEM)
    assert clone(made).get_params() == made.get_params()
    assert made.get_params()["n_concepts"] == 7


def test_molecules_of_musk_1(shared: Path) -> None:
    with np.load(shared / "datasets" / "musk1" / "dataset.npz") as data:
        bags = Bags(standardize(data["X"]), data["bag"], data["bag_labels"])
        truth = data["bag_labels"].argmax(axis=1)
    found = MIEM(8, n_concepts=20).fit(bags)
    # Kriegel et al. report F = .63 for MI-EM and .34 to .41 for PAM
    assert f_measure(truth, found.labels_) > 0.63
