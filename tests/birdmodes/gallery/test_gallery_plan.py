from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pandas as pd
import pytest

from birdmodes.gallery.figures.histograms import DURATION, PEAK
from birdmodes.gallery.plan import BACKGROUND_TITLE, PagePlan
from birdmodes.modes.clustering import Clustering

from .conftest import planned


@pytest.fixture(scope="module")
def plans(case: Any) -> list[PagePlan]:
    return planned(case.workspace, case.clustering)[0]


def test_a_page_for_each_species_and_one_for_the_rest(
    plans: list[PagePlan], script_name: str
) -> None:
    assert [plan.title for plan in plans] == [script_name, "Wren", BACKGROUND_TITLE]
    assert [[mode.cluster for mode in plan.modes] for plan in plans] == [[0, 1], [2], [3]]


def test_recordings_that_list_the_species_are_counted(plans: list[PagePlan]) -> None:
    species, wren, rest = plans
    # The hostile species is listed for three recordings and Wren for two; the fourth has no list,
    # and the third has the tone of Wren, but not Wren.
    assert species.listing_recordings == 3
    assert species.modes[0].listing_recordings == 3
    assert wren.listing_recordings == 2
    assert wren.modes[0].listing_recordings == 2
    assert wren.modes[0].recordings == 4
    assert rest.listing_recordings == rest.modes[0].listing_recordings == 0


def test_species_that_compete_come_from_the_lists(plans: list[PagePlan], script_name: str) -> None:
    found = plans[1].modes[0].candidates  # of Wren: three syllables in labelled recordings
    assert found.own is not None
    assert (found.own.species, found.own.listed) == ("Wren", pytest.approx(2 / 3))
    assert [(one.species, one.listed) for one in found.others] == [
        (script_name, 1.0),
        ("Owl", pytest.approx(1 / 3)),
    ]


def test_the_clusterings_probabilities_are_used_where_there_are_any(
    case: Any, script_name: str
) -> None:
    model = {
        "cluster_species_probability": np.array([[0.2, 0.8, 0.0], [0.0, 1.0, 0.0]]),
        "class_names": np.array(["Owl", script_name, "Wren"]),
    }
    plans, _ = planned(case.workspace, dataclasses.replace(case.clustering, model=model))
    first, second = plans[0].modes
    assert first.candidates.own is not None
    assert first.candidates.own.probability == 0.8
    assert first.candidates.others[0].species == "Owl"  # likelier than "Wren", listed less often
    assert [one.species for one in second.candidates.others] == ["Wren"]


def test_four_recordings_are_too_few_to_say_what_occurs_together(plans: list[PagePlan]) -> None:
    assert all(mode.companions == [] for plan in plans for mode in plan.modes)
    assert {plan.n_recordings for plan in plans} == {4}


def test_histograms_share_the_axes_of_the_page(plans: list[PagePlan]) -> None:
    species = plans[0]
    values = [mode.measured[PEAK] for mode in species.modes]
    assert [len(numbers) for numbers in values] == [4, 4]
    axis = species.axes[PEAK]
    assert all(axis.low <= numbers.min() <= numbers.max() <= axis.high for numbers in values)
    assert species.axes[DURATION].low == 0


def test_what_a_reviewer_called_good_is_shown_first_even_if_unlikely(case: Any) -> None:
    clustering: Clustering = case.clustering
    table = clustering.assignments.copy()
    unlikely = table.index[(table["cluster"] == 2) & (table["confidence"] == 0)]
    table.loc[unlikely, "review"] = "good"
    (plan,) = (
        page.modes[0]
        for page in planned(case.workspace, dataclasses.replace(clustering, assignments=table), 12)[
            0
        ]
        if page.title == "Wren"
    )
    assert list(plan.examples["group"]) == ["good", "clear", "clear", "clear"]
    assert plan.examples["syllable"].iloc[0] == table.loc[unlikely[0], "syllable"]
    assert plan.left_out == 0


def test_a_clustering_from_before_reviews_is_planned(case: Any) -> None:
    table = case.clustering.assignments.drop(columns="review", errors="ignore")
    old = dataclasses.replace(case.clustering, assignments=pd.DataFrame(table))
    assert [len(plan.modes) for plan in planned(case.workspace, old)[0]] == [2, 1, 1]


def test_nothing_is_planned_for_a_clustering_of_nothing(case: Any) -> None:
    clustering: Clustering = case.clustering
    empty = dataclasses.replace(
        clustering, modes=clustering.modes.iloc[:0], assignments=clustering.assignments.iloc[:0]
    )
    assert planned(case.workspace, empty)[0] == []


def test_modes_are_named_by_letters_and_by_what_they_sound_like(
    plans: list[PagePlan], script_name: str
) -> None:
    first, second = plans[0].modes
    assert [first.name, second.name] == [f"{script_name} A", f"{script_name} B"]
    assert [first.in_tables, second.in_tables] == [f"{script_name} mode 1", f"{script_name} mode 2"]
    # tones of 2 and 4 kHz, alone in their 0.2 s
    assert [first.heading, second.heading] == ["Low flat whistle", "High flat whistle"]
    assert first.words is not None
    assert first.words.pitch_hz == pytest.approx(2000, abs=22)
    assert first.words.facts == "2.0 kHz · 0.2 s"
    background = plans[2].modes[0]
    assert (background.name, background.letter, background.sureness) == ("Cluster 3", "", None)


def test_a_person_s_own_name_comes_first_and_takes_a_free_letter(case: Any) -> None:
    clustering: Clustering = case.clustering
    modes = clustering.modes.copy()
    species = modes["species"].iloc[0]
    modes.loc[0, "mode"] = f"{species} song"
    plans, _ = planned(case.workspace, dataclasses.replace(clustering, modes=modes))
    first, second = plans[0].modes
    assert (first.name, first.letter, first.heading) == (f"{species} song", "A", "Song")
    assert (second.name, second.letter) == (f"{species} B", "B")
    assert first.sureness is not None
    assert first.sureness.word == "sure"


def test_how_sure_a_name_is_is_one_word_with_reasons(
    plans: list[PagePlan], script_name: str
) -> None:
    found = {mode.name: mode.sureness for plan in plans for mode in plan.modes if mode.sureness}
    words = {name: sureness.word for name, sureness in found.items()}
    # p is 0.0004, 0.03 and 0.2, each in four recordings, with a confidence of 0.9, 0.8 and 0.7
    assert words == {f"{script_name} A": "sure", f"{script_name} B": "likely", "Wren A": "a guess"}
    assert found["Wren A"].reasons == (
        # It is listed for two; the tone is also in the third, whose list lacks it.
        "In both recordings that list Wren, and in the other one.",
        "Chance alone would do that about 20 times in 100.",
        f"{script_name} is listed in all of these 2 too: it may be the one that calls.",
    )


def test_what_fills_the_pictures_is_the_clip_around_the_syllable(case: Any) -> None:
    plans, windows = planned(case.workspace, case.clustering)
    assert (windows.scale.width_s, windows.scale.top_hz) == (3.0, 10000.0)
    name = plans[0].modes[0].examples["syllable"].iloc[0]
    window = windows.of(name)
    # clips are 3 s long: there is no choice
    assert (window.place.start_s, window.clip_s) == (0.0, (0.0, 3.0))
    assert (window.series, window.alike) == (1, [])
    assert window.level_db > 30
