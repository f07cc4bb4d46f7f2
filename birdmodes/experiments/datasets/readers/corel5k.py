"""Corel5K: photographs with keywords, of which the test ones have features.

References
----------
.. [1] Duygulu, Barnard, de Freitas & Forsyth, Object recognition as machine translation: learning
   a lexicon for a fixed image vocabulary, ECCV 2002.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from algorithms import Bags
from algorithms.bags import BoolArray, FloatArray, IntArray
from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.readers.raw import numbers, read_lines, whole_numbers

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
