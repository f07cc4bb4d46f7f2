"""The contract of the classifiers of bags, and what one against the rest means for all of them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Generic, Self, TypeVar

import numpy as np

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray
from algorithms.base import BagEstimator
from algorithms.checks import Seed, check_fitted, check_new_bags, check_seed, seed_of
from algorithms.layout import SortedBags, sorted_bags
from algorithms.mil.runs import labelled_runs
from algorithms.threads import one_thread

Prepared = TypeVar("Prepared")
Model = TypeVar("Model")


class BagAnnotator(BagEstimator, Generic[Prepared, Model]):
    """A method that tells which classes a bag has, with one two-class model for every class.

    The constructor stores its parameters and does nothing else; ``get_params``, ``set_params`` and
    :func:`sklearn.base.clone` work. The same data and ``random_state`` give the same result; every
    class has a seed of its own. Features are used as they are given: those of different units
    should be standardised first, with :func:`algorithms.preprocessing.standardize`, and new
    instances likewise.

    To a class, labelled bags with it are positive and labelled bags without it negative. Unlabelled
    bags, and those without instances, are left out of training.

    Attributes
    ----------
    learnt_ : ndarray of int64
        Classes that have both positive and negative bags. For the others there is nothing to
        learn: see :meth:`decision_function`.
    models_ : list
        Model of each of these.
    """

    random_state: Seed
    learnt_: IntArray
    models_: list[Model]

    def fit(self, bags: Bags, y: Any = None) -> Self:
        """Learn a model for every class.

        Parameters
        ----------
        bags : Bags
            Training bags, with label sets.

        Returns
        -------
        BagAnnotator
            The estimator itself.

        Raises
        ------
        ClusteringError
            When a parameter is out of range, or no labelled bag has instances.
        """
        self._accept(bags)
        check_seed(self.random_state)
        self._check_parameters()
        train, labels = labelled_runs(bags)
        rng = np.random.default_rng(seed_of(self.random_state))
        seeds = rng.integers(1 << 31, size=bags.n_classes + 1)
        in_some, in_all = labels.any(axis=0), labels.all(axis=0)
        self._untrained_scores = np.where(in_all, np.inf, -np.inf)
        self.learnt_ = np.flatnonzero(in_some & ~in_all).astype(np.int64)
        self.models_ = []
        if len(self.learnt_):
            # On one thread: sums split over several differ in their last bits.
            with one_thread():
                prepared = self._prepare(train, int(seeds[-1]))
                self.models_ = [
                    self._fit_class(prepared, labels[:, number], int(seeds[number]))
                    for number in self.learnt_
                ]
        return self

    def decision_function(self, bags: Bags) -> FloatArray:
        """Score every class of every bag.

        Parameters
        ----------
        bags : Bags
            Bags to annotate, of the features of the fit. Their labels play no part.

        Returns
        -------
        ndarray, shape (n_bags, n_classes)
            Larger is more likely, above 0 is a yes. Classes that no training bag had are given
            -inf, those that all had inf. Bags without instances are given -inf throughout.

        Raises
        ------
        ClusteringError
            When nothing has been fitted, or the features are not those of the fit.
        """
        check_fitted(self, "models_")
        filled = check_new_bags(bags, self.n_features_in_)
        scores = np.full((bags.n_bags, len(self._untrained_scores)), -np.inf)
        scores[filled] = self._untrained_scores
        if len(self.models_) and len(filled):
            with one_thread():
                told = self._score(sorted_bags(bags), self.models_)
            scores[np.ix_(filled, self.learnt_)] = told
        return scores

    def predict(self, bags: Bags) -> BoolArray:
        """Give a bag the classes whose score is above 0.

        Parameters
        ----------
        bags : Bags
            See :meth:`decision_function`, also for the errors.

        Returns
        -------
        ndarray of bool, shape (n_bags, n_classes)
            No class for bags without instances.
        """
        predicted: BoolArray = self.decision_function(bags) > 0
        return predicted

    @abstractmethod
    def _check_parameters(self) -> None:
        """Raise :class:`ClusteringError` for the first parameter that is out of range."""

    @abstractmethod
    def _prepare(self, train: SortedBags, seed: int) -> Prepared:
        """Compute, once, what the models of all classes are learnt from."""

    @abstractmethod
    def _fit_class(self, prepared: Prepared, positive: BoolArray, seed: int) -> Model:
        """Learn to tell positive bags, some but not all, from the others."""

    @abstractmethod
    def _score(self, bags: SortedBags, models: list[Model]) -> FloatArray:
        """Score the bags that have instances, shape (n_filled, len(models))."""
