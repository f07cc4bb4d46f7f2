from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms import Bags
from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets import MIMLDataset, read_bags, write_bags

ARRAYS = {
    "X": [[0.5, 1.0], [2.0, 3.0], [4.0, 5.0]],
    "bag": [0, 2, 2],
    "bag_labels": [[1, 0], [0, 0], [1, 1]],
}


def save(path: Path, **changes: Any) -> Path:
    arrays = {name: value for name, value in {**ARRAYS, **changes}.items() if value is not None}
    np.savez(path, **arrays)
    return path


def write_pair(folder: Path, instances: str, bags: str) -> Path:
    (folder / "instances.csv").write_text(instances, encoding="utf-8")
    (folder / "bags.csv").write_text(bags, encoding="utf-8")
    return folder


def test_the_smallest_npz_has_three_arrays(tmp_path: Path) -> None:
    dataset = read_bags(save(tmp_path / "mine.npz", notes=np.array(["passed over"])))
    assert dataset.name == "mine"
    assert dataset.bags.labels.tolist() == [[True, False], [False, False], [True, True]]
    assert dataset.bags.labelled.all()
    assert dataset.y.tolist() == [-1, -1, -1]
    assert dataset.bags.class_names == ("0", "1")


def test_an_npz_may_say_more(tmp_path: Path) -> None:
    path = save(
        tmp_path / "mine.npz", labelled=[1, 0, 1], y=[0, -1, 1], class_names=["WIWR", "BRCR"]
    )
    dataset = read_bags(str(path))
    assert dataset.bags.labelled.tolist() == [True, False, True]
    assert dataset.y.tolist() == [0, -1, 1]
    assert dataset.bags.class_names == ("WIWR", "BRCR")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bag": None, "bag_labels": None}, r"no array bag and no array bag_labels \(found: X\)"),
        ({"X": np.array([[1, "a"]], dtype=object)}, "array X holds Python objects"),
        ({"class_names": np.array(["a", "b"], dtype=object)}, "array class_names holds Python"),
        ({"class_names": [1, 2]}, "class_names must be a list of texts"),
        ({"class_names": ["a", "a"]}, "class name 'a' occurs twice"),
        ({"bag": [0, 3, 2]}, "instance 1 is in bag 3, outside the bags"),
        ({"bag": [0.0, 2.0, 2.0]}, "bag must be a list of whole numbers"),
        ({"bag_labels": [[1, 0], [0, 0], [1, 2]]}, "must hold True and False"),
        ({"X": [[0.5, 1.0], [2.0, np.nan], [4.0, 5.0]]}, "nan in row 1, column 1"),
        ({"labelled": [0, 0, 1]}, "bag 0 is marked as unlabelled but has labels"),
        ({"y": [0, 1]}, "y must be a whole number for each of the 3 instances"),
        ({"y": [0.0, 1.0, 1.0]}, "y must be a whole number"),
        ({"y": [0, 2, 1]}, "instance 1 has class 2 in y, outside 0 to 1"),
        ({"y": [0, 0, -2]}, "instance 2 has class -2 in y"),
    ],
)
def test_arrays_that_do_not_fit_are_named(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    path = save(tmp_path / "mine.npz", **changes)
    with pytest.raises(DatasetError, match=message) as caught:
        read_bags(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_files_that_are_no_npz_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"missing\.npz: cannot be read \(No such file"):
        read_bags(tmp_path / "missing.npz")
    with pytest.raises(DatasetError, match=r"give an \.npz file, a CSV table"):
        read_bags(tmp_path / "mine.mat")
    text = tmp_path / "text.npz"
    text.write_text("bag,x")
    with pytest.raises(DatasetError, match=r"not an \.npz file"):
        read_bags(text)
    whole = io.BytesIO()
    np.savez(whole, **ARRAYS)
    damaged = bytearray(whole.getvalue())
    damaged[150] ^= 0xFF
    (tmp_path / "damaged.npz").write_bytes(damaged)
    with pytest.raises(DatasetError, match=r"damaged\.npz: damaged"):
        read_bags(tmp_path / "damaged.npz")


@st.composite
def datasets(draw: st.DrawFn) -> MIMLDataset:
    n_bags, n_classes = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    n = draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labelled = rng.random(n_bags) < 0.7
    labels = (rng.random((n_bags, n_classes)) < 0.5) & labelled[:, None]
    names = draw(st.lists(st.text(min_size=1), min_size=n_classes, max_size=n_classes, unique=True))
    names = [name.rstrip("\0") + str(c) for c, name in enumerate(names)]
    X = rng.standard_normal((n, 3))
    bags = Bags(X, rng.integers(n_bags, size=n), labels, labelled, names)
    return MIMLDataset("mine", bags, rng.integers(-1, n_classes, size=n))


@given(dataset=datasets())
def test_what_is_written_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, dataset: MIMLDataset
) -> None:
    path = tmp_path_factory.getbasetemp() / "mine.npz"
    write_bags(dataset, path)
    again = read_bags(path)
    for name in ("X", "bag", "labels", "labelled"):
        np.testing.assert_array_equal(getattr(again.bags, name), getattr(dataset.bags, name))
    assert again.bags.class_names == dataset.bags.class_names
    np.testing.assert_array_equal(again.y, dataset.y)
    assert again.name == dataset.name


