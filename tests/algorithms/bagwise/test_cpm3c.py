"""CPM3C, against worked numbers and against support vector machines of the clusters it finds."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.svm import LinearSVC

from algorithms import Bags
from algorithms.bagwise.balanced_qp import BalancedQP, BalancedSolution
from algorithms.bagwise.cpm3c import CPM3C
from algorithms.bagwise.instance_cuts import Contest, Cuts
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.metrics import normalized_mutual_info

Array = npt.NDArray[np.float64]

# algorithms.md's numbers for CPM3C: three instances, three clusters.
X3 = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
W3 = np.array([[0.6, 0.0], [0.0, 0.9], [-0.2, -0.1]])


def bags_of(X: Array, bag: Any) -> Bags:
    return Bags(X, bag, np.zeros((int(np.max(bag)) + 1, 1)))


def three_blobs(seed: int = 0, n_bags: int = 30, noise: float = 0.3) -> tuple[Bags, Any]:
    """Bags of five instances, four from the blob of the bag and one from any; the mean is 0."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n_bags) % 3
    centres = 3.0 * (np.eye(3) - 1 / 3)
    blob = np.repeat(truth, 5)
    blob[::5] = rng.integers(0, 3, n_bags)
    X = centres[blob] + noise * rng.standard_normal((5 * n_bags, 3))
    return bags_of(X - X.mean(axis=0), np.repeat(np.arange(n_bags), 5)), truth


def objective(W: Array, X: Array, C: float) -> float:
    """Written out: 1/2 ||W||^2 + C/n sum of the hinge of best less second score."""
    total = 0.0
    for x in X:
        scores = sorted(float(w @ x) for w in W)
        total += max(0.0, 1.0 - (scores[-1] - scores[-2]))
    return 0.5 * float((W**2).sum()) + C * total / len(X)


def test_worked_example_of_a_cut() -> None:
    contest = Contest.of(X3 @ W3.T)
    assert contest.winner.tolist() == [0, 1, 2]
    assert contest.rival.tolist() == [1, 0, 0]
    np.testing.assert_allclose(contest.margin, [0.6, 0.9, 0.9])
    assert contest.mean_hinge == pytest.approx(0.2)
    cuts = Cuts(X3, 3)
    cuts.add(contest)
    planes, offsets = cuts.planes(contest.winner)
    expected = [[2 / 3, 0.0], [-1 / 3, 1 / 3], [-1 / 3, -1 / 3]]
    np.testing.assert_allclose(planes, [expected], atol=1e-12)
    assert offsets.tolist() == [1.0]
    assert float((W3 * planes[0]).sum()) == pytest.approx(0.8)


def test_a_cut_is_drawn_anew_when_the_best_clusters_change() -> None:
    # Instance 1 has margin enough, so it is in no cut; rivals stay those of when the cut was added.
    scores = np.array([[0.6, 0.0, -0.2], [0.0, 3.0, 0.0], [-0.6, -0.9, 0.3]])
    cuts = Cuts(X3, 3)
    cuts.add(Contest.of(scores))
    cuts.add(Contest.of(X3 @ W3.T))
    before, _ = cuts.planes(np.array([0, 1, 2]))
    planes, offsets = cuts.planes(np.array([2, 0, 0]))
    np.testing.assert_allclose(offsets, [2 / 3, 1.0])
    first = [[0.0, 0.0], [-1 / 3, 0.0], [1 / 3, 0.0]]  # e2 - e1 with x0; e0 - e0 with x2
    second = [[0.0, 0.0], [-1 / 3, 0.0], [1 / 3, 0.0]]  # the same, and e0 - e0 with x1
    np.testing.assert_allclose(planes, [first, second], atol=1e-12)
    again, _ = cuts.planes(np.array([0, 1, 2]))
    np.testing.assert_allclose(again, before, atol=1e-12)


def test_blobs_become_groups_though_bags_are_mixed() -> None:
    bags, truth = three_blobs()
    found = CPM3C(3).fit(bags)
    assert normalized_mutual_info(truth, found.labels_) == pytest.approx(1.0)
    assert found.converged_
    assert (found.predict(bags) == found.labels_).all()


