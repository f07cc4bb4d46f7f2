"""Raw files that lie gzipped in the data folder: what they hold is what counts."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.io

from birdmodes.errors import DatasetError
from birdmodes.experiments.datasets import DatasetInfo, RawFile, fetch_dataset
from birdmodes.experiments.datasets.readers.raw import mat_array, read_lines, read_mat
from birdmodes.experiments.datasets.store import has_files, obtain_files

CONTENT = b"published\n"
FILE = RawFile(
    "someone/things", "c0ffee", "data/one.txt", "small/one.txt", hashlib.sha256(CONTENT).hexdigest()
)
INFO = DatasetInfo("small", "one file", 1, 1, 1, 1, 1, "", "", "", "", (FILE,))


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    path = tmp_path / "data" / FILE.local
    path.parent.mkdir(parents=True)
    return path


@pytest.fixture
def zipped(plain: Path) -> Path:
    return plain.with_name("one.txt.gz")


def publish(server: Any) -> None:
    path = server.folder / "someone/things/c0ffee/data/one.txt"
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)


def test_a_gzipped_file_counts_by_what_it_holds(file_server: Any, zipped: Path) -> None:
    folder = zipped.parents[1]
    assert not has_files(INFO, folder)
    zipped.write_bytes(gzip.compress(CONTENT))
    assert has_files(INFO, folder)
    assert obtain_files(INFO, folder) == folder
    fetch_dataset(INFO, folder)
    assert file_server.asked == []


@pytest.mark.parametrize(
    "content",
    [
        gzip.compress(b"something else\n"),
        gzip.compress(CONTENT)[:-9],
        gzip.compress(CONTENT)[:12] + b"\xff" * 20,
        CONTENT,
        b"",
    ],
    ids=["other", "cut off", "damaged", "not gzipped", "empty"],
)
def test_a_gzipped_file_that_is_not_the_published_one_is_fetched_plain(
    file_server: Any, plain: Path, zipped: Path, content: bytes
) -> None:
    publish(file_server)
    folder = zipped.parents[1]
    zipped.write_bytes(content)
    with pytest.raises(DatasetError, match=r"one\.txt\.gz: not the published file .*fetch") as told:
        obtain_files(INFO, folder)
    assert "\n" not in str(told.value)
    fetch_dataset(INFO, folder)
    assert plain.read_bytes() == CONTENT
    assert obtain_files(INFO, folder) == folder


def test_where_both_are_there_the_plain_file_is_the_one(
    file_server: Any, plain: Path, zipped: Path
) -> None:
    publish(file_server)
    folder = zipped.parents[1]
    zipped.write_bytes(gzip.compress(CONTENT))
    plain.write_bytes(b"damaged")
    with pytest.raises(DatasetError, match=r"one\.txt: not the published file"):
        obtain_files(INFO, folder)
    fetch_dataset(INFO, folder)
    assert list(read_lines(plain)) == [(1, "published")]
    assert obtain_files(INFO, folder) == folder


def test_lines_and_arrays_are_read_from_gzipped_files(tmp_path: Path) -> None:
    scipy.io.savemat(tmp_path / "X.mat", {"X": np.arange(4)})
    (tmp_path / "X.mat.gz").write_bytes(gzip.compress((tmp_path / "X.mat").read_bytes()))
    (tmp_path / "X.mat").unlink()
    assert mat_array(tmp_path / "X.mat", "X").tolist() == [[0, 1, 2, 3]]
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"one\r\n\r\n two \n"))
    assert list(read_lines(tmp_path / "a.txt")) == [(1, "one"), (3, "two")]


@pytest.mark.parametrize("name", ["a.mat", "a.mat.gz"])
def test_files_that_cannot_be_read_are_named(tmp_path: Path, name: str) -> None:
    for read in (read_mat, lambda path: list(read_lines(path))):
        with pytest.raises(DatasetError, match=r"a\.mat: cannot be read \(No such file"):
            read(tmp_path / "a.mat")
    (tmp_path / name).write_bytes(b"\x1f\x8b\x00 no such thing")
    for read in (read_mat, lambda path: list(read_lines(path))):
        with pytest.raises(DatasetError, match=r"a\.mat.*: (damaged|not a)") as told:
            read(tmp_path / "a.mat")
        assert "\n" not in str(told.value)


def test_an_array_that_is_not_there_is_named(tmp_path: Path) -> None:
    scipy.io.savemat(tmp_path / "X.mat", {"Y": np.arange(4), "text": "X"})
    with pytest.raises(DatasetError, match=r"X\.mat: no array of numbers X \(found: Y, text\)"):
        mat_array(tmp_path / "X.mat", "X")
    with pytest.raises(DatasetError, match="no array of numbers text"):
        mat_array(tmp_path / "X.mat", "text")
