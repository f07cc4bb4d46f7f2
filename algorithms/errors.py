"""What the package raises and warns about."""

from __future__ import annotations


class ClusteringError(ValueError):
    """Data or parameters that a method cannot work with; the message says what to change."""


class BagsError(ClusteringError):
    """Arrays that do not make a valid :class:`~algorithms.bags.Bags`."""


class ClusteringWarning(UserWarning):
    """A clustering was made, but something about it should be known before it is trusted."""
