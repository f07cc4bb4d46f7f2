"""What a method says of each labelled recording when it has learned from the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray
from algorithms.folds import choose_bags, make_folds
from birdmodes.annotate.calibration import AnswerCalibration
from birdmodes.annotate.likeness import Examples, likeness
from birdmodes.annotate.material import Material
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
    learned : ndarray of bool, shape (n_bags, n_classes)
        Species that the annotator of each bag had learned from another bag.
    distance : ndarray, shape (n_instances,)
        From each syllable to the nearest one that its annotator had learned from, see
        `birdmodes.annotate.likeness`; empty if the answer is about bags.
    """

    bags: Bags
    chosen: BoolArray
    fold: IntArray
    answer: FloatArray
    of_syllables: bool
    learned: BoolArray
    distance: FloatArray

    def calibration(self, min_likeness: float) -> AnswerCalibration:
        """Learn from all answers, for bags that are new."""
        everything = np.ones(self.bags.n_bags, dtype=np.bool_)
        return self._learn(everything, min_likeness)

    def calibrated(self, min_likeness: float) -> Calibrated:
        """Calibrate the answers of each round by those of the other rounds.

        Parameters
        ----------
        min_likeness : float
            Less usual syllables are no evidence of a species.
        """
        posterior = np.zeros_like(self.answer)
        presence = np.zeros(self.bags.labels.shape)
        usual = np.ones_like(self.distance)
        for number in np.unique(self.fold):
            here = self.fold == number
            learned = self._learn(~here, min_likeness)
            rows = here[self.bags.bag] if self.of_syllables else here
            like = None
            if self.of_syllables:
                usual[rows] = likeness(self.distance[rows], self.distance[~rows])
                like = usual[rows] >= min_likeness
            left = choose_bags(self.bags, here)
            posterior[rows] = learned.posterior(self.answer[rows])
            presence[here] = learned.presence(self.answer[rows], left.bag, left.n_bags, like)
        return Calibrated(posterior, presence, usual)

    def _learn(self, chosen: BoolArray, min_likeness: float) -> AnswerCalibration:
        """Learn from the answers about some of the bags."""
        rows = chosen[self.bags.bag] if self.of_syllables else chosen
        distance = self.distance[rows] if self.of_syllables else None
        return AnswerCalibration.fit(
            self.answer[rows],
            choose_bags(self.bags, chosen),
            of_syllables=self.of_syllables,
            learned=self.learned[chosen],
            like=None if distance is None else likeness(distance, distance) >= min_likeness,
        )


@dataclass(frozen=True, eq=False)
class Calibrated:
    """What is said of the labelled bags, each calibrated by others.

    Attributes
    ----------
    posterior : ndarray, shape (n_instances, n_classes)
        Probabilities of syllables; the answer as it is if it is about bags.
    presence : ndarray, shape (n_bags, n_classes)
        Probability that the species is in the bag.
    likeness : ndarray, shape (n_instances,)
        Of the syllables, see `birdmodes.annotate.likeness`; empty if the answer is about bags.
    """

    posterior: FloatArray
    presence: FloatArray
    likeness: FloatArray


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
    bags, blocks = material.bags, material.space.blocks
    fold = make_folds(bags.labels, bags.labelled, material.group, n_folds, seed)
    chosen = bags.labelled
    size = int(chosen[bags.bag].sum()) if make.of_syllables else int(chosen.sum())
    answer = np.zeros((size, bags.n_classes))
    learned = np.zeros((int(chosen.sum()), bags.n_classes), dtype=np.bool_)
    distance = np.zeros(size if make.of_syllables else 0)
    of_rows = fold[chosen][choose_bags(bags, chosen).bag] if make.of_syllables else fold[chosen]
    rounds = np.unique(fold[chosen])
    for done, number in enumerate(rounds):
        left = choose_bags(bags, chosen & (fold == number))
        training = choose_bags(bags, fold != number)
        answer[of_rows == number] = _answer(make(seed, blocks), training, left)
        learned[fold[chosen] == number] = _species_heard(training)
        if make.of_syllables:
            distance[of_rows == number] = _distance(training, left, seed, blocks)
        if on_fold is not None:
            on_fold(done + 1, len(rounds))
    labelled = choose_bags(bags, chosen)
    return LeftOut(labelled, chosen, fold[chosen], answer, make.of_syllables, learned, distance)


def _answer(annotator: Annotator, training: Bags, left: Bags) -> FloatArray:
    if not _species_heard(training).any():
        # Nothing to learn from, so nothing to say.
        return np.zeros(
            (left.n_instances if annotator.of_syllables else left.n_bags, left.n_classes)
        )
    return annotator.fit(training).answer(left)


def _species_heard(training: Bags) -> BoolArray:
    """Species of bags that have syllables."""
    return np.asarray(training.labels[training.sizes > 0].any(axis=0), dtype=np.bool_)


def _distance(training: Bags, left: Bags, seed: int, blocks: Sequence[slice]) -> FloatArray:
    if not training.n_instances:
        return np.zeros(left.n_instances)
    return Examples.of(training.X, seed, blocks).nearest(left.X)
