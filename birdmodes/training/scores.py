"""How well probabilities tell sound from silence, from counts that stay small."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_N_STEPS = 1000

PUBLISHED_FALSE_POSITIVE_RATE = 0.086
"""Where the literature gives a true positive rate for such a forest: 0.936."""


@dataclass(frozen=True, eq=False)
class Counts:
    """Cells by their probability.

    Parameters
    ----------
    sound, silent : ndarray of int64, shape (1001,)
        Number of cells, sound or not in truth, whose probability is 0 to 1 in steps of 0.001.
    """

    sound: NDArray[np.int64]
    silent: NDArray[np.int64]

    @classmethod
    def of(cls, probability: NDArray[np.float32], sound: NDArray[np.bool_]) -> Counts:
        """Count cells; probabilities are rounded down to a step."""
        step = (probability * np.float32(_N_STEPS)).astype(np.int64).clip(0, _N_STEPS)
        both = [np.bincount(step[which], minlength=_N_STEPS + 1) for which in (sound, ~sound)]
        return cls(*(count.astype(np.int64) for count in both))

    @classmethod
    def none(cls) -> Counts:
        """No cells."""
        zero = np.zeros(_N_STEPS + 1, dtype=np.int64)
        return cls(zero, zero)

    def __add__(self, other: Counts) -> Counts:
        """Count the cells of both."""
        return Counts(self.sound + other.sound, self.silent + other.silent)

    def auc(self) -> float:
        """Probability that a sound cell is above a silent one, a tie counting half.

        NaN if there are no sound or no silent cells.
        """
        below = np.cumsum(self.silent) - self.silent
        wins = float(np.sum(self.sound * (below + self.silent / 2)))
        pairs = float(self.sound.sum()) * float(self.silent.sum())
        return wins / pairs if pairs else float("nan")

    def true_positive_rate(self, false_positive_rate: float) -> float:
        """Share of sound cells above the threshold that lets through so many silent ones."""
        fpr, tpr = (
            np.append(0.0, np.cumsum(count[::-1]) / max(1, count.sum()))
            for count in (self.silent, self.sound)
        )
        return float(np.interp(false_positive_rate, fpr, tpr))

    def f1(self) -> NDArray[np.float64]:
        """Balance of precision and recall of the cells at or above each step."""
        hit, false = (np.cumsum(count[::-1])[::-1] for count in (self.sound, self.silent))
        total = hit + false + self.sound.sum()
        return np.asarray(2.0 * hit / np.maximum(total, 1))

    def best_threshold(self) -> float:
        """Probability at and above which the F1 is highest, between 0 and 1."""
        best = int(np.argmax(self.f1()[1:_N_STEPS])) + 1
        return best / _N_STEPS


def cross_validated_f1(folds: list[Counts]) -> float:
    """F1 of every fold at the threshold that is best for the others, all cells together."""
    hit = false = n_sound = 0
    for k, fold in enumerate(folds):
        others = sum((other for j, other in enumerate(folds) if j != k), start=Counts.none())
        step = round(others.best_threshold() * _N_STEPS)
        hit += int(fold.sound[step:].sum())
        false += int(fold.silent[step:].sum())
        n_sound += int(fold.sound.sum())
    return 2.0 * hit / max(1, hit + false + n_sound)
