from __future__ import annotations

import math
from dataclasses import replace

import pytest

from birdmodes.labels import FittedLabels, TimedLabel
from birdmodes.labels.clips import ClipGrid, labels_of
from birdmodes.labels.model import Confidence

# clips 0-10, 10-20 and 20-30.5: half a second at the end goes with the clip before
GRID = ClipGrid(n_clips=3, clip_s=10.0, duration_s=30.5)


@pytest.mark.parametrize(
    ("start_s", "end_s", "clips"),
    [
        (0.0, 3.0, [0]),
        (9.0, 12.0, [0, 1]),
        (7.0, 10.0, [0]),
        (10.0, 13.0, [1]),
        (5.0, 25.0, [0, 1, 2]),
        (30.2, 33.0, [2]),
        (20.0, 20.0, [2]),
        (19.9, 20.0000001, [1]),
        (9.9999999, 12.0, [1]),
        (-1.0, 0.5, [0]),
        (30.5, 33.0, []),
        (-3.0, -1.0, []),
    ],
)
def test_a_label_belongs_to_the_clips_it_has_a_part_in(
    start_s: float, end_s: float, clips: list[int]
) -> None:
    assert list(GRID.touched(TimedLabel(start_s, end_s, "Wren"))) == clips


def fitted(
    species: tuple[str, ...], timed: list[TimedLabel] | None, whole: tuple[str, ...] = ()
) -> FittedLabels:
    return FittedLabels(
        {"a.wav": species},
        [],
        [],
        {} if timed is None else {"a.wav": tuple(timed)},
        {"a.wav": whole} if whole else {},
    )


def test_every_clip_gets_the_species_heard_in_it() -> None:
    timed = [TimedLabel(1, 2, "Wren"), TimedLabel(9, 12, "Robin"), TimedLabel(1, 4, "Robin")]
    labels = labels_of(fitted(("Robin", "Wren"), timed), "a.wav", GRID)
    assert labels.by_clip
    timed_labels = labels.columns.pop("timed_labels")
    assert labels.columns == {
        "labelled": True,
        "species": "Robin;Wren",
        "clip_species": ["Robin;Wren", "Robin", ""],
        "confidences": [],
    }
    assert timed_labels[1] == {
        "start_s": 9, "end_s": 12, "low_hz": 0.0, "high_hz": math.inf, "species": "Robin",
    }  # fmt: skip
    assert labels.note == ""


def test_species_of_the_whole_recording_are_in_every_clip() -> None:
    labels = labels_of(
        fitted(("Robin", "Wren"), [TimedLabel(1, 2, "Wren")], whole=("Robin",)), "a.wav", GRID
    )
    assert labels.columns["clip_species"] == ["Robin;Wren", "Robin", "Robin"]


def test_a_recording_without_detections_is_labelled_as_having_no_species() -> None:
    labels = labels_of(fitted((), []), "a.wav", GRID)
    assert labels.columns == {
        "labelled": True, "species": "", "clip_species": ["", "", ""], "timed_labels": [],
        "confidences": [],
    }  # fmt: skip


def test_labels_after_the_end_are_left_out_and_mentioned() -> None:
    timed = [TimedLabel(1, 2, "Wren"), TimedLabel(100, 101, "Robin")]
    labels = labels_of(fitted(("Robin", "Wren"), timed), "a.wav", GRID)
    assert labels.columns["species"] == "Wren"
    assert labels.note == "1 of 2 labels lie after its end (30.5 s) and are left out"


def test_labels_without_times_hold_for_the_recording() -> None:
    labels = labels_of(fitted(("Robin",), None), "a.wav", GRID)
    assert not labels.by_clip
    assert labels.columns == {
        "labelled": True, "species": "Robin", "clip_species": [], "timed_labels": [],
        "confidences": [],
    }  # fmt: skip


def test_a_recording_that_no_table_names_is_unlabelled() -> None:
    labels = labels_of(fitted(("Robin",), None), "b.wav", GRID)
    assert labels.columns == {
        "labelled": False, "species": "", "clip_species": [], "timed_labels": [],
        "confidences": [],
    }  # fmt: skip


def test_labels_that_all_lie_outside_leave_a_recording_unlabelled() -> None:
    labels = labels_of(fitted(("Robin",), [TimedLabel(100, 101, "Robin")]), "a.wav", GRID)
    assert not labels.columns["labelled"]
    assert not labels.by_clip
    assert labels.note == (
        "1 of 1 labels lie after its end (30.5 s) and are left out; it stays unlabelled"
    )
    # what is said of the whole recording still holds
    whole = fitted(("Robin", "Wren"), [TimedLabel(100, 101, "Robin")], whole=("Wren",))
    assert labels_of(whole, "a.wav", GRID).columns["species"] == "Wren"


@pytest.mark.parametrize(
    ("labels_as", "kept"),
    [
        ("auto", [(1, 900.0, 2000.0), (3, 0.0, math.inf), (5, 0.0, math.inf)]),
        ("boxes", [(1, 900.0, 2000.0)]),
        ("lists", []),
    ],
)
def test_labels_say_of_single_sounds_what_the_user_wants(
    labels_as: str, kept: list[tuple[int, float, float]]
) -> None:
    timed = [
        TimedLabel(1, 2, "Wren", 900.0, 2000.0),
        TimedLabel(3, 4, "Wren"),
        # a selection of the waveform has all frequencies
        TimedLabel(5, 6, "Wren", 0.0, 11025.0),
    ]
    wanted = replace(fitted(("Wren",), timed), labels_as=labels_as)
    labels = labels_of(wanted, "a.wav", replace(GRID, nyquist_hz=11025.0))
    found = labels.columns["timed_labels"]
    assert [(each["start_s"], each["low_hz"], each["high_hz"]) for each in found] == kept
    assert labels.columns["clip_species"] == ["Wren", "", ""]


def test_of_several_detections_in_a_clip_the_surest_counts() -> None:
    told = (
        Confidence("Wren", 0, 3, 0.2),
        Confidence("Wren", 3, 6, 0.7),
        Confidence("Wren", 9, 12, 0.4),
        Confidence("Robin", None, None, 0.9),
    )
    timed = [TimedLabel(0, 12, "Wren")]
    labels = replace(
        fitted(("Robin", "Wren"), timed, whole=("Robin",)), confidences={"a.wav": told}
    )
    found = labels_of(labels, "a.wav", GRID).columns["confidences"]
    assert [(each["clip"], each["species"], each["confidence"]) for each in found] == [
        (0, "Robin", 0.9), (0, "Wren", 0.7), (1, "Robin", 0.9), (1, "Wren", 0.4), (2, "Robin", 0.9),
    ]  # fmt: skip
