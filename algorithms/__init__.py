"""Multi-instance, multi-label clustering methods: numpy arrays in, numpy arrays out.

The package knows nothing of audio, files or screens. Its entry points are loaded on first use, so
that ``import algorithms`` costs nothing: the container :class:`~algorithms.bags.Bags`, the table of
methods :data:`~algorithms.registry.METHODS`, :func:`~algorithms.registry.make_clusterer`, and for
scikit-learn's pipelines and searches :class:`~algorithms.preprocessing.standardizer.Standardizer`
and :class:`~algorithms.folds.BagFolds`.

Examples
--------
>>> from algorithms import Bags, make_clusterer
>>> bags = Bags([[0.0], [0.2], [5.0], [5.1]], bag=[0, 0, 1, 1], labels=[[True], [True]])
>>> make_clusterer("sp", n_clusters=2).fit(bags).labels_.shape
(4,)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from algorithms.bags import Bags
    from algorithms.folds import BagFolds
    from algorithms.preprocessing.standardizer import Standardizer
    from algorithms.registry import METHODS, make_clusterer

__all__ = ["METHODS", "BagFolds", "Bags", "Standardizer", "make_clusterer"]

_HOMES = {
    "BagFolds": "algorithms.folds",
    "Bags": "algorithms.bags",
    "Standardizer": "algorithms.preprocessing.standardizer",
    "METHODS": "algorithms.registry",
    "make_clusterer": "algorithms.registry",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
