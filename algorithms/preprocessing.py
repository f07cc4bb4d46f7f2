"""Making features comparable before any distance is taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from algorithms.bags import FloatArray, check_features


def standardize(X: npt.ArrayLike) -> FloatArray:
    """Shift and scale every column to mean 0 and standard deviation 1.

    Parameters
    ----------
    X : array_like, shape (n_instances, n_features)
        Features, in any units.

    Returns
    -------
    ndarray of float64, shape (n_instances, n_features)
        Standardised features (population standard deviation). A column that is constant carries
        no information and becomes 0; the number of columns stays the same.

    Raises
    ------
    BagsError
        When `X` is not a table of finite numbers; the message names the row and column.

    References
    ----------
    Pei & Fern (2013), section 5.1: all features are standardised before the affinity is taken.
    """
    features = check_features(X)
    if features.shape[0] == 0:
        return features
    # Dividing by the largest magnitude first keeps squares of huge or tiny values in range, and
    # comparing extremes finds constant columns that rounding would give a tiny deviation.
    scale = np.abs(features).max(axis=0)
    scale[scale == 0] = 1.0
    scaled = features / scale
    varies = scaled.max(axis=0) > scaled.min(axis=0)
    centred = scaled - scaled.mean(axis=0)
    deviation = centred.std(axis=0)
    varies &= deviation > 0
    standardized = np.zeros_like(features)
    standardized[:, varies] = centred[:, varies] / deviation[varies]
    return standardized


@dataclass(frozen=True, eq=False)
class Standardizer:
    """What standardises new instances as those that something was learned from.

    Attributes
    ----------
    mean, sd : ndarray, shape (n_features,)
        Of the features; `sd` is infinite for one that does not vary, so that it becomes 0.
    """

    mean: FloatArray
    sd: FloatArray

    @classmethod
    def of(cls, X: FloatArray, blocks: Sequence[slice] = ()) -> Standardizer:
        """Take mean and standard deviation of at least one instance.

        Parameters
        ----------
        X : ndarray, shape (n_instances, n_features)
            Features, in any units.
        blocks : sequence of slice
            Features that keep their proportions, as principal components do: each block has one
            deviation, that of the mean variance of those that vary.
        """
        varies = X.max(axis=0) > X.min(axis=0)
        sd = np.where(varies, X.std(axis=0), np.inf)
        for block in blocks:
            own = sd[block][varies[block]]
            sd[block] = np.sqrt(np.mean(own**2)) if len(own) else np.inf
        return cls(X.mean(axis=0), sd)

    def apply(self, X: FloatArray) -> FloatArray:
        """Standardise instances, old or new."""
        return np.asarray((X - self.mean) / self.sd, dtype=np.float64)
