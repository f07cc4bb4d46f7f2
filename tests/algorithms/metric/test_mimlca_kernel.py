from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from algorithms import Bags
from algorithms.bagwise.kernels import Kernel
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.metric import mimlca_kernel
from algorithms.metric.mimlca import MIMLCA
from algorithms.metric.mimlca_kernel import MIMLCAKernel

Maker = Callable[..., tuple[Bags, npt.NDArray[np.int64]]]

X = np.array([[1, 0], [0.1, 1.2], [1.1, 0.2], [0.9, -0.1], [-1, 0.3], [0, 0.9], [-0.9, 0.1]])
WORKED = Bags(X, [0, 0, 1, 1, 1, 2, 3], [[1, 1, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1]])
NEW = np.array([[0.8, 0.1], [0.1, 0.8], [-0.7, 0.3]])


@pytest.mark.parametrize("limit", [1, 2, None])
@pytest.mark.parametrize("spread", [0.4, 2.0])
def test_the_linear_kernel_is_the_linear_form(
    blob_bags: Maker, limit: int | None, spread: float
) -> None:
    bags, _ = blob_bags(spread=spread)
    order = np.random.default_rng(0).permutation(bags.n_instances)
    mixed = Bags(bags.X[order], bags.bag[order], bags.labels)
    for given in (mixed, WORKED):
        linear = MIMLCA(max_per_label=limit, alpha=0.25).fit(given)
        kernel = MIMLCAKernel(kernel="linear", max_per_label=limit).fit(given)
        np.testing.assert_array_equal(kernel.assigned_, linear.assigned_)
        np.testing.assert_array_equal(kernel.labels_, linear.labels_)
        np.testing.assert_allclose(kernel.objective_path_, linear.objective_path_, atol=1e-9)
        np.testing.assert_allclose(kernel.class_means_, linear.class_means_, atol=1e-9)
        new = np.random.default_rng(1).standard_normal((20, given.n_features))
        np.testing.assert_allclose(kernel.transform(new), linear.transform(new), atol=1e-9)
        np.testing.assert_array_equal(kernel.predict(new), linear.predict(new))


def test_a_kernel_of_ones_own_is_the_linear_form_on_its_features() -> None:
    def features(A: Any) -> Any:
        return np.column_stack([A, A[:, :1] ** 2, A[:, :1] * A[:, 1:]])

    kernel = MIMLCAKernel(kernel=lambda A, B: features(A) @ features(B).T).fit(WORKED)
    linear = MIMLCA().fit(Bags(features(X), WORKED.bag, WORKED.labels))
    np.testing.assert_array_equal(kernel.assigned_, linear.assigned_)
    np.testing.assert_allclose(kernel.transform(NEW), linear.transform(features(NEW)), atol=1e-8)


def test_the_map_is_that_of_the_formula() -> None:
    def kernel(A: Any, B: Any) -> Any:
        return 3.0 * np.exp(-0.7 * ((A[:, None] - B[None]) ** 2).sum(axis=2))

    learner = MIMLCAKernel(kernel=kernel, ridge=0.2).fit(WORKED)
    examples = np.flatnonzero(learner.assigned_ >= 0)
    K = kernel(X[examples], X[examples])
    H = np.eye(3)[learner.assigned_[examples]]
    J = H / np.sqrt(H.sum(axis=0))
    ridge = 0.2 * np.trace(K) / len(K)
    expected = kernel(NEW, X[examples]) @ np.linalg.solve(K + ridge * np.eye(len(K)), J)
    np.testing.assert_allclose(learner.transform(NEW), expected, atol=1e-10)
    means = H.T @ learner.transform(X[examples]) / H.sum(axis=0)[:, None]
    np.testing.assert_allclose(learner.class_means_, means, atol=1e-10)


