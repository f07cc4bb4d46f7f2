"""Which classes each instance may be of: by its bag's list, and by what is known of itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from algorithms.bags import Bags, BoolArray, IntArray, Known
from algorithms.disambiguation.rounds import Blocks, Candidates, Lists
from algorithms.errors import ClusteringError


@dataclass(frozen=True, eq=False)
class Eligible:
    """Classes that occurred in training; only these can be candidates.

    Attributes
    ----------
    seen : ndarray of bool, shape (n_classes + 1,)
        Whether a list or a known instance has the class; the last is background.
    none_listed : bool
        Whether some bag is known to hold background alone, so that other bags may hold it too.
    looks_for_background : bool
        Whether instances may be background though no bag is known to hold it.
    """

    seen: BoolArray
    none_listed: bool
    looks_for_background: bool

    @classmethod
    def of(cls, bags: Bags, looks_for_background: bool) -> Self:
        """Find the classes that occur in `bags`."""
        empty = bags.labelled & ~bags.labels.any(axis=1)
        none_listed = bool(empty[bags.bag].any())
        seen = np.append(bags.labels[bags.labelled].any(axis=0), none_listed)
        if bags.known is not None:
            seen |= bags.known.may_be[bags.known.decided].any(axis=0)
        return cls(seen, bool(seen[-1]), looks_for_background)

    def by_lists(self, label_sets: BoolArray, labelled: BoolArray) -> BoolArray:
        """Classes that each instance may be of by the list of its bag.

        Parameters
        ----------
        label_sets : ndarray of bool, shape (n, n_classes)
            Label set of each instance's bag.
        labelled : ndarray of bool, shape (n,)
            Whether that label set is known.

        Returns
        -------
        ndarray of bool, shape (n, n_classes + 1)
            The last column is background.
        """
        listed_none = ~label_sets.any(axis=1)
        known = np.column_stack([label_sets, listed_none & self.none_listed])
        # A new bag may be labelled with classes that were never seen, or with none.
        nothing = labelled & ~(known & self.seen).any(axis=1)
        return np.where((labelled & ~nothing)[:, None], known & self.seen, self.seen)

    def narrowed(self, may_be: BoolArray, known: Known) -> BoolArray:
        """Candidates that what is known of the instances leaves of those of :meth:`by_lists`."""
        left = np.where(known.decided[:, None], known.may_be, may_be & known.may_be)
        nothing = ~left.any(axis=1)
        if self.none_listed or self.looks_for_background:
            left[nothing, -1] = True
        else:
            left[nothing] = may_be[nothing]
        return np.asarray(left)

    def blocks(self, bags: Bags, may_be: BoolArray, rows: Sequence[IntArray]) -> Blocks:
        """Candidates of the instances in blocks, and what they may be should lists lack it.

        Parameters
        ----------
        bags : Bags
            All of them.
        may_be : ndarray of bool, shape (n_instances, n_classes + 1)
            Candidates of all.
        rows : sequence of ndarray of int64
            Instances of each block, no bag in two blocks.
        """
        names, candidates = [], []
        for own in rows:
            bag, place = np.unique(bags.bag[own], return_inverse=True)
            names.append(bag)
            joins = np.zeros((len(own), may_be.shape[1]), dtype=np.bool_)
            joins[:, :-1] = bags.labelled[bags.bag[own]][:, None] & self.seen[:-1]
            if bags.known is not None:
                joins &= bags.known.may_be[own] & ~bags.known.decided[own, None]
            joins &= ~may_be[own]
            candidates.append(Candidates(place, may_be[own], joins, bags.labels[bag]))
        judged = bags.labelled & (bags.sizes > 0)
        return Blocks(rows, names, candidates, Lists(bags.labels, judged, bags.weights))

    @staticmethod
    def or_none(bags: Bags, may_be: BoolArray, rows: IntArray | slice = slice(None)) -> BoolArray:
        """Candidates of some with background, but where what is known of them excludes it."""
        with_none = or_none(may_be[rows])
        if bags.known is None:
            return with_none
        return np.asarray(with_none & (bags.known.may_be[rows] | may_be[rows]))


def or_none(may_be: BoolArray) -> BoolArray:
    """Candidates with background among them."""
    return np.column_stack([may_be[:, :-1], np.ones(len(may_be), dtype=np.bool_)])


def check_label_sets(label_sets: npt.ArrayLike | None, n: int, n_classes: int) -> BoolArray:
    """Label sets of the bags of new instances as an array; none known where None is given.

    Raises
    ------
    ClusteringError
        When there is not one row for each of the `n` instances and one column for each class, or
        something else than True and False in them.
    """
    sets = np.zeros((n, n_classes)) if label_sets is None else np.asarray(label_sets)
    if sets.shape != (n, n_classes) or not np.isin(sets, (0, 1)).all():
        raise ClusteringError(
            f"candidates must hold True and False in {n} rows, one per new instance, and "
            f"{n_classes} columns, one per class, but has shape {sets.shape}"
        )
    return sets.astype(np.bool_)


def left_out_together(bags: Bags) -> IntArray:
    """Tell what is left out together: bags, and each instance of a known class by itself."""
    if bags.known is None:
        return bags.bag
    alone = bags.n_bags + np.arange(bags.n_instances)
    return np.where(bags.known.decided, alone, bags.bag)


def inseparable(bags: Bags) -> list[tuple[int, ...]]:
    """Classes with the same bags, and of none of which an instance is known."""
    rows = bags.labels[bags.labelled & (bags.sizes > 0)]
    together: dict[bytes, list[int]] = {}
    for number, column in enumerate(rows.T):
        told: Any = bags.known is not None and bags.known.may_be[bags.known.decided, number].any()
        if column.any() and not told:
            together.setdefault(column.tobytes(), []).append(number)
    return [tuple(group) for group in together.values() if len(group) > 1]