def test_bags_are_written_to_npz_only(tmp_path: Path) -> None:
    dataset = read_bags(save(tmp_path / "mine.npz"))
    with pytest.raises(DatasetError, match=r"must end in \.npz"):
        write_bags(dataset, tmp_path / "mine.csv")


def test_a_csv_pair_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "field"
    folder.mkdir()
    write_pair(
        folder,
        "Bag,class,length,pitch\nrec-1,wren,0.5,1e3\nrec-3,,2,3\nrec-1,creeper,4,5\nrec-9,,6,7\n",
        "bag,labels,remarks\nrec-2,,quiet\nrec-1, wren; creeper ,\nrec-3,owl,\nrec-3,wren,\n",
    )
    for path in (folder, folder / "instances.csv"):
        dataset = read_bags(path)
        bags = dataset.bags
        assert dataset.name == "field"
        assert bags.class_names == ("creeper", "owl", "wren")
        assert bags.X.tolist() == [[0.5, 1000], [2, 3], [4, 5], [6, 7]]
        # rec-2, which holds no class and no instance; rec-1; rec-3; rec-9, which is unlabelled
        assert bags.bag.tolist() == [1, 2, 1, 3]
        assert bags.labels.astype(int).tolist() == [[0, 0, 0], [1, 0, 1], [0, 1, 1], [0, 0, 0]]
        assert bags.labelled.tolist() == [True, True, True, False]
        assert dataset.y.tolist() == [2, -1, 0, -1]


def test_the_second_table_is_found_by_name(tmp_path: Path) -> None:
    (tmp_path / "may-instances.csv").write_text("bag,x\na,1\n")
    (tmp_path / "may-bags.csv").write_text("bag,labels\na,wren\n")
    assert read_bags(tmp_path / "may-instances.csv").bags.class_names == ("wren",)
    (tmp_path / "features.csv").write_text("bag,x\na,1\n")
    with pytest.raises(
        DatasetError, match=r"[^-]bags\.csv: cannot be read .*in features\.csv there"
    ):
        read_bags(tmp_path / "features.csv")


INSTANCES, BAGS = "bag,x\na,1\n", "bag,labels\na,wren\n"


@pytest.mark.parametrize(
    ("instances", "bags", "message"),
    [
        ("", BAGS, r"instances\.csv: no column bag \(found: nothing\)"),
        ("recording,x\na,1\n", BAGS, r"no column bag \(found: recording, x\)"),
        ("bag:x\na:1\n", BAGS, r"no column bag \(found: bag:x\).*separated by commas"),
        ("bag,class\na,wren\n", BAGS, "no features"),
        (",bag,x\n0,a,1\n", BAGS, "column 1 has no name; give it one, or leave the column out"),
        ("bag,x,X\na,1,2\n", BAGS, "two columns are called 'x'"),
        ("bag,x\n", BAGS, "no instances"),
        ("bag,x\na,1\n,2\n", BAGS, "line 3: no bag in this row"),
        ("bag,x\na,1\nb,two\n", BAGS, "line 3: 'x' is 'two', which is not a number"),
        ("bag,class,x\na,p;q,1\n", BAGS, "line 2: 'p;q' are several classes"),
        ("bag,x\na,\n", BAGS, "line 2: 'x' is empty"),
        ("bag,x\na,inf\n", BAGS, "line 2: 'x' is 'inf', which is not a number"),
        ('bag,x\na,"1,5 m"\n', BAGS, "'1,5 m', which is not a number.*written like 0.25"),
        ("bag,x\na,1,2\n", BAGS, "line 2: more cells than columns"),
        (INSTANCES, "bag,species\na,wren\n", r"bags\.csv: no column labels"),
        (INSTANCES, "bag,labels\n,wren\n", r"bags\.csv, line 2: no bag in this row"),
        (INSTANCES, "bag,labels\na,wren\na,\n", "line 3: bag 'a' has labels in one row and none"),
    ],
)
def test_tables_that_cannot_be_understood_say_where(
    tmp_path: Path, instances: str, bags: str, message: str
) -> None:
    with pytest.raises(DatasetError, match=message) as caught:
        read_bags(write_pair(tmp_path, instances, bags))
    assert "\n" not in str(caught.value)


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"instances\.csv: cannot be read"):
        read_bags(tmp_path)


def test_figures_count_labelled_bags_only(tmp_path: Path) -> None:
    dataset = read_bags(
        write_pair(tmp_path, "bag,x\na,1\na,2\nb,3\nc,4\n", "bag,labels\na,p;q\nb,p\n")
    )
    assert dataset.single_label_bags == 1
    assert dataset.labels_per_bag == pytest.approx(1.5)
    assert dataset.instances_per_bag == pytest.approx(4 / 3)
