"""Making features comparable before any distance is taken."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from algorithms.bags import FloatArray, check_features

_AT_ONCE = 16  # columns


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
    for columns in some_columns(features.shape[1]):
        features[:, columns] = _standardized(features[:, columns])
    return features


def some_columns(n_columns: int) -> list[slice]:
    """Cut columns into parts of at most `_AT_ONCE`: then temporary tables stay small.

    A single column only where there is but one: its sum would be rounded in another order.
    """
    n_parts = -(-n_columns // _AT_ONCE)
    ends = [part * n_columns // n_parts for part in range(n_parts + 1)]
    return [slice(start, end) for start, end in pairwise(ends)]


def _standardized(columns: FloatArray) -> FloatArray:
    # Dividing by the largest magnitude first keeps squares of huge or tiny values in range, and
    # comparing extremes finds constant columns that rounding would give a tiny deviation.
    scale = np.abs(columns).max(axis=0)
    scale[scale == 0] = 1.0
    scaled = columns / scale
    varies = scaled.max(axis=0) > scaled.min(axis=0)
    centred = scaled - scaled.mean(axis=0)
    deviation = centred.std(axis=0)
    varies &= deviation > 0
    standardized = np.zeros_like(columns)
    standardized[:, varies] = centred[:, varies] / deviation[varies]
    return standardized
