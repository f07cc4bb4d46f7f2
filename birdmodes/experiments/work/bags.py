"""Methods that group whole bags: who takes part, and on bags with which features."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from algorithms.bags import Bags, FloatArray
from algorithms.bagwise.linear_scores import unit_length
from algorithms.preprocessing import standardize
from birdmodes.experiments.data import Data, Problems, Source
from birdmodes.experiments.datasets.bag_problem_table import BAG_PROBLEMS, bag_problem
from birdmodes.experiments.datasets.bag_problems import load_bag_problem, problem_from_dataset
from birdmodes.experiments.datasets.readers.digits import clutter_bags
from birdmodes.experiments.work.tables import texts

BUILT_IN_PROBLEM = "digits-bags"
"""Needs no download."""

_OF_KRIEGEL = ("musk1", "musk2")

PREPARATIONS = texts("preparations")
"""What is done to features before clustering."""

CENTRED = ("standardized-centred", "centred")
"""Those after which the balance between groups is kept whatever l is."""

_KEPT_PROBLEMS = 32  # a process may need any problem next; all of them take less than 300 MB


ENTRANTS = texts("grouping")
"""Methods in the order of the tables, and the field of the protocol that says how often each is
run; none for a method without randomness.
"""

OF_MI_EM = ("mi-em", "pam-hausdorff", "pam-min-hausdorff", "pam-smd")
"""Those of the experiment on mi-em; the one on m3ic has them, too, beside its paper."""

BESIDE_M3IC = ("m3ic-kernel", *OF_MI_EM)
WITH_GRID = ("m3ic", "cpm3c")
"""Methods for which C and l are searched."""

SINGLE_STARTS = ("starts", "vote_runs")
"""Where a run is one random start, and not the best of several."""


def read_problem(source: Source) -> Data:
    """Read a problem, its features as they are in the file: bags with one class each."""
    if source.path is None and source.name == BUILT_IN_PROBLEM:
        bags, truth = clutter_bags()
        return Data(BUILT_IN_PROBLEM, bags, truth, of_bags=True)
    if source.path is None:
        return load_bag_problem(source.name, source.data_dir)
    return problem_from_dataset(source.dataset())


@lru_cache(maxsize=_KEPT_PROBLEMS)
def load_prepared(source: Source, preparation: str) -> Data:
    """Read a problem once per process and prepare its features."""
    raw = read_problem(source)
    return replace(raw, bags=raw.bags.with_features(prepare(raw.bags, preparation)))


def prepare(bags: Bags, preparation: str) -> FloatArray:
    """Prepare features; an instance of nothing but zeros has no length and stays so.

    Parameters
    ----------
    bags : Bags
        None of them empty.
    preparation : str
        A key of :data:`PREPARATIONS`.

    Returns
    -------
    ndarray of float64, shape (n_instances, n_features)
    """
    prepared = standardize(bags.X) if preparation.startswith("standardized") else bags.X
    if preparation in CENTRED:
        # Every bag counts as one, however many instances it has.
        weights = 1.0 / (bags.n_bags * bags.sizes[bags.bag])
        return prepared - weights @ prepared
    if preparation.endswith("unit"):
        return unit_length(prepared)
    return prepared


def _check_name(name: str) -> None:
    if name != BUILT_IN_PROBLEM:
        bag_problem(name)


def problems_of(experiment: str) -> Problems:
    """What an experiment is run on: the problems of its paper, as far as they are public."""
    of_zhang = tuple(name for name in BAG_PROBLEMS if name not in _OF_KRIEGEL)
    return Problems(
        built_in=BUILT_IN_PROBLEM,
        every=_OF_KRIEGEL if experiment == "mi-em" else of_zhang,
        check=_check_name,
        read=read_problem,
        kind="problems",
    )
