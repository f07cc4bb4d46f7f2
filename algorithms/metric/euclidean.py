"""The metric that learns nothing, to compare the others with."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from algorithms.bags import Bags
from algorithms.metric.base import MetricLearner, check_trainable


class Euclidean(MetricLearner):
    """The Euclidean distance of the features as they are: L is the identity.

    Attributes
    ----------
    components_ : ndarray, shape (n_features, n_features)
        The identity.
    """

    def fit(self, bags: Bags, y: Any = None) -> Self:
        """Note the number of features of `bags`; their labels play no part.

        Raises
        ------
        ClusteringError
            When there are no instances.
        """
        self._accept(bags)
        check_trainable(bags)
        self.components_ = np.eye(bags.n_features)
        return self
