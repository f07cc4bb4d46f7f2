"""How good annotations are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.metrics import average_precision_score

from algorithms.annotation_measures import ANNOTATION_MEASURES
from algorithms.bags import BoolArray, FloatArray, IntArray
from algorithms.placement.calibration import calibration_error
from birdmodes.annotate.thresholds import Thresholds

Metrics = dict[str, float | int | None]

BINS = 10
SPECIES_COLUMNS = ["species", "bags", "predicted", "precision", "recall", "f1", "average_precision"]


def ranking_metrics(labels: BoolArray, score: FloatArray) -> Metrics:
    """Measures of the order in which the species of a bag are ranked; see `ANNOTATION_MEASURES`."""
    return {name: measure(labels, score) for name, measure in ANNOTATION_MEASURES.items()}


def species_table(
    labels: BoolArray, score: FloatArray, names: Sequence[str], min_score: float
) -> pd.DataFrame:
    """Say how well each species is found.

    Parameters
    ----------
    labels : ndarray of bool, shape (n_bags, n_classes)
        What is there.
    score : ndarray, shape (n_bags, n_classes)
        Probability that it is.
    names : sequence of str
        Of the species.
    min_score : float
        A species is said to be there from this score.

    Returns
    -------
    pandas.DataFrame
        Columns `SPECIES_COLUMNS`; NaN where a measure is over nothing. The average precision is
        that of the ranking of bags by the score of the species.
    """
    said = score >= min_score
    right = (said & labels).sum(axis=0)
    bags, predicted = labels.sum(axis=0), said.sum(axis=0)
    table = pd.DataFrame({"species": list(names), "bags": bags, "predicted": predicted})
    table["precision"] = _share(right, predicted)
    table["recall"] = _share(right, bags)
    table["f1"] = _share(2 * right, bags + predicted)
    table["average_precision"] = [
        average_precision_score(labels[:, column], score[:, column]) if count else np.nan
        for column, count in enumerate(bags)
    ]
    return table[SPECIES_COLUMNS]


def decision_metrics(labels: BoolArray, score: FloatArray, min_score: float) -> Metrics:
    """Precision, recall and F1 of the species said to be there.

    *Micro* is over all pairs of bag and species, *macro* the mean of the species that are there
    somewhere; the precision of one that is never predicted counts as 0.
    """
    said = score >= min_score
    right = int((said & labels).sum())
    n_said, n_true = int(said.sum()), int(labels.sum())
    occurs = labels.any(axis=0)
    names = [""] * labels.shape[1]
    table = species_table(labels, score, names, min_score)[occurs].fillna(0.0)
    return {
        "micro_precision": right / n_said if n_said else None,
        "micro_recall": right / n_true if n_true else None,
        "micro_f1": 2 * right / (n_said + n_true) if n_said + n_true else None,
        **{f"macro_{name}": _mean(table[name]) for name in ("precision", "recall", "f1")},
        "macro_average_precision": _mean(table["average_precision"]),
    }


@dataclass(frozen=True, eq=False)
class SyllableNames:
    """Which species each syllable was said to be of.

    Attributes
    ----------
    best : ndarray of int64, shape (n_syllables,)
        Column of the most probable species; -1 for background.
    confidence : ndarray, shape (n_syllables,)
        Its probability.
    likeness : ndarray, shape (n_syllables,)
        To those learned from, see `birdmodes.annotate.likeness`.
    """

    best: IntArray
    confidence: FloatArray
    likeness: FloatArray

    @classmethod
    def of(cls, posterior: FloatArray, likeness: FloatArray) -> SyllableNames:
        """Take the largest probability of each row; what is missing to 1 is background."""
        rest = np.clip(1.0 - posterior.sum(axis=1), 0.0, 1.0)
        whole = np.column_stack([posterior, rest])
        best = whole.argmax(axis=1)
        confidence = whole[np.arange(len(whole)), best]
        best = np.where(best == posterior.shape[1], -1, best)
        return cls(best.astype(np.int64), confidence, likeness)

    def sure(self, thresholds: Thresholds) -> BoolArray:
        """Tell which are not unsure."""
        return (self.confidence >= thresholds.confidence) & self.like(thresholds)

    def like(self, thresholds: Thresholds) -> BoolArray:
        """Tell which are like some that were learned from."""
        return self.likeness >= thresholds.likeness


def syllable_metrics(names: SyllableNames, label_set: BoolArray, thresholds: Thresholds) -> Metrics:
    """Measures of syllables that need no truth.

    Parameters
    ----------
    names : SyllableNames
        Of the labelled bags' syllables.
    label_set : ndarray of bool, shape (n_syllables, n_classes)
        Label set of each one's bag.
    thresholds : Thresholds
        Which are unsure.

    Returns
    -------
    dict
        ``possible`` is the share of those named whose bag has the species: an upper bound of the
        share that is right. ``unlike`` is the share that is unsure, whatever its confidence, as it
        is like nothing learned from. ``calibration_error`` compares the confidences of all others
        that look like a species with ``possible``.
    """
    sure = names.sure(thresholds)
    bird = names.best >= 0
    judged = bird & names.like(thresholds)
    possible = bird & label_set[np.arange(len(label_set)), names.best]
    return {
        "syllables": len(sure),
        "named": float((sure & bird).mean()) if len(sure) else None,
        "background": float((sure & ~bird).mean()) if len(sure) else None,
        "unsure": float((~sure).mean()) if len(sure) else None,
        "unlike": float((~names.like(thresholds)).mean()) if len(sure) else None,
        "possible": _mean(possible[sure & bird]),
        "calibration_error": _error(names.confidence[judged], possible[judged]),
    }


def truth_metrics(names: SyllableNames, true: IntArray, thresholds: Thresholds) -> Metrics:
    """Measures of syllables whose species is known.

    Parameters
    ----------
    names : SyllableNames
        What was said.
    true : ndarray of int64, shape (n_syllables,)
        Column of the true species; -1 for sounds that the truth does not have, -2 for those of a
        species that is not known, or not in the labels.
    thresholds : Thresholds
        Which are unsure.

    Returns
    -------
    dict
        ``accuracy`` is over all syllables with a true species, whether sure or not; background is
        wrong. ``noise_named`` is the share of sounds without truth that were named.
    """
    sure = names.sure(thresholds) & (names.best >= 0)
    known = true >= 0
    right = known & (names.best == true)
    judged = known & (names.best >= 0) & names.like(thresholds)
    return {
        "truth_syllables": int(known.sum()),
        "truth_accuracy": _mean(right[known]),
        "truth_named": _mean(sure[known]),
        "truth_accuracy_of_named": _mean(right[known & sure]),
        "truth_calibration_error": _error(names.confidence[judged], right[judged]),
        "truth_noise": int((true == -1).sum()),
        "truth_noise_named": _mean(sure[true == -1]),
    }


def reliability_table(score: FloatArray, right: BoolArray) -> pd.DataFrame:
    """What scores promise, and what is kept: a row for each tenth that holds any.

    Returns
    -------
    pandas.DataFrame
        Columns from, to, count, mean_score, share_right.
    """
    place = np.clip((score * BINS).astype(np.int64), 0, BINS - 1)
    count = np.bincount(place, minlength=BINS)
    table = pd.DataFrame(
        {
            "from": np.arange(BINS) / BINS,
            "to": np.arange(1, BINS + 1) / BINS,
            "count": count,
            "mean_score": _share(np.bincount(place, score, BINS), count),
            "share_right": _share(np.bincount(place, right, BINS), count),
        }
    )
    return table[count > 0].reset_index(drop=True)


def _error(score: FloatArray, right: BoolArray) -> float | None:
    return calibration_error(score, right, BINS) if len(score) else None


def _mean(values: BoolArray | pd.Series) -> float | None:
    return float(np.mean(values)) if len(values) else None


def _share(part: FloatArray | IntArray, whole: IntArray) -> FloatArray:
    share: FloatArray = np.full(len(whole), np.nan)
    np.divide(part, whole, out=share, where=whole > 0)
    return share
