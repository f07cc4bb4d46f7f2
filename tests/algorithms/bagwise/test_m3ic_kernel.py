"""M3IC with kernels: as M3IC with the linear one, and able to bend its boundaries with others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import clone

from algorithms import Bags
from algorithms.bagwise import kernel_features
from algorithms.bagwise.kernels import Kernel
from algorithms.bagwise.m3ic import M3IC
from algorithms.bagwise.m3ic_kernel import M3ICKernel
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.metrics import normalized_mutual_info

Array = npt.NDArray[np.float64]


def bags_of(X: Array, bag: Any) -> Bags:
    return Bags(X, bag, np.zeros((int(np.max(bag)) + 1, 1)))


def any_bags(seed: int = 0) -> Bags:
    """Forty bags of one to five instances, without structure: many runs end differently."""
    rng = np.random.default_rng(seed)
    bag = np.repeat(np.arange(40), rng.integers(1, 6, 40))
    X = rng.standard_normal((len(bag), 6)) @ rng.standard_normal((6, 6)) + 0.3
    return bags_of(X, bag)


def inner_products(A: Array, B: Array) -> Array:
    return A @ B.T


class _SameStarts(M3ICKernel):
    """Starts that are M3IC's, in the coordinates of the kernel's features."""

    given: list[Array]

    def _starts(self, n_features: int) -> list[Array]:
        assert self.given[0].shape[1] == n_features
        return self.given


@pytest.mark.parametrize("scaling", ["none", "center", "unit"])
@pytest.mark.parametrize("balance", [0.0, 0.5])
def test_with_inner_products_for_a_kernel_it_is_m3ic(scaling: Any, balance: float) -> None:
    bags, new = any_bags(), any_bags(1)
    options: dict[str, Any] = {"C": 4.0, "scaling": scaling, "balance": balance, "n_init": 3}
    plain = M3IC(3, **options).fit(bags)
    settled = Kernel(inner_products)
    _, features = kernel_features.KernelFeatures.fit_transform(bags.X, settled, seed=0)
    kernel = _SameStarts(3, kernel=inner_products, **options)
    # These score as M3IC's starts do. Features span the instances, so none of it is lost.
    kernel.given = [start @ bags.X.T @ np.linalg.pinv(features.T) for start in plain._starts(6)]
    found = kernel.fit(bags)
    np.testing.assert_allclose(found.run_objectives_, plain.run_objectives_, rtol=1e-6)
    assert (found.run_labels_ == plain.run_labels_).all()
    assert (found.labels_ == plain.labels_).all()
    assert (found.witnesses_ == plain.witnesses_).all()
    assert (found.predict(new) == plain.predict(new)).all()


def test_the_linear_kernel_is_m3ic_bit_for_bit() -> None:
    bags, new = any_bags(), any_bags(1)
    constant = [bags_of(np.insert(b.X, 3, 1.5, axis=1), b.bag) for b in (bags, new)]
    plain = M3IC(3, C=4.0).fit(constant[0])
    found = M3ICKernel(3, C=4.0, kernel="linear").fit(constant[0])
    assert (found.coef_ == plain.coef_).all()
    assert (found.run_objectives_ == plain.run_objectives_).all()
    assert (found.labels_ == plain.labels_).all()
    assert (found.predict(constant[1]) == plain.predict(constant[1])).all()


def test_what_both_have_defaults_as_m3ic() -> None:
    plain = M3IC().get_params()
    assert {name: M3ICKernel().get_params()[name] for name in plain} == plain


def xor_bags(seed: int = 0, n_bags: int = 40) -> tuple[Bags, Any]:
    """Bags of three instances: two near one pair of opposite corners of a square, one at 0."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n_bags) % 2
    corners = np.array([[[1, 1], [-1, -1]], [[1, -1], [-1, 1]]], dtype=float)
    sides = rng.integers(0, 2, (n_bags, 2))
    X = np.zeros((n_bags, 3, 2))
    X[:, :2] = 2.0 * corners[truth[:, None], sides]
    X += 0.2 * rng.standard_normal(X.shape)
    return bags_of(X.reshape(-1, 2), np.repeat(np.arange(n_bags), 3)), truth


