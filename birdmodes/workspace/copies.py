"""Copies of a recording: the same sound in another file, which is no further evidence."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms.bags import Bags
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
        Each recording, and the first by name of those with its sound: itself, unless it is a copy.
        What an earlier version segmented has no fingerprint, and counts as sound of its own.
    """
    first: dict[str, str] = {}
    found: dict[str, str] = {}
    for row in cast("list[dict[str, Any]]", recordings.to_dict("records")):
        name, fingerprint = row["recording"], row.get("fingerprint")
        found[name] = first.setdefault(fingerprint, name) if isinstance(fingerprint, str) else name
    return found


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


def sound_of_bags(recordings: pd.DataFrame) -> Ints:
    """Number of the sound that each bag is of, the same for bags of a recording and its copies.

    Parameters
    ----------
    recordings : pandas.DataFrame
        As for `originals`.

    Returns
    -------
    ndarray of int64, shape (n_bags,)
        In the order of `birdmodes.workspace.bags.bags_table`.
    """
    names = bags_table(recordings)["recording"].map(originals(recordings))
    return np.unique(names.to_numpy(dtype=object), return_inverse=True)[1].astype(np.int64)


def with_copies_as_one(bags: Bags, recordings: pd.DataFrame) -> Bags:
    """Put the syllables of copies into the bags of what they are copies of.

    So a sound is left out as a whole when something is predicted of it, and counts once where bags
    are counted. Its list has the species that any copy is labelled with.

    Parameters
    ----------
    bags : Bags
        Of `recordings`, in the order of `birdmodes.workspace.bags.bags_table`.
    recordings : pandas.DataFrame
        As for `originals`.

    Returns
    -------
    Bags
        As many bags as before; those of copies are empty, and have no label set.
    """
    first = originals(recordings)
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
