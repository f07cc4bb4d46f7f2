"""How good names are, judged by recordings that took no part in finding them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from algorithms import Bags
from algorithms.blocks.rows import BLOCK_ROWS

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

FIT, CHANCE, DOUBT = "left_out_fit", "left_out_chance", "left_out_doubt"
"""Metrics: share of names that fit the lists, the same by chance, and standard error of the
difference."""

MOST_LEARNED = 200_000
"""Syllables to learn from, where there are more. Names from fewer fit a little less often: from
80,000 crafted ones .332, from 40,000 .315."""

_FOLDS = 5
_ENOUGH = 1000  # names after which no more parts are left out
_HARDLY = 0.15  # of the way from chance to certainty
_SAME_LISTS = 1 - 1e-9


@dataclass(frozen=True)
class NameFit:
    """How often names fit lists that took no part in giving them.

    Attributes
    ----------
    share : float
        Share of the names that are in the list of their bag.
    chance : float
        The same if names were dealt out at random, each as often as it was given.
    doubt : float
        Standard error of the difference, bags being drawn at random.
    """

    share: float
    chance: float
    doubt: float

    def metrics(self) -> dict[str, float | None]:
        """Give the figures by the names under which they are stored."""
        values = {FIT: self.share, CHANCE: self.chance, DOUBT: self.doubt}
        return {name: round(value, 6) for name, value in values.items()}


def fit_of_names(name: Ints, bag: Ints, labels: Bools) -> NameFit | None:
    """Compare names with the lists of their bags.

    Parameters
    ----------
    name : ndarray of int64, shape (n,)
        Class given to each syllable (or bag) without its bag's list; -1 for none.
    bag : ndarray of int64, shape (n,)
        Its bag.
    labels : ndarray of bool, shape (n_bags, n_classes)
        The lists; names in bags without any species do not count.

    Returns
    -------
    NameFit or None
        None without names in two bags, as then nothing can be told.
    """
    listed: Bools = np.asarray(labels.any(axis=1), dtype=np.bool_)
    counts = (name >= 0) & listed[bag]
    name, bag = name[counts], bag[counts]
    if len(np.unique(bag)) < 2:
        return None
    frequency = np.bincount(name, minlength=labels.shape[1]) / len(name)
    by_chance = (labels @ frequency)[bag]
    fits = labels[bag, name]
    gain = np.bincount(bag, fits - by_chance, minlength=len(labels))[np.unique(bag)]
    doubt = np.sqrt(len(gain) * gain.var(ddof=1)) / len(name)
    return NameFit(float(fits.mean()), float(by_chance.mean()), float(doubt))


def left_out_fit(clusterer: Any, bags: Bags, recording: Ints, seed: int) -> NameFit | None:
    """Estimate how often names fit the lists of recordings that took no part.

    Parts of the labelled recordings are left out in turn, and their syllables get the likeliest of
    all species from the others, with half of the landmarks and rounds; what is background counts
    too, as whether a sound is goes by the list of its recording. Predictions of the fit itself
    would cost nothing, but claim too much: where lists are dealt at random, the rounds spread each
    bag's list to the bags that predict it. With very many syllables some parts are enough, and
    `MOST_LEARNED` syllables of the others to learn from.

    Parameters
    ----------
    clusterer : object
        A fitted method.
    bags : Bags
        What it was fitted to.
    recording : ndarray of int64, shape (n_bags,)
        Recording of each bag: what is left out together.
    seed : int
        Of parts and landmarks.

    Returns
    -------
    NameFit or None
        None for methods that do not name syllables by lists, or if there is too little to tell.
    """
    # Here, as words for what is stored are wanted where nothing is fitted: loading takes seconds.
    from algorithms.disambiguation.refitted import refitted
    from algorithms.folds import make_folds

    told = getattr(clusterer, "disambiguator_", None)
    if told is None or len(np.unique(recording[bags.labelled & (bags.sizes > 0)])) < 2:
        return None
    name = np.full(bags.n_instances, -1, dtype=np.int64)
    fold = make_folds(bags.labels, bags.labelled, recording, _FOLDS, seed)
    like, X = told.kept
    bags = bags.with_features(X)
    for number in range(int(fold.max()) + 1):
        others = bags[_some_bags(fold != number, bags.sizes, seed)]
        here = np.flatnonzero((fold == number)[bags.bag])
        if not (others.labels.any(axis=1) & (others.sizes > 0)).any() or not here.size:
            continue
        learned = refitted(told, others, seed, like)
        for start in range(0, len(here), BLOCK_ROWS):
            rows = here[start : start + BLOCK_ROWS]
            name[rows] = learned.predict_posterior(bags.X[rows]).argmax(axis=1)
        if (name >= 0).sum() >= _ENOUGH:
            break
    return fit_of_names(name, bags.bag, bags.labels)


def _some_bags(chosen: Bools, sizes: Ints, seed: int) -> Bools:
    """Of the chosen bags those, drawn at random, that hold `MOST_LEARNED` syllables together."""
    if sizes[chosen].sum() <= MOST_LEARNED:
        return chosen
    order = np.random.default_rng(seed).permutation(np.flatnonzero(chosen))
    some = np.zeros(len(chosen), dtype=np.bool_)
    some[order[np.cumsum(sizes[order]) <= MOST_LEARNED]] = True
    return some


def fit_in_words(metrics: Mapping[str, Any], unit: str = "syllables") -> str:
    """Say how good names are, in one sentence; empty where that is not known.

    Parameters
    ----------
    metrics : mapping
        With those of `NameFit.metrics`.
    unit : str
        What got the names.
    """
    share, chance, doubt = (metrics.get(name) for name in (FIT, CHANCE, DOUBT))
    if share is None or chance is None or doubt is None:
        return ""
    if chance >= _SAME_LISTS:
        return (
            "all names fit all lists, so that they cannot tell how good names are: recordings of "
            "other species would"
        )
    figures = f"in {100 * share:.0f} of 100 {unit} (chance {100 * chance:.0f})"
    gain = share - chance
    if gain < _HARDLY * (1 - chance) or gain < 2 * doubt:
        return (
            f"names are hardly better than chance with these lists: they fit those of left-out "
            f"recordings {figures}; more recordings with few species would help most"
        )
    return f"names fit the lists of left-out recordings {figures}"
