"""What the package raises and warns about."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

_NEAR = 0.65  # difflib's own 0.6 takes "alpha" for "graph"


class ClusteringError(ValueError):
    """Data or parameters that a method cannot work with; the message says what to change."""


class BagsError(ClusteringError):
    """Arrays that do not make a valid :class:`~algorithms.bags.Bags`."""


class OptionError(ValueError):
    """An option of a method that is unknown, or was typed in a way it cannot be read."""


class ClusteringWarning(UserWarning):
    """A clustering was made, but something about it should be known before it is trusted."""


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Suggest the name that was probably meant, for use in a message.

    Parameters
    ----------
    name : str
        What was given.
    names : iterable of str
        What there is.

    Returns
    -------
    str
        As in ``" (did you mean 'csp'?)"``; empty when nothing is near. Letter case does not matter.
    """
    by_lower = {known.lower(): known for known in names}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=_NEAR)
    return f" (did you mean {by_lower[near[0]]!r}?)" if near else ""