def ring_bags(seed: int = 0, n_bags: int = 40) -> tuple[Bags, Any]:
    """Bags of three instances near 0, or three on a ring around it."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n_bags) % 2
    angle = rng.uniform(0, 2 * np.pi, (n_bags, 3))
    radius = np.where(truth[:, None] == 0, 0.2, 3.0) + 0.1 * rng.standard_normal(angle.shape)
    X = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=-1)
    return bags_of(X.reshape(-1, 2), np.repeat(np.arange(n_bags), 3)), truth


def agreement(truth: Any, labels: Any) -> float:
    """Share of bags in the right one of two groups, whichever is called which."""
    same = float(np.mean(truth == labels))
    return max(same, 1.0 - same)


RBF: dict[str, Any] = {"kernel": "rbf", "C": 4.0, "scaling": "center"}
POLY: dict[str, Any] = {"kernel": "poly", "degree": 2, "coef0": 0.0, "C": 4.0, "scaling": "none"}


@pytest.mark.parametrize(("make", "options"), [(ring_bags, RBF), (xor_bags, POLY)])
def test_groups_that_no_plane_tells_apart_are_told_apart(
    make: Callable[..., tuple[Bags, Any]], options: dict[str, Any]
) -> None:
    for seed in range(2):
        bags, truth = make(seed)
        found = M3ICKernel(2, **options).fit(bags)
        assert agreement(truth, found.labels_) == 1.0
        plane = M3ICKernel(2, **{**options, "kernel": "linear"}).fit(bags)
        assert agreement(truth, plane.labels_) < 0.9
        new, new_truth = make(seed + 10)
        placed = found.predict(new)
        assert agreement(new_truth, placed) == 1.0
        # ... by the same names
        assert (placed[0] == found.labels_[0]) == (new_truth[0] == truth[0])
        assert (found.predict(bags) == found.labels_).all()


def test_landmarks_do_as_well_on_many_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_features, "MAX_EXACT", 100)
    monkeypatch.setattr(kernel_features, "N_LANDMARKS", 40)
    bags, truth = ring_bags()
    found = M3ICKernel(2, **RBF).fit(bags)
    assert len(found.features_.landmarks) == 40
    assert agreement(truth, found.labels_) == 1.0
    assert (found.predict(bags) == found.labels_).all()
    assert (M3ICKernel(2, **RBF).fit(bags).coef_ == found.coef_).all()


def test_the_order_of_instances_does_not_matter() -> None:
    bags = any_bags()
    rows = np.random.default_rng(0).permutation(bags.n_instances)
    mixed = bags_of(bags.X[rows], bags.bag[rows])
    found, expected = M3ICKernel(3, **RBF).fit(mixed), M3ICKernel(3, **RBF).fit(bags)
    assert (found.labels_ == expected.labels_).all()
    assert (rows[found.witnesses_] == expected.witnesses_).all()


def test_histograms_are_grouped_by_their_chi_square_distances() -> None:
    rng = np.random.default_rng(0)
    truth = np.arange(30) % 3
    X = rng.dirichlet(np.ones(9) / 3, 60) * 0.2
    for row, group in enumerate(np.repeat(truth, 2)):
        X[row, 3 * group : 3 * group + 3] += 0.25
    bags = bags_of(X, np.repeat(np.arange(30), 2))
    found = M3ICKernel(3, kernel="chi2", scaling="center").fit(bags)
    assert normalized_mutual_info(truth, found.labels_) == pytest.approx(1.0)
    X[4, 1] = -0.5
    with pytest.raises(ClusteringError, match="row 4, column 1"):
        M3ICKernel(3, kernel="chi2").fit(bags_of(X, bags.bag))


def test_bags_without_instances_and_one_group() -> None:
    bags, _ = ring_bags()
    holey = Bags(bags.X, bags.bag + 1, np.zeros((42, 1)))
    found = M3ICKernel(2, **RBF).fit(holey)
    assert found.labels_[[0, -1]].tolist() == [-1, -1]
    assert found.witnesses_[[0, -1]].tolist() == [-1, -1]
    assert np.isnan(found.strength_[[0, -1]]).all()
    assert (holey.bag[found.witnesses_[1:-1]] == np.arange(1, 41)).all()
    assert found.predict(Bags(np.empty((0, 2)), [], np.zeros((3, 1)))).tolist() == [-1] * 3
    one = M3ICKernel(1).fit(holey)
    assert one.labels_[1:-1].tolist() == [0] * 40
    assert (one.predict(holey) == one.labels_).all()


def test_identical_bags_do_no_harm() -> None:
    bags = bags_of(np.ones((6, 3)), [0, 0, 1, 1, 2, 3])
    with pytest.warns(ClusteringWarning, match="without a bag"):
        found = M3ICKernel(2).fit(bags)
    assert np.isfinite(found.strength_).all()
    assert len(set(found.labels_.tolist())) == 1


def test_parameters_are_kept_and_checked_when_fitted() -> None:
    bags, _ = ring_bags()
    copy = clone(M3ICKernel(2, kernel="poly", degree=5, gamma=0.1, coef0=2.0, C=3.0))
    assert (copy.kernel, copy.degree, copy.gamma, copy.coef0, copy.C) == ("poly", 5, 0.1, 2.0, 3.0)
    assert copy.fit(bags).features_.kernel.gamma == 0.1
    for wrong, said in [
        ({"kernel": "magic"}, "kernel must be one of"),
        ({"gamma": -1.0}, "gamma must be a number above 0"),
        ({"C": 0}, "C must be"),
        ({"n_clusters": 41}, "at most 40"),
    ]:
        with pytest.raises(ClusteringError, match=said):
            M3ICKernel(**{"n_clusters": 2, **wrong}).fit(bags)
    with pytest.raises(ClusteringError, match="call fit first"):
        M3ICKernel(2).predict(bags)
    with pytest.raises(ClusteringError, match="1 features"):
        copy.predict(bags_of(bags.X[:, :1], bags.bag))
