"""M3IC with a kernel: curved boundaries between groups of bags."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np

from algorithms.bags import Bags, IntArray
from algorithms.bagwise.kernel_features import KernelFeatures
from algorithms.bagwise.kernels import Kernel, KernelFunction, KernelName
from algorithms.bagwise.linear_scores import Scaling, check_margin_options
from algorithms.bagwise.m3ic import M3IC
from algorithms.checks import Seed, check_bagwise, check_fitted, check_new_bags, seed_of
from algorithms.layout import sorted_bags


class M3ICKernel(M3IC):
    """M3IC in the space of a kernel.

    The weights of :class:`~algorithms.bagwise.m3ic.M3IC` lie in the span of the instances, so what
    it does with a kernel in the place of inner products is what it does with explicit features of
    that kernel (:class:`~algorithms.bagwise.kernel_features.KernelFeatures`): exact ones up to 1000
    instances, those of 500 landmarks above. With the linear kernel this is M3IC, bit for bit.

    Parameters
    ----------
    n_clusters, random_state, C, balance, n_init, eps_cccp, eps_planes, max_iter, max_planes
        See :class:`~algorithms.bagwise.m3ic.M3IC`.
    scaling : {"center", "unit", "none"}
        What is done to the features of the kernel: shifted so that the means of the bags have the
        mean 0; brought to length 1, so that the kernel becomes k(x, y) / sqrt(k(x, x) k(y, y)), as
        "rbf" and "chi2" are already; or nothing.
    kernel : {"rbf", "poly", "chi2", "linear"} or callable
        "rbf" is exp(-gamma ||x - y||^2), "poly" is (gamma x'y + coef0)^degree, "chi2" is
        exp(-gamma sum (x - y)^2 / (x + y)), for histograms, which must not be standardised first,
        and "linear" is x'y. Or a function of two tables of instances that gives the matrix between
        them.
    gamma : float or None
        Scale of "rbf", "poly" and "chi2", above 0. None suits it to the data: 1 over the median
        squared distance of two instances for "rbf", the same of the chi-square distance for "chi2",
        1 over the mean squared length for "poly".
    degree : int
        Power of "poly", from 1.
    coef0 : float
        What "poly" adds to the inner product, from 0.

    Attributes
    ----------
    features_ : KernelFeatures
        The features of the kernel; ``features_.kernel.gamma`` is the gamma that was used.
    coef_ : ndarray, shape (n_clusters, n_components)
        Weights of these features.
    labels_, witnesses_, strength_, objective_, ...
        See :class:`~algorithms.bagwise.m3ic.M3IC`.

    References
    ----------
    Zhang, Wang, Si & Li, Maximum margin multiple instance clustering with applications to image and
    text clustering, IEEE Transactions on Neural Networks 22 (2011), appendix D.
    """

    features_: KernelFeatures

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        random_state: Seed = 0,
        C: float = 0.25,
        balance: float = 0.5,
        n_init: int = 5,
        scaling: Scaling = "center",
        eps_cccp: float = 0.01,
        eps_planes: float = 0.01,
        max_iter: int = 100,
        max_planes: int = 200,
        kernel: KernelName | KernelFunction = "rbf",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
    ) -> None:
        super().__init__(
            n_clusters,
            random_state=random_state,
            C=C,
            balance=balance,
            n_init=n_init,
            scaling=scaling,
            eps_cccp=eps_cccp,
            eps_planes=eps_planes,
            max_iter=max_iter,
            max_planes=max_planes,
        )
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0

    def fit(self, bags: Bags, y: Any = None) -> Self:
        """Group `bags`.

        Parameters
        ----------
        bags : Bags
            Their labels play no part.

        Raises
        ------
        ClusteringError
            When parameters are out of range or do not fit the data.

        Warns
        -----
        ClusteringWarning
            As :meth:`~algorithms.bagwise.m3ic.M3IC.fit`, and when the kernel has negative
            eigenvalues.
        """
        self._accept(bags)
        check_margin_options(self, ("n_init", "max_iter", "max_planes"))
        check_bagwise(bags, self.n_clusters)
        gamma_seed, landmark_seed = np.random.SeedSequence(
            seed_of(self.random_state)
        ).generate_state(2)
        kernel = Kernel.settle(
            bags.X,
            self.kernel,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            seed=int(gamma_seed),
        )
        self.features_, mapped = KernelFeatures.fit_transform(
            bags.X, kernel, seed=int(landmark_seed)
        )
        layout = sorted_bags(bags)
        return self._fit_sorted(replace(layout, X=np.take(mapped.T, layout.order, axis=1).T))

    def predict(self, bags: Bags) -> IntArray:
        """Put new bags into the groups of the fit, each by its own witness.

        Parameters, what is returned and what is raised are those of
        :meth:`~algorithms.bagwise.m3ic.M3IC.predict`.
        """
        check_fitted(self)
        if not len(check_new_bags(bags, self.features_.n_features_in)):
            return np.full(bags.n_bags, -1, dtype=np.int64)
        return super().predict(bags.with_features(self.features_.transform(bags.X)))
