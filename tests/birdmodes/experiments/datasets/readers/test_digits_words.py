from __future__ import annotations

from collections import Counter

import numpy as np
from sklearn.datasets import load_digits

from birdmodes.experiments.datasets import DATASETS, load_dataset


def test_words_are_the_products_of_a_multiplication_table() -> None:
    dataset = load_dataset("digits-words")
    bags = dataset.bags
    words = ["".join(map(str, dataset.y[bags.bag == m])) for m in range(bags.n_bags)]
    assert words[:7] == ["1", "2", "4", "3", "6", "9", "4"]
    assert words[-1] == "729"
    # 12 = 1 x 12 = 2 x 6 = 3 x 4
    assert words.count("12") == 3
    assert len(words) == 27 * 28 // 2


def test_no_handwritten_digit_is_drawn_twice_and_each_shows_its_class() -> None:
    dataset = load_dataset("digits-words")
    digits = load_digits()
    left = Counter(
        (row.tobytes(), int(c)) for row, c in zip(digits.data, digits.target, strict=True)
    )
    drawn = Counter(
        (row.tobytes(), int(c)) for row, c in zip(dataset.bags.X, dataset.y, strict=True)
    )
    assert drawn <= left


def test_label_sets_are_the_digits_of_the_words() -> None:
    dataset = load_dataset("digits-words")
    for m, labels in enumerate(dataset.bags.labels):
        assert set(np.flatnonzero(labels)) == set(dataset.y[dataset.bags.bag == m])
    assert dataset.single_label_bags >= 20


def test_it_is_the_same_each_time_and_as_the_catalogue_says() -> None:
    first, second = load_dataset("digits-words"), load_dataset("digits-words")
    np.testing.assert_array_equal(first.bags.X, second.bags.X)
    # Pixels of the first and the last digit, so that another drawing would be noticed.
    assert (first.bags.X[0].sum(), first.bags.X[-1].sum()) == (326, 398)
    info = DATASETS["digits-words"]
    assert info.n_bags == first.bags.n_bags
    assert (info.n_instances, info.n_features) == first.bags.X.shape
    assert info.n_classes == first.bags.n_classes
