"""Corel5K's test photographs, from small files."""

from __future__ import annotations

from pathlib import Path

import pytest

from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.readers import corel5k

FILES = {
    "words": "city\nsky\nbengal tiger\n",
    "test_1_document_words": "2 1 -99 -99 \n3 0 0 0 \n",
    "test_1_blob_counts": "1\n2\n",
    "test_1_blobs": "4.8e-01 1 \n2 3 \n-4 5 \n",
}


def write(folder: Path, **changes: str) -> Path:
    (folder / "corel5k").mkdir()
    for name, text in {**FILES, **changes}.items():
        (folder / "corel5k" / name).write_text(text)
    return folder


def test_photographs_have_regions_and_words(tmp_path: Path) -> None:
    bags, y = corel5k.build(write(tmp_path))
    assert bags.X.tolist() == [[0.48, 1], [2, 3], [-4, 5]]
    assert bags.bag.tolist() == [0, 1, 1]
    assert bags.class_names == ("city", "sky", "bengal tiger")
    assert bags.labels.astype(int).tolist() == [[1, 1, 0], [0, 0, 1]]
    assert y.tolist() == [-1, -1, -1]


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("words", "sky\nsky\n", r"words, line 2: 'sky' comes a second time"),
        ("test_1_document_words", "", r"words: no photographs"),
        ("test_1_document_words", "4\n1\n", r"words, line 1: no keyword 4, only 1 to 3"),
        ("test_1_document_words", "1\n-1\n", r"words, line 2: no keyword -1"),
        ("test_1_document_words", "sky\n1\n", r"words, line 1: 'sky' is not a whole number"),
        ("test_1_blob_counts", "1\n", r"counts: 1 photographs, but test_1_document_words has 2"),
        ("test_1_blob_counts", "1\n-2\n", r"counts, line 2: -2 regions cannot be"),
        ("test_1_blob_counts", "1 2\n2\n", r"counts, line 1: '1 2' is not a whole number"),
        ("test_1_blob_counts", "1\n3\n", r"blobs: 3 regions, not 4 as test_1_blob_counts says"),
        ("test_1_blobs", "1 2\n3\n4 5\n", r"blobs, line 2: 1 features, not 2 as before"),
        ("test_1_blobs", "1 2\n3 -\n4 5\n", r"blobs, line 2: '-' is not a number"),
        ("test_1_blobs", "", r"blobs: 0 regions, not 3"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, file: str, text: str, message: str) -> None:
    with pytest.raises(DatasetError, match=message) as told:
        corel5k.build(write(tmp_path, **{file: text}))
    assert str(told.value).startswith(str(tmp_path / "corel5k"))
    assert "\n" not in str(told.value)
