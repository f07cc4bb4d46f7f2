"""Corel5K with the training photographs, from small files; what of them is published is counted."""

from __future__ import annotations

import gzip
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.readers import corel5k

# In training: city once, sky and tiger twice, snow three times, sea never.
FILES = {
    "words": "city\nsky\ntiger\nsnow\nsea\n",
    "document_words": "4 2 -99 \n1 -99 -99 \n3 4 -99 \n2 3 4 \n",
    "blob_counts": "2\n1\n1\n2\n",
    "blobs": "1 1.5\n2 1\n3 1\n4 1\n5e0 1\n6 1\n",
    "test_1_document_words": "5 1 0 \n2 5 0 \n1 4 0 \n",
    "test_1_blob_counts": "1\n2\n1\n",
    "test_1_blobs": "-1 0\n-2 0\n-3 0\n-4 0\n",
}


load_all = partial(corel5k.load_photographs, published=False)
load_test = partial(corel5k.load_test_photographs, published=False)


def write(folder: Path, **changes: str) -> Path:
    (folder / "corel5k").mkdir()
    for name, text in {**FILES, **changes}.items():
        (folder / "corel5k" / name).write_text(text)
    return folder


def test_photographs_without_a_frequent_word_are_dropped(tmp_path: Path) -> None:
    split = load_all(write(tmp_path), 2)
    bags = split.bags
    assert bags.class_names == ("snow", "sky")  # of equal counts the first
    assert split.test.tolist() == [False, False, False, True, True]
    assert bags.labels.astype(int).tolist() == [[1, 1], [1, 0], [1, 1], [0, 1], [1, 0]]
    assert bags.X[:, 0].tolist() == [1, 2, 4, 5, 6, -2, -3, -4]
    assert bags.X[0].tolist() == [1, 1.5]
    assert bags.bag.tolist() == [0, 0, 1, 2, 2, 3, 3, 4]
    assert bags.labelled.all()


def test_frequent_words_are_those_of_training(tmp_path: Path) -> None:
    bags = load_test(write(tmp_path), 2).bags
    assert bags.class_names == ("snow", "sky")  # though sea is the most frequent here
    assert bags.X[:, 0].tolist() == [-2, -3, -4]
    assert bags.labels.astype(int).tolist() == [[0, 1], [1, 0]]


def test_test_photographs_are_the_same_alone_and_in_the_split(tmp_path: Path) -> None:
    folder = write(tmp_path)
    split, alone = (load(folder, 4) for load in (load_all, load_test))
    of_test = split.test[split.bags.bag]
    np.testing.assert_array_equal(split.bags.X[of_test], alone.bags.X)
    np.testing.assert_array_equal(split.bags.labels[split.test], alone.bags.labels)
    first = split.bags.bag[of_test][0]
    np.testing.assert_array_equal(split.bags.bag[of_test] - first, alone.bags.bag)


def test_the_users_file_may_lie_gzipped(tmp_path: Path) -> None:
    folder = write(tmp_path)
    assert corel5k.has_training_photographs(folder)
    plain = folder / "corel5k" / "blobs"
    (folder / "corel5k" / "blobs.gz").write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    assert corel5k.has_training_photographs(folder)
    assert load_all(folder, 2).bags.n_instances == 8


def test_without_the_users_file_the_error_says_where_it_is_published(tmp_path: Path) -> None:
    folder = write(tmp_path)
    (folder / "corel5k" / "blobs").unlink()
    assert not corel5k.has_training_photographs(folder)
    with pytest.raises(DatasetError, match=r"blobs: the features .* get https://.*/dataset/blobs"):
        load_all(folder, 2)
    assert load_test(folder, 2).bags.n_bags == 2


