"""What chance alone would do: bags in common, and the smallest of many probabilities.

Both are in ``scipy.stats`` too, which takes longer to import than these take for thousands of
clusters.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from algorithms.bags import FloatArray, IntArray

_PRECISION = 1e-15
"""Terms of a tail smaller than this share of it are left out."""


def hypergeometric_tail(
    common: npt.ArrayLike, n_bags: int, first: npt.ArrayLike, second: npt.ArrayLike
) -> FloatArray:
    """Probability of at least so many bags in common.

    Parameters
    ----------
    common, first, second : array_like of int, shape (n,)
        Bags with both, with the first and with the second of n pairs of things that bags may have.
    n_bags : int
        Number of all bags.

    Returns
    -------
    ndarray, shape (n,)
        P(X >= common) of the hypergeometric distribution, as ``scipy.stats.hypergeom.sf`` has it
        for one less.
    """
    x, a, b = (np.asarray(values).astype(np.int64) for values in (common, first, second))
    # Up to the mean the other tail is summed, that of the bags with the first but not the second.
    other = x * n_bags <= a * b
    tail = _falling_tail(np.where(other, a - x + 1, x), a, np.where(other, n_bags - b, b), n_bags)
    return np.where(other, 1.0 - tail, tail)


def _falling_tail(x: IntArray, a: IntArray, b: IntArray, n: int) -> FloatArray:
    """P(X >= x), with x beyond the mean, where terms fall from one to the next."""
    tail = np.zeros(len(x))
    there = np.flatnonzero(x <= np.minimum(a, b))
    x, a, b = x[there], a[there], b[there]
    log_factorial = np.concatenate([[0.0], np.log(np.arange(1.0, n + 1)).cumsum()])
    log_first = (
        _log_choose(log_factorial, a, x)
        + _log_choose(log_factorial, n - a, b - x)
        - _log_choose(log_factorial, np.full(len(x), n), b)
    )
    # In units of the first term.
    at, of_a, of_b = x.astype(np.float64), a.astype(np.float64), b.astype(np.float64)
    total, term = np.ones(len(x)), np.ones(len(x))
    while (term > _PRECISION * total).any():
        neither = np.maximum(n - of_a - of_b + at + 1, 1.0)
        term = term * (of_a - at) * (of_b - at) / ((at + 1) * neither)
        total += term
        at = at + 1
    tail[there] = np.minimum(np.exp(log_first) * total, 1.0)
    return tail


def _log_choose(log_factorial: FloatArray, n: IntArray, k: IntArray) -> FloatArray:
    return np.asarray(log_factorial[n] - log_factorial[k] - log_factorial[n - k])


def false_discovery_rates(p_value: FloatArray) -> FloatArray:
    """Adjust probabilities for how many there are.

    Parameters
    ----------
    p_value : ndarray
        Of any shape; all count together.

    Returns
    -------
    ndarray
        Of the same shape: the share of false ones among those with a p as small, at most.

    References
    ----------
    Benjamini & Hochberg, Controlling the false discovery rate, J. R. Statist. Soc. B 1995.
    """
    flat = p_value.ravel()
    order = np.argsort(flat, kind="stable")
    scaled = flat[order] * len(flat) / np.arange(1, len(flat) + 1)
    adjusted = np.empty(len(flat))
    adjusted[order] = np.minimum.accumulate(scaled[::-1])[::-1]
    return np.minimum(adjusted, 1.0).reshape(p_value.shape)
