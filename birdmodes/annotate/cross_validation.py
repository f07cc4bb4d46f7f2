"""What a method says of each labelled recording when it has learned from the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray
from birdmodes.annotate.calibration import AnswerCalibration
from birdmodes.annotate.folds import make_folds
from birdmodes.annotate.material import Material, choose_bags
from birdmodes.annotate.methods import Annotator, annotator_class
from birdmodes.errors import ParameterError

MIN_FOLDS = 2


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Answers about the labelled bags, by annotators that had not seen their recordings.

    Attributes
    ----------
    bags : Bags
        The labelled bags only.
    chosen : ndarray of bool, shape (n_bags of the material,)
        Which these are.
    fold : ndarray of int64, shape (n_bags,)
        In which round each was left out.
    answer : ndarray
        From `birdmodes.annotate.methods.Annotator.answer`.
    of_syllables : bool
        What it is about.
    """

    bags: Bags
    chosen: BoolArray
    fold: IntArray
    answer: FloatArray
    of_syllables: bool

    def calibration(self) -> AnswerCalibration:
        """Learn from all answers, for bags that are new."""
        return AnswerCalibration.fit(self.answer, self.bags, of_syllables=self.of_syllables)

    def calibrated(self) -> tuple[FloatArray, FloatArray]:
        """Calibrate the answers of each round by those of the other rounds.

        Returns
        -------
        posterior : ndarray, shape (n_instances, n_classes)
            Probabilities of syllables; the answer as it is if it is about bags.
        presence : ndarray, shape (n_bags, n_classes)
            Probability that the species is in the bag.
        """
        posterior = np.zeros_like(self.answer)
        presence = np.zeros(self.bags.labels.shape)
        for number in np.unique(self.fold):
            here = self.fold == number
            rows = here[self.bags.bag] if self.of_syllables else here
            learned = AnswerCalibration.fit(
                self.answer[~rows], choose_bags(self.bags, ~here), of_syllables=self.of_syllables
            )
            left = choose_bags(self.bags, here)
            posterior[rows] = learned.posterior(self.answer[rows])
            presence[here] = learned.presence(self.answer[rows], left.bag, left.n_bags)
        return posterior, presence


def cross_validate(
    material: Material,
    method: str,
    n_folds: int,
    seed: int,
    on_fold: Callable[[int, int], None] | None = None,
) -> LeftOut:
    """Leave out parts of the labelled recordings in turn, and annotate them from the rest.

    Unlabelled recordings are there to learn from in every round.

    Parameters
    ----------
    material : Material
        The workspace's bags.
    method : str
        A key of `birdmodes.annotate.methods.ANNOTATORS`.
    n_folds : int
        Parts; fewer where there are fewer labelled recordings.
    seed : int
        Same seed, same result.
    on_fold : callable, optional
        Called with the rounds done and their number.

    Raises
    ------
    BirdmodesError
        If the method or the number of folds is none, or the method refuses.
    """
    if n_folds < MIN_FOLDS:
        raise ParameterError(f"folds must be {MIN_FOLDS} or more, not {n_folds}")
    make = annotator_class(method)
    bags = material.bags
    fold = make_folds(bags.labels, bags.labelled, material.group, n_folds, seed)
    chosen = bags.labelled
    size = int(chosen[bags.bag].sum()) if make.of_syllables else int(chosen.sum())
    answer = np.zeros((size, bags.n_classes))
    of_rows = fold[chosen][choose_bags(bags, chosen).bag] if make.of_syllables else fold[chosen]
    rounds = np.unique(fold[chosen])
    for done, number in enumerate(rounds):
        left = choose_bags(bags, chosen & (fold == number))
        answer[of_rows == number] = _answer(make(seed), choose_bags(bags, fold != number), left)
        if on_fold is not None:
            on_fold(done + 1, len(rounds))
    return LeftOut(choose_bags(bags, chosen), chosen, fold[chosen], answer, make.of_syllables)


def _answer(annotator: Annotator, training: Bags, left: Bags) -> FloatArray:
    if not training.labels[training.sizes > 0].any():
        # Nothing to learn from, so nothing to say.
        return np.zeros(
            (left.n_instances if annotator.of_syllables else left.n_bags, left.n_classes)
        )
    return annotator.fit(training).answer(left)
