from __future__ import annotations

import numpy as np
import pytest
from sklearn.svm import SVC

from algorithms import Bags
from algorithms.layout import sorted_bags
from algorithms.mil.mi_kernel import MIKernel, minimax

SMALL = Bags([[1.0, 5.0], [3.0, -2.0], [0.0, 4.0]], [0, 1, 0], [[1], [0]])


def test_minimax_worked_by_hand() -> None:
    assert minimax(sorted_bags(SMALL)).tolist() == [[0, 4, 1, 5], [3, -2, 3, -2]]


def test_kernel_and_machine_worked_by_hand() -> None:
    # <s, s> = 42 and 26, <s, s'> = -8 + 3 - 10 = -15. With p = 1 and gamma = 1 the kernel is 43,
    # 27 and -14; both bags support the plane, with a = 2 / (43 + 27 + 28), if C allows.
    a = 2.0 / 98.0
    machine = MIKernel(degree=1, gamma=1.0, C=1.0).fit(SMALL)
    np.testing.assert_allclose(machine.models_[0].weights, [a, -a])
    # On the bags themselves 1 and -1; another has its kernel with both.
    new = Bags([[2.0, 1.0]], [0], [[0]])
    np.testing.assert_allclose(machine.decision_function(SMALL)[:, 0], [1.0, -1.0])
    intercept = 1.0 - a * (43.0 + 14.0)
    expected = a * (12.0 - 9.0) + intercept
    np.testing.assert_allclose(machine.decision_function(new), [[expected]])


@pytest.mark.parametrize(("degree", "gamma"), [(1, 1.0), (3, 0.2), (2, None)])
def test_scores_are_those_of_a_polynomial_machine(degree: int, gamma: float | None) -> None:
    rng = np.random.default_rng(0)
    bag = np.repeat(np.arange(30), 4)
    X = rng.standard_normal((120, 3))
    bags = Bags(X, bag, rng.random((30, 2)) < 0.5)
    stacked = X.reshape(30, 4, 3)
    s = np.hstack([stacked.min(axis=1), stacked.max(axis=1)])
    used = 1.0 / (s**2).sum(axis=1).mean() if gamma is None else gamma
    found = MIKernel(degree=degree, gamma=gamma).fit(bags).decision_function(bags)
    for number in range(2):
        machine = SVC(kernel="poly", degree=degree, gamma=used, coef0=1.0)
        expected = machine.fit(s, bags.labels[:, number]).decision_function(s)
        np.testing.assert_allclose(found[:, number], expected, atol=1e-2)
