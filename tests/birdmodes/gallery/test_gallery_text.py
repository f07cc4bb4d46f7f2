from __future__ import annotations

import pytest

from birdmodes.gallery.words.explanations import explain_metrics, repeat_commands
from birdmodes.pictures import text
from birdmodes.pictures.statistics import Spread


@pytest.mark.parametrize(
    ("value_s", "expected"),
    [
        (0.0, "0.00 s"),
        (12.345, "12.35 s"),
        (83.5, "83.50 s (1:23)"),
        (3723.4, "3723.40 s (1:02:03)"),
        (36000.0, "36000.00 s (10:00:00)"),
    ],
)
def test_places_in_a_recording_are_in_seconds_and_on_the_clock(
    value_s: float, expected: str
) -> None:
    assert text.position(value_s) == expected


def test_median_and_range_have_the_same_number_of_decimals() -> None:
    assert text.spread_seconds(Spread(0.25, 0.1, 1.5)) == "0.25 (0.10–1.50) s"
    assert text.spread_seconds(Spread(0.12, 0.046, 0.3)) == "0.120 (0.046–0.300) s"
    assert text.spread_kilohertz(Spread(4321, 900, 12000)) == "4.32 (0.90–12.00) kHz"


@pytest.mark.parametrize(
    ("value", "expected", "short"),
    [(0, "0", "0"), (0.05, "0.05", "0.05"), (0.1234, "0.12", "0.12"), (2, "2", "2"),
     (9.96, "10", "10"), (12.4, "12", "12"), (20_000, "20,000", "20k")],
)  # fmt: skip
def test_rates_have_two_digits(value: float, expected: str, short: str) -> None:
    assert text.rate(value) == expected
    assert text.short_rate(value) == short


@pytest.mark.parametrize(
    ("hours", "expected"),
    [(3 / 3600, "3 s"), (0.2, "12 min"), (1.5, "1.5 h"), (1234.4, "1,234 h")],
)
def test_lengths_of_recordings_are_in_a_fitting_unit(hours: float, expected: str) -> None:
    assert text.recorded_time(hours) == expected


@pytest.mark.parametrize(
    ("part", "whole", "expected"),
    [(0, 0, "0 %"), (0, 5, "0 %"), (1, 1000, "1 %"), (1, 4, "25 %"), (999, 1000, "99 %"),
     (5, 5, "100 %")],
)  # fmt: skip
def test_percentages_round_neither_to_none_nor_to_all(part: int, whole: int, expected: str) -> None:
    assert text.percent(part, whole) == expected


def test_counts_agree_with_their_noun() -> None:
    assert text.count(1, "mode") == "1 mode"
    assert text.count(0, "mode") == "0 modes"
    assert text.count(1200, "syllable is", "syllables are") == "1,200 syllables are"


def test_every_metric_is_shown_and_known_ones_are_explained() -> None:
    groups = explain_metrics(
        {"silhouette": 0.25, "modes": 3, "truth_mode_nmi": None, "new_one": 2.0}
    )
    assert list(groups) == ["Metrics", "Against the truth table"]
    assert [(m.label, m.value) for group in groups.values() for m in group] == [
        ("Silhouette", "0.250"),
        ("Modes", "3"),
        ("New one", "2.000"),
        ("Mode NMI", "not defined"),
    ]
    explained = [bool(m.explanation) for group in groups.values() for m in group]
    assert explained == [True, True, False, True]
    assert list(explain_metrics({"modes": 3})) == ["Metrics"]


def test_the_commands_repeat_the_run() -> None:
    options = {"alpha": 0.5, "quick": True, "limit": None}
    parameters = {"method": "csp", "k": 13, "seed": 5, "options": options, "graph": "dense"}
    assert repeat_commands("birdmodes-workspace", "mine", parameters) == [
        "birdmodes cluster --method csp --k 13 --set alpha=0.5 --set quick=true --set limit=none "
        "--seed 5 --name mine",
        "birdmodes gallery --clustering mine",
    ]
    cluster, gallery = repeat_commands("my field $work", "x", {"method": "sp"})
    assert cluster == "birdmodes cluster --workspace 'my field $work' --method sp --name x"
    assert gallery == "birdmodes gallery --workspace 'my field $work' --clustering x"


@pytest.mark.parametrize(
    ("parameters", "arguments"),
    [
        ({"k": 9, "k_from": "given"}, "--k 9"),
        ({"k": 6, "k_from": "two per species"}, "--k 6"),
        ({"k": 5, "k_from": "auto", "k_per_species": {"Wren": 5}}, "--k auto"),
        (
            {"k": 5, "k_from": "per species", "k_per_species": {"Wren": 2, "Sea Gull": 3}},
            "--k-per-species Wren=2 --k-per-species 'Sea Gull=3'",
        ),
    ],
)
def test_the_number_of_clusters_is_asked_for_as_it_was(
    parameters: dict[str, object], arguments: str
) -> None:
    cluster, _ = repeat_commands("birdmodes-workspace", "x", parameters)
    assert cluster == f"birdmodes cluster {arguments} --name x"


def test_candidates_are_what_is_made_when_no_number_is_asked_for() -> None:
    parameters = {"k": 6, "k_from": "candidates", "k_per_species": {"Wren": 4, "Owl": 2}}
    cluster, _ = repeat_commands("birdmodes-workspace", "x", parameters)
    assert cluster == "birdmodes cluster --name x"


@pytest.mark.parametrize(
    ("start_s", "end_s", "expected"),
    [(0, 10, "0–10 s"), (50, 60, "50–60 s"), (60, 70, "1:00–1:10"), (3595, 3605, "59:55–1:00:05")],
)
def test_a_part_of_a_recording(start_s: float, end_s: float, expected: str) -> None:
    assert text.stretch(start_s, end_s) == expected


def test_dates_and_ratios() -> None:
    assert text.clock_time("2021-05-02T04:59:58.250") == "2021-05-02 04:59:58"
    assert text.clock_time("") == ""
    assert [text.times(value) for value in (0.345, 2, 12.4, 1234)] == [
        "0.34 ×",
        "2.0 ×",
        "12 ×",
        "1,234 ×",
    ]
