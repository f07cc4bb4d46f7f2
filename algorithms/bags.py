"""The one validated container that every method takes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

import numpy as np
import numpy.typing as npt

from algorithms.bag_checks import (
    as_bool,
    check_bag_ids,
    check_labelled,
    check_labels,
    check_names,
    told_labelled,
)
from algorithms.errors import BagsError
from algorithms.named_bags import numbered

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

# What is known of a bag by name: its classes, or None where they are not known.
NamedLabels: TypeAlias = Iterable[str] | None


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of single instances, beyond the label sets of their bags.

    Attributes
    ----------
    may_be : ndarray of bool, shape (n_instances, n_classes + 1)
        Classes that each instance may be of; the last column is for none of them. All True where
        nothing is known, a single True where the class is, whatever the label set says.
    mode : ndarray of int64, shape (n_instances,)
        Instances with the same number belong together, those with different ones apart; -1 where
        that is not known.
    """

    may_be: BoolArray
    mode: IntArray

    def __setstate__(self, state: dict[str, Any]) -> None:
        _keep(self, state)

    @cached_property
    def decided(self) -> BoolArray:
        """Instances whose class is known, those of none included, shape (n_instances,)."""
        return np.asarray(self.may_be.sum(axis=1) == 1)

    @cached_property
    def n_modes(self) -> int:
        """Number of modes, some of which may have no instances."""
        return int(self.mode.max(initial=-1)) + 1


