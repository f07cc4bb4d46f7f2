"""Checks of the values that constructors are given."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from algorithms.errors import ClusteringError


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


def check_number(name: str, value: Any, *, above_zero: bool = False) -> None:
    """Raise :class:`ClusteringError` unless `value` is a finite number from 0, or above it."""
    if not is_number(value) or not 0 <= value < np.inf or (above_zero and value == 0):
        raise ClusteringError(
            f"{name} must be a number {'above' if above_zero else 'from'} 0, not {value!r}"
        )
