"""What is checked of the parts of bags, each for itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from algorithms.errors import BagsError
from algorithms.named_bags import Numbered

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


def check_bag_ids(bag: npt.ArrayLike, n_instances: int, n_bags: int) -> IntArray:
    """Copy bag numbers as int64; raise :class:`BagsError` for one that is outside."""
    ids = np.asarray(bag)
    if ids.size == 0:
        ids = ids.astype(np.int64)
    if ids.ndim != 1 or not np.issubdtype(ids.dtype, np.integer):
        raise BagsError(
            f"bag must be a list of whole numbers, one per instance, "
            f"not an array of {ids.dtype} and shape {ids.shape}"
        )
    if len(ids) != n_instances:
        raise BagsError(f"bag has {len(ids)} entries but X has {n_instances} rows")
    outside = np.flatnonzero((ids < 0) | (ids >= n_bags))
    if len(outside):
        allowed = f"0 to {n_bags - 1}" if n_bags else "none, as labels has no rows"
        raise BagsError(
            f"instance {int(outside[0])} is in bag {int(ids[outside[0]])}, outside the bags "
            f"that labels has rows for ({allowed})"
        )
    return ids.astype(np.int64)


def as_bool(values: npt.ArrayLike, name: str) -> BoolArray:
    """Copy as bool; 0 and 1 of any number type count, anything else is a mistake."""
    try:
        array = np.asarray(values)
    except ValueError:
        raise BagsError(f"{name} has rows of different lengths") from None
    if array.size == 0 or array.dtype == np.bool_:
        return array.astype(np.bool_)
    if not np.issubdtype(array.dtype, np.number):
        raise BagsError(f"{name} must hold True and False (or 1 and 0), not {array.dtype}")
    wrong = array[(array != 0) & (array != 1)]
    if len(wrong):
        raise BagsError(f"{name} must hold True and False (or 1 and 0), but holds {wrong[0]}")
    return array.astype(np.bool_)


def check_labels(labels: npt.ArrayLike) -> BoolArray:
    """Copy label sets as bool, a row for each bag; or raise :class:`BagsError`."""
    checked = as_bool(labels, "labels")
    if checked.ndim != 2:
        raise BagsError(
            f"labels must have two dimensions (bags, classes), not shape {checked.shape}"
        )
    return checked


def check_labelled(labelled: npt.ArrayLike | None, labels: BoolArray) -> BoolArray:
    """Say which bags are labelled; a bag with labels must not be called unlabelled."""
    n_bags = labels.shape[0]
    if labelled is None:
        return np.ones(n_bags, dtype=np.bool_)
    checked = as_bool(labelled, "labelled")
    if checked.shape != (n_bags,):
        raise BagsError(
            f"labelled must have one entry for each of the {n_bags} bags, not shape {checked.shape}"
        )
    contradictory = np.flatnonzero(~checked & labels.any(axis=1))
    if len(contradictory):
        raise BagsError(
            f"bag {int(contradictory[0])} is marked as unlabelled but has labels: "
            "clear its row of labels, or mark it as labelled"
        )
    return checked


def told_labelled(told: Numbered, labelled: npt.ArrayLike | None) -> npt.ArrayLike | None:
    """Which bags are labelled, from what was said of them and from their names."""
    if labelled is None or told.labelled is None or told.labelled.all():
        return told.labelled if labelled is None else labelled
    both = as_bool(labelled, "labelled")
    if both.shape == told.labelled.shape and (both & ~told.labelled).any():
        bag = int(np.flatnonzero(both & ~told.labelled)[0])
        raise BagsError(f"bag {bag} is marked as labelled but its labels are None: give them")
    return both


def check_names(
    parameter: str, what: str, given: Sequence[str] | None, n_names: int
) -> tuple[str, ...]:
    """Give names of classes or bags, each once; numbers where there are none."""
    """Names of classes or bags, each once; numbers where none are given."""
    if given is None:
        return tuple(str(number) for number in range(n_names))
    if isinstance(given, str):
        raise BagsError(f"{parameter} must be a list of names, not one string")
    names = tuple(str(name) for name in given)
    if len(names) != n_names:
        there = f"{n_names} columns" if what == "class" else f"{n_names} rows"
        raise BagsError(f"{parameter} has {len(names)} names but labels has {there}")
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise BagsError(f"{what} name {name!r} occurs twice: every {what} needs its own name")
        seen.add(name)
    return names
