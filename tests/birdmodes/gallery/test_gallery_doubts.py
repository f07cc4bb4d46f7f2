from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from birdmodes.gallery.words.doubts import (
    Doubts,
    find_doubts,
    inseparable_species,
    listing_recordings,
)
from birdmodes.gallery.words.notices import find_notices
from birdmodes.modes.clustering import Clustering
from birdmodes.modes.similarity import SimilarModes

from .conftest import planned


def _recordings(*species: str, labelled: bool = True) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "recording": [f"{n}.wav" for n in range(len(species))],
            "labelled": labelled,
            "species": species,
            "n_clips": 1,
            "bag_unit": "recording",
        }
    )


def test_recordings_that_list_a_species_are_counted() -> None:
    table = pd.concat([_recordings("Wren;Owl", "Wren", ""), _recordings("Rook", labelled=False)])
    assert listing_recordings(table) == {"Owl": 1, "Wren": 2}


def test_species_that_are_always_listed_together_are_found() -> None:
    table = _recordings("Owl;Rook;Wren", "Rook;Owl", "Wren", "Kite;Lark;Wren")
    assert inseparable_species(table) == [["Kite", "Lark"], ["Owl", "Rook"]]


def test_a_clip_of_one_species_alone_tells_it_from_the_other() -> None:
    table = _recordings("Owl;Rook", "Owl;Rook")
    assert inseparable_species(table) == [["Owl", "Rook"]]
    by_clip = [["Owl;Rook", "Owl"], ["Rook;Owl", ""]]
    clips = table.assign(bag_unit="clip", n_clips=2, clip_species=pd.Series(by_clip))
    assert inseparable_species(clips) == []


def test_recordings_without_lists_tell_nothing() -> None:
    assert inseparable_species(_recordings("Owl;Rook", labelled=False)) == []


@pytest.fixture
def doubtful(case: Any) -> tuple[Clustering, list[Any]]:
    """The first mode of the hostile species has a weak name, the other one is of one recording."""
    clustering: Clustering = case.clustering
    table = clustering.assignments.copy()
    gone = (table["cluster"] == 1) & (table["recording"] != table["recording"].iloc[0])
    table.loc[gone, ["cluster", "species", "mode", "confidence"]] = [3, "", "", 0.0]
    modes = clustering.modes.assign(confidence=[0.4, 0.8, 0.7, 0.0])
    changed = dataclasses.replace(clustering, assignments=table, modes=modes)
    return changed, planned(case.workspace, changed)[0]


def test_modes_and_species_to_look_at(case: Any, doubtful: tuple[Clustering, list[Any]]) -> None:
    clustering, pages = doubtful
    doubts = find_doubts(case.workspace, clustering, pages)
    # the lists are {script, Wren} twice, {Owl, script} once
    assert doubts.few == {"Owl": 1, "Wren": 2}
    assert doubts.inseparable == []
    # confidence 0.4, of one recording, and p = 0.2
    assert [mode.cluster for mode in doubts.guesses] == [0, 1, 2]
    assert [mode.cluster for mode in doubts.single] == [1]
    assert doubts.similar == []  # one of them has one syllable


def test_notices_name_what_they_are_about(
    case: Any, doubtful: tuple[Clustering, list[Any]], script_name: str
) -> None:
    clustering, pages = doubtful
    doubts = dataclasses.replace(
        find_doubts(case.workspace, clustering, pages),
        inseparable=[[script_name, "Owl", "Wren"]],
        similar=[SimilarModes(0, 1, 1.5)],
    )
    notices = find_notices(case.workspace, clustering, pages, doubts)
    said = {notice.title or notice.text.split(":")[0]: notice for notice in notices}

    few = next(notice for start, notice in said.items() if "fewer than 3" in start)
    assert few.text.startswith("2 species are listed for fewer than 3 recordings")
    assert [link.name for link in few.links] == ["Wren"]  # the owl has no page

    together = said[f"{script_name}, Owl and Wren are always listed together"]
    assert [link.name for link in together.links] == [script_name, "Wren"]

    file = pages[0].file
    guesses = said["3 of 3 names are a guess"]
    assert guesses.links[0].address == f"{file}#cluster-0"
    single = said["1 mode comes from a single recording"]
    assert [link.address for link in single.links] == [f"{file}#cluster-1"]
    pair = next(notice for start, notice in said.items() if "may be one" in start)
    assert [link.name for link in pair.links] == [f"{script_name} A and B"]
    assert [link.address for link in pair.links] == [f"{file}#cluster-0"]

    # 4 syllables of the background, and 3 that were taken out of a mode
    (rest,) = [each for start, each in said.items() if start.startswith("7 of 16 syllables (44 %)")]
    assert "are in background clusters, which occur whatever species are listed" in rest.text
    assert "That is much" not in rest.text
    assert [link.address for link in rest.links] == ["background.html"]


def test_background_and_unassigned_are_told_apart(case: Any) -> None:
    clustering: Clustering = case.clustering
    table = clustering.assignments.copy()
    table.loc[table["cluster"] >= 1, ["species", "mode"]] = ""
    modes = clustering.modes.copy()
    modes.loc[modes["cluster"] >= 1, ["species", "mode"]] = ""
    changed = dataclasses.replace(clustering, assignments=table, modes=modes)
    none = Doubts({}, [], [], [], [])
    pages, _ = planned(case.workspace, changed)
    rest = find_notices(case.workspace, changed, pages, none)[-1].text
    assert "12 of 16 syllables (75 %) are in no species' mode" in rest
    assert "4 in background clusters, which occur whatever species are listed, 8 in" in rest
    assert "That is much" in rest


def test_a_clustering_of_nothing_raises_no_doubts(case: Any, tmp_path: Path) -> None:
    clustering: Clustering = case.clustering
    empty = dataclasses.replace(
        clustering, modes=clustering.modes.iloc[:0], assignments=clustering.assignments.iloc[:0]
    )
    doubts = find_doubts(case.workspace, empty, [])
    assert (doubts.guesses, doubts.single, doubts.similar) == ([], [], [])
    assert all(np.isfinite(n) for n in doubts.few.values())
