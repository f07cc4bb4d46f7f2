"""Cells that Arrow writes are those that Python writes."""

from __future__ import annotations

import csv
import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from birdmodes.io import cells

NUMBERS = st.lists(
    st.floats()
    | st.floats(0, 1e6).map(lambda number: round(number, 6))
    | st.integers(0, 10**12).map(lambda number: number / 2**9)
    | st.integers(-(10**6), 10**9).map(float),
    max_size=30,
)


@given(NUMBERS)
@example([0.0, -0.0, 1.0, 1e-4, 9.9e-5, 9999999999.5, 1e10, 1e16, float("inf"), float("nan")])
def test_the_shortest_words_for_numbers_are_those_of_python(numbers: list[float]) -> None:
    words = cells.shortest(np.array(numbers)).to_pylist()
    assert words == [repr(number) if number == number else None for number in numbers]


@pytest.mark.parametrize("decimals", [0, 3, 6])
@given(numbers=NUMBERS)
@example(numbers=[0.5, 1.5, 0.0078125, 0.0234375, 2.675, 1.0000005, -1e-9, 1e22, float("nan")])
def test_numbers_are_rounded_as_python_rounds_them(decimals: int, numbers: list[float]) -> None:
    words = cells.fixed(np.array(numbers), decimals).to_pylist()
    assert words == [f"{number:.{decimals}f}" for number in numbers]


@given(
    st.lists(st.tuples(*[st.text(st.sampled_from('aé,"\n ;'), max_size=4)] * 2), max_size=9),
    st.booleans(),
)
def test_lines_are_those_of_the_csv_module(rows: list[tuple[str, str]], whole: bool) -> None:
    columns = [pd.Series([row[column] for row in rows], dtype="str") for column in (0, 1)]
    texts = [cells.texts(columns[0]), cells.texts(columns[1].astype("category"))]
    lines = cells.lines([cells.quoted(text, all_of_them=whole) for text in texts], ",")
    file = io.StringIO()
    quoting = csv.QUOTE_ALL if whole else csv.QUOTE_MINIMAL
    csv.writer(file, lineterminator="\n", quoting=quoting).writerows(rows)
    assert cells.content(lines)[0].decode() == file.getvalue()


def test_the_bytes_of_texts_are_found_also_in_a_part_of_them() -> None:
    utf8, starts = cells.content(pa.array(["no", "é", "", "bc", "no"]).slice(1, 3))
    assert utf8 == "ébc".encode()
    assert starts.tolist() == [0, 2, 2, 4]


def test_what_is_no_text_is_refused() -> None:
    for column in (pd.Series([1, 2]), pd.Series(["a", 1], dtype=object)):
        with pytest.raises((pa.ArrowException, TypeError)):
            cells.texts(column)


@given(st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"])), max_size=9))
def test_texts_are_given_to_arrow_as_they_are(texts: list[str | None]) -> None:
    found = cells.from_texts(texts)
    found.validate(full=True)
    assert found.to_pylist() == texts


@given(NUMBERS, st.integers(0, 3))
def test_numbers_come_back_from_arrow_as_they_are(numbers: list[float], first: int) -> None:
    found = cells.from_numpy(np.array(numbers, dtype=np.float64))[first:]
    assert cells.to_numpy(found).tobytes() == np.array(numbers[first:], np.float64).tobytes()
    missing = pa.array([None if number != number else number for number in numbers], pa.float64())
    np.testing.assert_array_equal(cells.numbers_of(missing), np.array(numbers, dtype=np.float64))


def test_cells_of_the_same_rows_are_joined_once_and_right() -> None:
    indices = cells.from_numpy(np.array([1, 0, 1], dtype=np.int32))
    same = [cells.coded(indices, cells.from_texts(texts)) for texts in (["a", "b"], ["c", "d"])]
    other = cells.coded(
        cells.from_numpy(np.array([0, 0, 1], dtype=np.int32)), cells.from_texts(["e", "f"])
    )
    lines = cells.lines([*same, other, *same[::-1]], ",")
    assert lines.to_pylist() == ["b,d,e,d,b\n", "a,c,e,c,a\n", "b,d,f,d,b\n"]
    lines = cells.lines([column[1:] for column in same] + [other[:2]], ",")  # of other rows
    assert lines.to_pylist() == ["a,c,e\n", "b,d,e\n"]


def test_of_numbers_that_are_often_the_same_none_is_taken_for_another() -> None:
    numbers = np.tile([0.0, -0.0, np.nan, 1e-7, 2.5], 500)
    assert cells.shortest(numbers).to_pylist()[:5] == ["0.0", "-0.0", None, "1e-07", "2.5"]
    assert cells.rounded(numbers, 1).to_pylist()[3:5] == [0.0, 2.5]