def test_weights_are_those_of_a_support_vector_machine_of_the_clusters() -> None:
    bags, _ = three_blobs(noise=0.6)
    C = 4.0
    exact: dict[str, Any] = {"eps_cccp": 1e-6, "eps_planes": 1e-5, "max_rounds": 200}
    found = CPM3C(3, C=C, balance=1e6, scaling="none", **exact).fit(bags)
    assert found.objective_ == pytest.approx(objective(found.coef_, bags.X, C), rel=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the solver counts its steps
        machine = LinearSVC(
            multi_class="crammer_singer",
            fit_intercept=False,
            C=C / bags.n_instances,
            tol=1e-8,
            max_iter=100_000,
        ).fit(bags.X, found.instance_labels_)
    assert found.objective_ == pytest.approx(objective(machine.coef_, bags.X, C), rel=1e-3)
    np.testing.assert_allclose(found.coef_, machine.coef_, atol=0.02)


def test_clusters_are_balanced_as_asked() -> None:
    bags, _ = three_blobs()
    shifted = bags_of(bags.X + np.array([0.3, 0.1, 0.0]), bags.bag)
    total = shifted.X.sum(axis=0)
    for balance in (0.0, 0.5, 5.0):
        found = CPM3C(3, balance=balance, scaling="none").fit(shifted)
        scores = found.coef_ @ total
        assert scores.max() - scores.min() <= balance + 1e-5


@pytest.mark.filterwarnings("ignore:1 of 4 groups")
def test_objective_never_rises_within_a_round_and_the_best_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(0)
    bags = bags_of(rng.standard_normal((120, 6)), np.arange(120) // 4)
    solved: list[tuple[int, BalancedSolution]] = []
    solve = BalancedQP.solve

    def noted(qp: BalancedQP) -> BalancedSolution:
        solution = solve(qp)
        solved.append((qp.n_planes, solution))
        return solution

    monkeypatch.setattr(BalancedQP, "solve", noted)
    found = CPM3C(4, C=8.0, n_init=1, eps_cccp=1e-7, scaling="none").fit(bags)
    assert found.n_cuts_ == 20
    assert not found.converged_
    rounds = [[s.objective for n, s in solved if n == cut] for cut in range(1, 21)]
    assert max(len(steps) for steps in rounds) > 2
    for steps in rounds:
        assert (np.diff(steps) <= 1e-6 * steps[0]).all()
    all_seen = [objective(s.weights, bags.X, 8.0) for _, s in solved]
    assert found.objective_ == pytest.approx(min(all_seen), rel=1e-9)


def test_of_several_starts_the_best_is_kept() -> None:
    bags, _ = three_blobs(noise=1.0)
    found = CPM3C(3, n_init=4).fit(bags)
    assert len(found.run_objectives_) == 4
    assert found.objective_ == min(found.run_objectives_)
    assert len(set(np.round(found.run_objectives_, 6))) > 1


def test_one_instance_decides_a_bag_of_one_and_nothing_one_of_none() -> None:
    found = CPM3C(3).fit(three_blobs()[0])
    X = 3.0 * (np.eye(3) - 1 / 3)
    labels = found.predict(Bags(X, [0, 3, 1], np.zeros((4, 1))))
    assert labels[2] == -1
    assert sorted(labels[[0, 1, 3]].tolist()) == [0, 1, 2]
    nothing = found.predict(Bags(np.empty((0, 3)), [], np.zeros((2, 1))))
    assert nothing.tolist() == [-1, -1]


def test_strength_is_the_mean_margin_of_the_bag_in_its_group() -> None:
    bags, _ = three_blobs()
    labels = np.zeros((bags.n_bags + 1, 1))
    found = CPM3C(3, scaling="none").fit(Bags(bags.X, bags.bag, labels))
    assert found.labels_[-1] == -1
    assert np.isnan(found.strength_[-1])
    for m in (0, 7):
        scores = bags.X[bags.bag == m] @ found.coef_.T
        own = scores[:, found.labels_[m]]
        others = np.delete(scores, found.labels_[m], axis=1)
        assert found.strength_[m] == pytest.approx(float(np.mean(own - others.max(axis=1))))


def test_one_group_holds_all() -> None:
    bags, _ = three_blobs()
    found = CPM3C(1).fit(bags)
    assert (found.labels_ == 0).all()
    assert (found.strength_ == 0).all()
    assert (found.predict(bags) == 0).all()


def test_identical_instances_do_no_harm() -> None:
    bags = bags_of(np.ones((6, 2)), [0, 0, 1, 1, 2, 3])
    with pytest.warns(ClusteringWarning, match="groups are without a bag"):
        found = CPM3C(3).fit(bags)
    assert np.isfinite(found.strength_).all()
    assert len(set(found.labels_.tolist())) == 1
    with pytest.warns(ClusteringWarning, match="2 of 3 groups"):
        CPM3C(3).fit(bags_of(np.zeros((4, 2)), [0, 1, 2, 3]))


@pytest.mark.parametrize(("scaling", "constant"), [("none", 0.0), ("unit", 0.0), ("center", 7.0)])
def test_constant_features_change_nothing(scaling: Any, constant: float) -> None:
    bags, _ = three_blobs()
    found = CPM3C(3, scaling=scaling).fit(bags)
    padded = bags_of(np.pad(bags.X, ((0, 0), (0, 2)), constant_values=constant), bags.bag)
    other = CPM3C(3, scaling=scaling).fit(padded)
    assert normalized_mutual_info(found.labels_, other.labels_) == pytest.approx(1.0)


def test_instances_are_scaled_as_asked_also_new_ones() -> None:
    bags, _ = three_blobs(noise=1.0)
    shifted = bags_of(bags.X + 1.0, bags.bag)
    new = bags_of(three_blobs(seed=1, noise=1.0)[0].X + 1.0, bags.bag)
    centre = shifted.X.mean(axis=0)
    by_hand: dict[Any, Callable[[Bags], Array]] = {
        "unit": lambda b: b.X / np.sqrt((b.X**2).sum(axis=1))[:, None],
        "center": lambda b: b.X - centre,
    }
    for scaling, scale in by_hand.items():
        found = CPM3C(3, scaling=scaling).fit(shifted)
        expected = CPM3C(3, scaling="none").fit(bags_of(scale(shifted), bags.bag))
        np.testing.assert_allclose(found.coef_, expected.coef_, atol=1e-6)
        assert (found.labels_ == expected.labels_).all()
        assert (found.predict(new) == expected.predict(bags_of(scale(new), bags.bag))).all()
    with pytest.raises(ClusteringError, match="scaling must be one of"):
        CPM3C(3, scaling="big").fit(bags)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore:1 of 3 groups")
@settings(max_examples=10)
@given(st.integers(0, 1000))
def test_the_order_of_instances_and_bags_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bags, _ = three_blobs(seed)
    rows, numbers = rng.permutation(bags.n_instances), rng.permutation(bags.n_bags)
    other = bags_of(bags.X[rows], numbers[bags.bag[rows]])
    first, second = CPM3C(3, n_init=2).fit(bags), CPM3C(3, n_init=2).fit(other)
    assert (second.labels_[numbers] == first.labels_).all()
    assert (second.instance_labels_ == first.instance_labels_[rows]).all()


def test_same_seed_same_result() -> None:
    bags, _ = three_blobs(noise=1.0)
    one, other = (CPM3C(3, random_state=5).fit(bags) for _ in range(2))
    assert (one.coef_ == other.coef_).all()
    assert (CPM3C(3, random_state=6).fit(bags).coef_ != one.coef_).any()


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"C": 0.0}, "C must be a number above 0"),
        ({"balance": -1.0}, "balance must be a number from 0"),
        ({"eps_planes": "small"}, "eps_planes must be a number from 0"),
        ({"n_init": 0}, "n_init must be a whole number from 1"),
        ({"max_rounds": 2.5}, "max_rounds must be a whole number from 1"),
        ({"random_state": -1}, "random_state must be a whole number from 0"),
        ({"n_clusters": 31}, "at most 30"),
    ],
)
def test_parameters_out_of_range_are_refused(parameters: dict[str, Any], said: str) -> None:
    bags, _ = three_blobs()
    with pytest.raises(ClusteringError, match=said):
        CPM3C(**{"n_clusters": 3, **parameters}).fit(bags)


def test_predict_needs_a_fit_and_the_same_features() -> None:
    bags, _ = three_blobs()
    with pytest.raises(ClusteringError, match="call fit first"):
        CPM3C(3).predict(bags)
    with pytest.raises(ClusteringError, match="2 features"):
        CPM3C(3).fit(bags).predict(bags_of(bags.X[:, :2], bags.bag))