@dataclass(frozen=True, eq=False, init=False)
class Bags:
    """Instances, grouped into bags that carry label sets.

    Everything is checked once, here, so that no method has to. The arrays are copied and made
    read-only; features that are read-only already, such as those of other bags, are shared.

    Parameters
    ----------
    X : array_like, shape (n_instances, n_features)
        Features of the instances (syllables). Finite numbers.
    bag : array_like of int or of str, shape (n_instances,)
        Bag of each instance, 0 .. n_bags - 1, in any order; or its name: then bags are numbered in
        the order in which their names appear first. Bags without an instance are legal.
    labels : array_like of bool, shape (n_bags, n_classes), or collections of str
        Label set of each bag: True where the class (species) is present; or the names of the
        classes, None where they are not known. A mapping (or pandas Series) from the name of a bag
        to its names may have bags without instances, which come last.
    labelled : array_like of bool, shape (n_bags,), optional
        Which bags have a known label set; all of them unless told. A labelled bag whose row of
        `labels` is empty holds *no* class, which is not the same as an unlabelled bag.
    class_names : sequence of str, optional
        Names of the columns of `labels`; unless told "0", "1", ..., or the names in `labels`,
        sorted.
    known : Known, optional
        What is known of single instances. Methods that do not read it are given the bags of
        :func:`own_bags`.
    bag_names : sequence of str, optional
        Names of the bags, where `bag` has numbers.
    weights : array_like, shape (n_bags, n_classes), optional
        How sure each label set is of its classes, above 0 and up to 1, such as the confidences of
        a detector; what stands where a class is not listed does not count.

    Attributes
    ----------
    bag_names : tuple of str, or None
        Names of the bags; None if they have none.

    Raises
    ------
    BagsError
        When the arrays do not fit together; the message names the row, bag or class.

    Examples
    --------
    >>> bags = Bags([[0.0], [0.1], [5.0]], bag=["dawn", "dusk", "dawn"],
    ...             labels={"dawn": ["wren", "robin"], "dusk": ["wren"], "noon": None})
    >>> bags
    Bags(3 instances of 1 features in 3 bags, 2 of them labelled with 2 classes)
    >>> bags.bag_names, bags.class_names
    (('dawn', 'dusk', 'noon'), ('robin', 'wren'))
    """

    X: FloatArray
    bag: IntArray
    labels: BoolArray
    labelled: BoolArray
    class_names: tuple[str, ...]
    known: Known | None
    bag_names: tuple[str, ...] | None
    weights: FloatArray | None

    def __init__(
        self,
        X: npt.ArrayLike,
        bag: npt.ArrayLike,
        labels: npt.ArrayLike | Sequence[NamedLabels] | Mapping[Any, NamedLabels],
        labelled: npt.ArrayLike | None = None,
        class_names: Sequence[str] | None = None,
        *,
        known: Known | None = None,
        bag_names: Sequence[str] | None = None,
        weights: npt.ArrayLike | None = None,
    ) -> None:
        told = numbered(bag, labels, class_names)
        checked_labels = check_labels(told.labels)
        n_bags, n_classes = checked_labels.shape
        checked_X = X if _is_checked(X) else check_features(X)
        names = told.class_names if class_names is None else class_names
        called = told.bag_names if bag_names is None else bag_names
        values: dict[str, Any] = {
            "X": checked_X,
            "bag": check_bag_ids(told.bag, checked_X.shape[0], n_bags),
            "labels": checked_labels,
            "labelled": check_labelled(told_labelled(told, labelled), checked_labels),
            "class_names": check_names("class_names", "class", names, n_classes),
            "known": _check_known(known, checked_X.shape[0], n_classes),
            "bag_names": None
            if called is None
            else check_names("bag_names", "bag", called, n_bags),
            "weights": _check_weights(weights, checked_labels),
        }
        _keep(self, values)

    def __setstate__(self, state: dict[str, Any]) -> None:
        _keep(self, state)

    @property
    def n_instances(self) -> int:
        """Number of instances."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of features of an instance."""
        return int(self.X.shape[1])

    @property
    def n_bags(self) -> int:
        """Number of bags, those without instances included."""
        return int(self.labels.shape[0])

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.labels.shape[1])

    @cached_property
    def sizes(self) -> IntArray:
        """Number of instances in each bag, shape (n_bags,)."""
        return np.bincount(self.bag, minlength=self.n_bags).astype(np.int64)

    @property
    def shape(self) -> tuple[int]:
        """Number of bags, as what is counted and split is bags and not instances."""
        return (self.n_bags,)

    def __len__(self) -> int:
        return self.n_bags

    def __getitem__(self, chosen: Any) -> Bags:
        """Take bags, with all of their instances.

        Parameters
        ----------
        chosen : int, slice, or array_like of int or bool
            Which bags, in which order; one may be taken several times, then without names.

        Returns
        -------
        Bags
            Instances stand bag by bag, and in their order within a bag.
        """
        if isinstance(chosen, tuple):  # scikit-learn says bags[numbers, ...]
            chosen = chosen[0]
        numbers = np.atleast_1d(np.arange(self.n_bags)[chosen])
        sizes = self.sizes[numbers]
        starts = (np.cumsum(self.sizes) - self.sizes)[numbers]
        bag = np.repeat(np.arange(len(numbers)), sizes)
        places = np.arange(len(bag)) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
        rows = np.argsort(self.bag, kind="stable")[places]
        named = self.bag_names is not None and len(set(numbers.tolist())) == len(numbers)
        known = self.known and Known(self.known.may_be[rows], self.known.mode[rows])
        features = self.X[rows]
        features.setflags(write=False)  # so they are not copied once more
        return Bags(
            features,
            bag,
            self.labels[numbers],
            self.labelled[numbers],
            self.class_names,
            known=known,
            bag_names=[self.bag_names[n] for n in numbers] if self.bag_names and named else None,
            weights=None if self.weights is None else self.weights[numbers],
        )

    if not TYPE_CHECKING:  # else they would pass for what can be made an array

        def __array__(self, dtype=None, copy=None):
            raise BagsError("Bags are not an array: take their instances, X")

    def with_features(self, X: npt.ArrayLike) -> Bags:
        """Bags of the same instances with other features.

        Parameters
        ----------
        X : array_like, shape (n_instances, n_other_features)
            A row for each instance, in their order.
        """
        return Bags(
            X,
            self.bag,
            self.labels,
            self.labelled,
            self.class_names,
            known=self.known,
            bag_names=self.bag_names,
            weights=self.weights,
        )

    def __repr__(self) -> str:
        return (
            f"Bags({self.n_instances} instances of {self.n_features} features in {self.n_bags} "
            f"bags, {int(self.labelled.sum())} of them labelled with {self.n_classes} classes)"
        )


def _is_checked(X: Any) -> TypeGuard[FloatArray]:
    """Whether nobody can change `X` and it is as `check_features` would return it."""
    return (
        type(X) is np.ndarray
        and X.dtype == np.float64
        and X.ndim == 2
        and X.shape[1] > 0
        and X.flags.owndata
        and not X.flags.writeable
        and bool(np.isfinite(X).all())
    )


def _keep(container: Bags | Known, values: dict[str, Any]) -> None:
    """Set the attributes of a container for good, also of one that comes from another process."""
    for name, value in values.items():
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        object.__setattr__(container, name, value)


