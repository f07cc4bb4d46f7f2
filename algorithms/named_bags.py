"""Bags and label sets that are given by name instead of by number."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from algorithms.errors import BagsError

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Numbered:
    """Bags and label sets in numbers, as far as they were given by name.

    Attributes
    ----------
    bag : array_like
        Bag of each instance.
    labels : array_like
        Label set of each bag, a row of True and False.
    labelled : ndarray of bool, shape (n_bags,), or None
        Which bags have a label set; None where names say nothing of it.
    class_names : tuple of str, or None
        Of the columns of `labels`; None where they were not given by name.
    bag_names : tuple of str, or None
        Of the rows of `labels`; None where bags were not given by name.
    """

    bag: Any
    labels: Any
    labelled: BoolArray | None = None
    class_names: tuple[str, ...] | None = None
    bag_names: tuple[str, ...] | None = None


def numbered(bag: Any, labels: Any, class_names: Sequence[str] | None) -> Numbered:
    """Turn names into numbers; what is in numbers already is given back as it is.

    Parameters
    ----------
    bag, labels, class_names
        As for :class:`algorithms.bags.Bags`.

    Raises
    ------
    BagsError
        When a name is missing, empty or not text.
    """
    sets = _mapping(labels)
    if sets is None and not _is_named(labels):
        ids, names = _number_ids(bag)
        if names is not None and len(names) != len(labels):
            raise _wrong_length(len(labels), names)
        return Numbered(ids, labels, bag_names=names)
    if sets is not None:
        ids, names, rows = _by_key(bag, sets)
    else:
        ids, names = _number_ids(bag)
        rows = list(labels)
        if names is not None and len(names) != len(rows):
            raise _wrong_length(len(rows), names)
    called = [str(number) for number in range(len(rows))] if names is None else list(names)
    found = [_label_set(name, row) for name, row in zip(called, rows, strict=True)]
    classes = _classes(found, called, class_names)
    column = {name: place for place, name in enumerate(classes)}
    table = np.zeros((len(found), len(classes)), dtype=np.bool_)
    for row, present in enumerate(found):
        table[row, [column[name] for name in present or ()]] = True
    labelled = np.array([present is not None for present in found], dtype=np.bool_)
    return Numbered(ids, table, labelled, classes, names)


def _mapping(labels: Any) -> Mapping[Any, Any] | None:
    """Label sets by the name of their bag, if that is what was given."""
    if isinstance(labels, Mapping):
        return labels
    index = getattr(labels, "index", None)
    if getattr(labels, "ndim", None) != 1 or index is None or callable(index):
        return None
    # A pandas Series: its index says whose label set it is, whatever the order.
    if not index.is_unique:
        raise BagsError("labels names a bag twice: every bag needs one label set")
    return dict(labels.items())


def _is_named(labels: Any) -> bool:
    """Whether label sets are collections of names; arrays of numbers are not looked through."""
    if isinstance(labels, np.ndarray) and labels.dtype.kind not in "OU":
        return False
    if isinstance(labels, str) or not isinstance(labels, Iterable):
        return False
    return any(
        row is None
        or isinstance(row, str | set | frozenset)
        or (isinstance(row, Iterable) and any(isinstance(name, str) for name in row))
        for row in labels
    )


def _number_ids(bag: Any) -> tuple[Any, tuple[str, ...] | None]:
    """Number bags that are named, in the order in which they appear first."""
    ids = np.asarray(bag)
    if ids.ndim != 1 or not ids.size or ids.dtype.kind not in "OU":
        return bag, None
    given = list(bag)
    for instance, name in enumerate(given):
        if not isinstance(name, str):
            raise BagsError(
                f"instance {instance} has {name!r} for a bag: give a name or a whole number to "
                "every instance, not some of both"
            )
    number = {name: place for place, name in enumerate(dict.fromkeys(given))}
    return [number[name] for name in given], tuple(str(name) for name in number)


def _by_key(bag: Any, sets: Mapping[Any, Any]) -> tuple[Any, tuple[str, ...] | None, list[Any]]:
    """Numbers and names of bags, and the label set of each; those without instances come last."""
    if all(key in sets for key in range(len(sets))):
        return bag, None, [sets[key] for key in range(len(sets))]
    given = np.asarray(bag).tolist()
    order = list(dict.fromkeys([*given, *sets]))
    for name in order:
        if name not in sets:
            raise BagsError(
                f"labels has no entry for bag {name!r}: give it a list of names, an empty one if "
                "no class is there, or None if that is not known"
            )
    number = {name: place for place, name in enumerate(order)}
    return [number[name] for name in given], tuple(map(str, order)), [sets[key] for key in order]


def _label_set(bag: str, row: Any) -> list[str] | None:
    """Names of a label set; None where it is not known."""
    if row is None:
        return None
    if isinstance(row, str) or not isinstance(row, Iterable):
        raise BagsError(
            f"the labels of bag {bag} are {row!r}: give a list of names, an empty one if no class "
            "is there, or None if that is not known"
        )
    names = list(row)
    for name in names:
        if not isinstance(name, str) or not name:
            raise BagsError(f"bag {bag} has the label {name!r}: labels must be names")
    return names


def _classes(
    found: Sequence[list[str] | None], bags: Sequence[str], class_names: Sequence[str] | None
) -> tuple[str, ...]:
    present = {str(name) for names in found for name in names or ()}
    if class_names is None:
        return tuple(sorted(present))
    classes = tuple(class_names)
    for bag, names in zip(bags, found, strict=True):
        for name in names or ():
            if name not in classes:
                raise BagsError(
                    f"bag {bag} has the label {name!r}, which class_names does not list"
                )
    return classes


def _wrong_length(n_rows: int, names: Sequence[str]) -> BagsError:
    return BagsError(
        f"labels has {n_rows} rows but bag names {len(names)} bags, {names[0]!r} first: give a "
        "mapping from the name of every bag to its labels, which may have bags without instances"
    )
