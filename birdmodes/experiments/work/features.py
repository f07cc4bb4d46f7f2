"""What is done to features before learning; of the held-out bags nothing is looked at for it."""

from __future__ import annotations

from typing import Literal

import numpy as np

from algorithms.bags import Bags, FloatArray
from algorithms.errors import ClusteringError
from algorithms.preprocessing.standardizer import Standardizer

Features = Literal["standardized", "shares"]
FEATURES: dict[Features, str] = {
    "standardized": "every feature less its mean and divided by its standard deviation, both of "
    "the training bags' instances",
    "shares": "every instance divided by the sum of its features, for which none may be negative",
}
"""What may be done to features."""


def prepared(train: Bags, test: Bags, how: Features) -> tuple[Bags, Bags]:
    """Prepare the features of a fold.

    Parameters
    ----------
    train, test : Bags
        Features as published; at least one training instance.
    how : {"standardized", "shares"}
        See :data:`FEATURES`.

    Returns
    -------
    train, test : Bags
        Nothing but the features is changed.

    Raises
    ------
    ClusteringError
        When a feature is negative, for "shares".
    """
    if how == "standardized":
        scale = Standardizer().fit(train.X)
        scaled, others = (bags.with_features(scale.transform(bags.X)) for bags in (train, test))
        return scaled, others
    if not (can_be_shares(train.X) and can_be_shares(test.X)):
        raise ClusteringError(
            "shares need features from 0, as in histograms, but some are negative: use a method "
            "without the chi-square kernel"
        )
    return train.with_features(_shares(train.X)), test.with_features(_shares(test.X))


def can_be_shares(X: FloatArray) -> bool:
    """Tell whether no feature is negative."""
    return bool((X >= 0).all())


def _shares(X: FloatArray) -> FloatArray:
    """Divide each row by its sum; a row of zeros stays so."""
    sums = X.sum(axis=1, keepdims=True)
    shares: FloatArray = np.divide(X, sums, out=np.zeros_like(X), where=sums > 0)
    return shares
