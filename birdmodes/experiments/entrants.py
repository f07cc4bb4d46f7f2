"""The methods that take part: those of the registry, two of them twice."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from algorithms.errors import did_you_mean
from algorithms.registry import METHODS
from birdmodes.errors import ParameterError

_ORDER = (
    "sp",
    "splearn",
    "splearn-symmetric",
    "spreg",
    "csp-no-pairs",
    "csp",
    "ldc",
    "mimlca",
    "mimlca-no-limit",
)
_VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "splearn": ("splearn", {"normalization": "additive"}),
    "splearn-symmetric": ("splearn", {"normalization": "symmetric"}),
    # as ``birdmodes cluster`` has it: any number of instances of a label in a bag
    "mimlca-no-limit": ("mimlca", {"max_per_label": None}),
}
"""Entrants that are not simply a method with its defaults: method, parameters."""

_WITHOUT_LABELS = ("sp",)


@dataclass(frozen=True)
class Entrant:
    """A method with fixed options.

    Attributes
    ----------
    name : str
        What tables and figures call it.
    method : str
        Its name in :data:`algorithms.registry.METHODS`.
    parameters : mapping
        Options that differ from the method's defaults.
    """

    name: str
    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def options(self) -> str:
        """The parameters as text, ``name=value`` with semicolons between."""
        return ";".join(f"{name}={value}" for name, value in self.parameters.items())

    @property
    def uses_labels(self) -> bool:
        """Whether the bags' labels change the result."""
        return self.method not in _WITHOUT_LABELS

    @property
    def spectral(self) -> bool:
        """Whether one embedding serves many runs of k-means and many numbers of clusters."""
        return hasattr(METHODS[self.method].load(), "embed")

    @property
    def takes_alpha(self) -> bool:
        """Whether it belongs into the experiment that varies alpha."""
        return self.spectral and "alpha" in self._known

    def accepts(self, parameter: str) -> bool:
        """Tell whether the method's constructor has `parameter`."""
        return parameter in self._known

    @cached_property
    def _known(self) -> list[str]:
        return list(inspect.signature(METHODS[self.method].load()).parameters)


def all_entrants() -> dict[str, Entrant]:
    """Every instance method of the registry, and the variants, in the order of the figures."""
    methods = [name for name, method in METHODS.items() if method.kind == "instance"]
    found = {name: Entrant(name, name) for name in methods if name not in _VARIANTS}
    for name, (method, parameters) in _VARIANTS.items():
        if method in methods:
            found[name] = Entrant(name, method, parameters)
    return {name: found[name] for name in in_order(found)}


def in_order(names: Iterable[str]) -> list[str]:
    """Sort names of entrants: those of the paper as in its figures, then the others by name."""
    return sorted(names, key=lambda name: (_ORDER.index(name) if name in _ORDER else 99, name))


def choose_entrants(names: Sequence[str]) -> list[Entrant]:
    """Give the entrants called `names`, or all of them when there are none.

    Raises
    ------
    ParameterError
        For an unknown name; the message suggests the nearest.
    """
    known = all_entrants()
    for name in names:
        if name not in known:
            raise ParameterError(
                f"there is no method {name!r} to benchmark{did_you_mean(name, known)}: choose "
                f"from {', '.join(known)}"
            )
    return [known[name] for name in in_order(set(names) or known)]
