"""Reading truth tables and matching syllables with them."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from birdmodes.errors import TruthError
from birdmodes.evaluation.truth import COLUMNS, Match, match_syllables, read_truth

HEADER = "recording,start_s,end_s,low_hz,high_hz,species,mode\n"
BOX = ["recording", "start_s", "end_s", "low_hz", "high_hz"]

A_WHISTLE = ("a.wav", 1.0, 2.0, 1000.0, 2000.0, "Wren", "whistle")
A_TRILL = [("a.wav", t, t + 0.1, 4000.0, 5000.0, "Robin", "trill") for t in (3.0, 3.2, 3.4)]


def truth_of(*rows: tuple[str, float, float, float, float, str, str]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=list(COLUMNS))


def syllables_of(*rows: tuple[str, float, float, float, float]) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=BOX)


def write(tmp_path: Path, text: str, encoding: str = "utf-8") -> Path:
    path = tmp_path / "truth.csv"
    path.write_bytes(text.encode(encoding))
    return path


# Reading


def test_a_truth_table_is_read_with_numbers_and_line_numbers(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER + "a.wav,0.5,1.25,2000,3000.5,Wren,song\n")
    truth = read_truth(path)
    assert list(truth.columns) == [*COLUMNS, "line"]
    assert truth.iloc[0].tolist() == ["a.wav", 0.5, 1.25, 2000.0, 3000.5, "Wren", "song", 2]


def test_empty_frequencies_mean_that_only_times_are_known(tmp_path: Path) -> None:
    truth = read_truth(write(tmp_path, HEADER + "a.wav,0,1,,,Wren,song\n"))
    assert math.isnan(truth["low_hz"][0])
    assert math.isnan(truth["high_hz"][0])


def test_columns_may_come_in_any_order_and_others_are_ignored(tmp_path: Path) -> None:
    text = "Mode, species,note,high_hz,low_hz,end_s,start_s,recording\nsong,Wren,!,2,1,4,3,a.wav\n"
    truth = read_truth(write(tmp_path, text))
    assert truth.iloc[0].tolist() == ["a.wav", 3.0, 4.0, 1.0, 2.0, "Wren", "song", 2]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252"])
def test_files_saved_by_spreadsheets_are_read(tmp_path: Path, encoding: str) -> None:
    text = (HEADER + "é.wav,0,1,,,Mésange,\n,,,,,,\n").replace("\n", "\r\n")
    truth = read_truth(write(tmp_path, text, encoding))
    assert truth["recording"].tolist() == ["é.wav"]
    assert truth["species"].tolist() == ["Mésange"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no column recording"),
        ("recording,begin,end_s\n", r"no column start_s.*found: recording, begin, end_s"),
        (HEADER.replace(",", ":"), "no column recording"),
        (HEADER, "no rows"),
        (
            HEADER + "a.wav,0,1,,,W,s\na.wav,x,1,,,W,s\n",
            "line 3: 'start_s' is 'x', which is not a number",
        ),
        (HEADER + 'a.wav,0.5,"1,5",,,W,s\n', "line 2: 'end_s' is '1,5'; .*points .* commas"),
        (HEADER + "a.wav,0,nan,,,W,s\n", "line 2: 'end_s' is '[a-z]+', which is not a number"),
        (HEADER + "a.wav,0,inf,,,W,s\n", "line 2: 'end_s' is '[a-z]+', which is not a number"),
        (HEADER + "a.wav,,1,,,W,s\n", "line 2: 'start_s' is empty"),
        (HEADER + "a.wav,2,1,,,W,s\n", "line 2: start_s = 2 must be .* before end_s = 1"),
        (HEADER + "a.wav,-1,1,,,W,s\n", "line 2: start_s = -1 must be at least 0"),
        (HEADER + "a.wav,0,1,500,,W,s\n", "line 2: 'high_hz' is empty"),
        (HEADER + "a.wav,0,1,500,400,W,s\n", "line 2: low_hz = 500 must be .* below high_hz"),
        (HEADER + ",0,1,,,W,s\n", "line 2: no recording"),
        (HEADER + "a.wav,0,1,,,W,s,t\n", "line 2: more cells than columns"),
    ],
)
def test_a_wrong_table_is_refused_in_one_line_that_says_where(
    tmp_path: Path, text: str, told: str
) -> None:
    with pytest.raises(TruthError, match=told) as error:
        read_truth(write(tmp_path, text))
    assert "truth.csv" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_missing_file_is_told_by_name(tmp_path: Path) -> None:
    with pytest.raises(TruthError, match=r"nowhere\.csv: cannot be read"):
        read_truth(tmp_path / "nowhere.csv")


# Matching


def matched(truth: pd.DataFrame, *rows: tuple[str, float, float, float, float]) -> Match:
    return match_syllables(syllables_of(*rows), truth, ["a.wav"])


def test_a_syllable_matches_the_row_it_lies_on() -> None:
    truth = truth_of(A_WHISTLE, *A_TRILL)
    match = matched(
        truth, ("a.wav", 3.21, 3.31, 4100.0, 5100.0), ("a.wav", 1.1, 2.1, 1000.0, 2000.0)
    )
    assert match.truth_row.tolist() == [2, 0]
    assert match.found.tolist() == [True, False, True, False]
    assert match.recall == pytest.approx(2 / 4)
    assert match.precision == 1.0


def test_a_syllable_elsewhere_in_time_or_frequency_is_false() -> None:
    match = matched(
        truth_of(A_WHISTLE),
        ("a.wav", 2.0, 3.0, 1000.0, 2000.0),  # touches in time only
        ("a.wav", 1.0, 2.0, 2000.0, 3000.0),  # touches in frequency only
        ("a.wav", 1.51, 2.51, 1000.0, 2000.0),  # has 49 % in common
        ("a.wav", 1.5, 2.5, 1000.0, 2000.0),  # has 50 % in common
    )
    assert match.truth_row.tolist() == [-1, -1, -1, 0]
    assert match.precision == pytest.approx(1 / 4)


def test_fragments_match_and_find_their_syllable_together() -> None:
    # each has 0.3 s of its 1 s, and lies wholly in its box
    first, second = ("a.wav", 1.0, 1.3, 1200.0, 1400.0), ("a.wav", 1.5, 1.8, 1600.0, 1900.0)
    alone = matched(truth_of(A_WHISTLE), first)
    assert alone.truth_row.tolist() == [0]
    assert alone.found.tolist() == [False]
    assert matched(truth_of(A_WHISTLE), first, second).found.tolist() == [True]


def test_time_covered_twice_counts_once() -> None:
    # 0.4 s and 0.3 s, of which 0.22 s twice: 0.48 s of 1 s; a third inside the first adds nothing
    match = matched(
        truth_of(A_WHISTLE),
        ("a.wav", 1.18, 1.48, 1200.0, 1400.0),
        ("a.wav", 1.0, 1.4, 1600.0, 1900.0),
        ("a.wav", 1.1, 1.2, 1600.0, 1900.0),
    )
    assert match.truth_row.tolist() == [0, 0, 0]
    assert match.found.tolist() == [False]


def test_a_syllable_over_a_whole_trill_finds_every_note_and_matches_one() -> None:
    match = matched(truth_of(*A_TRILL), ("a.wav", 3.0, 3.5, 4000.0, 5000.0))
    assert match.truth_row.tolist() == [0]  # all have IoU 0.2: the first in time
    assert match.found.tolist() == [True, True, True]


def test_a_burst_of_noise_over_everything_matches_and_finds_nothing() -> None:
    # true syllables fill 1300 of 100 000 Hz s
    match = matched(truth_of(A_WHISTLE, *A_TRILL), ("a.wav", 0.0, 10.0, 0.0, 10_000.0))
    assert match.truth_row.tolist() == [-1]
    assert not match.found.any()


def test_a_fragment_under_two_boxes_goes_to_the_tighter_one() -> None:
    wide = ("a.wav", 1.0, 2.0, 0.0, 4000.0, "Robin", "buzz")
    match = matched(truth_of(wide, A_WHISTLE), ("a.wav", 1.4, 1.6, 1200.0, 1800.0))
    assert match.truth_row.tolist() == [1]


def test_a_truth_without_frequencies_is_compared_in_time_only() -> None:
    truth = truth_of(("a.wav", 1.0, 2.0, math.nan, math.nan, "Wren", "song"))
    match = matched(truth, ("a.wav", 1.2, 1.8, 100.0, 200.0), ("a.wav", 1.9, 2.5, 5000.0, 9000.0))
    assert match.truth_row.tolist() == [0, -1]
    assert match.found.tolist() == [True]


def test_recordings_without_a_syllable_count_as_missed() -> None:
    truth = truth_of(A_WHISTLE, ("b.wav", *A_WHISTLE[1:]))
    syllables = syllables_of(("a.wav", 1.0, 2.0, 1000.0, 2000.0))
    assert match_syllables(syllables, truth, ["a.wav", "b.wav"]).recall == 0.5


def test_a_syllable_never_matches_in_another_recording() -> None:
    truth = truth_of(A_WHISTLE, ("b.wav", 8.0, 9.0, 1000.0, 2000.0, "Wren", "whistle"))
    match = match_syllables(
        syllables_of(("b.wav", 1.0, 2.0, 1000.0, 2000.0)), truth, ["a.wav", "b.wav"]
    )
    assert match.truth_row.tolist() == [-1]
    assert match.recall == 0.0


def test_no_syllables_at_all_gives_no_precision_and_no_recall() -> None:
    match = match_syllables(syllables_of(), truth_of(A_WHISTLE), ["a.wav"])
    assert match.precision is None
    assert match.recall == 0.0


def test_rows_about_recordings_that_are_not_here_count_nowhere_and_are_told() -> None:
    truth = truth_of(A_WHISTLE, *(("gone.wav", *row[1:]) for row in A_TRILL))
    match = matched(truth, ("a.wav", 1.0, 2.0, 1000.0, 2000.0))
    assert match.known.tolist() == [True, False, False, False]
    assert match.recall == 1.0
    (warning,) = match.warnings
    assert "3 rows" in warning
    assert "gone.wav" in warning


def test_a_truth_about_none_of_the_recordings_is_refused() -> None:
    with pytest.raises(TruthError, match=r"^my\.csv: none of its 1 recordings.*'a\.wav'.*'b\.wav'"):
        match_syllables(syllables_of(), truth_of(A_WHISTLE), ["b.wav"], source="my.csv")


@pytest.mark.parametrize("written", ["day1/a.wav", "a.wav", "day1/a", "a", "day1\\a.WAV"])
def test_the_truth_may_name_a_recording_by_path_file_name_or_stem(written: str) -> None:
    syllables = syllables_of(("day1/a.wav", 1.0, 2.0, 1000.0, 2000.0))
    match = match_syllables(
        syllables, truth_of((written, *A_WHISTLE[1:])), ["day1/a.wav", "day2/b.wav"]
    )
    assert match.truth_row.tolist() == [0]


def test_a_name_that_fits_two_recordings_is_refused() -> None:
    with pytest.raises(TruthError, match=r"'a\.wav' fits 2 recordings.*write the path"):
        match_syllables(syllables_of(), truth_of(A_WHISTLE), ["day1/a.wav", "day2/a.wav"])


# Properties, against a plain reading of the rule


def _reference(syllables: pd.DataFrame, truth: pd.DataFrame) -> tuple[list[int], list[bool]]:
    """The documented rule, pair by pair, on integer boxes; ties go to the first row."""
    boxes = syllables[BOX].to_numpy().tolist()
    rows = truth[BOX].to_numpy().tolist()

    def area(box: list[float]) -> float:
        return (box[2] - box[1]) * (box[4] - box[3])

    def common(a: list[float], b: list[float]) -> float:
        if a[0] != b[0]:
            return 0.0
        in_s = min(a[2], b[2]) - max(a[1], b[1])
        in_hz = min(a[4], b[4]) - max(a[3], b[3])
        return max(in_s, 0.0) * max(in_hz, 0.0)

    agreeing = []
    for box in boxes:
        filled = sum(common(box, row) for row in rows) >= 0.1 * area(box)
        shares = [common(box, row) / min(area(box), area(row)) for row in rows]
        agreeing.append([j for j, share in enumerate(shares) if filled and share >= 0.5])
    best = []
    for box, candidates in zip(boxes, agreeing, strict=True):
        iou = {
            j: common(box, rows[j]) / (area(box) + area(rows[j]) - common(box, rows[j]))
            for j in candidates
        }
        best.append(max(iou, key=lambda j: (iou[j], -j)) if iou else -1)
    found = []
    for j, row in enumerate(rows):
        ticks = {
            tick
            for box, candidates in zip(boxes, agreeing, strict=True)
            if j in candidates
            for tick in range(int(max(box[1], row[1])), int(min(box[2], row[2])))
        }
        found.append(len(ticks) >= 0.5 * (row[2] - row[1]))
    return best, found


@st.composite
def boxes(draw: st.DrawFn, most: int) -> list[tuple[str, float, float, float, float]]:
    one = st.tuples(
        st.sampled_from(["a.wav", "b.wav"]),
        st.integers(0, 12),
        st.integers(1, 8),
        st.integers(0, 6),
        st.integers(1, 4),
    )
    return [
        (name, float(start), float(start + length), float(low), float(low + height))
        for name, start, length, low, height in draw(st.lists(one, max_size=most))
    ]


@st.composite
def scenes(draw: st.DrawFn) -> tuple[pd.DataFrame, pd.DataFrame]:
    syllables = syllables_of(*draw(boxes(8)))
    rows = draw(boxes(8).filter(bool))
    kinds = draw(st.lists(st.sampled_from("xyz"), min_size=len(rows), max_size=len(rows)))
    named = [(*row, kind, "mode") for row, kind in zip(rows, kinds, strict=True)]
    return syllables, truth_of(*sorted(named, key=lambda row: (*row[1:], row[0])))


@settings(deadline=None, max_examples=60)
@given(scenes())
def test_matching_follows_the_documented_rule(scene: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    match = match_syllables(*scene, ["a.wav", "b.wav"])
    best, found = _reference(*scene)
    assert match.truth_row.tolist() == best
    assert match.found.tolist() == found


@settings(deadline=None, max_examples=60)
@given(scenes(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(
    scene: tuple[pd.DataFrame, pd.DataFrame], random: st.randoms
) -> None:
    syllables, truth = scene
    mixed = [random.sample(range(len(table)), len(table)) for table in scene]
    before = match_syllables(syllables, truth, ["a.wav", "b.wav"])
    after = match_syllables(syllables.iloc[mixed[0]], truth.iloc[mixed[1]], ["b.wav", "a.wav"])
    assert after.found.tolist() == before.found[mixed[1]].tolist()

    def rows(match: Match, table: pd.DataFrame) -> list[tuple[object, ...] | None]:
        return [None if j < 0 else tuple(table.iloc[j]) for j in match.truth_row]

    expected = rows(before, truth)
    assert rows(after, truth.iloc[mixed[1]]) == [expected[i] for i in mixed[0]]


# Real truth


def test_real_truth_finds_itself(shared: Path) -> None:
    real = pd.read_csv(shared / "recordings" / "boxes.csv", keep_default_na=False)
    real["recording"] = real["set"] + "/" + real["recording"]
    numbers = real[BOX[1:]].apply(pd.to_numeric, errors="coerce")
    truth = real[["recording", "species"]].assign(mode=real["label"], **numbers)
    syllables = truth[truth["low_hz"].notna()]
    match = match_syllables(syllables, truth, real["recording"])
    assert match.precision == 1.0
    assert match.found[np.asarray(truth["low_hz"].notna())].all()
    assert not match.found[truth["recording"].str.startswith("nips4b")].any()
