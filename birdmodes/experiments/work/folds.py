"""Bags that are left out and told: training bags, test bags without labels, their features."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.preprocessing import normalize

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray
from algorithms.errors import ClusteringError, did_you_mean
from algorithms.folds import choose_bags, make_folds
from algorithms.preprocessing.standardizer import Standardizer
from birdmodes.errors import BirdmodesError, DatasetError
from birdmodes.experiments.data import Data, Source, load
from birdmodes.experiments.datasets.catalogue import DATASETS
from birdmodes.experiments.datasets.readers.corel5k import (
    PHOTOGRAPHS,
    TEST_PHOTOGRAPHS,
    has_training_photographs,
    load_photographs,
    load_test_photographs,
)
from birdmodes.experiments.tasks import DIGITS, Row, Task, child_seed

_LEAST_BAGS = 2


@dataclass(frozen=True, eq=False)
class Split:
    """What is learned from and what is told.

    Attributes
    ----------
    train : Bags
        Training bags, features as published; unlabelled bags are always among them.
    test : Bags
        Test bags, features as published. **They have no labels**, so that none can reach a method.
    test_labels : ndarray of bool, shape (n_test_bags, n_classes)
        The labels that they had.
    train_truth, test_truth : ndarray of int64 or None
        True classes of the instances, -1 where unknown.
    """

    train: Bags
    test: Bags
    test_labels: BoolArray
    train_truth: IntArray | None
    test_truth: IntArray | None


def check_name(name: str) -> None:
    """Refuse the name of a set that is not known.

    Raises
    ------
    DatasetError
        The message suggests the nearest.
    """
    known = (*DATASETS, TEST_PHOTOGRAPHS)
    if name not in known:
        raise DatasetError(
            f"there is no data set {name!r}{did_you_mean(name, known)}: choose one of "
            f"{', '.join(known)}"
        )


def read_labelled(source: Source) -> Data:
    """Read a set, features as published, and see that bags of it can be left out.

    Raises
    ------
    BirdmodesError
        When there is nothing to learn from.
    """
    data = _read(source)
    useful = data.bags.labels.any(axis=1) & (data.bags.sizes > 0)
    if useful.sum() < _LEAST_BAGS:
        raise BirdmodesError(
            f"{source.place}: fewer than {_LEAST_BAGS} bags have labels and instances, so none can "
            "be left out; give a set with more"
        )
    return data


def read_with_truth(source: Source) -> Data:
    """Read a set whose instances are to be told; as :func:`read_labelled`."""
    return source.scored(read_labelled(source))


def _read(source: Source) -> Data:
    if source.path is None and source.name in (PHOTOGRAPHS, TEST_PHOTOGRAPHS):
        both = source.name == PHOTOGRAPHS and has_training_photographs(source.data_dir)
        return (load_photographs if both else load_test_photographs)(source.data_dir)
    return source.read()


def folds_of(data: Data, n_folds: int, seed: int) -> IntArray:
    """Deal the labelled bags to folds, those of every class spread over them.

    Parameters
    ----------
    data : Data
        Its published test bags are fold 0, and its other bags -1.
    n_folds : int
        How many.
    seed : int
        Of the whole benchmark.

    Returns
    -------
    ndarray of int64, shape (n_bags,)
        Fold of each bag; -1 for bags that are never left out.
    """
    bags = data.bags
    if data.test is not None:
        return np.where(data.test, 0, -1)
    dealt = child_seed(seed, data.name, "folds")
    return make_folds(bags.labels, bags.labelled, np.arange(bags.n_bags), n_folds, dealt)


def fold_numbers(data: Data, n_folds: int, seed: int) -> list[int]:
    """List the folds that a set has."""
    folds = folds_of(data, n_folds, seed)
    return [int(fold) for fold in np.unique(folds[folds >= 0])]


def split_at(data: Data, left_out: BoolArray) -> Split:
    """Take some bags out.

    Parameters
    ----------
    data : Data
        Bags and truth.
    left_out : ndarray of bool, shape (n_bags,)
        Which bags.

    Raises
    ------
    BirdmodesError
        When there are none.
    """
    if not left_out.any():
        raise BirdmodesError(f"{data.name}: no bag is left out, so nothing can be tested")
    of_test = left_out[data.bags.bag]
    test = choose_bags(data.bags, left_out)
    return Split(
        train=choose_bags(data.bags, ~left_out),
        test=without_labels(test),
        test_labels=test.labels,
        train_truth=None if data.truth is None else data.truth[~of_test],
        test_truth=None if data.truth is None else data.truth[of_test],
    )


def without_labels(bags: Bags) -> Bags:
    """Give the same bags, all of them unlabelled."""
    none = np.zeros_like(bags.labels)
    return Bags(bags.X, bags.bag, none, np.zeros_like(bags.labelled), bags.class_names)


def split_of(task: Task) -> Split:
    """Take out the fold that a task is about."""
    data = load(read_labelled, task.source)
    folds = folds_of(data, task.protocol.folds, task.protocol.seed)
    return split_at(data, folds == task.setting.fold)


def rows_of_fold(rows_of: Callable[[str, Split, int], Iterable[Row]], task: Task) -> list[Row]:
    """Give the rows of a task: of a method learned with one fold left out and tested on it.

    Parameters
    ----------
    rows_of : callable
        From a method, a split and a seed to figures.
    task : Task
        The task.
    """
    rows = rows_of(task.setting.entrant, split_of(task), seed_of(task))
    return [{name: rounded(each) for name, each in row.items()} for row in rows]


def seed_of(task: Task) -> int:
    """Seed of what is random in a task."""
    setting = task.setting
    names = (setting.experiment, setting.dataset, setting.entrant, setting.fold)
    return child_seed(task.protocol.seed, *names)


def rounded(figure: Any) -> Any:
    """Keep :data:`~birdmodes.experiments.tasks.DIGITS` of a figure; anything else as it is."""
    return round(figure, DIGITS) if isinstance(figure, float) else figure


Features = Literal["standardized", "shares"]


def prepared(train: Bags, test: Bags, how: Features) -> tuple[Bags, Bags]:
    """Prepare the features of a fold.

    Parameters
    ----------
    train, test : Bags
        Features as published; at least one training instance.
    how : {"standardized", "shares"}
        Every feature less its mean and divided by its standard deviation, both of the training
        bags' instances; or every instance divided by the sum of its features, for which none may be
        negative.

    Returns
    -------
    train, test : Bags
        Nothing but the features is changed.

    Raises
    ------
    ClusteringError
        When a feature is negative, for "shares".
    """
    if how == "standardized":
        scale = Standardizer().fit(train.X)
        scaled, others = (bags.with_features(scale.transform(bags.X)) for bags in (train, test))
        return scaled, others
    if not (can_be_shares(train.X) and can_be_shares(test.X)):
        raise ClusteringError(
            "shares need features from 0, as in histograms, but some are negative: use a method "
            "without the chi-square kernel"
        )
    shared, others = (bags.with_features(normalize(bags.X, norm="l1")) for bags in (train, test))
    return shared, others


def can_be_shares(X: FloatArray) -> bool:
    """Tell whether no feature is negative."""
    return bool((X >= 0).all())
