"""Both sets of molecules, from small files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.io

from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.readers import musk


def write(folder: Path, text: str) -> Path:
    path = folder / "musk1/musk1.data"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_molecules_are_numbered_as_they_come(tmp_path: Path) -> None:
    path = write(tmp_path, "M-2,2_1,42,-198,1.\nN-1,1_1,0,7,0.\nM-2,2_2,-1,5,1.\n")
    bags, y = musk.build_musk1(path)
    assert bags.X.tolist() == [[42, -198], [0, 7], [-1, 5]]
    assert bags.bag.tolist() == [0, 1, 0]
    assert bags.class_names == ("non-musk", "musk")
    assert bags.labels.astype(int).tolist() == [[0, 1], [1, 0]]
    assert y.tolist() == [-1, -1, -1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no instances"),
        ("M,1,1.\n", "line 1: not a molecule, a conformation, features and a class"),
        ("M;1;4;1.\n", "line 1: not a molecule"),
        ("M,1,4,1.\n\nM,2,4,1\n", "line 3: '1' is not the class, 0. or 1."),
        ("M,1,4,1.\nM,2,4,5,1.\n", "line 2: 2 features, not 1 as before"),
        ("M,1,4,1.\nM,2,x,1.\n", "line 2: 'x' is not a number"),
        ("M,1,4,1.\nM,2,,1.\n", "line 2: '' is not a number"),
        ("M,1,4,1.\nM,2,inf,1.\n", "line 2: 'inf' is not a number"),
        ("M,1,4,1.\nM,2,4,0.\n", "line 2: M is non-musk here, but musk before"),
    ],
)
def test_lines_that_cannot_be_understood_are_named(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(DatasetError, match=message) as told:
        musk.build_musk1(path)
    assert str(told.value).startswith(str(path))
    assert "\n" not in str(told.value)


def save(folder: Path, X: object, bag: object, classes: object) -> None:
    place = folder / "musk2"
    place.mkdir(exist_ok=True)
    scipy.io.savemat(place / "X.mat", {"X": np.array(X, dtype=np.int16)})
    scipy.io.savemat(place / "Bag2.mat", {"Bag2": np.array(bag, dtype=float)[:, None]})
    scipy.io.savemat(place / "BagI.mat", {"bagI": np.array(classes, dtype=np.uint8)[:, None]})


def test_the_second_set_comes_from_three_arrays(tmp_path: Path) -> None:
    save(tmp_path, [[1, -2], [3, 4], [5, 6]], [1, 2, 2], [1, 0])
    bags, y = musk.build_musk2(tmp_path)
    assert bags.X.tolist() == [[1, -2], [3, 4], [5, 6]]
    assert bags.bag.tolist() == [0, 1, 1]
    assert bags.labels.astype(int).tolist() == [[0, 1], [1, 0]]
    assert bags.class_names == ("non-musk", "musk")
    assert y.tolist() == [-1, -1, -1]


@pytest.mark.parametrize(
    ("bag", "classes", "message"),
    [
        ([1, 2], [1, 0], r"Bag2\.mat: bags of 2 instances, but X\.mat has 3"),
        ([0, 1, 2], [1, 0], r"Bag2\.mat: the bags are not numbered 1 to 2"),
        ([1, 1.5, 2], [1, 0], r"Bag2\.mat: the bags are not numbered 1 to 2"),
        ([1, np.nan, 2], [1, 0], r"Bag2\.mat: the array Bag2 holds values that are not finite"),
        ([1, 1, 3], [1, 0, 1], r"Bag2\.mat: the bags are not numbered 1 to 3"),
        ([1, 2, 2], [1, 2], r"BagI\.mat: the classes are not all 0 or 1"),
    ],
)
def test_arrays_that_do_not_fit_are_named(
    tmp_path: Path, bag: list[float], classes: list[int], message: str
) -> None:
    save(tmp_path, [[1, -2], [3, 4], [5, 6]], bag, classes)
    with pytest.raises(DatasetError, match=message):
        musk.build_musk2(tmp_path)