def test_other_files_must_be_the_published_ones(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="not the published file of corel5k"):
        corel5k.load_photographs(write(tmp_path))


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("blobs", "1 2\n3 4\n5 -\n7 8\n9 1\n2 3\n", r"blobs, line 3: '-' is not a number"),
        ("blobs", "1 2\n3\n", r"blobs, line 2: 1 features, not 2 as before"),
        ("blobs", "1 2\n3 4\n", r"blobs: 2 regions, not 6 as blob_counts says"),
        ("blobs", "1\n2\n3\n4\n5\n6\n", r"blobs: 1 features, not 2 as test_1_blobs has"),
        ("blob_counts", "6\n", r"blob_counts: 1 photographs, but document_words has 4"),
        ("document_words", "6\n", r"document_words, line 1: no keyword 6, only 1 to 5"),
        ("test_1_blobs", "1 2\n", r"test_1_blobs: 1 regions, not 4 as test_1_blob_counts says"),
    ],
)
def test_what_does_not_fit_is_named(tmp_path: Path, file: str, text: str, message: str) -> None:
    with pytest.raises(DatasetError, match=message) as told:
        load_all(write(tmp_path, **{file: text}), 2)
    assert str(told.value).startswith(str(tmp_path / "corel5k"))
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("n_words", [0, 5])
def test_more_words_than_occur_are_an_error(tmp_path: Path, n_words: int) -> None:
    with pytest.raises(DatasetError, match=f"n_words must be from 1 to 4, .* not {n_words}"):
        load_all(write(tmp_path), n_words)


def test_published_training_words_and_counts_are_those_of_the_paper(shared: Path) -> None:
    place = shared / "datasets" / "corel5k"
    words = corel5k.read_words(place / "words")
    labels = corel5k.read_document_words(place / "document_words", len(words))
    sizes = np.array(corel5k.read_counts(place / "blob_counts"))
    chosen = corel5k.frequent_words(labels, 20)
    kept = labels[:, chosen].any(axis=1)
    assert (len(labels), sizes.sum()) == (4500, 42379)
    assert (kept.sum(), sizes[kept].sum()) == (3947, 37083)
    assert (words[chosen[0]], labels[:, chosen[0]].sum()) == ("water", 1004)


def test_published_test_photographs_are_as_many_as_in_the_paper(shared: Path) -> None:
    bags = corel5k.load_test_photographs(shared / "datasets").bags
    assert (bags.n_bags, bags.n_instances, bags.n_features, bags.n_classes) == (444, 4154, 36, 20)


def test_published_files_with_made_up_training_features_give_the_papers_problem(
    shared: Path, tmp_path: Path
) -> None:
    """The user's folder: all that is published, and a file of the length and width of `blobs`."""
    for file in (shared / "datasets" / "corel5k").iterdir():
        (tmp_path / "corel5k").mkdir(exist_ok=True)
        (tmp_path / "corel5k" / file.name).symlink_to(file)
    region = " 0" * 35
    text = "".join(f"{number}{region}\n" for number in range(1, 42380))
    (tmp_path / "corel5k" / "blobs").write_text(text)
    split = corel5k.load_photographs(tmp_path)
    of_test = split.test[split.bags.bag]
    assert (split.test.sum(), of_test.sum()) == (444, 4154)
    assert ((~split.test).sum(), (~of_test).sum()) == (3947, 37083)
    # The first photograph, of 9 regions, has city, mountain, sky and sun. The third, of 5 after 19,
    # has sea and sun, and the last, of 10, crops and fruit: none of the frequent ones.
    words = [split.bags.class_names[word] for word in np.flatnonzero(split.bags.labels[0])]
    assert words == ["sky", "mountain"]
    regions = split.bags.X[~of_test, 0]
    assert regions[:20].tolist() == [*range(1, 20), 25]
    assert regions[-1] == 42369


def test_published_pointers_say_what_the_counts_say(shared: Path) -> None:
    """So `document_blobs`, the numbers of the regions of each photograph, is not read."""
    place = shared / "datasets" / "corel5k"
    with gzip.open(place / "document_blobs.gz", "rt") as lines:
        regions = [[int(number) for number in line.split() if int(number) > 0] for line in lines]
    assert [len(row) for row in regions] == corel5k.read_counts(place / "blob_counts")
    assert [number for row in regions for number in row] == list(range(1, 42380))
