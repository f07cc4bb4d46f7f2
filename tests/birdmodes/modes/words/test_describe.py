"""Modes in words."""

from __future__ import annotations

from typing import Any

import pandas as pd

from birdmodes.modes.words import describe_modes
from birdmodes.modes.words.describe import with_shapes


def rows(n: int, cluster: int = 0, **values: Any) -> pd.DataFrame:
    """`n` syllables, each in a recording of its own."""
    usual = {
        "cluster": cluster,
        "shape": "falling",
        "noun": "whistle",
        "level_db": 20.0,
        "pitch_hz": 5000.0,
        "bottom_hz": 4500.0,
        "top_hz": 5500.0,
        "duration_s": 0.3,
        "repeats_hz": 0.0,
        "start_s": 1.0,
        "end_s": 1.3,
    }
    table = pd.DataFrame([usual | values] * n)
    return table.assign(
        recording=[f"{cluster}-{shape}-{n}" for n, shape in enumerate(table["shape"])]
    )


def describe(*parts: pd.DataFrame, species: str = "Wren") -> list[Any]:
    table = pd.concat(parts, ignore_index=True)
    found = describe_modes(table, dict.fromkeys(table["cluster"], species))
    return [found[cluster] for cluster in sorted(found)]


def test_most_decide_and_the_figures_are_theirs() -> None:
    (words,) = describe(rows(6), rows(3, shape="flat", pitch_hz=1000.0, duration_s=2.0))
    assert words.title == "Falling whistle"
    assert (words.pitch_hz, words.duration_s) == (5000, 0.3)
    assert (words.band, words.length) == ("4.5–5.5 kHz", "0.3 s")
    assert words.facts == "4.5–5.5 kHz · 0.3 s"


def test_loud_syllables_count_for_more_and_faint_ones_not_at_all() -> None:
    faint = rows(20, shape="flat", level_db=10.0)
    (words,) = describe(rows(3), faint)
    assert words.title == "Falling whistle"
    (words,) = describe(rows(3, level_db=40.0), rows(5, shape="flat", level_db=16.0))
    assert words.title == "Falling whistle"  # 120 dB against 80


def test_without_loud_ones_the_louder_half_decides() -> None:
    (words,) = describe(rows(4, level_db=12.0), rows(4, shape="flat", level_db=5.0))
    assert words.title == "Falling whistle"


def test_a_mode_of_many_shapes_is_varied() -> None:
    shapes = ("flat", "falling", "rising", "arched")
    (words,) = describe(*(rows(2, shape=shape) for shape in shapes))
    assert (words.title, words.shape) == ("Varied whistles", "")


def test_trills_tell_their_rate_and_narrow_bands_one_figure() -> None:
    trill = rows(4, shape="trill", noun="note", repeats_hz=18.2, bottom_hz=4900.0, top_hz=5100.0)
    (words,) = describe(trill)
    assert words.title == "Trill"
    assert words.facts == "5.0 kHz · 0.3 s · 18/s"


def test_series_are_part_of_the_facts() -> None:
    table = rows(4).assign(
        recording="one", start_s=[1.0, 1.4, 1.8, 2.2], end_s=[1.3, 1.7, 2.1, 2.5]
    )
    (words,) = describe(table)
    assert words.facts.endswith("series of 4")


def test_short_lengths_have_two_decimals() -> None:
    (words,) = describe(rows(3, duration_s=0.042))
    assert words.length == "0.04 s"


def test_modes_of_one_species_are_told_apart_by_pitch_then_length() -> None:
    low, high = describe(rows(3), rows(3, 1, pitch_hz=6000.0))
    assert (low.title, high.title) == ("Low falling whistle", "High falling whistle")
    both = describe(rows(3), rows(3, 1, pitch_hz=5100.0, duration_s=0.6))
    assert [one.title for one in both] == ["Short falling whistle", "Long falling whistle"]
    three = describe(rows(3), rows(3, 1, pitch_hz=6000.0), rows(3, 2, pitch_hz=3000.0))
    assert [one.title.split()[0] for one in three] == ["Mid", "High", "Low"]


def test_modes_that_hardly_differ_keep_one_title() -> None:
    titles = [one.title for one in describe(rows(3), rows(3, 1, pitch_hz=5100.0))]
    assert titles == ["Falling whistle", "Falling whistle"]


def test_clusters_of_no_species_are_not_told_apart() -> None:
    titles = [one.title for one in describe(rows(3), rows(3, 1, pitch_hz=6000.0), species="")]
    assert titles == ["Falling whistle", "Falling whistle"]


def test_shapes_are_added_in_the_order_of_the_syllables() -> None:
    measures = pd.DataFrame(
        {
            "syllable": ["a", "b"],
            "recording": "r",
            "duration_s": 9.0,
            "start_hz": [3000.0, 5000.0],
            "pitch_hz": 4000.0,
            "end_hz": [5000.0, 3000.0],
            "bottom_hz": 3000.0,
            "top_hz": 5000.0,
            "width_hz": 200.0,
            "repeats_hz": 0.0,
            "harmonics": 0,
        }
    )
    members = pd.DataFrame({"syllable": ["b", "a"], "start_s": [1.0, 2.0], "end_s": [1.5, 2.2]})
    members.index = pd.Index([7, 3])
    found = with_shapes(members, measures)
    assert found.index.tolist() == [7, 3]
    assert found["shape"].tolist() == ["falling", "rising"]
    assert found["noun"].tolist() == ["whistle", "whistle"]
    assert found["duration_s"].round(3).tolist() == [0.5, 0.2]
