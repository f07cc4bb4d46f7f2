"""Which class every instance is of, judged from the label sets of bags alone."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray, Known
from algorithms.base import BagEstimator
from algorithms.checks import (
    Seed,
    check_count,
    check_fitted,
    check_flag,
    check_new_features,
    check_number,
    seed_of,
)
from algorithms.disambiguation.kernel import LandmarkKernel
from algorithms.disambiguation.leave_bag_out import LeaveBagOutRidge
from algorithms.disambiguation.occupancy import occupy
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.threads import one_thread

WELL_KNOWN_BAGS = 5
"""A bag may hold background beside its classes when each of these occurs in so many bags."""

_SELF_ROUNDS = 5


class LabelDisambiguator(BagEstimator):
    r"""Posterior of the class of every instance, from the label sets of bags.

    Starts from equal shares for the candidates of each instance (the classes of its bag) and
    repeats, `rounds` times:

    1. *Regress.* Kernel ridge regression of the posteriors, less their mean over all instances, on
       the features; every bag is predicted from the others alone
       (:class:`~algorithms.disambiguation.leave_bag_out.LeaveBagOutRidge`), so that no instance
       confirms its own error. Leaving out the mean keeps common classes from attracting what
       belongs to rare ones.
    2. *Choose among the candidates.* exp(`sharpness` * prediction), scaled to sum to 1 over the
       candidates.
    3. *Let every label occur.* Classes that hardly occur in a bag which has them in its label set
       are raised (:func:`~algorithms.disambiguation.occupancy.occupy`).
    4. *Sharpen.* To the power `power`, scaled again.

    Only labelled bags are used at first. The instances of unlabelled bags, which may be of any
    class that occurs in a label set, are then predicted, and join in a few more rounds.

    What is known of single instances (:class:`~algorithms.bags.Known`) narrows down their
    candidates, whatever the label set of their bag is: where it leaves one class the posterior is
    1. As nobody needs to be kept from confirming that, such an instance counts as a bag of its own
    in step 1, and tells about the others of its bag too; in step 3 it stays where it was heard.

    Parameters
    ----------
    random_state : int or None
        Seed of the landmarks; None takes a new one every time.
    background : bool
        Whether an instance may also be of no class (noise, species that nobody listed): a further
        candidate, which need not occur, in every bag whose classes each occur in at least
        :data:`WELL_KNOWN_BAGS` labelled bags. Of a class that the other bags hardly know nobody
        can say that an instance is *not* of it. In bags labelled with no class, and in unlabelled
        ones when there are such bags, it is a candidate whatever is chosen here.
    gamma : float
        Kernel exp(-gamma r^2), with features scaled so that r^2 is 2 on average.
    ridge : float
        Penalty of the regression.
    n_landmarks : int
        Instances that the kernel is expanded in; the cost grows with its square.
    ranks : bool
        Use the features' normal ranks beside the features themselves.
    rounds : int
        Rounds among labelled bags.
    sharpness : float
        How far a prediction is trusted.
    power : float
        Sharpening of the posteriors between rounds; 1 for none.
    occupancy : float
        Number of instances that each label of a bag is expected to have at least; 0 if a label
        may be without any, as when many syllables were not found.

    Attributes
    ----------
    posterior_ : ndarray, shape (n_instances, n_classes)
        Probability that the instance is of the class. A row sums to 1, less the probability of
        background.

    References
    ----------
    Cour, Sapp & Taskar, Learning from partial labels, JMLR 2011, for the setting. The combination
    is this package's own; docs/ldc.md tells what each part brings.
    """

    posterior_: FloatArray
    kernel_: LandmarkKernel | None

    def __init__(
        self,
        *,
        random_state: Seed = 0,
        background: bool = False,
        gamma: float = 0.5,
        ridge: float = 0.1,
        n_landmarks: int = 1000,
        ranks: bool = True,
        rounds: int = 15,
        sharpness: float = 10.0,
        power: float = 1.5,
        occupancy: float = 1.5,
    ) -> None:
        self.random_state = random_state
        self.background = background
        self.gamma = gamma
        self.ridge = ridge
        self.n_landmarks = n_landmarks
        self.ranks = ranks
        self.rounds = rounds
        self.sharpness = sharpness
        self.power = power
        self.occupancy = occupancy

    def fit(self, bags: Bags, y: Any = None) -> Self:
        """Find the posteriors of the instances of `bags`.

        Raises
        ------
        ClusteringError
            When a parameter is out of range or there are no instances.
        """
        self._accept(bags)
        self.check_parameters()
        if bags.n_instances == 0:
            raise ClusteringError("there are no instances: give bags that hold some")
        labelled = bags.labelled[bags.bag]
        empty = bags.labelled & ~bags.labels.any(axis=1)
        self.background_ = bool(self.background or empty[bags.bag].any())
        heard = bags.labelled & (bags.sizes > 0)
        self.well_known_ = bags.labels[heard].sum(axis=0) >= WELL_KNOWN_BAGS
        self.seen_ = np.append(bags.labels[bags.labelled].any(axis=0), self.background_)
        if bags.known is not None:
            self.seen_ |= bags.known.may_be[bags.known.decided].any(axis=0)
            self.background_ = bool(self.seen_[-1])
        candidates = self._candidates(bags.labels[bags.bag], labelled)
        if bags.known is not None:
            candidates = self._narrow(candidates, bags.known)
            labelled = labelled | bags.known.decided
        if not self.seen_[:-1].any():
            self._fit_nothing(bags)
            return self
        # Sums split over threads differ in their last bits.
        with one_thread():
            self._fit_labelled(bags, candidates, labelled)
        return self

    def predict_posterior(
        self, X: npt.ArrayLike, candidates: npt.ArrayLike | None = None
    ) -> FloatArray:
        """Posterior of the class of new instances.

        Parameters
        ----------
        X : array_like, shape (n, n_features)
            New instances, standardised as the training instances were.
        candidates : array_like of bool, shape (n, n_classes), optional
            Label set of each instance's bag; all False where it is not known. None lets the
            features alone decide.

        Returns
        -------
        ndarray, shape (n, n_classes)
            As ``posterior_``.

        Raises
        ------
        ClusteringError
            When the arrays do not fit the training data.
        """
        check_fitted(self, "kernel_")
        features = check_new_features(X, self.n_features_in_)
        n, n_classes = len(features), len(self.seen_) - 1
        sets = np.zeros((n, n_classes)) if candidates is None else np.asarray(candidates)
        if sets.shape != (n, n_classes) or not np.isin(sets, (0, 1)).all():
            raise ClusteringError(
                f"candidates must hold True and False in {n} rows, one per new instance, and "
                f"{n_classes} columns, one per class, but has shape {sets.shape}"
            )
        if self.kernel_ is None:
            return np.zeros((n, n_classes))
        known: BoolArray = sets.astype(np.bool_)
        labelled = np.asarray(known.any(axis=1), dtype=np.bool_)
        with one_thread():
            predicted = self.kernel_.transform(features) @ self.coefficients_
        return self._choose(predicted, self._candidates(known, labelled))[:, :-1]

    def check_parameters(self) -> None:
        """Raise :class:`ClusteringError` for the first parameter that is out of range."""
        for name in ("n_landmarks", "rounds"):
            check_count(name, getattr(self, name))
        for name in ("gamma", "ridge", "sharpness"):
            check_number(name, getattr(self, name), above=True)
        for name, least in (("power", 1), ("occupancy", 0)):
            check_number(name, getattr(self, name), least=least)
        for name in ("background", "ranks"):
            check_flag(name, getattr(self, name))

    def _candidates(self, label_sets: BoolArray, labelled: BoolArray) -> BoolArray:
        """Classes that each instance may be of; the last column is background."""
        may_be_none = ~label_sets.any(axis=1)
        if self.background:
            may_be_none |= ~(label_sets & ~self.well_known_).any(axis=1)
        known = np.column_stack([label_sets, may_be_none & self.background_])
        # A new bag may be labelled with classes that were never seen, or with none.
        nothing = labelled & ~(known & self.seen_).any(axis=1)
        return np.where((labelled & ~nothing)[:, None], known & self.seen_, self.seen_)

    def _narrow(self, candidates: BoolArray, known: Known) -> BoolArray:
        """Candidates that what is known of the instances leaves."""
        left = np.where(known.decided[:, None], known.may_be, candidates & known.may_be)
        nothing = ~left.any(axis=1)
        if self.background_:
            left[nothing, -1] = True
        else:
            left[nothing] = candidates[nothing]
        return np.asarray(left)

    def _fit_nothing(self, bags: Bags) -> None:
        warnings.warn(
            "no bag has a label, so no instance can be given a class: label some bags, or group "
            "by features alone with sp",
            ClusteringWarning,
            stacklevel=3,
        )
        self.kernel_ = None
        self.posterior_ = np.zeros((bags.n_instances, bags.n_classes))

    def _fit_labelled(self, bags: Bags, candidates: BoolArray, labelled: BoolArray) -> None:
        seed = int(np.random.SeedSequence(seed_of(self.random_state)).generate_state(1)[0])
        kernel = LandmarkKernel.fit(
            bags.X,
            gamma=self.gamma,
            n_landmarks=self.n_landmarks,
            use_ranks=self.ranks,
            seed=seed,
        )
        self.kernel_ = kernel
        coordinates = kernel.transform(bags.X)
        shares = candidates / candidates.sum(axis=1, keepdims=True)
        must = np.column_stack([bags.labels, np.zeros(bags.n_bags, dtype=np.bool_)])
        left_out = bags.bag
        if bags.known is not None:
            alone = bags.n_bags + np.arange(bags.n_instances)
            left_out = np.where(bags.known.decided, alone, bags.bag)
        ridge = LeaveBagOutRidge.fit(coordinates[labelled], left_out[labelled], self.ridge)
        of_labelled = candidates[labelled]
        posterior = shares[labelled]
        for _ in range(self.rounds):
            chosen = self._round(ridge, posterior, of_labelled, bags.bag[labelled], must)
            posterior = self._sharpen(chosen)
        shares[labelled] = posterior
        final = np.empty_like(shares)
        final[labelled] = chosen
        if not labelled.all():
            predicted = coordinates[~labelled] @ ridge.coefficients(_centred(posterior))
            shares[~labelled] = self._choose(predicted, candidates[~labelled])
            ridge = LeaveBagOutRidge.fit(coordinates, left_out, self.ridge)
            for _ in range(_SELF_ROUNDS):
                final = self._round(ridge, shares, candidates, bags.bag, must)
                shares = self._sharpen(final)
        self.coefficients_ = ridge.coefficients(_centred(shares))
        self.posterior_ = final[:, :-1]

    def _round(
        self,
        ridge: LeaveBagOutRidge,
        posterior: FloatArray,
        candidates: BoolArray,
        bag: IntArray,
        must: BoolArray,
    ) -> FloatArray:
        predicted = ridge.predict_left_out(_centred(posterior))
        return occupy(self._choose(predicted, candidates), bag, must, self.occupancy)

    def _choose(self, predicted: FloatArray, candidates: BoolArray) -> FloatArray:
        scores = np.where(candidates, self.sharpness * predicted, -np.inf)
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(weights / weights.sum(axis=1, keepdims=True), dtype=np.float64)

    def _sharpen(self, posterior: FloatArray) -> FloatArray:
        sharp = posterior**self.power
        return np.asarray(sharp / sharp.sum(axis=1, keepdims=True), dtype=np.float64)


def species_posterior(
    bags: Bags, *, random_state: Seed = 0, background: bool = False
) -> FloatArray:
    """Give the probability of each class for every instance, from the label sets of bags alone.

    Parameters
    ----------
    bags : Bags
        With standardised features.
    random_state : int or None
        Seed.
    background : bool
        Whether an instance may be of no class.

    Returns
    -------
    ndarray, shape (n_instances, n_classes)
        See :class:`LabelDisambiguator`.
    """
    disambiguator = LabelDisambiguator(random_state=random_state, background=background)
    return disambiguator.fit(bags).posterior_


def _centred(posterior: FloatArray) -> FloatArray:
    return np.asarray(posterior - posterior.mean(axis=0), dtype=np.float64)
