"""The error of what was not fitted, in a module of its own as scikit-learn's takes long to load."""

from __future__ import annotations

from sklearn.exceptions import NotFittedError

from algorithms.errors import ClusteringError


class UnfittedError(ClusteringError, NotFittedError):
    """A method is asked for what only fitting it finds out."""
