"""How many clusters to make: given, some for each species, or found out species by species.

With ``--k auto`` each species' own syllables are looked at: those that the label sets of the bags
attribute to it. `algorithms.mode_counts` decides; `docs/mode_counts.md` says how often it is right.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms import Bags
from algorithms.checks import is_whole_number
from algorithms.disambiguation.disambiguator import LabelDisambiguator
from algorithms.errors import ClusteringError, ClusteringWarning, did_you_mean
from algorithms.mode_counts import CRITERIA, ModeCount, mode_count
from birdmodes.errors import BirdmodesError, ParameterError
from birdmodes.modes.counts.remarks import continuum_words

Floats = npt.NDArray[np.float64]

SpeciesPosterior = Callable[[Bags, int], Floats]
"""Function of bags and a seed: the probability of every class for every instance."""

DEFAULT_PER_SPECIES = 2
"""Clusters of a species of which nothing else is said, as Pei & Fern (2013) have them."""

CANDIDATES_PER_SPECIES = 4
"""Where nothing is said of any, frequent species get up to so many candidates."""

SYLLABLES_PER_CANDIDATE = 20
"""For every so many syllables, a syllable counting in parts for all species of its bag."""

BACKGROUND_SHARE = 0.02
"""At least this share of the syllables must be of no species for background to get clusters."""

FEW_SYLLABLES = 3
"""Fewer syllables cannot fall into modes."""

CURVE_COLUMNS = ["species", "syllables", "k", *CRITERIA, "chosen", "shape"]

Source = Literal["given", "candidates", "per species", "auto"]


@dataclass(frozen=True, eq=False)
class CountMaterial:
    """What is looked at with ``--k auto``, a row for every syllable of the bags.

    Attributes
    ----------
    bags : Bags
        The syllables as they are attributed to species.
    kinds, bouts : ndarray, shape (n_syllables, n_features)
        See `algorithms.mode_counts.mode_count`.
    recording : ndarray of int64, shape (n_syllables,)
        Recording of each.
    """

    bags: Bags
    kinds: Floats
    bouts: Floats
    recording: npt.NDArray[np.int64]

    @classmethod
    def of(cls, bags: Bags) -> CountMaterial:
        """Look at the features that the bags have, as if each bag were a recording."""
        return cls(bags, bags.X, bags.X, bags.bag)


@dataclass(frozen=True)
class ClusterCounts:
    """How many clusters to make.

    Attributes
    ----------
    total : int
        Over all species.
    source : str
        How that came about: ``given``, ``candidates``, ``per species`` or ``auto``.
    per_species : dict of str to int, or None
        Number of each species, in the order of the bags' classes; None if only the total is known.
    continua : list of str
        With ``auto``, species whose sounds have no gaps between: modes are parts of a continuum.
    background : int
        With ``auto``, clusters in the total for syllables that are of no species.
    curves : pandas.DataFrame or None
        With ``auto``, a row per species and k with the value of every criterion, in the columns of
        `CURVE_COLUMNS`; background stands last, as species "". `chosen` is true for the k that was
        taken, where `shape` tells what was found.
    warnings : list of str
        A line each.
    """

    total: int
    source: Source
    per_species: dict[str, int] | None = None
    continua: list[str] = field(default_factory=list)
    background: int = 0
    curves: pd.DataFrame | None = None
    warnings: list[str] = field(default_factory=list)

    @property
    def short_name(self) -> str:
        """What to call a clustering after: ``k26``, ``auto`` or ``per-species``."""
        if self.source in ("given", "candidates"):
            return f"k{self.total}"
        return self.source.replace(" ", "-")

    @property
    def summary(self) -> str:
        """As in ``modes: BRCR 3, WIWR a continuum, cut in four; background 1``."""
        modes = ", ".join(
            f"{name} {continuum_words(k) if name in self.continua else k}"
            for name, k in (self.per_species or {}).items()
        )
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


def check_counts(
    species: Sequence[str],
    k: int | Literal["auto"] | None,
    k_per_species: int | Mapping[str, int] | None,
) -> None:
    """Refuse what `count_clusters` could not count, for who is about to start long work.

    Parameters
    ----------
    species : sequence of str
        Names of those that recordings are labelled with.
    k, k_per_species
        As for `count_clusters`.

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
    elif not species:
        raise BirdmodesError(
            "no recording has a species, so the number of clusters must be given with --k; to "
            "find modes per species, run 'birdmodes segment --labels labels.csv' again"
        )
    elif k_per_species is not None:
        _named_counts(species, k_per_species)


