"""What the two experiments on whole bags vary, and the tasks that makes.

References
----------
Zhang, Wang, Si & Li (2011), section 4.2; Kriegel, Pryakhin & Schubert (2006), section 5.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from birdmodes.experiments.bagwise.entrants import BagEntrant
from birdmodes.experiments.bagwise.problems import CENTRED, Preparation

BagExperiment = Literal["m3ic", "mi-em"]
BAG_EXPERIMENTS: tuple[BagExperiment, ...] = ("m3ic", "mi-em")


@dataclass(frozen=True)
class Grid:
    """Values of the two parameters that margin methods have.

    Attributes
    ----------
    name : str
        What the command line calls it.
    costs : tuple of float
        Values of C, rising.
    balances : tuple of float
        Values of l, rising.
    """

    name: str
    costs: tuple[float, ...]
    balances: tuple[float, ...]

    def points(self) -> Iterator[tuple[float, float]]:
        """All pairs of a C and an l."""
        for cost in self.costs:
            for balance in self.balances:
                yield cost, balance


GRIDS: dict[str, Grid] = {
    grid.name: grid
    for grid in (
        Grid(
            "full",
            tuple(2.0**power for power in range(-4, 5)),
            (0.0, 0.001, 0.01, 0.1, 1.0, 2.0, 3.0, 4.0, 5.0, 10.0),
        ),
        Grid("coarse", (0.0625, 0.25, 1.0, 4.0, 16.0), (0.0, 0.1, 1.0, 10.0)),
        Grid("small", (0.25, 4.0), (0.0, 1.0)),
    )
}
"""The paper's grid, and two parts of it."""


_QUICK_RUNS = {"starts": 2, "medoid_runs": 3, "vote_runs": 5, "mixture_runs": 2}


@dataclass(frozen=True)
class BagProtocol:
    """Everything that changes a figure, besides data, method and its setting.

    Attributes
    ----------
    experiment : {"m3ic", "mi-em"}
        Which experiment.
    starts : int
        Random starts of m3ic and cpm3c in each point of the grid.
    medoid_runs : int
        Runs of BAMIC.
    vote_runs : int
        Runs of k-means with majority vote.
    mixture_runs : int
        Runs of mi-em.
    seed : int
        Same seed, same figures.
    """

    experiment: BagExperiment
    starts: int = 5
    medoid_runs: int = 10
    vote_runs: int = 50
    mixture_runs: int = 5
    seed: int = 0

    @classmethod
    def of(cls, experiment: BagExperiment, *, quick: bool = False, seed: int = 0) -> BagProtocol:
        """Give the numbers of runs that an experiment asks for, or fewer of them, to try it out.

        Where mi-em is beside the paper, and takes longest, it is run once.
        """
        runs = _QUICK_RUNS if quick else {}
        if experiment == "m3ic":
            runs = {**runs, "mixture_runs": 1}
        return cls(experiment, **runs, seed=seed)

    def runs_of(self, entrant: BagEntrant) -> int:
        """Tell how often a method is run in one setting."""
        runs: int = getattr(self, entrant.runs) if entrant.runs else 1
        return runs

    def cluster_counts(self, n_classes: int) -> tuple[int, ...]:
        """Numbers of groups: as many as classes, and for mi-em 3 and 4 times as many, too.

        Of two classes that makes the 2, 6 and 8 of Kriegel et al.
        """
        factors = (1,) if self.experiment == "m3ic" else (1, 3, 4)
        return tuple(factor * n_classes for factor in factors)

    def as_dict(self) -> dict[str, Any]:
        """The settings, as JSON would give them back."""
        return asdict(self)


@dataclass(frozen=True)
class BagSetting:
    """The unit of work: all runs of one method with one setting.

    Attributes
    ----------
    dataset, preparation, entrant : str
        Problem, what is done to its features, method.
    k : int
        Number of groups.
    cost, balance : float or None
        C and l; None for a method that has none, and for its defaults.
    """

    dataset: str
    preparation: Preparation
    entrant: str
    k: int
    cost: float | None = None
    balance: float | None = None

    @property
    def key(self) -> str:
        """Text that no other setting has."""
        return json.dumps(list(asdict(self).values()))

    @property
    def title(self) -> str:
        """The problem and the method."""
        return f"{self.dataset}, {self.entrant}"


def settings_of(
    dataset: str,
    n_classes: int,
    preparations: Sequence[Preparation],
    entrant: BagEntrant,
    grid: Grid,
    protocol: BagProtocol,
) -> Iterator[BagSetting]:
    """List the settings of one method on one problem.

    Parameters
    ----------
    dataset : str
        Name of the problem.
    n_classes : int
        Its classes.
    preparations : sequence of str
        What is done to its features.
    entrant : BagEntrant
        The method.
    grid : Grid
        For methods that have C and l: they are run on every point of it and with their defaults.
    protocol : BagProtocol
        Which experiment.
    """
    for preparation in preparations:
        for k in protocol.cluster_counts(n_classes):
            yield BagSetting(dataset, preparation, entrant.name, k)
            for cost, balance in grid.points() if entrant.has_grid else ():
                # Where l has no effect, one value of it says all.
                if preparation not in CENTRED or balance == grid.balances[0]:
                    yield BagSetting(dataset, preparation, entrant.name, k, cost, balance)
