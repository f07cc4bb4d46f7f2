"""What a feature set is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from birdmodes.modes.features.material import SyllableMaterial

Floats = npt.NDArray[np.float64]
Arrays = dict[str, npt.NDArray[Any]]


class FeatureSet(ABC):
    """Columns that describe syllables, learned on those of one workspace.

    A syllable's columns depend on nothing but itself and what was learned.
    """

    name: ClassVar[str]
    """What ``--features`` calls it."""

    dimensions: ClassVar[str]
    """How many columns it has, in words."""

    source: ClassVar[str]
    """What it is, and whose idea."""

    needs_windows: ClassVar[bool]
    """Whether it is made of what earlier versions of `segment` did not keep."""

    one_scale: ClassVar[bool]
    """Whether its columns keep their proportions when they are standardised.

    Principal components do: the first are to count for more than the last.
    """

    mode_weight: ClassVar[float] = 1.0
    """Weight of its variance where the modes of a species are told apart."""

    @property
    def called(self) -> str:
        """What it is called in lists of a clustering's features."""
        return self.name

    @classmethod
    @abstractmethod
    def learn(cls, material: SyllableMaterial, seed: int, argument: str) -> Self:
        """Learn the set.

        Parameters
        ----------
        material : SyllableMaterial
            At least one syllable.
        seed : int
            Same seed, same result.
        argument : str
            What stands behind the name and a colon in ``--features``.
        """

    @abstractmethod
    def columns(self, material: SyllableMaterial) -> Floats:
        """Describe syllables, in any units; shape (n_syllables, n_columns)."""

    @abstractmethod
    def column_names(self) -> list[str]:
        """Names of the columns."""

    def arrays(self) -> Arrays:
        """What was learned, for ``model.npz``."""
        return {}

    def facts(self) -> dict[str, Any]:
        """What a person might want to know of it, as JSON can say it."""
        return {}

    @classmethod
    @abstractmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], facts: dict[str, Any]) -> Self:
        """Reverse of `arrays` and `facts`; missing arrays raise KeyError."""


def numbered(name: str, count: int) -> list[str]:
    """Names of so many columns of a set, as in ``mel-01``."""
    return [f"{name}-{number:02d}" for number in range(1, count + 1)]
