"""Planes that part positive from negative rows, found by scikit-learn's support vector machines."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from algorithms.bags import BoolArray, FloatArray
from algorithms.errors import ClusteringWarning

_TOLERANCE = 1e-3
_MAX_ITER = 5000
_INTERCEPT_SCALING = 10.0  # the solver fines the intercept too; so scaled, hardly


@dataclass(frozen=True, eq=False)
class Plane:
    """The score of a row: features @ weights + intercept.

    Attributes
    ----------
    weights : ndarray, shape (n_features,)
        The normal.
    intercept : float
        The score of a row of zeros.
    """

    weights: FloatArray
    intercept: float


def score_planes(features: FloatArray, planes: Sequence[Plane]) -> FloatArray:
    """Score rows by several planes at once.

    Parameters
    ----------
    features : ndarray, shape (n, n_features)
        Rows.
    planes : sequence of Plane
        One or more.

    Returns
    -------
    ndarray, shape (n, n_planes)
        Above 0 on the positive side.
    """
    weights = np.column_stack([plane.weights for plane in planes])
    scores: FloatArray = features @ weights + np.array([plane.intercept for plane in planes])
    return scores


@dataclass(frozen=True, eq=False)
class TrainingRows:
    """Rows to train linear machines on, one for each of several classes.

    Attributes
    ----------
    features : ndarray, shape (n, n_features)
        The rows.
    centred : ndarray, shape (n, n_features)
        Less their mean, which changes no plane that may lie anywhere, but similarities all have a
        large mean, and the solver then takes many times as long.
    """

    features: FloatArray
    centred: FloatArray

    @classmethod
    def of(cls, features: FloatArray) -> TrainingRows:
        """Prepare rows."""
        return cls(features, features - features.mean(axis=0))

    def train(self, positive: BoolArray, C: float, *, sparse: bool = False, seed: int = 0) -> Plane:
        """Train a linear support vector machine with squared hinge loss.

        Parameters
        ----------
        positive : ndarray of bool, shape (n,)
            Which rows are positive; some are and some are not.
        C : float
            Price of errors.
        sparse : bool
            Whether to fine the sum of the absolute weights instead of their squares.
        seed : int
            Seed of the solver, which visits weights in a random order if `sparse`.

        Returns
        -------
        Plane
            In terms of ``features``.

        Warns
        -----
        ClusteringWarning
            When the solver stops before it is done.
        """
        from sklearn.exceptions import ConvergenceWarning
        from sklearn.svm import LinearSVC

        machine = LinearSVC(
            penalty="l1" if sparse else "l2", C=C, dual=False, tol=_TOLERANCE,
            intercept_scaling=_INTERCEPT_SCALING, max_iter=_MAX_ITER, random_state=seed,
        )  # fmt: skip
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # told in our own words
            machine.fit(self.centred, positive)
        if machine.n_iter_ >= _MAX_ITER:
            warnings.warn(
                f"a support vector machine was stopped after {_MAX_ITER} iterations: take a "
                "smaller C if scores are to be exact",
                ClusteringWarning,
                stacklevel=2,
            )
        weights = machine.coef_[0]
        # A row and its centred form have the same score.
        shift = float(weights @ (self.features[0] - self.centred[0]))
        return Plane(weights, float(machine.intercept_[0]) - shift)


def kernel_plane(K: FloatArray, positive: BoolArray, C: float) -> Plane:
    """Train a support vector machine on a kernel matrix.

    Parameters
    ----------
    K : ndarray, shape (n, n)
        Kernel of the training rows.
    positive : ndarray of bool, shape (n,)
        Which rows are positive; some are and some are not.
    C : float
        Price of errors.

    Returns
    -------
    Plane
        In terms of the kernel with the training rows: n weights, most of them 0.
    """
    from sklearn.svm import SVC

    machine = SVC(kernel="precomputed", C=C).fit(K, positive)
    weights = np.zeros(len(K))
    weights[machine.support_] = machine.dual_coef_[0]
    return Plane(weights, float(machine.intercept_[0]))
