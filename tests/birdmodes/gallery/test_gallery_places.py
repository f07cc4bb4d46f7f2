from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest

from birdmodes.gallery.figures.place_figures import LARGEST, place_figure
from birdmodes.gallery.figures.places import find_sites, occurrence
from birdmodes.pictures import text


def recordings(*places: tuple[float, float], hours: float = 0.5) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "recording": [f"r{number}" for number in range(len(places))],
            "duration_s": 3600 * hours,
            "latitude": [place[0] for place in places],
            "longitude": [place[1] for place in places],
        }
    )


def syllables(counts: dict[int, int]) -> pd.DataFrame:
    names = [f"r{number}" for number, count in counts.items() for _ in range(count)]
    return pd.DataFrame({"recording": names})


NOWHERE = (math.nan, math.nan)


def test_recordings_of_one_place_are_one_site_from_north_to_south() -> None:
    table = recordings((50.0, 7.0), (51.0, 7.0), (50.0002, 7.0001), NOWHERE, (51.0, math.nan))
    sites = find_sites(table)
    assert sites.latitude.tolist() == pytest.approx([51.0, 50.0001])
    assert sites.longitude.tolist() == pytest.approx([7.0, 7.00005])
    assert sites.recordings.tolist() == [1, 2]
    assert sites.recorded_h.tolist() == [0.5, 1.0]
    assert sites.site_of.to_dict() == {"r0": 1, "r1": 0, "r2": 1}


def test_syllables_are_counted_by_site_and_hour_of_recording() -> None:
    sites = find_sites(recordings((51.0, 7.0), (50.0, 7.0), (50.0, 7.0), NOWHERE))
    found = occurrence(syllables({0: 3, 1: 4, 2: 2, 3: 5}), sites)
    assert found.syllables.tolist() == [3, 6]
    assert found.recordings.tolist() == [1, 2]
    assert found.rate.tolist() == [6.0, 6.0]
    assert (found.known, found.unknown) == (9, 5)


def test_distances_are_those_on_the_ground() -> None:
    # At 60 degrees a degree of longitude is half a degree of latitude, which is 111.2 km.
    east, north = find_sites(recordings((60.1, 10.0), (59.9, 10.2))).place_km()
    assert north[0] - north[1] == pytest.approx(22.24, abs=0.01)
    assert east[1] - east[0] == pytest.approx(11.12, abs=0.01)


def test_sites_on_both_sides_of_the_date_line_are_neighbours() -> None:
    east, _ = find_sites(recordings((0.0, 179.9), (0.0, -179.9))).place_km()
    assert abs(east[0] - east[1]) == pytest.approx(22.24, abs=0.01)


def test_the_figure_has_one_scale_in_both_directions() -> None:
    sites = find_sites(recordings((60.1, 10.0), (59.9, 10.0), (60.0, 10.2)))
    figure = place_figure("Robin", occurrence(syllables({0: 4, 1: 1}), sites))
    assert figure is not None
    north, south, east = (
        next(one for one in figure.circles if one.title.startswith(place))
        for place in ("60.100", "59.900", "60.000")
    )
    # 22.24 km south to 11.12 km east
    assert (south.y - north.y) / (east.x - north.x) == pytest.approx(2.0, abs=0.02)
    assert figure.bar_text == "10 km"
    assert figure.bar_width == pytest.approx((south.y - north.y) * 10 / 22.24, abs=0.2)
    # area as the rate: a quarter of the syllables is half the radius
    assert north.radius == LARGEST
    assert south.radius == LARGEST / 2
    assert east.radius == 0
    assert east.title == "60.000° N, 10.200° E: none in 30 min of recordings"
    assert north.title == "60.100° N, 10.000° E: 4 syllables in 30 min of recordings, 8 per hour"


def test_everything_is_inside_the_figure() -> None:
    rng = np.random.default_rng(0)
    sites = find_sites(recordings(*rng.normal([-33.0, 151.0], [0.5, 0.01], (40, 2))))
    figure = place_figure("Lyrebird", occurrence(syllables(dict.fromkeys(range(40), 2)), sites))
    assert figure is not None
    for circle in figure.circles:
        assert circle.radius <= circle.x <= figure.width - circle.radius
        assert circle.radius <= circle.y <= figure.bar_y - circle.radius
    assert figure.bar_x + figure.bar_width < figure.width / 2


def test_one_site_alone_is_in_the_middle() -> None:
    sites = find_sites(recordings((50.0, -7.0)))
    figure = place_figure("Robin", occurrence(syllables({0: 1}), sites))
    assert figure is not None
    (circle,) = figure.circles
    assert circle.x == figure.width / 2
    assert figure.bar_text == "100 m"
    assert figure.rows[0].place == "50.000° N, 7.000° W"
    assert figure.summary == "Place known for 1 of 1 syllable"


def test_sites_that_have_names_are_called_by_them_where_there_is_room() -> None:
    table = recordings((50.1, 7.0), (50.0, 7.0), (50.0, 7.0), (50.0, 10.0), (50.0, 10.001))
    named = pd.Series({"r0": "Oak wood", "r1": "Reeds", "r2": "Quarry", "r3": "Moor", "r4": "Mere"})
    found = occurrence(syllables({0: 4, 3: 1}), find_sites(table, named))
    figure = place_figure("Robin", found, wide=True)
    assert figure is not None
    # two names at one place are none, and two places too near leave room for one
    assert [one.name for one in figure.circles] == ["Oak wood", "Moor", "", ""]
    oak, moor = figure.circles[:2]
    assert (oak.left, moor.left) == (False, True)
    assert oak.title.startswith("Oak wood, 50.100° N")
    assert figure.rows[0].place == "Oak wood, 50.100° N, 7.000° E"
    small = place_figure("Robin", found)
    assert small is not None
    assert {one.name for one in small.circles} == {""}


def test_the_table_has_the_busiest_sites_first() -> None:
    sites = find_sites(recordings((51.0, 7.0), (50.0, 7.0), (49.0, 7.0)))
    found = occurrence(syllables({1: 4, 2: 1}), sites)
    figure = place_figure("Robin", found, rows=2)
    assert figure is not None
    assert [(row.syllables, row.recordings, row.rate) for row in figure.rows] == [
        ("4", "1 of 1", "8"), ("1", "1 of 1", "2"),
    ]  # fmt: skip
    assert figure.left_out == 1


def test_nothing_is_shown_where_no_place_is_known() -> None:
    nowhere = find_sites(recordings(NOWHERE))
    assert len(nowhere) == 0
    assert place_figure("Robin", occurrence(syllables({0: 1}), nowhere)) is None
    sites = find_sites(recordings((50.0, 7.0), NOWHERE))
    assert place_figure("Robin", occurrence(syllables({1: 3}), sites)) is None


def test_numbers_of_places_and_chance_are_read_easily() -> None:
    assert text.place(-33.8, 151.25) == "33.800° S, 151.250° E"
    assert (text.distance(0.05), text.distance(2.0)) == ("50 m", "2 km")
    assert [text.expected(value) for value in (123.4, 3.14, 0.042)] == ["123", "3.1", "0.042"]
    assert (text.probability(0.0004), text.probability(0.0125)) == ("< 0.001", "= 0.013")
