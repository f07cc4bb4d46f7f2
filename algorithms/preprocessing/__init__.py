"""Making features comparable before any distance is taken."""

from algorithms.preprocessing.standardize import standardize

__all__ = ["standardize"]
