from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from pathlib import Path

import numpy as np
import pytest
import scipy.io

from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.readers import briggs


def test_hja_segments_get_the_species_of_the_row_that_rounds_to_the_same(small_hja: Path) -> None:
    bags, y = briggs.build_hja_unfiltered(small_hja)
    assert y.tolist() == [4, -1, 0, -1, 12]
    assert bags.bag.tolist() == [0, 0, 1, 2, 2]
    assert bags.X[2].tolist() == [0.1234549, 12.345678]
    # Labels of a recording: the species of its segments.
    assert np.argwhere(bags.labels).tolist() == [[0, 4], [1, 0], [2, 12]]
    assert bags.class_names[4] == "DEJU"


def test_rounding_is_that_of_the_exact_values() -> None:
    # What the miniature file relies on, from decimal arithmetic.
    five_digits = Context(prec=5, rounding=ROUND_HALF_EVEN)
    rounded = [five_digits.create_decimal(Decimal(value)) for value in (0.123455, 0.123465)]
    assert [str(value) for value in rounded] == ["0.12345", "0.12347"]


def test_filtered_hja_leaves_out_unidentified_segments(small_hja: Path) -> None:
    bags, y = briggs.build_hja_filtered(small_hja)
    assert y.tolist() == [4, 0, 12]
    assert bags.bag.tolist() == [0, 1, 2]
    assert bags.labels.sum() == 3


def test_hja_files_that_do_not_belong_together_are_refused(small_hja: Path) -> None:
    path = small_hja / "hja-birdsong/raw/MILpy/birds_BRCR_original/X.mat"
    X = scipy.io.loadmat(path)["X"]
    X[1] = X[0]
    scipy.io.savemat(path, {"X": X})
    with pytest.raises(DatasetError, match="do not have the same segments"):
        briggs.build_hja_unfiltered(small_hja)


def test_msrc_cells_become_bags(tmp_path: Path) -> None:
    regions, truth = np.empty((2, 1), dtype=object), np.empty((2, 1), dtype=object)
    regions[0, 0], regions[1, 0] = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[5.0, 6.0]])
    one_hot = 2 * np.eye(23, dtype=np.int16) - 1
    truth[0, 0], truth[1, 0] = one_hot[[22, 1]], one_hot[[0]]
    path = tmp_path / "MSCV2.mat"
    Y = np.full((2, 23), -1, dtype=np.int16)
    Y[[0, 0, 1], [1, 22, 0]] = 1
    scipy.io.savemat(path, {"Bags": regions, "y": truth, "Y": Y})
    bags, y = briggs.build_msrc(path)
    assert bags.X.tolist() == [[1, 2], [3, 4], [5, 6]]
    assert bags.bag.tolist() == [0, 0, 1]
    assert [bags.class_names[c] for c in y] == ["boat", "grass", "building"]
    assert np.argwhere(bags.labels).tolist() == [[0, 1], [0, 22], [1, 0]]


def test_letters_are_named_sorted_and_those_that_never_occur_dropped(tmp_path: Path) -> None:
    # "AT", "IT"; the raw columns begin N F T A I.
    columns = [3, 2, 4, 2]
    YR = np.eye(26, dtype=np.uint8)[columns]
    YB = np.full((2, 26), -1, dtype=np.int16)
    YB[[0, 0, 1, 1], columns] = 1
    raw = {
        "X": np.arange(8, dtype=np.uint8).reshape(4, 2),
        "YR": YR,
        "XtB": np.array([[1], [1], [2], [2]], dtype=np.uint8),
        "B": np.array([[1], [2]], dtype=np.uint8),
        "YB": YB,
    }
    path = tmp_path / "letter_frost.mat"
    scipy.io.savemat(path, {"DD": raw})
    bags, y = briggs.build_letters(path)
    assert bags.class_names == ("A", "I", "T")
    assert y.tolist() == [0, 2, 1, 2]
    assert bags.labels.astype(int).tolist() == [[1, 0, 1], [0, 1, 1]]
    assert bags.bag.tolist() == [0, 0, 1, 1]


def test_the_columns_of_the_letter_files_are_the_alphabet() -> None:
    assert sorted(briggs.LETTERS) == [chr(code) for code in range(ord("A"), ord("Z") + 1)]
