from __future__ import annotations

from typing import Any

import pytest

from birdmodes.errors import BirdmodesError
from birdmodes.export.selection import Choice, select


def syllables(case: Any, choice: Choice) -> list[tuple[str, int]]:
    rows = select(case.workspace, case.clustering, choice).rows
    return list(zip(rows["recording"], rows["cluster"], strict=True))


def test_all_modes_but_what_cannot_be_the_species(case: Any, recordings: list[str]) -> None:
    selection = select(case.workspace, case.clustering, Choice())
    rows = selection.rows
    assert list(zip(rows["recording"], rows["cluster"], strict=True)) == [
        (name, cluster)
        for name in recordings
        for cluster in (0, 1)
        if (name, cluster) != (recordings[3], 0)
    ]
    assert selection.left_out == 1
    assert set(rows["kind"]) == {"mode"}
    assert list(rows["short_name"].unique()) == ["mode 1"]


def test_confidence_zero_keeps_every_syllable_of_a_mode(case: Any) -> None:
    assert len(syllables(case, Choice(min_confidence=0.0))) == 8
    assert len(syllables(case, Choice(min_confidence=0.6))) == 3


def test_background_is_named_by_its_cluster(case: Any) -> None:
    rows = select(case.workspace, case.clustering, Choice(background=True, min_confidence=0.9)).rows
    assert rows[["kind", "species", "name", "short_name"]].drop_duplicates().values.tolist() == [
        ["background", "", "Cluster 2", "Cluster 2"]
    ]


@pytest.mark.parametrize(
    "choice",
    [
        Choice(species=("robin",)),
        Choice(modes=("Robin mode 1",)),
        Choice(species=("Robin",), modes=("MODE 1",)),
    ],
)
def test_species_and_modes_are_found_by_name(case: Any, choice: Choice) -> None:
    assert {cluster for _, cluster in syllables(case, choice)} == {0}


def test_a_short_mode_name_means_that_of_each_species(case: Any) -> None:
    assert {cluster for _, cluster in syllables(case, Choice(modes=("mode 1",)))} == {0, 1}
    with_background = Choice(modes=("Cluster 2",), background=True)
    assert {cluster for _, cluster in syllables(case, with_background)} == {2}


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (Choice(species=("Robbin",)), "no species 'Robbin' .did you mean 'Robin'"),
        (Choice(modes=("Robin mode 2",)), "no mode 'Robin mode 2' .did you mean 'Robin mode 1'"),
        (Choice(min_confidence=0.99), "nothing to export .8 syllables"),
    ],
)
def test_what_is_not_there_is_an_error(case: Any, choice: Choice, message: str) -> None:
    with pytest.raises(BirdmodesError, match=message):
        select(case.workspace, case.clustering, choice)


def test_a_clustering_without_reviews_has_empty_ones(case: Any) -> None:
    import dataclasses

    table = case.clustering.assignments.drop(columns="review")
    old = dataclasses.replace(case.clustering, assignments=table)
    assert set(select(case.workspace, old, Choice()).rows["review"]) == {""}
