"""Corel5K: photographs with keywords, of which the test ones have features.

The features of the training photographs' regions are not among the files that are downloaded. They
take part when the user adds that file, ``blobs``, to the data folder.

References
----------
.. [1] Duygulu, Barnard, de Freitas & Forsyth, Object recognition as machine translation: learning
   a lexicon for a fixed image vocabulary, ECCV 2002.
.. [2] Law, Yu, Urtasun, Zemel & Xing, Efficient multiple instance metric learning using weakly
   supervised data, CVPR 2017, section 4.2.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from algorithms import Bags
from algorithms.bags import BoolArray, FloatArray, IntArray
from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.catalogue import dataset_info
from birdmodes.experiments.datasets.miml import Data, of_classes
from birdmodes.experiments.datasets.raw_files import stored_path
from birdmodes.experiments.datasets.readers.raw import numbers, read_lines, whole_numbers
from birdmodes.experiments.datasets.store import data_folder, obtain_files

_NO_WORD = (-99, 0)  # what fills a line up


def build(folder: Path) -> tuple[Bags, IntArray]:
    """The 4686 regions of the 500 test photographs, whose words are not known.

    The classes are all 374 words, 111 of which no test photograph has.
    """
    place = folder / "corel5k"
    names = read_words(place / "words")
    X, bag, labels = read_photographs(place, "test_1_", len(names))
    return Bags(X, bag, labels, class_names=names), np.full(len(X), -1)


def read_photographs(
    place: Path, prefix: str, n_words: int
) -> tuple[FloatArray, IntArray, BoolArray]:
    """Read photographs: their keywords, and the features of their regions.

    Parameters
    ----------
    place : pathlib.Path
        Folder of the files.
    prefix : {"", "test_1_"}
        What the names of their files begin with: those of the training photographs with nothing.
    n_words : int
        Number of keywords.

    Returns
    -------
    X : ndarray, shape (n_regions, n_features)
        Features.
    bag : ndarray of int64, shape (n_regions,)
        Photograph of each region.
    labels : ndarray of bool, shape (n_photographs, n_words)
        Keywords of each photograph.

    Raises
    ------
    DatasetError
        If a file cannot be read, or does not fit the others.
    """
    words, counts, regions = (
        place / f"{prefix}{name}" for name in ("document_words", "blob_counts", "blobs")
    )
    labels = read_document_words(words, n_words)
    sizes = read_counts(counts)
    X = _read_regions(regions)
    if len(sizes) != len(labels):
        raise DatasetError(
            f"{counts}: {len(sizes)} photographs, but {words.name} has {len(labels)}"
        )
    if sum(sizes) != len(X):
        raise DatasetError(f"{regions}: {len(X)} regions, not {sum(sizes)} as {counts.name} says")
    return X, np.repeat(np.arange(len(sizes)), sizes), labels


def read_words(path: Path) -> list[str]:
    """Read the keywords, one a line.

    Parameters
    ----------
    path : pathlib.Path
        The file, which may lie gzipped.

    Raises
    ------
    DatasetError
        If it cannot be read, or a word comes twice.
    """
    words: list[str] = []
    for line, word in read_lines(path):
        if word in words:
            raise DatasetError(f"{path}, line {line}: {word!r} comes a second time")
        words.append(word)
    return words


def read_document_words(path: Path, n_words: int) -> BoolArray:
    """Read the keywords of photographs: a line of numbers from 1, filled up with -99 and 0.

    Parameters
    ----------
    path : pathlib.Path
        The file, which may lie gzipped.
    n_words : int
        Number of keywords.

    Returns
    -------
    ndarray of bool, shape (n_photographs, n_words)

    Raises
    ------
    DatasetError
        If a number is not that of a keyword.
    """
    rows = []
    for line, text in read_lines(path):
        row = np.zeros(n_words, dtype=np.bool_)
        for word in whole_numbers(text.split(), path, line):
            if word not in _NO_WORD and not 1 <= word <= n_words:
                raise DatasetError(f"{path}, line {line}: no keyword {word}, only 1 to {n_words}")
            if word not in _NO_WORD:
                row[word - 1] = True
        rows.append(row)
    if not rows:
        raise DatasetError(f"{path}: no photographs")
    return np.array(rows)


def read_counts(path: Path) -> list[int]:
    """Read the numbers of regions, one photograph a line.

    Parameters
    ----------
    path : pathlib.Path
        The file, which may lie gzipped.

    Raises
    ------
    DatasetError
        If a line is not one whole number from 0.
    """
    counts = []
    for line, text in read_lines(path):
        (count,) = whole_numbers([text], path, line)
        if count < 0:
            raise DatasetError(f"{path}, line {line}: {count} regions cannot be")
        counts.append(count)
    return counts


def _read_regions(path: Path) -> FloatArray:
    rows: list[list[float]] = []
    for line, text in read_lines(path):
        cells = text.split()
        if rows and len(cells) != len(rows[0]):
            raise DatasetError(
                f"{path}, line {line}: {len(cells)} features, not {len(rows[0])} as before"
            )
        rows.append(numbers(cells, path, line))
    return np.array(rows)


PHOTOGRAPHS = "corel5k"
"""Corel5K with its published training photographs, whose features are not always there."""

TEST_PHOTOGRAPHS = "corel5k-test"
"""Its test photographs alone, cross-validated; what corel5k stands for where the others are not."""

N_WORDS = 20
"""Keywords that the paper keeps: the most frequent ones of the training photographs."""

_INFO = dataset_info("corel5k")


def has_training_photographs(data_dir: str | Path | None = None) -> bool:
    """Tell whether the user has added the training photographs' features to the data folder.

    Parameters
    ----------
    data_dir : str or pathlib.Path, optional
        See `birdmodes.experiments.datasets.load_dataset`.
    """
    return stored_path(data_folder(data_dir) / "corel5k" / "blobs") is not None


def load_photographs(
    data_dir: str | Path | None = None, n_words: int = N_WORDS, *, published: bool = True
) -> Data:
    """Load the training and the test photographs that have one of the most frequent keywords.

    Parameters
    ----------
    data_dir : str or pathlib.Path, optional
        See `birdmodes.experiments.datasets.load_dataset`.
    n_words : int
        How many keywords. They are the classes, the most frequent first.
    published : bool
        Whether the files, but for the user's, have to be the published ones.

    Returns
    -------
    Data
        The training photographs first, features as published; ``test`` tells the test ones. With 20
        keywords 3947 training photographs of 37083 regions, and 444 test photographs of 4154.

    Raises
    ------
    DatasetError
        If a file is missing, the user's ``blobs`` too, or one does not fit the others.
    """
    place = _folder(data_dir, published)
    regions = place / "blobs"
    if stored_path(regions) is None:
        raise DatasetError(
            f"{regions}: the features of the training photographs are not there; get {_address()} "
            "and put it there"
        )
    words, chosen = _chosen_words(place, n_words)
    X, bag, labels = read_photographs(place, "", len(words))
    new_X, new_bag, new_labels = read_photographs(place, "test_1_", len(words))
    if X.shape[1] != new_X.shape[1]:
        raise DatasetError(
            f"{regions}: {X.shape[1]} features, not {new_X.shape[1]} as test_1_blobs has"
        )
    bags = Bags(
        np.concatenate([X, new_X]),
        np.concatenate([bag, len(labels) + new_bag]),
        np.concatenate([labels, new_labels]),
        class_names=words,
    )
    kept = bags.labels[:, chosen].sum(axis=1) > 0
    test = np.flatnonzero(kept) >= len(labels)
    note = "the published test photographs, learned from the published training ones"
    return Data(PHOTOGRAPHS, of_classes(bags, kept, chosen), test=test, note=note)


def load_test_photographs(
    data_dir: str | Path | None = None, n_words: int = N_WORDS, *, published: bool = True
) -> Data:
    """Load the test photographs alone, which needs no further file; as `load_photographs`."""
    place = _folder(data_dir, published)
    chosen = _chosen_words(place, n_words)[1]
    bags, _ = build(place.parent)
    kept = bags.labels[:, chosen].sum(axis=1) > 0
    note = (
        "only the published test photographs, cross-validated, as the features of the training "
        "ones were not at hand: figures cannot be compared with the paper's"
    )
    return Data(TEST_PHOTOGRAPHS, of_classes(bags, kept, chosen), note=note)


def frequent_words(labels: BoolArray, n_words: int) -> IntArray:
    """Give the most frequent keywords, the most frequent first; of equal ones the first.

    Parameters
    ----------
    labels : ndarray of bool, shape (n_photographs, n_all_words)
        Keywords of the photographs.
    n_words : int
        How many.

    Returns
    -------
    ndarray of int64, shape (n_words,)

    Raises
    ------
    DatasetError
        If so many do not occur.
    """
    counts = labels.sum(axis=0)
    occurring = int((counts > 0).sum())
    if not 1 <= n_words <= occurring:
        raise DatasetError(
            f"n_words must be from 1 to {occurring}, the number of keywords that training "
            f"photographs have, not {n_words}"
        )
    return np.argsort(-counts, kind="stable")[:n_words].astype(np.int64)


def _folder(data_dir: str | Path | None, published: bool) -> Path:
    whole = obtain_files(_INFO, data_dir) if published else data_folder(data_dir)
    return whole / "corel5k"


def _chosen_words(place: Path, n_words: int) -> tuple[list[str], IntArray]:
    """All keywords, and the numbers of those that are frequent in training."""
    words = read_words(place / "words")
    labels = read_document_words(place / "document_words", len(words))
    return words, frequent_words(labels, n_words)


def _address() -> str:
    """Where ``blobs`` is published: beside the keywords of the same photographs."""
    beside = next(file for file in _INFO.files if file.local == "corel5k/document_words")
    return beside.address.removesuffix("document_words") + "blobs"
