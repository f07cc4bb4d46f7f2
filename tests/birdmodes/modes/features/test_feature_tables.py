"""``table:FILE``: what is read, how rows find their syllables, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from birdmodes.errors import FeatureError
from birdmodes.modes.features.embeddings import rows_of_syllables
from birdmodes.modes.features.table_files import Stretches, read_feature_table

SYLLABLES = pd.DataFrame(
    {
        "syllable": ["a.wav#00000", "a.wav#00001", "sub/b.wav#00000"],
        "recording": ["a.wav", "a.wav", "sub/b.wav"],
        "start_s": [0.5, 2.5, 4.0],
        "end_s": [1.0, 3.5, 4.5],
    }
)
BY_NAME = pd.DataFrame(
    {"Syllable": SYLLABLES["syllable"][::-1], "one": [3.0, 2.0, 1.0], "two": [30, 20, 10]}
)
BY_TIME = pd.DataFrame(
    {
        "file": ["/data/a.wav", "/data/a.wav", "C:\\data\\sub\\b.wav", "c.wav"],
        "start_time": [0.0, 3.0, 3.0, 0.0],
        "end_time": [3.0, 6.0, 6.0, 3.0],
        "0": [1.0, 2.0, 3.0, 9.0],
    }
)


def write(frame: pd.DataFrame, path: Path, *, index: bool = False) -> Path:
    if path.suffix == ".parquet":
        frame.to_parquet(path, index=index)
    else:
        frame.to_csv(path, index=index)
    return path


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.CSV"])
def test_rows_by_syllable(tmp_path: Path, name: str) -> None:
    path = write(BY_NAME, tmp_path / name)
    table = read_feature_table(path)
    assert table.columns == ["one", "two"]
    found = rows_of_syllables(table, SYLLABLES, path)
    np.testing.assert_array_equal(found, [[1, 10], [2, 20], [3, 30]])


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_rows_by_time_are_weighted_by_overlap(tmp_path: Path, name: str) -> None:
    path = write(BY_TIME, tmp_path / name)
    table = read_feature_table(path)
    assert isinstance(table.about, Stretches)
    # the second syllable lies half in each of two windows
    np.testing.assert_allclose(rows_of_syllables(table, SYLLABLES, path), [[1], [1.5], [3]])


def test_what_tells_the_rows_may_be_the_index(tmp_path: Path) -> None:
    indexed = BY_TIME.set_index(["file", "start_time", "end_time"])
    path = write(indexed, tmp_path / "t.parquet", index=True)
    table = read_feature_table(path)
    assert table.columns == ["0"]
    np.testing.assert_allclose(rows_of_syllables(table, SYLLABLES, path)[:, 0], [1, 1.5, 3])


def test_arrays_of_numpy(tmp_path: Path) -> None:
    path = tmp_path / "t.npz"
    rows = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    np.savez(path, embeddings=rows, syllable=SYLLABLES["syllable"].to_numpy(dtype=str))
    table = read_feature_table(path)
    assert table.columns == ["0001", "0002"]
    np.testing.assert_array_equal(rows_of_syllables(table, SYLLABLES, path), rows)


def test_a_numbering_that_pandas_has_written_is_no_feature(tmp_path: Path) -> None:
    path = write(BY_NAME, tmp_path / "t.csv", index=True)
    assert read_feature_table(path).columns == ["one", "two"]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (BY_NAME[["one"]], "whose rows these are is not told: there must be a column 'syllable'"),
        (BY_TIME[["file", "0"]], "or columns 'recording', 'start_s' and 'end_s'"),
        (BY_NAME[["Syllable"]], "no features in it"),
        (BY_NAME[:0], "no features in it"),
        (BY_NAME.assign(note="x"), "column 'note' is not of numbers; leave it out"),
        (BY_NAME.assign(one=[1.0, np.nan, 2.0]), "row 2: column 'one' has no finite number"),
        (BY_NAME.assign(one=[1.0, 1.0, np.inf]), "row 3: column 'one' has no finite number"),
        (BY_NAME.assign(syllable="x"), "columns Syllable and syllable mean the same; leave one"),
        (BY_TIME.assign(end_time=[3.0, 2.0, 6.0, 3.0]), "row 2: ends at 2 s, before it begins"),
    ],
)
def test_tables_that_cannot_be_used_are_refused_in_one_line(
    tmp_path: Path, frame: pd.DataFrame, message: str
) -> None:
    path = write(frame, tmp_path / "t.csv")
    with pytest.raises(FeatureError) as caught:
        read_feature_table(path)
    assert message in str(caught.value)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["none.csv", "none.parquet", "none.npz"])
def test_a_file_that_is_not_there_or_not_a_table(tmp_path: Path, name: str) -> None:
    for content in (None, b"", b"\x00\x01\xff\xfe garbage \x80"):
        if content is not None:
            (tmp_path / name).write_bytes(content)
        with pytest.raises(FeatureError, match="none"):
            read_feature_table(tmp_path / name)


def test_arrays_that_do_not_fit_each_other(tmp_path: Path) -> None:
    path = tmp_path / "t.npz"
    np.savez(path, a=np.zeros((2, 2)), b=np.zeros((2, 2)))
    with pytest.raises(FeatureError, match="2 arrays of rows and columns"):
        read_feature_table(path)
    np.savez(path, a=np.zeros((2, 2)), syllable=np.array(["x"]))
    with pytest.raises(FeatureError, match="syllable: not as many entries as a has rows"):
        read_feature_table(path)
    np.savez(path, a=np.zeros((1, 2)), syllable=np.array(["x"], dtype=object))
    with pytest.raises(FeatureError, match="cannot be read"):
        read_feature_table(path)


def test_every_syllable_must_have_one_row(tmp_path: Path) -> None:
    path = write(BY_NAME[1:], tmp_path / "t.csv")
    with pytest.raises(FeatureError, match=r"no row for 1 of 3 syllables .*sub/b\.wav#00000"):
        rows_of_syllables(read_feature_table(path), SYLLABLES, path)
    path = write(pd.concat([BY_NAME, BY_NAME]), path)
    with pytest.raises(FeatureError, match=r"more than one row for sub/b\.wav#00000"):
        rows_of_syllables(read_feature_table(path), SYLLABLES, path)
    path = write(BY_TIME[1:], path)
    with pytest.raises(FeatureError, match=r"no row for 1 of 3 syllables .*a\.wav#00000"):
        rows_of_syllables(read_feature_table(path), SYLLABLES, path)


def test_a_name_that_may_be_two_recordings_is_refused(tmp_path: Path) -> None:
    twice = SYLLABLES.assign(recording=["x/a.wav", "x/a.wav", "y/a.wav"])
    path = write(BY_TIME.assign(file="a.wav"), tmp_path / "t.csv")
    with pytest.raises(FeatureError, match="may be any of 2 recordings"):
        rows_of_syllables(read_feature_table(path), twice, path)