def test_the_chi_square_kernel_of_the_paper() -> None:
    kernel = Kernel("chi2", gamma=1.0)
    value = kernel(np.array([[0.5, 0.5, 0.0]]), np.array([[0.2, 0.3, 0.5]]))
    assert value[0, 0] == pytest.approx(0.507341, abs=1e-6)
    rng = np.random.default_rng(0)
    histograms = rng.dirichlet([0.3] * 6, 40)
    labels = np.zeros((20, 2))
    labels[np.arange(20), np.arange(20) % 2] = 1
    bags = Bags(histograms, np.arange(40) // 2, labels)
    learner = MIMLCAKernel(kernel="chi2", gamma=1.0).fit(bags)
    assert learner.kernel_.gamma == 1.0
    assert np.isfinite(learner.transform(histograms)).all()


def rings(n_bags: int = 60) -> tuple[Bags, npt.NDArray[np.int64]]:
    """Two classes that no line parts: a disc, and a ring around it."""
    rng = np.random.default_rng(0)
    labels = np.array([[1, 0], [0, 1], [1, 1]])[np.arange(n_bags) % 3]
    rows, bag, truth = [], [], []
    for m in range(n_bags):
        for c in np.flatnonzero(labels[m]):
            for angle in rng.uniform(0, 2 * np.pi, 3):
                radius = 3.0 * c + rng.normal(0, 0.2)
                rows.append([radius * np.cos(angle), radius * np.sin(angle)])
                bag.append(m)
                truth.append(c)
    return Bags(np.array(rows), bag, labels), np.array(truth)


def test_the_rbf_kernel_has_the_width_asked_for() -> None:
    def kernel(A: Any, B: Any) -> Any:
        return np.exp(-0.7 * ((A[:, None] - B[None]) ** 2).sum(axis=2))

    named, own = (
        MIMLCAKernel(kernel=k, gamma=0.7, variance=0.9).fit(WORKED) for k in ("rbf", kernel)
    )
    np.testing.assert_allclose(named.transform(NEW), own.transform(NEW), atol=1e-8)


def test_curved_classes_need_a_kernel() -> None:
    bags, truth = rings()
    both = np.asarray(bags.labels.all(axis=1))[bags.bag]
    linear = MIMLCA(max_per_label=None).fit(bags)
    curved = MIMLCAKernel(max_per_label=None, variance=0.9).fit(bags)
    assert (linear.labels_ == truth)[both].mean() < 0.8
    assert (curved.labels_ == truth)[both].mean() > 0.98
    assert (curved.predict(bags.X) == truth).mean() > 0.98
    assert (curved.predict(bags) == truth).mean() > 0.98


def test_a_kernel_of_full_rank_is_told_of_whatever_the_ridge() -> None:
    for ridge in (0.0, 0.1):
        with pytest.warns(ClusteringWarning, match="7 directions for 7 different instances"):
            MIMLCAKernel(kernel="rbf", ridge=ridge).fit(WORKED)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MIMLCAKernel(kernel="rbf", variance=0.9).fit(WORKED)


def test_rounds_with_the_linear_kernel_are_those_of_the_linear_form(blob_bags: Maker) -> None:
    bags, _ = blob_bags(spread=2.0)
    linear = MIMLCA(rounds=3).fit(bags)
    kernel = MIMLCAKernel(kernel="linear", rounds=3).fit(bags)
    np.testing.assert_array_equal(kernel.assigned_, linear.assigned_)
    np.testing.assert_allclose(kernel.class_means_, linear.class_means_, atol=1e-9)


def test_new_instances_are_mapped_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = MIMLCAKernel().fit(WORKED)
    expected = learner.transform(NEW)
    monkeypatch.setattr(mimlca_kernel, "_BLOCK_ENTRIES", 1)
    np.testing.assert_allclose(learner.transform(NEW), expected, rtol=1e-12)


def test_too_many_instances_are_refused_before_anything_is_computed() -> None:
    n = mimlca_kernel.MAX_INSTANCES + 1
    bags = Bags(np.zeros((n, 1)), np.zeros(n, dtype=np.int64), [[True]])
    with pytest.raises(ClusteringError, match=r"20001 instances .* at most 20000, or use .*mimlca"):
        MIMLCAKernel().fit(bags)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "sigmoid"}, "kernel must be one of"),
        ({"kernel": "chi2"}, "needs features from 0"),
        ({"kernel": lambda A, B: A[:, :1] + 2 * B[:, 0]}, "not symmetric"),
        ({"ridge": -1}, "ridge must be"),
        ({"variance": 2}, "variance must be"),
        ({"unassigned": "far"}, "unassigned must be"),
        ({"max_per_label": 0}, "max_per_label must be"),
    ],
)
def test_impossible_requests(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ClusteringError, match=message):
        MIMLCAKernel(**parameters).fit(WORKED)


def test_new_instances_must_fit() -> None:
    with pytest.raises(ClusteringError, match="call fit first"):
        MIMLCAKernel().transform(NEW)
    with pytest.raises(ClusteringError, match="3 columns but the training instances have 2"):
        MIMLCAKernel().fit(WORKED).transform([[1.0, 2.0, 3.0]])