def own_bags(bags: Bags) -> Bags:
    """Say what is known of single instances in the language of bags.

    An instance whose class is known gets a bag of its own with that label alone, one of no class a
    bag labelled with none, and one that is *not* of some classes a bag with what is left of its
    bag's label set (nothing changes where that is unknown).

    Parameters
    ----------
    bags : Bags
        With ``known``, or without, which is then given back.

    Returns
    -------
    Bags
        The same instances in the same order, the new bags after the old ones, ``known`` kept,
        without names of bags.
    """
    known = bags.known
    if known is None:
        return bags
    may_be = known.may_be[:, :-1]
    told = known.decided | (~known.may_be.all(axis=1) & bags.labelled[bags.bag])
    rows = np.flatnonzero(told)
    left = may_be[rows] & (bags.labels[bags.bag[rows]] | known.decided[rows, None])
    bag = bags.bag.copy()
    bag[rows] = bags.n_bags + np.arange(len(rows))
    return Bags(
        bags.X,
        bag,
        np.vstack([bags.labels, left]),
        np.concatenate([bags.labelled, np.ones(len(rows), dtype=np.bool_)]),
        bags.class_names,
        known=known,
        weights=None if bags.weights is None else np.vstack([bags.weights, left]),
    )


def check_features(X: npt.ArrayLike) -> FloatArray:
    """Return `X` as a new table of finite float64, or raise :class:`BagsError`."""
    if isinstance(X, Bags):
        raise BagsError("X must be a table of numbers, one row per instance, not Bags: give X.X")
    if hasattr(X, "toarray"):
        raise BagsError("X is a sparse matrix, which has no place here: give X.toarray()")
    if np.ma.is_masked(X):
        raise BagsError("X is masked in places: leave these instances out, or fill them in")
    try:
        given = np.asarray(X)
        features = np.array(given.real, dtype=np.float64)
    except (TypeError, ValueError):
        raise BagsError("X must be a table of numbers, one row per instance") from None
    if np.iscomplexobj(given):
        raise BagsError("X holds complex numbers: give real ones, such as their magnitudes")
    if features.ndim != 2:
        raise BagsError(
            f"X must have two dimensions (instances, features), not shape {features.shape}; "
            "for a single feature give one column"
        )
    if features.shape[0] and not features.shape[1]:
        raise BagsError("X has no columns: give at least one feature")
    bad = np.argwhere(~np.isfinite(features))
    if len(bad):
        row, column = (int(i) for i in bad[0])
        raise BagsError(
            f"X holds {features[row, column]} in row {row}, column {column} "
            f"({len(bad)} such values in all): remove or replace them"
        )
    return features


def _check_weights(weights: npt.ArrayLike | None, labels: BoolArray) -> FloatArray | None:
    if weights is None:
        return None
    try:
        checked = np.array(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise BagsError("weights must be a table of numbers, one row per bag") from None
    if checked.shape != labels.shape:
        raise BagsError(
            f"weights must have the shape of labels, {labels.shape}, not {checked.shape}"
        )
    wrong = np.argwhere(labels & ~((checked > 0) & (checked <= 1)))
    if len(wrong):
        row, column = (int(i) for i in wrong[0])
        raise BagsError(
            f"weights holds {checked[row, column]} for bag {row}, class {column}: a class that is "
            "listed has a weight above 0 and up to 1"
        )
    return np.where(labels, checked, 0.0)


def _check_known(known: Known | None, n_instances: int, n_classes: int) -> Known | None:
    if known is None:
        return None
    may_be = as_bool(known.may_be, "known.may_be")
    mode = np.asarray(known.mode)
    if may_be.shape != (n_instances, n_classes + 1) or mode.shape != (n_instances,):
        raise BagsError(
            f"known must have {n_instances} rows, one per instance, and {n_classes + 1} columns in "
            f"may_be, not shapes {may_be.shape} and {mode.shape}"
        )
    if not np.issubdtype(mode.dtype, np.integer) or (mode < -1).any():
        raise BagsError("known.mode must hold whole numbers from 0, or -1")
    nothing = np.flatnonzero(~may_be.any(axis=1))
    if len(nothing):
        raise BagsError(f"instance {int(nothing[0])} may be of nothing at all in known.may_be")
    mode = mode.astype(np.int64)
    for array in (may_be, mode):
        array.setflags(write=False)
    return Known(may_be, mode)
