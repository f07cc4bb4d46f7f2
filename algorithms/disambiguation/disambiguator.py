"""Which class every instance is of, judged from the label sets of bags alone."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Self, get_args

import numpy as np
import numpy.typing as npt

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray
from algorithms.base import BagEstimator
from algorithms.blocks.rows import BLOCK_ROWS, Packed, PackedRows, blocks_of_bags
from algorithms.blocks.runners import Here, Runner
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
from algorithms.disambiguation.eligible import (
    Eligible,
    check_label_sets,
    inseparable,
    or_none,
)
from algorithms.disambiguation.fitting import Fitting
from algorithms.disambiguation.kernel import LandmarkKernel
from algorithms.disambiguation.rounds import (
    Trust,
    settle,
    softmax,
)
from algorithms.disambiguation.told import REPORTED_SHARPNESS, put_aside, with_doubt
from algorithms.errors import ClusteringError, ClusteringWarning
from algorithms.threads import one_blas_thread

_WARM_ROUNDS = 3


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
    told in the end are probabilities of a lower sharpness
    and with some doubt (:data:`~algorithms.disambiguation.told.REPORTED_SHARPNESS`,
    :data:`~algorithms.disambiguation.told.DOUBT`), which are right about as often as they say.

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
        their number to the power 2/3: words of letters want 0.1, thousands of syllables 0.4. With
        fewer than 120 bags it takes more too, up to 1 for 12 or fewer.
    n_landmarks : int
        Means of instances that the kernel is expanded in; the cost grows with its square.
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
    kernel_: LandmarkKernel | None
    _kernel: LandmarkKernel
    _bags: Bags
    _background: Background | None
    like: LandmarkKernel | None = None  # goes by its features, as `refitted` wants
    runner: Runner | None = None  # who works on the blocks; None for this process
    block_rows: int = BLOCK_ROWS
    _eligible: Eligible

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
        self.n_features_in_ = bags.n_features
        self._eligible = Eligible.of(bags, self.background != "off")
        self.seen_, self.none_listed_ = self._eligible.seen, self._eligible.none_listed
        may_be = self._eligible.by_lists(bags.labels[bags.bag], labelled)
        if bags.known is not None:
            may_be = self._eligible.narrowed(may_be, bags.known)
            labelled = labelled | bags.known.decided
        self.inseparable_ = inseparable(bags)
        if not self.seen_[:-1].any():
            self._fit_nothing(bags)
            return self
        # Sums split over threads differ in their last bits.
        with one_blas_thread():
            self._fit_labelled(bags, may_be, labelled)
        return self

    def again(self, seed: int) -> FloatArray:
        """Posteriors of the training instances as other landmarks see them.

        A few rounds from where the fit ended, with half as many landmarks: whether the answer
        stays, for a part of the cost.

        Parameters
        ----------
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
        with one_blas_thread():
            half = max(1, self.n_landmarks // 2)
            kernel = self._kernel.with_other_landmarks(self._bags.X, half, seed)
            fitting = self._fitting()
            ridge = fitting.regression(fitting.coordinates(kernel), fitting.blocks)
            found = settle(
                ridge, fitting.blocks, self._settled_shares, self._trust, _WARM_ROUNDS, warm=True
            )
        shares = PackedRows.of(found.chosen, self._rows, self._bags.n_classes).table()
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
        known = check_label_sets(candidates, n, n_classes)
        if self.kernel_ is None:
            return np.zeros((n, n_classes)), np.zeros((n, n_classes))
        listed = np.asarray(known.any(axis=1), dtype=np.bool_)
        may_be = self._eligible.by_lists(known, listed)
        with one_blas_thread():
            coordinates = self.kernel_.transform(features)
            predicted = np.where(may_be, coordinates @ self.coefficients_, -np.inf)
            told = softmax(REPORTED_SHARPNESS * predicted)
            equal = may_be / may_be.sum(axis=1, keepdims=True)
            believed = np.asarray((known & self.seen_[:-1]).any(axis=1, keepdims=True))
            posterior = with_doubt(told, equal, believed)[:, :-1]
            shares = softmax(self.sharpness * predicted)[:, :-1]
            if self._background is not None:
                of_none = coordinates @ self._background.coefficients
                flagged, probability = self._background.decide(of_none, or_none(may_be))
                put_aside(posterior, shares, flagged, probability)
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

    def _fit_nothing(self, bags: Bags) -> None:
        warnings.warn(
            "no bag has a label, so no instance can be given a class: label some bags, or group "
            "by features alone with sp",
            ClusteringWarning,
            stacklevel=3,
        )
        self.kernel_, self._background, self._bags = None, None, bags
        self.present_, self.missing_ = 1.0, 0.0
        self.posterior_ = np.zeros((bags.n_instances, bags.n_classes))
        everything = np.arange(bags.n_instances)
        self._shares = PackedRows.of([Packed.of(self.posterior_)], [everything], bags.n_classes)
        self.class_ = np.full(bags.n_instances, -1, dtype=np.int64)

    @property
    def shares_(self) -> FloatArray:
        """Posteriors of the last round; see the class."""
        return self._shares.table()

    def shares_of(self, rows: IntArray) -> FloatArray:
        """Rows of ``shares_``, which as a whole takes much memory where there are many."""
        return self._shares.table(rows)

    @property
    def kept(self) -> tuple[LandmarkKernel | None, FloatArray]:
        """Kernel of the training instances, and these, as `LandmarkKernel.of_scaled` has both."""
        return (None, self._bags.X) if self.kernel_ is None else (self._kernel, self._bags.X)

    @property
    def _runner(self) -> Runner:
        return self.runner or Here()

    @property
    def _trust(self) -> Trust:
        return Trust(self.sharpness, self.power, self.occupancy, self.judge_lists)

    def _find_kernel(self, bags: Bags, seed: int) -> None:
        """Kernel for new instances, and the same for the training instances as they are kept."""
        if self.like is not None:
            like, (of_kept, X) = self.like, self.like.of_scaled(bags.X)
            self._kernel = of_kept.with_other_landmarks(X, self.n_landmarks, seed)
        else:
            like, of_kept, X = LandmarkKernel.of_features_scaled(
                bags.X, gamma=self.gamma, use_ranks=self.ranks
            )
            self._kernel = of_kept.with_central_landmarks(X, self.n_landmarks, seed)
        self._bags = bags if X is bags.X else bags.with_features(X)
        self.kernel_ = replace(self._kernel, ranks=like.ranks, scales=like.scales)

    def _fitting(self) -> Fitting:
        parts = self._may_be, self._rows, self._eligible, self._trust, self.ridge, self._runner
        return Fitting(self._bags, *parts)

    def _fit_labelled(self, bags: Bags, may_be: BoolArray, labelled: BoolArray) -> None:
        seed = int(np.random.SeedSequence(seed_of(self.random_state)).generate_state(1)[0])
        self._find_kernel(bags, seed)
        self._may_be = may_be
        self._rows = blocks_of_bags(bags.bag, self.block_rows)
        fitting = self._fitting()
        found = fitting.find(self._kernel, labelled, self.rounds, self.background)
        self._background, self.coefficients_ = found.background, found.coefficients
        self._settled_shares = found.settled.sharpened
        self.present_, self.missing_ = found.settled.belief.present, found.settled.belief.missing
        self.posterior_, self.class_, self._shares = fitting.told(found)
