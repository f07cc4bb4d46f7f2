"""Copies of a recording: the same sound in another file, which is no further evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms.bags import Bags
from birdmodes.audio.alike import sounding_alike
from birdmodes.io.printing import shown
from birdmodes.workspace.bags import bags_table

Ints = npt.NDArray[np.int64]


def originals(recordings: pd.DataFrame) -> dict[str, str]:
    """Tell which recordings have the same sound.

    Parameters
    ----------
    recordings : pandas.DataFrame
        Rows of `birdmodes.workspace.tables.RECORDINGS_SCHEMA`.

    Returns
    -------
    dict of str to str
        Each recording, and the first in the table of those with its sound: itself, unless it is a
        copy. What an earlier version segmented has no fingerprint or no sketch, and is then not
        known to be one.
    """
    names = recordings["recording"].tolist()
    first = list(range(len(names)))

    def root(number: int) -> int:
        while first[number] != number:
            number = first[number]
        return number

    for pair in [*_same_samples(recordings), *_same_to_the_ear(recordings)]:
        one, other = sorted(root(number) for number in pair)
        first[other] = one
    return {name: names[root(number)] for number, name in enumerate(names)}


def _same_samples(recordings: pd.DataFrame) -> Iterator[tuple[int, int]]:
    """Pairs of recordings with the same fingerprint: the first with it, and a later one."""
    if "fingerprint" not in recordings:
        return
    seen: dict[str, int] = {}
    for number, fingerprint in enumerate(recordings["fingerprint"]):
        if isinstance(fingerprint, str):
            first = seen.setdefault(fingerprint, number)
            if first != number:
                yield first, number


def _same_to_the_ear(recordings: pd.DataFrame) -> list[tuple[int, int]]:
    """Pairs of recordings whose sketches are alike."""
    if "sketch" not in recordings:
        return []
    sketches = [sketch if isinstance(sketch, bytes) else None for sketch in recordings["sketch"]]
    return sounding_alike(sketches, recordings["duration_s"].to_numpy(dtype=np.float64))


def copies_in_words(recordings: pd.DataFrame) -> str:
    """Say which recordings are copies, in one line; empty if none is.

    Parameters
    ----------
    recordings : pandas.DataFrame
        As for `originals`, sorted by name.
    """
    copies = [(name, first) for name, first in originals(recordings).items() if name != first]
    if not copies:
        return ""
    name, first = (shown(each) for each in copies[0])
    example = f"{name} of {first}"
    are = "recording is a copy" if len(copies) == 1 else "recordings are copies"
    such = "" if len(copies) == 1 else "such as "
    return (
        f"{len(copies):,} {are} of another, {such}{example}: the same sound counts once as "
        "evidence of species; leave copies out, unless they are meant"
    )


def sound_of_bags(recordings: pd.DataFrame, first: Mapping[str, str] | None = None) -> Ints:
    """Number of the sound that each bag is of, the same for bags of a recording and its copies.

    Parameters
    ----------
    recordings : pandas.DataFrame
        As for `originals`.
    first : mapping of str to str, optional
        What `originals` says of them, if that is known.

    Returns
    -------
    ndarray of int64, shape (n_bags,)
        In the order of `birdmodes.workspace.bags.bags_table`.
    """
    first = originals(recordings) if first is None else first
    names = bags_table(recordings)["recording"].map(first)
    return np.unique(names.to_numpy(dtype=object), return_inverse=True)[1].astype(np.int64)


def with_copies_as_one(
    bags: Bags, recordings: pd.DataFrame, first: Mapping[str, str] | None = None
) -> Bags:
    """Put the syllables of copies into the bags of what they are copies of.

    So a sound is left out as a whole when something is predicted of it, and counts once where bags
    are counted. Its list has the species that any copy is labelled with.

    Parameters
    ----------
    bags : Bags
        Of `recordings`, in the order of `birdmodes.workspace.bags.bags_table`.
    recordings : pandas.DataFrame
        As for `originals`.
    first : mapping of str to str, optional
        What `originals` says of them, if that is known.

    Returns
    -------
    Bags
        As many bags as before; those of copies are empty, and have no label set.
    """
    first = originals(recordings) if first is None else first
    if all(name == original for name, original in first.items()):
        return bags
    table = bags_table(recordings)
    of_recording = {name: rows.to_numpy() for name, rows in _rows_of(table)}
    home = np.arange(bags.n_bags)
    for name, rows in of_recording.items():
        there = of_recording.get(first[name], rows)
        # As many clips, unless another rate stands in the header or the whole is one bag.
        home[rows] = there[np.minimum(np.arange(len(rows)), len(there) - 1)]
    labels, labelled = bags.labels.copy(), bags.labelled.copy()
    np.logical_or.at(labels, home, bags.labels)
    np.logical_or.at(labelled, home, bags.labelled)
    weights = None
    if bags.weights is not None:
        weights = bags.weights.copy()
        np.maximum.at(weights, home, bags.weights)
    moved = home != np.arange(bags.n_bags)
    labels[moved], labelled[moved] = False, False
    return Bags(
        bags.X,
        home[bags.bag],
        labels,
        labelled,
        bags.class_names,
        known=bags.known,
        bag_names=bags.bag_names,
        weights=weights,
    )


def _rows_of(table: pd.DataFrame) -> list[tuple[str, Any]]:
    """Numbers of the bags of each recording."""
    numbered = pd.Series(np.arange(len(table)))
    return [(str(name), rows) for name, rows in numbered.groupby(table["recording"].to_numpy())]
