"""Which class every instance is of, judged from the label sets of bags alone."""

from __future__ import annotations

import warnings
from typing import Any, Self, get_args

import numpy as np
import numpy.typing as npt

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray, Known
from algorithms.base import BagEstimator
from algorithms.checks import (
    Seed,
    check_choice,
    check_count,
    check_fitted,
    check_flag,
    check_new_features,
    check_number,
    seed_of,
)
from algorithms.disambiguation.background import Background, BackgroundChoice
from algorithms.disambiguation.kernel import LandmarkKernel
from algorithms.disambiguation.leave_bag_out import LeaveBagOutRidge
from algorithms.disambiguation.rounds import (
    Candidates,
    Settled,
    Trust,
    centred,
    choose,
    settle,
    softmax,
)
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.threads import one_thread

REPORTED_SHARPNESS = 6.5
"""Probabilities are told with this sharpness: with that of the rounds they claim too much."""

_SELF_ROUNDS = 5
_WARM_ROUNDS = 3
_RIDGE, _RIDGE_INSTANCES, _RIDGE_POWER = 0.1, 640, 2 / 3
_TIE = 1e-9
_SURELY = 0.51  # least probability of background where it was decided for


class LabelDisambiguator(BagEstimator):
    r"""Posterior of the class of every instance, from the label sets of bags.

    Starts from equal shares for the candidates of each instance (the classes of its bag) and
    repeats, `rounds` times:

    1. *Regress.* Kernel ridge regression of the posteriors, less their mean over all instances, on
       the features; every bag is predicted from the others alone
       (:class:`~algorithms.disambiguation.leave_bag_out.LeaveBagOutRidge`), so that no instance
       confirms its own error. Leaving out the mean keeps common classes from attracting what
       belongs to rare ones.
    2. *Judge the lists.* How surely each listed class is in its bag, and which ones a list lacks,
       follows from how bags score that list a class and that do not
       (:func:`~algorithms.disambiguation.reliability.judge_lists`).
    3. *Choose among the candidates.* The weight that the list deserves times exp(`sharpness` *
       prediction), scaled to sum to 1 over the candidates.
    4. *Let every label occur.* Classes that hardly occur in a bag which has them in its label set
       are raised, as far as the list is believed
       (:func:`~algorithms.disambiguation.occupancy.occupy`).
    5. *Sharpen.* To the power `power`, scaled again.

    Only labelled bags are used at first. The instances of unlabelled bags, which may be of any
    class that occurs in a label set, are then predicted, and join in a few more rounds. What is
    told in the end are probabilities of a lower sharpness, :data:`REPORTED_SHARPNESS`, which are
    right about as often as they say.

    What is known of single instances (:class:`~algorithms.bags.Known`) narrows down their
    candidates, whatever the label set of their bag is: where it leaves one class the posterior is
    1. As nobody needs to be kept from confirming that, such an instance counts as a bag of its own
    in step 1, and tells about the others of its bag too; in step 4 it stays where it was heard.

    Parameters
    ----------
    random_state : int or None
        Seed of the landmarks; None takes a new one every time.
    background : {"off", "cautious", "eager"}
        Whether an instance may also be of no class (noise, species that nobody listed): never,
        only where there is hardly a doubt, or where it is more likely than not; see
        :class:`~algorithms.disambiguation.background.Background`. In bags labelled with no class,
        and in unlabelled ones when there are such bags, it is a candidate whatever is chosen here.
    gamma : float
        Kernel exp(-gamma r^2), with features scaled so that r^2 is 2 on average.
    ridge : float or None
        Penalty of the regression; None takes 0.1 for up to 640 instances, and more with
        their number to the power 2/3: words of letters want 0.1, thousands of syllables 0.4.
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
        Number of instances that each label of a bag is expected to have at least, if it is
        believed; 0 if a label may be without any, as when many syllables were not found.
    judge_lists : bool
        Whether to learn how far lists can be believed, instead of taking them at their word.

    Attributes
    ----------
    posterior_ : ndarray, shape (n_instances, n_classes)
        Probability that the instance is of the class. A row sums to 1, less the probability of
        background.
    class_ : ndarray of int64, shape (n_instances,)
        Class of each instance, by the posteriors of the rounds; the lower one at a tie, -1 for
        background.
    shares_ : ndarray, shape (n_instances, n_classes)
        Posteriors of the last round, more decided than `posterior_`; zero for background.
    present_ : float
        Estimated share of the labels of bags that are really there.
    missing_ : float
        Estimated share of the classes in bags that their label sets lack.
    inseparable_ : list of tuple of int
        Classes that all label sets have together or not at all, so that no list can tell them
        apart; they share their instances equally.

    References
    ----------
    Cour, Sapp & Taskar, Learning from partial labels, JMLR 2011, for the setting. The combination
    is this package's own; docs/ldc.md tells what each part brings.
    """

    posterior_: FloatArray
    class_: IntArray
    shares_: FloatArray
    kernel_: LandmarkKernel | None
    _background: Background | None

    def __init__(
        self,
        *,
        random_state: Seed = 0,
        background: BackgroundChoice = "off",
        gamma: float = 0.5,
        ridge: float | None = None,
        n_landmarks: int = 1000,
        ranks: bool = True,
        rounds: int = 15,
        sharpness: float = 10.0,
        power: float = 1.5,
        occupancy: float = 1.5,
        judge_lists: bool = True,
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
        self.judge_lists = judge_lists

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
        self.none_listed_ = bool(empty[bags.bag].any())
        self.n_features_in_ = bags.n_features
        self.seen_ = np.append(bags.labels[bags.labelled].any(axis=0), self.none_listed_)
        if bags.known is not None:
            self.seen_ |= bags.known.may_be[bags.known.decided].any(axis=0)
            self.none_listed_ = bool(self.seen_[-1])
        may_be = self._candidates(bags.labels[bags.bag], labelled)
        if bags.known is not None:
            may_be = self._narrow(may_be, bags.known)
            labelled = labelled | bags.known.decided
        self.inseparable_ = _inseparable(bags)
        if not self.seen_[:-1].any():
            self._fit_nothing(bags)
            return self
        # Sums split over threads differ in their last bits.
        with one_thread():
            self._fit_labelled(bags, may_be, labelled)
        return self

    def again(self, bags: Bags, seed: int) -> FloatArray:
        """Posteriors of the training instances as other landmarks see them.

        A few rounds from where the fit ended, with half as many landmarks: whether the answer
        stays, for a part of the cost.

        Parameters
        ----------
        bags : Bags
            Those of the fit.
        seed : int
            Seed of the landmarks.

        Returns
        -------
        shares : ndarray, shape (n_instances, n_classes)
            As `shares_`.
        """
        check_fitted(self, "posterior_")
        if self.kernel_ is None:
            return self.shares_
        with one_thread():
            candidates = self._of_rows(bags, self._may_be, np.ones(bags.n_instances, dtype=bool))
            ridge = self._ridge(
                self._kernel(bags, seed, max(1, self.n_landmarks // 2)).transform(bags.X),
                _left_out(bags),
            )
            found = settle(
                ridge, candidates, self._settled_shares, self._trust, _WARM_ROUNDS, warm=True
            )
        shares: FloatArray = found.chosen[:, :-1].copy()
        shares[self.class_ < 0] = 0.0
        return shares

    def predict_posterior(
        self, X: npt.ArrayLike | Bags, candidates: npt.ArrayLike | None = None
    ) -> FloatArray:
        """Posterior of the class of new instances.

        Parameters
        ----------
        X : array_like, shape (n, n_features), or Bags
            New instances, standardised as the training instances were; in bags, their label sets
            are the candidates.
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
        return self.predict_shares(X, candidates)[0]

    def predict_shares(
        self, X: npt.ArrayLike | Bags, candidates: npt.ArrayLike | None = None
    ) -> tuple[FloatArray, FloatArray]:
        """Posterior of new instances as it is told, and as the rounds would have it.

        Parameters
        ----------
        X, candidates
            As for :meth:`predict_posterior`.

        Returns
        -------
        posterior, shares : ndarray, shape (n, n_classes)
            As ``posterior_`` and ``shares_``.

        Raises
        ------
        ClusteringError
            When the arrays do not fit the training data.
        """
        check_fitted(self, "kernel_")
        X, candidates = self._instances(X, candidates)
        features = check_new_features(X, self.n_features_in_)
        n, n_classes = len(features), len(self.seen_) - 1
        sets = np.zeros((n, n_classes)) if candidates is None else np.asarray(candidates)
        if sets.shape != (n, n_classes) or not np.isin(sets, (0, 1)).all():
            raise ClusteringError(
                f"candidates must hold True and False in {n} rows, one per new instance, and "
                f"{n_classes} columns, one per class, but has shape {sets.shape}"
            )
        if self.kernel_ is None:
            return np.zeros((n, n_classes)), np.zeros((n, n_classes))
        known: BoolArray = sets.astype(np.bool_)
        may_be = self._candidates(known, np.asarray(known.any(axis=1), dtype=np.bool_))
        with one_thread():
            coordinates = self.kernel_.transform(features)
            predicted = np.where(may_be, coordinates @ self.coefficients_, -np.inf)
            posterior = softmax(REPORTED_SHARPNESS * predicted)[:, :-1]
            shares = softmax(self.sharpness * predicted)[:, :-1]
            if self._background is not None:
                flagged, probability = self._background.judge(coordinates, _or_none(may_be))
                posterior[flagged] *= (1 - np.maximum(probability, _SURELY))[flagged, None]
                shares[flagged] = 0.0
        return posterior, shares

    def check_parameters(self) -> None:
        """Raise :class:`ClusteringError` for the first parameter that is out of range."""
        for name in ("n_landmarks", "rounds"):
            check_count(name, getattr(self, name))
        for name in ("gamma", "ridge", "sharpness"):
            if name != "ridge" or self.ridge is not None:
                check_number(name, getattr(self, name), above=True)
        for name, least in (("power", 1), ("occupancy", 0)):
            check_number(name, getattr(self, name), least=least)
        for name in ("judge_lists", "ranks"):
            check_flag(name, getattr(self, name))
        check_choice("background", self.background, get_args(BackgroundChoice))

    def _candidates(self, label_sets: BoolArray, labelled: BoolArray) -> BoolArray:
        """Classes that each instance may be of; the last column is background."""
        listed_none = ~label_sets.any(axis=1)
        known = np.column_stack([label_sets, listed_none & self.none_listed_])
        # A new bag may be labelled with classes that were never seen, or with none.
        nothing = labelled & ~(known & self.seen_).any(axis=1)
        return np.where((labelled & ~nothing)[:, None], known & self.seen_, self.seen_)

    def _narrow(self, candidates: BoolArray, known: Known) -> BoolArray:
        """Candidates that what is known of the instances leaves."""
        left = np.where(known.decided[:, None], known.may_be, candidates & known.may_be)
        nothing = ~left.any(axis=1)
        if self.none_listed_ or self.background != "off":
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
        self.kernel_, self._background = None, None
        self.present_, self.missing_ = 1.0, 0.0
        self.posterior_ = np.zeros((bags.n_instances, bags.n_classes))
        self.shares_ = self.posterior_
        self.class_ = np.full(bags.n_instances, -1, dtype=np.int64)

    @property
    def _trust(self) -> Trust:
        return Trust(self.sharpness, self.power, self.occupancy, self.judge_lists)

    def _kernel(self, bags: Bags, seed: int, n_landmarks: int) -> LandmarkKernel:
        return LandmarkKernel.fit(
            bags.X,
            gamma=self.gamma,
            n_landmarks=n_landmarks,
            use_ranks=self.ranks,
            seed=seed,
        )

    def _ridge(self, coordinates: FloatArray, left_out: IntArray) -> LeaveBagOutRidge:
        own = _RIDGE * max(1.0, len(coordinates) / _RIDGE_INSTANCES) ** _RIDGE_POWER
        penalty = own if self.ridge is None else self.ridge
        return LeaveBagOutRidge.fit(coordinates, left_out, penalty)

    def _of_rows(self, bags: Bags, may_be: BoolArray, rows: BoolArray) -> Candidates:
        """Candidates of some of the instances."""
        joins = np.zeros(may_be.shape, dtype=np.bool_)
        joins[:, :-1] = bags.labelled[bags.bag][:, None] & self.seen_[:-1]
        if bags.known is not None:
            joins &= bags.known.may_be & ~bags.known.decided[:, None]
        joins &= ~may_be
        judged = bags.labelled & (bags.sizes > 0)
        return Candidates(
            bags.bag[rows], may_be[rows], joins[rows], bags.labels, judged, bags.weights
        )

    def _fit_labelled(self, bags: Bags, may_be: BoolArray, labelled: BoolArray) -> None:
        seed = int(np.random.SeedSequence(seed_of(self.random_state)).generate_state(1)[0])
        self.kernel_ = self._kernel(bags, seed, self.n_landmarks)
        self._may_be = may_be
        coordinates, left_out = self.kernel_.transform(bags.X), _left_out(bags)
        of_labelled = self._of_rows(bags, may_be, labelled)
        ridge = self._ridge(coordinates[labelled], left_out[labelled])
        settled = settle(ridge, of_labelled, of_labelled.shares(), self._trust, self.rounds)
        noise = self._find_background(bags, ridge, of_labelled, labelled, coordinates)
        candidates = of_labelled
        if not labelled.all():
            start = np.empty(may_be.shape)
            start[labelled] = settled.sharpened
            predicted = coordinates[~labelled] @ ridge.coefficients(centred(settled.sharpened))
            allowed = may_be[~labelled]
            start[~labelled] = softmax(np.where(allowed, self.sharpness * predicted, -np.inf))
            candidates = self._of_rows(bags, may_be, np.ones(len(start), dtype=np.bool_))
            ridge = self._ridge(coordinates, left_out)
            settled = settle(ridge, candidates, start, self._trust, _SELF_ROUNDS, warm=True)
        self.coefficients_ = ridge.coefficients(centred(settled.sharpened))
        self._settled_shares = settled.sharpened
        self._tell(settled, candidates, *noise)

    def _find_background(
        self,
        bags: Bags,
        ridge: LeaveBagOutRidge,
        candidates: Candidates,
        labelled: BoolArray,
        coordinates: FloatArray,
    ) -> tuple[BoolArray, FloatArray]:
        """Which instances are background though their bag's list says nothing of it."""
        self._background = None
        flagged = np.zeros(bags.n_instances, dtype=np.bool_)
        probability = np.zeros(bags.n_instances)
        if self.background == "off":
            return flagged, probability
        may_be = _or_none(self._may_be)
        if bags.known is not None:
            may_be = may_be & (bags.known.may_be | self._may_be)
        found = Background.find(
            ridge, candidates, may_be[labelled], self._trust, self.rounds, self.background
        )
        flagged[labelled], probability[labelled] = found.flagged, found.probability
        if not labelled.all():
            others = found.judge(coordinates[~labelled], may_be[~labelled])
            flagged[~labelled], probability[~labelled] = others
        self._background = found
        return flagged, probability

    def _tell(
        self,
        settled: Settled,
        candidates: Candidates,
        flagged: BoolArray,
        probability: FloatArray,
    ) -> None:
        """Set what the fit found."""
        told = choose(
            settled.predicted, candidates, settled.belief, self._trust, REPORTED_SHARPNESS
        )
        self.present_, self.missing_ = settled.belief.present, settled.belief.missing
        self.posterior_ = told[:, :-1]
        self.posterior_[flagged] *= (1 - np.maximum(probability, _SURELY))[flagged, None]
        self.shares_ = settled.chosen[:, :-1].copy()
        self.shares_[flagged] = 0.0
        self.class_ = most_probable(self.shares_)


def species_posterior(
    bags: Bags, *, random_state: Seed = 0, background: BackgroundChoice = "off"
) -> FloatArray:
    """Give the probability of each class for every instance, from the label sets of bags alone.

    Parameters
    ----------
    bags : Bags
        With standardised features.
    random_state : int or None
        Seed.
    background : {"off", "cautious", "eager"}
        Whether an instance may be of no class.

    Returns
    -------
    ndarray, shape (n_instances, n_classes)
        See :class:`LabelDisambiguator`.
    """
    disambiguator = LabelDisambiguator(random_state=random_state, background=background)
    return disambiguator.fit(bags).posterior_


def most_probable(posterior: FloatArray) -> IntArray:
    """Class of largest probability; -1 where background, the rest to 1, is above it.

    At a tie the lower class: in classes that are always listed together, the first.
    """
    background = 1.0 - posterior.sum(axis=1)
    most = posterior.max(axis=1, initial=0.0)
    if not posterior.shape[1]:
        return np.full(len(posterior), -1, dtype=np.int64)
    # What is equal in theory may differ in the last bits.
    best = (posterior >= most[:, None] - _TIE).argmax(axis=1)
    return np.where(most >= background, best, -1).astype(np.int64)


def _left_out(bags: Bags) -> IntArray:
    """What is left out together: bags, and each instance of a known class by itself."""
    if bags.known is None:
        return bags.bag
    alone = bags.n_bags + np.arange(bags.n_instances)
    return np.where(bags.known.decided, alone, bags.bag)


def _or_none(may_be: BoolArray) -> BoolArray:
    """Candidates with background among them."""
    return np.column_stack([may_be[:, :-1], np.ones(len(may_be), dtype=np.bool_)])


def _inseparable(bags: Bags) -> list[tuple[int, ...]]:
    """Classes with the same bags, and of none of which an instance is known."""
    rows = bags.labels[bags.labelled & (bags.sizes > 0)]
    together: dict[bytes, list[int]] = {}
    for number, column in enumerate(rows.T):
        told: Any = bags.known is not None and bags.known.may_be[bags.known.decided, number].any()
        if column.any() and not told:
            together.setdefault(column.tobytes(), []).append(number)
    return [tuple(group) for group in together.values() if len(group) > 1]
