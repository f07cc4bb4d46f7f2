"""How many clusters to make: given, two for each species, or found out species by species.

With ``--k auto`` each species' own syllables are looked at: those that the label sets of the bags
attribute to it. Every criterion of `algorithms.mode_counts` is computed, that of `CHOSEN_CRITERION`
decides; `docs/mode_counts.md` says why, and how often it is right.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms import Bags
from algorithms.checks import is_whole_number
from algorithms.disambiguation.disambiguator import species_posterior
from algorithms.errors import ClusteringError, ClusteringWarning, did_you_mean
from algorithms.mode_counts import CRITERIA, K_MAX, CountCurve, mode_counts
from birdmodes.errors import BirdmodesError, ParameterError

Floats = npt.NDArray[np.float64]

SpeciesPosterior = Callable[[Bags, int], Floats]
"""Function of bags and a seed: the probability of every class for every instance."""

DEFAULT_PER_SPECIES = 2
"""Clusters of a species of which nothing else is said, as Pei & Fern (2013) have them."""

CHOSEN_CRITERION = "prediction_strength"
"""The criterion that decides."""

WEAK_POSTERIOR = 0.5
"""A syllable that is less probable than this to be of a species is not taken as an example."""

WIDE_DISAGREEMENT = 2
"""The criteria disagree widely when their median is at least so far from the one that decides."""

BACKGROUND_SHARE = 0.02
"""At least this share of the syllables must be of no species for background to get clusters."""

CURVE_COLUMNS = ["species", "syllables", "k", *CRITERIA, "chosen", "chosen_by"]


@dataclass(frozen=True)
class ClusterCounts:
    """How many clusters to make.

    Attributes
    ----------
    total : int
        Over all species.
    source : str
        How that came about: ``given``, ``two per species``, ``per species`` or ``auto``.
    per_species : dict of str to int, or None
        Number of each species, in the order of the bags' classes; None if only the total is known.
    background : int
        With ``auto``, clusters in the total for syllables that are of no species.
    curves : pandas.DataFrame or None
        With ``auto``, a row per species and k with the value of every criterion, in the columns of
        `CURVE_COLUMNS`; background stands last, as species "". `chosen` is true for the k that was
        taken; `chosen_by` names the criteria that would take it, separated by ``;``.
    warnings : list of str
        A line each.
    """

    total: int
    source: Literal["given", "two per species", "per species", "auto"]
    per_species: dict[str, int] | None = None
    background: int = 0
    curves: pd.DataFrame | None = None
    warnings: list[str] = field(default_factory=list)

    def of_species_only(self) -> ClusterCounts:
        """Without clusters for background, for methods that see to that themselves."""
        return replace(self, total=self.total - self.background, background=0)

    @property
    def short_name(self) -> str:
        """What to call a clustering after: ``k26``, ``auto`` or ``per-species``."""
        if self.source in ("given", "two per species"):
            return f"k{self.total}"
        return self.source.replace(" ", "-")

    @property
    def summary(self) -> str:
        """As in ``modes: BRCR 3, WIWR 2; background 1``."""
        modes = ", ".join(f"{name} {k}" for name, k in (self.per_species or {}).items())
        return f"modes: {modes}" + (f"; background {self.background}" if self.background else "")


def parse_k(text: str | None) -> int | Literal["auto"] | None:
    """Read what was given as ``--k``.

    Raises
    ------
    ParameterError
        If it is neither a whole number from 1 nor ``auto``.
    """
    if text is None:
        return None
    if text.strip().lower() == "auto":
        return "auto"
    return _whole_number(text, "--k", "a whole number from 1, or auto")


def parse_per_species(texts: Sequence[str]) -> int | dict[str, int] | None:
    """Read what was given as ``--k-per-species``: one number, or ``NAME=N`` for some species.

    Raises
    ------
    ParameterError
        If it is something else, or names a species twice.
    """
    if len(texts) == 1 and "=" not in texts[0]:
        return _whole_number(texts[0], "--k-per-species", "a whole number from 1, or NAME=N")
    counts: dict[str, int] = {}
    for text in texts:
        name, equals, number = (part.strip() for part in text.rpartition("="))
        if not equals or not name:
            raise ParameterError(
                f"--k-per-species {text}: give one number for all species, or NAME=N for each of "
                "some"
            )
        if name in counts:
            raise ParameterError(f"--k-per-species: {name} is given twice")
        counts[name] = _whole_number(number, f"--k-per-species: {name}", "a whole number from 1")
    return counts or None


def _whole_number(text: str, what: str, expected: str) -> int:
    try:
        number = int(text)
    except ValueError:
        number = 0
    if number < 1:
        raise ParameterError(f"{what} must be {expected}, not {text!r}")
    return number


def count_clusters(
    bags: Bags,
    k: int | Literal["auto"] | None,
    k_per_species: int | Mapping[str, int] | None,
    seed: int,
    posterior: SpeciesPosterior | None = None,
) -> ClusterCounts:
    """Settle how many clusters to make.

    Parameters
    ----------
    bags : Bags
        What will be clustered.
    k : int, "auto" or None
        Number over all species; found out for each species; or two for each.
    k_per_species : int, mapping of str to int, or None
        Number for each species. Those that a mapping does not name get `DEFAULT_PER_SPECIES`.
    seed : int
        Of what is random in finding out.
    posterior : callable, optional
        For "auto": how syllables are attributed to species; by default `attribute_syllables`.

    Raises
    ------
    BirdmodesError
        If both numbers are given, species are needed and there are none, or one is unknown.
    """
    if k is not None and k_per_species is not None:
        raise ParameterError(
            "--k and --k-per-species exclude each other: give the number of clusters over all "
            "species or that of each"
        )
    if k is not None and k != "auto":
        check_count("k", k)
        return ClusterCounts(int(k), "given")
    if bags.n_classes == 0:
        raise BirdmodesError(
            "no recording has a species, so the number of clusters must be given with --k; to "
            "find modes per species, run 'birdmodes segment --labels labels.csv' again"
        )
    if k == "auto":
        return _find_counts(bags, seed, posterior or attribute_syllables)
    if k_per_species is None:
        total = max(1, min(DEFAULT_PER_SPECIES * bags.n_classes, bags.n_instances - 1))
        return ClusterCounts(total, "two per species")
    counts = _named_counts(bags.class_names, k_per_species)
    return ClusterCounts(sum(counts.values()), "per species", counts)


def attribute_syllables(bags: Bags, seed: int) -> Floats:
    """Probability of every species for every syllable, and what is missing to 1, of none.

    Returns
    -------
    ndarray, shape (n_instances, n_classes)
    """
    return species_posterior(bags, random_state=seed, background="cautious")


def check_count(what: str, number: Any) -> None:
    """Make sure that a number of clusters is one.

    Raises
    ------
    ParameterError
        If it is not a whole number from 1.
    """
    if not is_whole_number(number) or number < 1:
        raise ParameterError(f"{what} must be a whole number from 1, not {number!r}")


def _named_counts(species: Sequence[str], k_per_species: int | Mapping[str, int]) -> dict[str, int]:
    if not isinstance(k_per_species, Mapping):
        check_count("k_per_species", k_per_species)
        return dict.fromkeys(species, int(k_per_species))
    for name, number in k_per_species.items():
        check_count(f"k_per_species of {name}", number)
        if name not in species:
            raise ParameterError(
                f"--k-per-species: no recording has the species {name!r}"
                f"{did_you_mean(name, species)}; there are: {', '.join(species)}"
            )
    return {name: k_per_species.get(name, DEFAULT_PER_SPECIES) for name in species}


def _find_counts(bags: Bags, seed: int, posterior: SpeciesPosterior) -> ClusterCounts:
    try:
        with warnings.catch_warnings():
            # What they say of the clusters that will be made is said when these are made.
            warnings.simplefilter("ignore", ClusteringWarning)
            probability = posterior(bags, seed)
    except ClusteringError as error:
        raise BirdmodesError(f"--k auto: {error}") from error
    attributed = np.where(
        probability.max(axis=1, initial=0.0) >= WEAK_POSTERIOR, probability.argmax(axis=1), -1
    )
    counts: dict[str, int] = {}
    tables, notes = [], []
    for number, name in enumerate(bags.class_names):
        own = attributed == number
        curves = _curves(bags, own, seed)
        counts[name] = curves[CHOSEN_CRITERION].k
        tables.append(_curve_table(name, int(own.sum()), curves))
        notes += _doubts(name, int(own.sum()), curves)
    rest = attributed < 0
    background = 0
    if rest.mean() >= BACKGROUND_SHARE:
        curves = _curves(bags, rest, seed)
        background = curves[CHOSEN_CRITERION].k
        tables.append(_curve_table("", int(rest.sum()), curves))
    return ClusterCounts(
        total=max(1, min(sum(counts.values()) + background, bags.n_instances - 1)),
        source="auto",
        per_species=counts,
        background=background,
        curves=pd.concat(tables, ignore_index=True),
        warnings=notes,
    )


def _curves(bags: Bags, chosen: npt.NDArray[np.bool_], seed: int) -> dict[str, CountCurve]:
    return mode_counts(bags.X[chosen], bags.bag[chosen], k_max=K_MAX, random_state=seed)


def _curve_table(name: str, n_syllables: int, curves: Mapping[str, CountCurve]) -> pd.DataFrame:
    n_rows = len(next(iter(curves.values())).values)
    k = np.arange(1, n_rows + 1)
    table = pd.DataFrame({"species": name, "syllables": n_syllables, "k": k})
    for criterion, curve in curves.items():
        table[criterion] = curve.values.round(6)
    table["chosen"] = k == curves[CHOSEN_CRITERION].k
    table["chosen_by"] = [
        ";".join(criterion for criterion, curve in curves.items() if curve.k == number)
        for number in k
    ]
    return table[CURVE_COLUMNS]


def _doubts(name: str, n_syllables: int, curves: Mapping[str, CountCurve]) -> list[str]:
    """What speaks against the number of modes found."""
    k = curves[CHOSEN_CRITERION].k
    if n_syllables < 2:
        return [
            f"{name}: {n_syllables} syllables are surely of this species, too few to tell its "
            "modes; 1 is assumed"
        ]
    median = float(np.median([curve.k for curve in curves.values()]))
    if abs(median - k) < WIDE_DISAGREEMENT:
        return []
    others = ", ".join(
        f"{criterion.replace('_', ' ')} {curve.k}"
        for criterion, curve in curves.items()
        if criterion != CHOSEN_CRITERION
    )
    return [f"{name}: {k} modes is doubtful, other criteria find {others}; see k_curves.svg"]
