"""The methods that take part in the experiments on whole bags."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from algorithms.errors import did_you_mean
from birdmodes.errors import ParameterError


@dataclass(frozen=True)
class BagEntrant:
    """A method of :data:`algorithms.registry.METHODS` and how it is run.

    Attributes
    ----------
    name : str
        Its name.
    experiments : tuple of str
        Those it is part of.
    in_paper : tuple of str
        Those whose paper compares it; in others it is beside the paper.
    runs : str
        Number of its runs, as :class:`~birdmodes.experiments.bagwise.protocol.BagProtocol` calls
        it; empty for one run.
    has_grid : bool
        Whether C and l are searched for it.
    """

    name: str
    experiments: tuple[str, ...]
    in_paper: tuple[str, ...]
    runs: str = ""
    has_grid: bool = False

    @property
    def single_starts(self) -> bool:
        """Whether a run is one random start, and not the best of several."""
        return self.runs in ("starts", "vote_runs")


_BOTH = ("m3ic", "mi-em")
ENTRANTS: dict[str, BagEntrant] = {
    entrant.name: entrant
    for entrant in (
        BagEntrant("m3ic", ("m3ic",), ("m3ic",), "starts", has_grid=True),
        BagEntrant("cpm3c", ("m3ic",), ("m3ic",), "starts", has_grid=True),
        BagEntrant("bamic-min", ("m3ic",), ("m3ic",), "medoid_runs"),
        BagEntrant("bamic-max", ("m3ic",), ("m3ic",), "medoid_runs"),
        BagEntrant("bamic-avg", ("m3ic",), ("m3ic",), "medoid_runs"),
        BagEntrant("kmeans-vote", ("m3ic",), ("m3ic",), "vote_runs"),
        BagEntrant("m3ic-kernel", ("m3ic",), (), "starts"),
        BagEntrant("mi-em", _BOTH, ("mi-em",), "mixture_runs"),
        BagEntrant("pam-hausdorff", _BOTH, ("mi-em",)),
        BagEntrant("pam-min-hausdorff", _BOTH, ("mi-em",)),
        BagEntrant("pam-smd", _BOTH, ("mi-em",)),
    )
}
"""In the order of the tables."""


def in_order(names: Iterable[str]) -> list[str]:
    """Sort names of entrants as the tables do."""
    return sorted(set(names), key=list(ENTRANTS).index)


def choose_bag_entrants(experiment: str, names: Sequence[str]) -> list[BagEntrant]:
    """Give the entrants of an experiment called `names`, or all of them when there are none.

    Raises
    ------
    ParameterError
        For a name that does not take part; the message suggests the nearest.
    """
    known = {name: each for name, each in ENTRANTS.items() if experiment in each.experiments}
    for name in names:
        if name not in known:
            raise ParameterError(
                f"there is no method {name!r} in the experiment {experiment}"
                f"{did_you_mean(name, known)}: choose from {', '.join(known)}"
            )
    return [known[name] for name in in_order(names or known)]
