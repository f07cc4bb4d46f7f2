"""Activity over the day; the recordings' times are in conftest.py."""

from __future__ import annotations

import dataclasses
import html
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from birdmodes.gallery import GalleryResult, build_gallery
from birdmodes.gallery.figures.activity import Activity, activity_of, clock_note
from birdmodes.gallery.figures.activity_figures import PLOT_HEIGHT, TOP, activity_figure
from birdmodes.io.files import safe_name


def activity(syllables: dict[int, int], recorded_h: dict[int, float], unknown: int = 0) -> Activity:
    counts, hours = np.zeros(24, dtype=np.int64), np.zeros(24)
    counts[list(syllables)] = list(syllables.values())
    hours[list(recorded_h)] = list(recorded_h.values())
    return Activity(counts, hours, unknown)


def test_syllables_are_counted_by_hour() -> None:
    times = ["2021-05-02T04:59:59.999", "2021-06-02T04:00:00.000", "2021-05-02T23:00:00.000", ""]
    found = activity_of(pd.DataFrame({"recorded_at": times}), np.ones(24))
    assert found.syllables[[4, 23]].tolist() == [2, 1]
    assert (found.known, found.unknown, found.total) == (3, 1, 4)


def test_the_rate_is_per_hour_of_recording() -> None:
    # twice the syllables in ten times the time is less activity
    rate = activity({5: 10, 12: 20}, {5: 0.5, 12: 5.0, 13: 1.0}).rate
    assert rate[[5, 12, 13]].tolist() == [20, 4, 0]
    assert np.isnan(rate[0])


def test_bars_are_as_high_as_the_rate() -> None:
    figure = activity_figure("Wren", activity({5: 10, 12: 20}, {5: 0.5, 12: 5.0, 13: 1.0}, 2))
    assert figure is not None
    bars = figure.bars
    assert (bars[5].y, bars[5].height) == (TOP, PLOT_HEIGHT)
    assert bars[12].height == pytest.approx(PLOT_HEIGHT * 4 / 20, abs=0.01)
    assert bars[13].height == bars[0].height == 0
    assert bars[5].effort == pytest.approx(bars[12].effort / 10, abs=0.01)
    assert [bar.recorded for bar in bars].count(True) == 3
    assert [(mark.text, mark.at) for mark in figure.rate_marks] == [
        ("0", TOP + PLOT_HEIGHT),
        ("20", TOP),
    ]
    assert bars[5].title == "05:00–06:00: 10 syllables in 30 min of recordings, 20 per hour"
    assert bars[13].title == "13:00–14:00: no syllables in 1.0 h of recordings"
    assert bars[23].title == "23:00–24:00: nothing recorded"
    assert figure.summary == "Time known for 30 of 32 syllables"
    assert figure.label == (
        "Activity of Wren over the day, in syllables per hour of recording. Highest: 05:00–06:00 "
        "(20), 12:00–13:00 (4). 3 of 24 clock hours recorded. Time known for 30 of 32 syllables."
    )


@pytest.mark.parametrize(
    ("highest", "mark"), [(1, "1"), (1.9, "1"), (4.99, "2"), (7, "5"), (0.03, "0.02"), (3600, "2k")]
)
def test_the_axis_has_a_round_mark(highest: float, mark: str) -> None:
    figure = activity_figure("Wren", activity({5: 1}, {5: 1 / highest}))
    assert figure is not None
    assert figure.rate_marks[1].text == mark
    assert TOP <= figure.rate_marks[1].at < TOP + PLOT_HEIGHT


def test_without_known_times_there_is_no_figure() -> None:
    assert activity_figure("Wren", activity({}, {5: 1.0}, unknown=3)) is None
    # the recordings' times were forgotten since the clustering was made
    assert activity_figure("Wren", activity({5: 1}, {})) is None


@pytest.mark.parametrize(
    ("zones", "expected"),
    [
        ([], ""),
        ([""], "their time zone is not in the recordings"),
        (["+00:00", "+00:00"], "which were at UTC: local hours may be others"),
        (["+02:00"], "which were at UTC+02:00."),
        (["+02:00", "", "+01:00"], "one time zone (not known, UTC+01:00, UTC+02:00)"),
    ],
)
def test_the_clocks_are_explained(zones: list[str], expected: str) -> None:
    table = pd.DataFrame(
        {
            "recorded_at": pd.to_datetime(["2021-05-02T04:00:00"] * len(zones) + [None] * 2),
            "utc_offset": [*zones, "", None],
        }
    )
    assert expected in clock_note(table)
    assert bool(clock_note(table)) == bool(zones)


def labels_of(page: Path) -> list[str]:
    """What figures of the day's hours say."""
    found = re.findall(r'class="activity"[^>]*aria-label="([^"]*)"', page.read_text("utf-8"))
    return [html.unescape(label) for label in found if label.startswith("Activity of")]


def test_pages_show_the_activity_of_species_and_modes(
    built: GalleryResult, script_name: str
) -> None:
    page = built.index.parent / "species" / f"{safe_name(script_name)}.html"
    # Mode 1 starts 0.5 s, mode 2 1.2 s into each recording: one syllable of each in the 2 s that
    # were recorded from 4 to 5 o'clock, and in the 3 s after 23 o'clock.
    peaks = {
        f"{script_name} A": "04:00–05:00 (1,800), 23:00–24:00 (1,200)",
        f"{script_name} B": "04:00–05:00 (1,800), 23:00–24:00 (1,200)",
        script_name: "04:00–05:00 (3,600), 23:00–24:00 (2,400)",
    }
    assert labels_of(page) == [
        f"Activity of {name} over the day, in syllables per hour of recording. Highest: {highest}. "
        f"3 of 24 clock hours recorded. Time known for {known} syllables."
        for (name, highest), known in zip(
            peaks.items(), ["2 of 4", "2 of 4", "4 of 8"], strict=True
        )
    ]
    text = page.read_text("utf-8")
    assert "Hours are by the recorders&#39; clocks, which were at UTC+01:00." in text
    assert "05:00–06:00: no syllables in 1 s of recordings" in text


def test_members_that_are_left_out_are_not_active(built: GalleryResult) -> None:
    page = built.index.parent / "species" / f"{safe_name('Wren')}.html"
    labels = labels_of(page)
    assert len(labels) == 2
    assert all(label.endswith("Time known for 2 of 3 syllables.") for label in labels)


def test_the_run_s_page_says_how_many_have_no_time(built: GalleryResult) -> None:
    run = built.index.parent / "run.html"
    assert "50 % of the syllables are from recordings without a date" in run.read_text("utf-8")


def test_a_mode_without_times_beside_one_with_times_says_so(
    make_case: Callable[[], Any], script_name: str
) -> None:
    case = make_case()
    table = case.clustering.assignments
    partly = dataclasses.replace(
        case.clustering,
        assignments=table.assign(recorded_at=table["recorded_at"].where(table["cluster"] != 1, "")),
    )
    result = build_gallery(case.workspace, partly, case.root / "gallery", examples=1)
    page = result.index.parent / "species" / f"{safe_name(script_name)}.html"
    assert len(labels_of(page)) == 2
    assert page.read_text("utf-8").count("No syllable has a known time") == 1


def test_without_times_nothing_is_said_of_them(make_case: Callable[[], Any]) -> None:
    case = make_case()
    timeless = dataclasses.replace(
        case.clustering, assignments=case.clustering.assignments.assign(recorded_at="")
    )
    result = build_gallery(case.workspace, timeless, case.root / "gallery", examples=1)
    for page in result.index.parent.rglob("*.html"):
        assert "activity" not in page.read_text("utf-8").lower()
