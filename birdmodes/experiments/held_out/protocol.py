"""How bags are left out, and the tasks that makes.

References
----------
Law et al. (2017), section 4.2 (a published split of Corel5K); the other sets have none, so their
bags are cross-validated.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from birdmodes.experiments.held_out.names import HeldOutName
from birdmodes.experiments.held_out.problems import ProblemSource

_FOLDS, _QUICK_FOLDS = 5, 3


@dataclass(frozen=True)
class HeldOutProtocol:
    """Everything that changes a figure, besides data, method and fold.

    Attributes
    ----------
    experiment : {"annotation", "instance-accuracy"}
        Which experiment.
    folds : int
        Parts of the labelled bags that are left out in turn.
    seed : int
        Same seed, same figures.
    """

    experiment: HeldOutName
    folds: int = _FOLDS
    seed: int = 0

    @classmethod
    def of(cls, experiment: HeldOutName, *, quick: bool = False, seed: int = 0) -> HeldOutProtocol:
        """Give the protocol of an experiment, or one of fewer folds, to try it out."""
        return cls(experiment, _QUICK_FOLDS if quick else _FOLDS, seed)

    def as_dict(self) -> dict[str, Any]:
        """The settings, as JSON would give them back."""
        return asdict(self)


@dataclass(frozen=True)
class HeldOutSetting:
    """The unit of work: one method, learned with one fold left out and tested on it.

    Attributes
    ----------
    dataset, experiment, entrant : str
        Problem, experiment, method.
    fold : int
        Which is left out, from 0; 0 for a published split.
    """

    dataset: str
    experiment: str
    entrant: str
    fold: int

    @property
    def key(self) -> str:
        """Text that no other setting has."""
        return json.dumps(list(asdict(self).values()))

    @property
    def title(self) -> str:
        """The problem and the method."""
        return f"{self.dataset}, {self.entrant}"


@dataclass(frozen=True)
class HeldOutTask:
    """A setting with all that a worker process needs."""

    setting: HeldOutSetting
    source: ProblemSource
    protocol: HeldOutProtocol


def settings_of(
    dataset: str, folds: Sequence[int], entrants: Sequence[str], protocol: HeldOutProtocol
) -> Iterator[HeldOutSetting]:
    """List the settings of all methods on one problem."""
    for entrant in entrants:
        for fold in folds:
            yield HeldOutSetting(dataset, protocol.experiment, entrant, fold)
