from __future__ import annotations

import pandas as pd
import pytest

from birdmodes.gallery.figures.activity_figures import EFFORT_HEIGHT, PLOT_HEIGHT
from birdmodes.gallery.figures.date_figures import MOST_BARS, Calendar, date_figure, season_figure
from birdmodes.workspace.times_of_day import as_times


def calendar_of(*days: str, hours: float = 1.0) -> Calendar | None:
    """Recordings at noon of some days, all of one length."""
    times = pd.Series([f"{day}T12:00:00" if day else "" for day in days])
    table = pd.DataFrame({"recorded_at": as_times(times), "duration_s": 3600 * hours})
    return Calendar.of(table)


def test_days_without_recordings_are_among_the_days() -> None:
    calendar = calendar_of("2024-05-12", "2024-05-12", "2024-05-15", "")
    assert calendar is not None
    assert (calendar.unit, calendar.names) == (
        "day",
        ["2024-05-12", "2024-05-13", "2024-05-14", "2024-05-15"],
    )
    assert calendar.recorded_h.tolist() == [2.0, 0.0, 0.0, 1.0]


@pytest.mark.parametrize(
    ("last", "unit", "count", "name"),
    [
        ("2024-03-02", "day", MOST_BARS, "2024-01-01"),
        ("2024-03-03", "month", 3, "2024-01"),
        ("2029-02-28", "month", MOST_BARS, "2024-01"),
        ("2029-03-01", "year", 6, "2024"),
    ],
)
def test_longer_times_have_coarser_parts(last: str, unit: str, count: int, name: str) -> None:
    calendar = calendar_of("2024-01-01", last)
    assert calendar is not None
    assert (calendar.unit, len(calendar.names), calendar.names[0]) == (unit, count, name)


def test_a_single_day_and_unknown_times_need_no_figure() -> None:
    assert calendar_of("2024-05-12", "2024-05-12") is None
    assert calendar_of("", "") is None
    assert date_figure("Group 0", pd.Series(["2024-05-12T12:00:00.000"]), None, "clip") is None
    calendar = calendar_of("2024-05-12", "2024-05-13")
    assert date_figure("Group 0", pd.Series(["", ""]), calendar, "clip") is None


def test_bars_are_counts_per_hour_of_recording() -> None:
    calendar = calendar_of("2024-05-01", "2024-05-01", "2024-05-02", "2024-05-04", hours=0.5)
    times = pd.Series(
        ["2024-05-01T12:00:00.000", "2024-05-01T12:10:00.000", "2024-05-02T12:00:00.000",
         "2024-05-02T12:20:00.000", ""]
    )  # fmt: skip
    figure = date_figure("Group 0", times, calendar, "clip")
    assert figure is not None
    # 2 in 1 h, 2 in half an hour, nothing recorded, none in half an hour
    assert [bar.height for bar in figure.bars] == [PLOT_HEIGHT / 2, PLOT_HEIGHT, 0, 0]
    assert [bar.effort for bar in figure.bars] == [
        EFFORT_HEIGHT, EFFORT_HEIGHT / 2, 0, EFFORT_HEIGHT / 2,
    ]  # fmt: skip
    assert [bar.recorded for bar in figure.bars] == [True, True, False, True]
    assert figure.bars[1].title == "2024-05-02: 2 clips in 30 min of recordings, 4 per hour"
    assert figure.bars[2].title == "2024-05-03: nothing recorded"
    assert figure.bars[3].title == "2024-05-04: no clips in 30 min of recordings"
    assert [mark.text for mark in figure.hour_marks] == calendar.names if calendar else False
    assert figure.summary == "Date known for 4 of 5 clips"
    assert "Highest: 2024-05-02 (4), 2024-05-01 (2)." in figure.label
    assert "3 of 4 days recorded" in figure.label


def test_a_season_has_the_months_of_all_years() -> None:
    at = as_times(
        pd.Series([f"{day}T12:00:00" for day in ("2023-05-01", "2024-05-02", "2024-07-01")] + [""])
    )
    recordings = pd.DataFrame({"recorded_at": at, "duration_s": [1800.0, 1800.0, 1800.0, 3600.0]})
    times = pd.Series(["2023-05-01T12:00:00.000", "2024-05-02T12:00:00.000", "", "2024-07-01T12"])
    figure = season_figure("Robin", times, recordings, "syllable")
    assert figure is not None
    # May: 2 in an hour of two years; July: 1 in half an hour.
    assert [bar.height for bar in figure.bars] == [0] * 4 + [PLOT_HEIGHT, 0, PLOT_HEIGHT] + [0] * 5
    assert figure.bars[4].title == "May: 2 syllables in 1.0 h of recordings, 2 per hour"
    assert figure.bars[0].title == "January: nothing recorded"
    assert "".join(mark.text for mark in figure.hour_marks) == "JFMAMJJASOND"
    assert "2 of 12 months recorded" in figure.label
    one_month = recordings[recordings["recorded_at"].dt.month == 5]
    assert season_figure("Robin", times, one_month, "syllable") is None