def count_clusters(
    bags: Bags,
    k: int | Literal["auto"] | None,
    k_per_species: int | Mapping[str, int] | None,
    seed: int,
    posterior: SpeciesPosterior | None = None,
    material: CountMaterial | None = None,
    *,
    background: bool = True,
) -> ClusterCounts:
    """Settle how many clusters to make.

    Parameters
    ----------
    bags : Bags
        What will be clustered.
    k : int, "auto" or None
        Number over all species; found out for each species; or two to four candidates for each.
    k_per_species : int, mapping of str to int, or None
        Number for each species. Those that a mapping does not name get `DEFAULT_PER_SPECIES`.
    seed : int
        Of what is random in finding out.
    posterior : callable, optional
        For "auto": how syllables are attributed to species; by default `attribute_syllables`.
    material : CountMaterial, optional
        For "auto": what is looked at; by default the bags as they are.
    background : bool
        For "auto": whether what is of no species gets clusters, too; not for methods that see to
        that themselves.

    Raises
    ------
    BirdmodesError
        If both numbers are given, species are needed and there are none, or one is unknown.
    """
    check_counts(bags.class_names, k, k_per_species)
    if k is not None and k != "auto":
        return ClusterCounts(int(k), "given")
    if k == "auto":
        looked_at = material or CountMaterial.of(bags)
        return _find_counts(looked_at, seed, posterior or attribute_syllables, background)
    if k_per_species is None:
        return _candidates(bags)
    counts = _named_counts(bags.class_names, k_per_species)
    return ClusterCounts(sum(counts.values()), "per species", counts)


def _candidates(bags: Bags) -> ClusterCounts:
    """Two to four for each species, by how many syllables it may have; all to be merged by ear."""
    shares = bags.labels / np.maximum(bags.labels.sum(axis=1, keepdims=True), 1)
    syllables = bags.sizes @ shares
    numbers = (syllables / SYLLABLES_PER_CANDIDATE).astype(np.int64)
    numbers = numbers.clip(DEFAULT_PER_SPECIES, CANDIDATES_PER_SPECIES)
    per_species = dict(zip(bags.class_names, numbers.tolist(), strict=True))
    total = max(1, min(int(numbers.sum()), bags.n_instances - 1))
    return ClusterCounts(total, "candidates", per_species)


def attribute_syllables(bags: Bags, seed: int) -> Floats:
    """Probability of every species for every syllable, and what is missing to 1, of none.

    Returns
    -------
    ndarray, shape (n_instances, n_classes)
    """
    return LabelDisambiguator(random_state=seed, background="cautious").fit(bags).posterior_


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


def _find_counts(
    material: CountMaterial, seed: int, posterior: SpeciesPosterior, with_background: bool
) -> ClusterCounts:
    bags = material.bags
    try:
        with warnings.catch_warnings():
            # What they say of the clusters that will be made is said when these are made.
            warnings.simplefilter("ignore", ClusteringWarning)
            probability = posterior(bags, seed)
    except ClusteringError as error:
        raise BirdmodesError(f"--k auto: {error}") from error
    attributed = _most_probable(probability)
    counts: dict[str, int] = {}
    continua, tables, notes = [], [], []
    for number, name in enumerate(bags.class_names):
        own = attributed == number
        found = _count(material, own, seed)
        counts[name] = found.k
        tables.append(_curve_table(name, int(own.sum()), found))
        if found.shape == "continuum":
            continua.append(name)
        if own.sum() < FEW_SYLLABLES:
            notes.append(
                f"{name}: {int(own.sum())} syllables are most probably of this species, too few to "
                "tell its modes; 1 is assumed"
            )
    rest = attributed < 0
    background = 0
    if with_background and rest.mean() >= BACKGROUND_SHARE:
        found = _count(material, rest, seed)
        background = found.k
        tables.append(_curve_table("", int(rest.sum()), found))
    return ClusterCounts(
        total=max(1, min(sum(counts.values()) + background, bags.n_instances - 1)),
        source="auto",
        per_species=counts,
        continua=continua,
        background=background,
        curves=pd.concat(tables, ignore_index=True),
        warnings=notes,
    )


def _most_probable(probability: Floats) -> npt.NDArray[np.int64]:
    """Species of every syllable, -1 where none is most probable: what its modes will be made of."""
    nothing = 1.0 - probability.sum(axis=1)
    named = probability.max(axis=1, initial=0.0) >= nothing
    return np.where(named, probability.argmax(axis=1), -1).astype(np.int64)


def _count(material: CountMaterial, chosen: npt.NDArray[np.bool_], seed: int) -> ModeCount:
    kinds, bouts = material.kinds[chosen], material.bouts[chosen]
    return mode_count(kinds, bouts, material.recording[chosen], random_state=seed)


def _curve_table(name: str, n_syllables: int, found: ModeCount) -> pd.DataFrame:
    k = np.arange(1, len(found.curves[CRITERIA[0]].values) + 1)
    table = pd.DataFrame({"species": name, "syllables": n_syllables, "k": k})
    for criterion, curve in found.curves.items():
        table[criterion] = curve.values.round(6)
    table["chosen"] = k == found.k
    table["shape"] = np.where(table["chosen"], found.shape, "")
    return table[CURVE_COLUMNS]
