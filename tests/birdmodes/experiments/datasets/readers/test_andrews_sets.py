"""Corel's animals and SIVAL, from small files in Andrews' form."""

from __future__ import annotations

from pathlib import Path

import pytest

from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets.readers import andrews_text
from birdmodes.experiments.datasets.readers.andrews_text import read_andrews_text


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_features_left_out_are_zero(tmp_path: Path) -> None:
    text = "3 3\n0:7:1  1:0.5\t2:1e-3 3:-2 \r\n1:7:1 2:4\n\n2:9:-1\n"
    X, bag, label = read_andrews_text(write(tmp_path / "a.data", text))
    assert X.tolist() == [[0.5, 0.001, -2], [0, 4, 0], [0, 0, 0]]
    assert bag.tolist() == [7, 7, 9]
    assert label.tolist() == [1, 1, -1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: '' is not the number of instances and of features"),
        ("2\n", "line 1: '2' is not the number of instances"),
        ("2 0\n", "line 1: '2 0' is not the number"),
        ("0:1:1 1:2\n", "line 1: '0:1:1' is not a whole number"),
        ("2 2\n0:1:1 1:2\n", "1 instances, not 2 as the first line says"),
        ("1 2\n0:1:1 1:2\n1:1:1 1:2\n", "2 instances, not 1"),
        ("1 2\n0:1 1:2\n", "line 2: '0:1' is not 0:bag:label"),
        ("1 2\n0:1:1:1 1:2\n", "line 2: '0:1:1:1' is not 0:bag:label"),
        ("1 2\n0:-1:1 1:2\n", "line 2: '0:-1:1' is not 0:bag:label"),
        ("1 2\n0:1.5:1 1:2\n", "line 2: '0:1.5:1' is not 0:bag:label"),
        ("2 2\n0:1:1 1:2\n2:1:1 1:2\n", "line 3: '2:1:1' is not 1:bag:label"),
        ("1 2\n0:1:1 1:2:3 2:4\n", "line 2: '1:2:3' is not index:value"),
        ("1 2\n0:1:1 1 2:4\n", "line 2: '1' is not index:value"),
        ("1 2\n0:1:1 1,5:2\n", "line 2: '1,5:2' is not index:value"),
        ("1 2\n0:1:1 1:two\n", "line 2: 'two' is not a number"),
        ("1 2\n0:1:1 1:1_0\n", "line 2: '1_0' is not a number"),
        ("1 2\n0:1:1 1:nan\n", "line 2: 'nan' is not a number"),
        ("1 2\n0:1:1 1:1e999\n", "line 2: '1e999' is not a number"),
        ("1 2\n0:1:1 1:\n", "line 2: '1:' is not index:value"),
        ("1 2\n0:1:1 9876543210:1\n", "line 2: '9876543210:1' is not index:value"),
        ("1 2\n0:9876543210:1 1:1\n", "line 2: '0:9876543210:1' is not 0:bag:label"),
        ("1 2\n0:1:1 0:1\n", "line 2: the indices of the features do not rise within 1 to 2"),
        ("1 2\n0:1:1 3:1\n", "line 2: the indices of the features do not rise"),
        ("1 2\n0:1:1 2:1 1:1\n", "line 2: the indices of the features do not rise"),
        ("1 2\n0:1:1 1:1 1:1\n", "line 2: the indices of the features do not rise"),
        ("2 2\n0:1:1 1:2\n1:1:-1 1:2\n", "bag 1 has labels 1 and -1"),
        ("\0", "not a text file"),
    ],
)
def test_what_cannot_be_understood_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = write(tmp_path / "a.data", text)
    with pytest.raises(DatasetError, match=message) as told:
        read_andrews_text(path)
    assert str(told.value).startswith(str(path))
    assert "\n" not in str(told.value)


def test_the_positive_bags_of_the_three_files_become_three_classes(tmp_path: Path) -> None:
    place = tmp_path / "corel-eft"
    write(place / "elephant.data", "3 2\n0:4:-1 1:9\n1:6:1 1:1\n2:8:1 1:2\n")
    write(place / "fox.data", "2 2\n0:0:1 1:3\n1:1:-1 1:9\n")
    write(place / "tiger.data", "2 2\n0:5:1 1:4\n1:5:1 2:5\n")
    bags, y = andrews_text.build_corel_eft(tmp_path)
    assert bags.class_names == ("elephant", "fox", "tiger")
    assert bags.X.tolist() == [[1, 0], [2, 0], [3, 0], [4, 0], [0, 5]]
    assert bags.bag.tolist() == [0, 1, 2, 3, 3]
    assert bags.labels.astype(int).tolist() == [[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert y.tolist() == [-1] * 5


def test_corel_files_that_do_not_belong_together_are_refused(tmp_path: Path) -> None:
    place = tmp_path / "corel-eft"
    write(place / "elephant.data", "1 2\n0:0:1 1:3\n")
    write(place / "fox.data", "1 3\n0:0:1 1:3\n")
    write(place / "tiger.data", "1 2\n0:0:-1 1:3\n")
    with pytest.raises(DatasetError, match=r"tiger\.data: no bag with label 1"):
        andrews_text.build_corel_eft(tmp_path)
    write(place / "tiger.data", "1 2\n0:0:1 1:3\n")
    with pytest.raises(DatasetError, match="the files differ in the number of features"):
        andrews_text.build_corel_eft(tmp_path)


def test_sival_objects_are_told_by_the_numbers_of_the_bags(tmp_path: Path) -> None:
    # 60 bags of each object: 1 to 60 the first, 61 to 120 the second, ... 1441 to 1500 the last.
    text = "5 1\n0:61:0 1:3\n1:61:2 1:4\n2:60:0 1:2\n3:1500:25 1:5\n4:1:1 1:1\n"
    path = write(tmp_path / "sival/sival.data", text.replace("0:61:0", "0:61:2"))
    bags, y = andrews_text.build_sival(path)
    assert bags.class_names == ("ajaxorange", "apple", "woodrollingpin")
    assert bags.X.ravel().tolist() == [1, 2, 3, 4, 5]
    assert bags.bag.tolist() == [0, 1, 2, 2, 3]
    assert bags.labels.argmax(axis=1).tolist() == [0, 0, 1, 2]
    assert y.tolist() == [-1] * 5
    path.write_text(text)
    with pytest.raises(DatasetError, match="bag 61 has labels 0 and 2"):
        andrews_text.build_sival(path)


@pytest.mark.parametrize(
    ("bag", "message"),
    [
        ("0:0", "bag 0 is not one of 1 to 1500"),
        ("1501:0", "bag 1501 is not one of 1 to 1500"),
        ("61:3", "bag 61 has label 3, but by its number it shows object 2"),
    ],
)
def test_sival_bags_that_contradict_their_labels_are_refused(
    tmp_path: Path, bag: str, message: str
) -> None:
    path = write(tmp_path / "sival/sival.data", f"1 1\n0:{bag} 1:1\n")
    with pytest.raises(DatasetError, match=message):
        andrews_text.build_sival(path)


def test_the_objects_are_in_the_order_of_the_alphabet() -> None:
    assert list(andrews_text.OBJECTS) == sorted(set(andrews_text.OBJECTS))
    assert len(andrews_text.OBJECTS) == 25
