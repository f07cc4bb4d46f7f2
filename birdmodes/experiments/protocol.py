"""What the experiments vary, and the tasks that makes.

References
----------
Pei & Fern (2013), section 5.3 (alpha), 5.4.1 (labelled bags), 5.4.2 (number of clusters).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from algorithms.bags import Bags
from birdmodes.errors import ParameterError
from birdmodes.experiments.entrants import Entrant
from birdmodes.experiments.seeds import child_seed

Experiment = Literal["alpha", "labelled", "clusters"]
EXPERIMENTS: tuple[Experiment, ...] = ("alpha", "labelled", "clusters")


@dataclass(frozen=True)
class Protocol:
    """Everything that changes the figures, besides data and methods.

    Attributes
    ----------
    runs : int
        Repetitions of everything random.
    alpha_step : float
        alpha goes from 0 to 1 in steps of this.
    shares : tuple of float
        Shares of labelled bags, rising; the last one is 1.
    k_steps : int
        Numbers of clusters from C to 2C.
    n_init : int
        Starts of k-means in one run, the best of which counts.
    graph : {"dense", "knn", "auto"}
        Affinity graph of the spectral methods.
    seed : int
        Same seed, same figures.
    """

    runs: int = 20
    alpha_step: float = 0.005
    shares: tuple[float, ...] = (0.2, 0.4, 0.6, 0.8, 1.0)
    k_steps: int = 7
    n_init: int = 5
    graph: Literal["dense", "knn", "auto"] = "dense"
    seed: int = 0

    @classmethod
    def quick(cls) -> Protocol:
        """Fewer values of everything, to try it out in minutes."""
        return cls(runs=3, alpha_step=0.05, shares=(0.2, 0.6, 1.0), k_steps=3)

    @property
    def alphas(self) -> list[float]:
        """Every alpha, 0 and 1 included."""
        n_steps = max(1, round(1 / self.alpha_step))
        return [round(step / n_steps, 6) for step in range(n_steps + 1)]

    def cluster_counts(self, n_classes: int, n_instances: int) -> list[int]:
        """Numbers of clusters from C to 2C, without repetition, below the number of instances."""
        spaced = np.linspace(n_classes, 2 * n_classes, self.k_steps)
        return sorted({round(float(k)) for k in spaced if round(float(k)) < n_instances})

    def as_dict(self) -> dict[str, Any]:
        """The settings, as JSON would give them back."""
        settings: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return settings


@dataclass(frozen=True)
class SetSize:
    """What of a data set decides on tasks: its name, instances and classes."""

    name: str
    n_instances: int
    n_classes: int


@dataclass(frozen=True)
class Setting:
    """The unit of work: some runs of one method in one setting of one experiment.

    Attributes
    ----------
    dataset, experiment, entrant : str
        Names.
    ks : tuple of int
        Numbers of clusters, all rounded from one embedding.
    runs : tuple of int
        Which repetitions.
    alpha : float or None
        None leaves the method's default.
    share : float
        Share of the labelled bags that keep their labels.
    """

    dataset: str
    experiment: Experiment
    entrant: str
    ks: tuple[int, ...]
    runs: tuple[int, ...]
    alpha: float | None = None
    share: float = 1.0

    @property
    def key(self) -> str:
        """Text that no other setting has."""
        return json.dumps(list(asdict(self).values()))

    @property
    def title(self) -> str:
        """The set, the experiment and the method."""
        return f"{self.dataset}, {self.experiment}, {self.entrant}"


def settings_of(
    size: SetSize, experiment: Experiment, entrant: Entrant, protocol: Protocol
) -> Iterator[Setting]:
    """List the settings of one method in one experiment on one set.

    What runs share is computed once per setting: the runs of a spectral method differ in the
    start of k-means alone, unless each has its own subset of labels. A method that is fitted
    anew for each run has a setting for each, so that little is lost when the program is stopped.
    """
    every = tuple(range(protocol.runs))
    one_by_one = [(run,) for run in every]
    ks = protocol.cluster_counts(size.n_classes, size.n_instances)
    if not ks or ks[0] != size.n_classes or ks[0] < 1:
        raise ParameterError(
            f"{size.name}: {size.n_classes} classes and {size.n_instances} instances are too few "
            "to benchmark; there must be a class, and more instances than classes"
        )
    base = (size.name, experiment, entrant.name)
    if experiment == "alpha":
        if entrant.takes_alpha:
            for alpha in protocol.alphas:
                yield Setting(*base, tuple(ks[:1]), every, alpha=alpha)
    elif experiment == "labelled":
        for share in protocol.shares:
            same = entrant.spectral and (share == 1 or not entrant.uses_labels)
            for runs in [every] if same else one_by_one:
                yield Setting(*base, tuple(ks[:1]), runs, share=share)
    else:
        # Must-link pairs exist for K = C only, so that K > C may need another embedding.
        groups = [ks[:1], ks[1:]] if entrant.spectral else [[k] for k in ks]
        for group in filter(None, groups):
            for runs in [every] if entrant.spectral else one_by_one:
                yield Setting(*base, tuple(group), runs)


def with_labels_of_some(bags: Bags, share: float, run: int, dataset: str, seed: int) -> Bags:
    """Take the labels from all but a random `share` of the labelled bags.

    Every method gets the same subset in the same run. The subsets of one run are nested: those
    labelled at 20 % are so at 40 % too, so that the curve over shares shows what labels add and
    not which bags happened to be drawn.

    Parameters
    ----------
    bags : Bags
        With the labels of all.
    share : float
        0 to 1; rounded to whole bags, at least one.
    run : int
        Number of the repetition.
    dataset : str
        Name of the set.
    seed : int
        Of the whole benchmark.

    Returns
    -------
    Bags
        `bags` itself when all keep their labels.
    """
    known = np.flatnonzero(bags.labelled)
    n_kept = max(1, round(share * len(known)))
    if n_kept >= len(known):
        return bags
    shuffled = np.random.default_rng(child_seed(seed, dataset, "labels", run)).permutation(known)
    labelled = np.zeros(bags.n_bags, dtype=np.bool_)
    labelled[shuffled[:n_kept]] = True
    labels = bags.labels & labelled[:, None]
    return Bags(bags.X, bags.bag, labels, labelled, bags.class_names)
