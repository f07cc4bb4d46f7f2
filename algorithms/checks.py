"""The one way of checking what methods are given: parameters, bags to group, new instances."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import NotFittedError

from algorithms.bags import Bags, FloatArray, IntArray, check_features
from algorithms.errors import ClusteringError

Seed: TypeAlias = int | np.random.RandomState | np.random.Generator | None
"""What a method takes for `random_state`."""

_SOURCES = (np.random.RandomState, np.random.Generator)
_MOST_SEEDS = 1 << 31


class UnfittedError(ClusteringError, NotFittedError):
    """A method is asked for what only fitting it finds out."""


def is_whole_number(value: Any) -> bool:
    """Tell whether `value` is a Python or numpy integer; True and False are not meant as one."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Tell whether `value` is a Python or numpy number; True and False are not meant as one."""
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    """Raise :class:`ClusteringError` unless `value` is one of `choices`."""
    if value not in choices:
        raise ClusteringError(f"{name} must be one of {', '.join(choices)}, not {value!r}")


def check_flag(name: str, value: Any) -> None:
    """Raise :class:`ClusteringError` unless `value` is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise ClusteringError(f"{name} must be True or False, not {value!r}")


def check_number(name: str, value: Any, *, least: float = 0.0, above: bool = False) -> None:
    """Raise :class:`ClusteringError` unless `value` is finite and from `least` on, or above it."""
    if not is_number(value) or not least <= value < math.inf or (above and value == least):
        raise ClusteringError(
            f"{name} must be a number {'above' if above else 'from'} {least:g}, not {value!r}"
        )


def check_count(name: str, value: Any, *, minimum: int = 1) -> None:
    """Raise :class:`ClusteringError` unless `value` is a whole number from `minimum`."""
    if not is_whole_number(value) or value < minimum:
        raise ClusteringError(f"{name} must be a whole number from {minimum}, not {value!r}")


def check_seed(random_state: Any) -> None:
    """Raise :class:`ClusteringError` unless :func:`seed_of` can make a seed of `random_state`."""
    if random_state is None or isinstance(random_state, _SOURCES):
        return
    if not is_whole_number(random_state) or random_state < 0:
        raise ClusteringError(
            "random_state must be a whole number from 0, None, or numpy's RandomState or "
            f"Generator, not {random_state!r}"
        )


def seed_of(random_state: Any) -> int | None:
    """Make a seed of what users give.

    Parameters
    ----------
    random_state : int, None, numpy.random.RandomState or numpy.random.Generator
        The last two are drawn from, so that the next seed is another one.

    Returns
    -------
    int or None
        None stands for a new seed every time.

    Raises
    ------
    ClusteringError
        When it is something else.
    """
    check_seed(random_state)
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(_MOST_SEEDS))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(_MOST_SEEDS))
    return None if random_state is None else int(random_state)


def check_bags(bags: Any) -> None:
    """Raise :class:`ClusteringError` unless `bags` is :class:`~algorithms.bags.Bags`."""
    if not isinstance(bags, Bags):
        raise ClusteringError(
            f"what is fitted to, or placed, must be Bags, not {type(bags).__name__}: make them "
            "with Bags(X, bag, labels), where bag says in which bag each instance is"
        )


def check_fitted(method: object, attribute: str = "labels_") -> None:
    """Raise :class:`UnfittedError` unless `method` has the attribute that fitting gives it."""
    if not hasattr(method, attribute):
        raise UnfittedError("nothing has been fitted yet: call fit first")


def check_new_features(X: npt.ArrayLike, n_features: int) -> FloatArray:
    """Check that new instances have the features of those that a method was fitted to.

    Parameters
    ----------
    X : array_like, shape (n_new, n_features)
        The new instances; if there are none, any number of columns is right.
    n_features : int
        Number of features of the fit.

    Returns
    -------
    ndarray of float64

    Raises
    ------
    ClusteringError
        When the number of features differs, or `X` is no table of finite numbers.
    """
    features = check_features(X)
    if features.shape[1] == n_features:
        return features
    if not len(features):
        return np.empty((0, n_features))
    raise ClusteringError(
        f"X has {features.shape[1]} columns but the training instances have {n_features}: "
        "give the same features in the same order"
    )


def check_fewer_clusters(n_clusters: int, n_instances: int) -> None:
    """Raise :class:`ClusteringError` unless there are fewer clusters than instances, or one."""
    if n_clusters > 1 and n_clusters >= n_instances:
        raise ClusteringError(
            f"n_clusters={n_clusters} must be below the number of instances, {n_instances}: ask "
            "for fewer clusters or give more instances"
        )


def check_bagwise(bags: Bags, n_clusters: int, *, minimum: int = 1) -> IntArray:
    """Check that bags can be put into so many groups.

    Parameters
    ----------
    bags : Bags
        The bags to group.
    n_clusters : int
        Number of groups asked for.
    minimum : int
        Least number of groups.

    Returns
    -------
    ndarray of int64, shape (n_filled,)
        Numbers of the bags that have instances, rising. The others cannot be grouped.

    Raises
    ------
    ClusteringError
        When `n_clusters` is not a whole number from `minimum`, when no bag has instances, or when
        fewer have instances than there are to be groups.
    """
    check_count("n_clusters", n_clusters, minimum=minimum)
    filled = np.flatnonzero(bags.sizes > 0).astype(np.int64)
    if not len(filled):
        raise ClusteringError(
            "there are no bags with instances to group: give at least one instance"
        )
    if n_clusters > len(filled):
        most = (
            "1 group: only 1 bag has"
            if len(filled) == 1
            else (f"{len(filled)} groups: only {len(filled)} bags have")
        )
        raise ClusteringError(f"n_clusters={n_clusters}: ask for at most {most} instances")
    return filled


def check_new_bags(bags: Bags, n_features: int) -> IntArray:
    """Check that new bags have the features of those that a method was fitted to.

    Parameters
    ----------
    bags : Bags
        The new bags.
    n_features : int
        Number of features of the bags of the fit.

    Returns
    -------
    ndarray of int64, shape (n_filled,)
        Numbers of the new bags that have instances, rising.

    Raises
    ------
    ClusteringError
        When the number of features differs.
    """
    check_bags(bags)
    if bags.n_instances and bags.n_features != n_features:
        raise ClusteringError(
            f"the new bags have {bags.n_features} features but those of the fit have "
            f"{n_features}: give the same features in the same order"
        )
    return np.flatnonzero(bags.sizes > 0).astype(np.int64)
