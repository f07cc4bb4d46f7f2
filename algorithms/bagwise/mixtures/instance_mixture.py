"""Concepts of syllables: a mixture of Gaussians over all instances."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from algorithms.bags import BoolArray, FloatArray

Covariance = Literal["diag", "full"]

REGULARIZATION = 1e-6
"""Added to the variances of every concept, in units of the feature's variance over all."""

FULL_NEEDS = 10
"""Instances per feature and concept from which covariances are worth estimating."""

_HALF_LOG_2_PI = float(np.log(2 * np.pi)) / 2


@dataclass(frozen=True, eq=False)
class Units:
    """The scale that features are brought to, so that a mixture does not depend on their units.

    Attributes
    ----------
    varies : ndarray of bool, shape (n_features,)
        Features that are not constant; the others tell nothing and are left out.
    shift, scale : ndarray, shape (n_varying,)
        Mean and standard deviation of those that vary.
    """

    varies: BoolArray
    shift: FloatArray
    scale: FloatArray

    @classmethod
    def of(cls, X: FloatArray) -> Units:
        """Measure the instances `X`, at least one."""
        # powers of two, taken out exactly, keep the squares of huge and tiny values in range
        exponent = np.frexp(np.abs(X).max(axis=0))[1]
        scale = np.ldexp(np.ldexp(X, -exponent).std(axis=0), exponent)
        # a constant column may get a tiny deviation by rounding, so the extremes are asked as well
        varies = (X.max(axis=0) > X.min(axis=0)) & (scale > 0)
        return cls(varies, X.mean(axis=0)[varies], scale[varies])

    def apply(self, X: FloatArray) -> FloatArray:
        """Bring `X` to mean 0 and variance 1, without its constant features."""
        scaled: FloatArray = (X[:, self.varies] - self.shift) / self.scale
        return scaled


@dataclass(frozen=True, eq=False)
class GaussianConcepts:
    """A mixture of Gaussians, one for each concept.

    Attributes
    ----------
    units : Units
        Scale of the features in which the other attributes are.
    covariance : {"diag", "full"}
        Whether a concept has a variance for each feature, or covariances too.
    weights : ndarray, shape (n_concepts,)
        Share of each concept.
    means : ndarray, shape (n_concepts, n_varying)
        Mean of each concept.
    roots : ndarray, shape (n_concepts, n_varying) or (n_concepts, n_varying, n_varying)
        Inverse standard deviations; with full covariances an upper triangular R such that the
        inverse covariance is R R'.
    """

    units: Units
    covariance: Covariance
    weights: FloatArray
    means: FloatArray
    roots: FloatArray

    @property
    def n_parameters(self) -> int:
        """Number of free parameters: shares, means, and variances or covariances."""
        n_concepts, d = self.means.shape
        spread = d if self.covariance == "diag" else d * (d + 1) // 2
        return int(n_concepts * (d + spread) + n_concepts - 1)

    def log_densities(self, X: FloatArray) -> FloatArray:
        """Log density of every instance under every concept, shape (n, n_concepts).

        Constant features are left out, so this is a density over those that vary, in the units
        that the features came in.
        """
        steps = DiagonalSteps if self.covariance == "diag" else FullSteps
        return steps(self.units, X).log_densities(self)


def gaussian_steps(X: FloatArray, covariance: Covariance) -> DiagonalSteps | FullSteps:
    """Steps of EM for a mixture of Gaussians.

    Features are scaled first, so the result does not depend on their units, and 1e-6 of a
    feature's variance over all instances is added to its variance in every concept.
    """
    steps = DiagonalSteps if covariance == "diag" else FullSteps
    return steps(Units.of(X), X)


def choose_covariance(n_instances: int, n_features: int, n_concepts: int) -> Covariance:
    """Choose covariances where there are instances enough to estimate them, else variances."""
    enough = n_instances >= FULL_NEEDS * n_features * n_concepts
    return "full" if enough else "diag"


