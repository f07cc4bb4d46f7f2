from __future__ import annotations

import pandas as pd
import pytest

from birdmodes.gallery.figures.site_table import site_table
from birdmodes.gallery.figures.sun import FIRST_H, SunHours
from birdmodes.gallery.figures.sun_figures import sun_figures
from birdmodes.workspace.times_of_day import as_times

pytest.importorskip("astral", reason="astral is not installed")

# Greenwich, 2021-06-21: the almanac has sunrise at 03:43 and sunset at 20:21 UTC.
GREENWICH = (51.48, 0.0)


def recordings(*starts: str, offset: str | None = "+00:00", place: tuple[float, float] = GREENWICH,
               minutes: float = 10.0) -> pd.DataFrame:  # fmt: skip
    return pd.DataFrame(
        {
            "recording": [f"{number}.wav" for number in range(len(starts))],
            "recorded_at": as_times(pd.Series(starts)),
            "utc_offset": offset,
            "latitude": place[0],
            "longitude": place[1],
            "duration_s": 60.0 * minutes,
        }
    )


def sounds(*places: tuple[int, float]) -> pd.DataFrame:
    return pd.DataFrame(
        {"recording": [f"{n}.wav" for n, _ in places], "start_s": [start for _, start in places]}
    )


def test_sounds_are_counted_from_the_nearest_sunrise_or_sunset() -> None:
    table = recordings("2021-06-21T03:30:00", "2021-06-21T05:00:00", "2021-06-21T19:00:00")
    sun = SunHours.of(table)
    assert sun is not None
    # 03:31 is before sunrise; 05:01 in the second hour after it; 19:01 in the second before sunset
    counts = sun.count(sounds((0, 60.0), (1, 60.0), (1, 90.0), (2, 60.0)))
    rise, set_ = counts["sunrise"].tolist(), counts["sunset"].tolist()
    assert {hour + FIRST_H: n for hour, n in enumerate(rise) if n} == {-1: 1, 1: 2}
    assert {hour + FIRST_H: n for hour, n in enumerate(set_) if n} == {-2: 1}
    assert sun.recorded_h["sunrise"].sum() == pytest.approx(2 / 6)
    assert sun.recorded_h["sunset"].sum() == pytest.approx(1 / 6)


def test_clocks_of_other_zones_are_set_right() -> None:
    # 05:01 of summer time is 04:01 UTC: in the first hour after sunrise
    sun = SunHours.of(recordings("2021-06-21T05:00:00", offset="+01:00"))
    assert sun is not None
    assert sun.count(sounds((0, 60.0)))["sunrise"].tolist().index(1) + FIRST_H == 0


def test_a_long_recording_counts_for_every_hour_it_covers() -> None:
    sun = SunHours.of(recordings("2021-06-21T02:43:00", minutes=180))
    assert sun is not None
    covered = sun.recorded_h["sunrise"]
    assert covered.sum() == pytest.approx(3.0)
    assert covered[[-1 - FIRST_H, -FIRST_H, 1 - FIRST_H]].tolist() == pytest.approx(
        [1] * 3, abs=0.1
    )


def test_unknown_zones_and_places_and_the_midnight_sun_tell_nothing() -> None:
    assert SunHours.of(recordings("2021-06-21T05:00:00", offset=None)) is None
    assert SunHours.of(recordings("2021-06-21T05:00:00", place=(float("nan"), 0.0))) is None
    assert sun_figures("Robin", sounds((0, 1.0)), None) == []
    north = SunHours.of(recordings("2021-06-21T05:00:00", place=(78.2, 15.6)))
    assert north is not None
    assert sun_figures("Robin", sounds((0, 1.0)), north) == []


def test_the_figure_s_bars_are_named_by_the_sun() -> None:
    sun = SunHours.of(recordings("2021-06-21T03:30:00"))
    found = sun_figures("Robin", sounds((0, 60.0), (0, 70.0)), sun)
    assert [event for event, _ in found] == ["sunrise"]
    figure = found[0][1]
    assert figure.summary == "Known for 2 of 2 syllables"
    assert [mark.text for mark in figure.hour_marks] == ["−6 h", "−3 h", "sunrise", "+3 h", "+6 h"]
    assert figure.bars[-1 - FIRST_H].title.startswith("1 to 0 h before sunrise: 2 syllables")
    assert figure.bars[2 - FIRST_H].title == "2 to 3 h after sunrise: nothing recorded"


def test_named_sites_are_told_by_their_rates() -> None:
    table = recordings("2021-06-21T03:30:00", "2021-06-21T05:00:00", "2021-06-21T19:00:00")
    sites = pd.Series({"0.wav": "marsh", "1.wav": "wood", "2.wav": "wood"})
    found = site_table(sounds((0, 1.0), (1, 1.0), (1, 2.0), (2, 1.0), (2, 3.0)), sites, table)
    assert found is not None
    assert [(row.place, row.recordings, row.syllables, row.rate) for row in found.rows] == [
        ("wood", "2", "4", "12"),
        ("marsh", "1", "1", "6"),
    ]
    assert found.summary == "Found at 2 of 2 sites"
    assert site_table(sounds((0, 1.0)), sites.replace("marsh", "wood"), table) is None