class _GaussianSteps:
    """What the two kinds share: `space`, which is the scaled instances, and the joint density."""

    def __init__(self, units: Units, X: FloatArray) -> None:
        self.units = units
        self.space = units.apply(X)
        n_features = self.space.shape[1]
        self._constant = n_features * _HALF_LOG_2_PI + float(np.log(units.scale).sum())

    def joint(self, mixture: GaussianConcepts) -> FloatArray:
        """Log of concept share times density, shape (n_instances, n_concepts)."""
        joint = self.log_densities(mixture)
        joint += np.log(mixture.weights)
        return joint

    def log_densities(self, mixture: GaussianConcepts) -> FloatArray:
        raise NotImplementedError


class DiagonalSteps(_GaussianSteps):
    """EM with a variance for each feature; the features' squares are taken once for all steps.

    Parameters
    ----------
    units : Units
        Scale of the features.
    X : ndarray, shape (n_instances, n_features)
        Instances.
    """

    def __init__(self, units: Units, X: FloatArray) -> None:
        super().__init__(units, X)
        self._powers = np.hstack([self.space**2, self.space])

    def maximize(self, posterior: FloatArray) -> GaussianConcepts:
        """Best mixture, given the probability of each concept for each instance."""
        totals = _totals(posterior)
        moments = posterior.T @ self._powers / totals[:, None]
        squares, means = np.hsplit(moments, 2)
        variances = np.maximum(squares - means**2, 0.0) + REGULARIZATION
        weights = totals / totals.sum()
        return GaussianConcepts(self.units, "diag", weights, means, 1 / np.sqrt(variances))

    def log_densities(self, mixture: GaussianConcepts) -> FloatArray:
        """Log density of every instance under every concept, shape (n_instances, n_concepts)."""
        means, precisions = mixture.means, mixture.roots**2
        volumes = np.log(mixture.roots).sum(axis=1) - (means**2 * precisions).sum(axis=1) / 2
        slopes = np.hstack([-precisions / 2, means * precisions])
        log_densities: FloatArray = self._powers @ slopes.T
        log_densities += volumes - self._constant
        return log_densities


class FullSteps(_GaussianSteps):
    """EM with covariances.

    Parameters
    ----------
    units : Units
        Scale of the features.
    X : ndarray, shape (n_instances, n_features)
        Instances.
    """

    def maximize(self, posterior: FloatArray) -> GaussianConcepts:
        """Best mixture, given the probability of each concept for each instance."""
        totals = _totals(posterior)
        means = posterior.T @ self.space / totals[:, None]
        ridge = REGULARIZATION * np.eye(self.space.shape[1])
        roots = np.empty((len(means), *ridge.shape))
        for concept, (mean, total) in enumerate(zip(means, totals, strict=True)):
            centred = self.space - mean
            covariance = (posterior[:, concept] * centred.T) @ centred / total + ridge
            roots[concept] = np.linalg.inv(np.linalg.cholesky(covariance)).T
        return GaussianConcepts(self.units, "full", totals / totals.sum(), means, roots)

    def log_densities(self, mixture: GaussianConcepts) -> FloatArray:
        """Log density of every instance under every concept, shape (n_instances, n_concepts)."""
        squares = np.empty((len(self.space), len(mixture.means)))
        for concept, (mean, root) in enumerate(zip(mixture.means, mixture.roots, strict=True)):
            squares[:, concept] = (((self.space - mean) @ root) ** 2).sum(axis=1)
        volumes = np.log(np.diagonal(mixture.roots, axis1=1, axis2=2)).sum(axis=1)
        log_densities: FloatArray = volumes - self._constant - squares / 2
        return log_densities


def _totals(posterior: FloatArray) -> FloatArray:
    """Expected number of instances of each concept, above 0 even where one has died out."""
    return np.asarray(posterior.sum(axis=0) + np.finfo(np.float64).eps)
