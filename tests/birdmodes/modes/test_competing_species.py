from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from birdmodes.modes.competing_species import Candidate, cluster_probability, competing_species

BAGS = pd.DataFrame(
    {
        "bag": ["a", "b", "c", "d", "e"],
        "labelled": [True, True, True, True, False],
        "species": ["Robin;Wren", "Robin", "Robin;Owl", "Wren", ""],
    }
)


def members(**clusters: str) -> pd.DataFrame:
    """Syllables of clusters ``c0``, ``c1`` ...: a letter for each one's bag."""
    rows = [(bag, int(name[1:])) for name, bags in clusters.items() for bag in bags]
    return pd.DataFrame(rows, columns=["bag", "cluster"])


def test_shares_are_weighted_by_syllables_and_leave_out_unlabelled_bags() -> None:
    # Robin lists all 4 labelled syllables, Wren the 3 in bag a; bag e has no labels
    found = competing_species(members(c0="aaabeee"), BAGS, {0: "Robin"})[0]
    assert found.own == Candidate("Robin", 1.0, 3 / 4, None)
    assert found.others == [Candidate("Wren", 3 / 4, 2 / 4, None)]


def test_a_species_listed_for_less_than_half_as_many_does_not_compete() -> None:
    found = competing_species(members(c0="aabbbb"), BAGS, {0: "Robin"})[0]
    assert found.others == []  # Wren: a third


def test_a_probable_species_competes_however_seldom_it_is_listed() -> None:
    probability = pd.DataFrame({"Robin": [0.9], "Wren": [0.08], "Owl": [0.02]})
    found = competing_species(members(c0="aabbbb"), BAGS, {0: "Robin"}, probability)[0]
    assert found.own is not None
    assert found.own.probability == 0.9
    assert [(one.species, one.probability) for one in found.others] == [("Wren", 0.08)]


def test_the_likelier_species_comes_first() -> None:
    probability = pd.DataFrame({"Robin": [0.5], "Wren": [0.1], "Owl": [0.4]})
    found = competing_species(members(c0="aaac"), BAGS, {0: "Robin"}, probability)[0]
    assert [one.species for one in found.others] == ["Owl", "Wren"]
    by_list = competing_species(members(c0="aaaccc"), BAGS, {0: "Robin"})[0]
    assert [one.species for one in by_list.others] == ["Owl", "Wren"]  # as often: by name
    more = pd.concat([BAGS, BAGS.iloc[:1].assign(bag="f", species="Owl;Robin;Wren")])
    by_list = competing_species(members(c0="aaffc"), more, {0: "Robin"})[0]
    assert [(one.species, one.listed) for one in by_list.others] == [("Wren", 0.8), ("Owl", 0.6)]


def test_a_cluster_without_species_shows_those_that_are_listed_most() -> None:
    found = competing_species(members(c4="abd"), BAGS, {4: ""})[4]
    assert found.own is None
    assert [(one.species, round(one.listed, 2)) for one in found.others] == [
        ("Robin", 0.67), ("Wren", 0.67),
    ]  # fmt: skip


@pytest.mark.parametrize("bags", ["", "ee"])
def test_nothing_is_known_of_a_cluster_outside_labelled_bags(bags: str) -> None:
    found = competing_species(members(c0=bags), BAGS, {0: "Robin"})[0]
    assert (found.own, found.others) == (None, [])


def test_no_bag_is_labelled() -> None:
    bare = BAGS.assign(labelled=False)
    found = competing_species(members(c0="ab"), bare, {0: "", 1: ""})
    assert found[0].others == found[1].others == []


def test_a_species_that_no_list_has_keeps_its_mode() -> None:
    """A reviewer may name a species that nobody listed."""
    found = competing_species(members(c0="ab"), BAGS, {0: "Heron"})[0]
    assert found.own == Candidate("Heron", 0.0, 0.0, None)
    assert {one.species for one in found.others} == {"Robin", "Wren"}


def test_probabilities_are_those_of_the_model_by_cluster_and_name() -> None:
    model = {
        "cluster_species_probability": np.array([[0.25, 0.75], [1.0, 0.0]]),
        "class_names": np.array(["Owl", "Robin"]),
    }
    table = cluster_probability(model)
    assert table is not None
    assert table.loc[0, "Robin"] == 0.75
    found = competing_species(members(c1="c", c2="c"), BAGS, {1: "Owl", 2: "Robin"}, table)
    assert found[1].own is not None
    assert found[1].own.probability == 1.0
    assert found[2].own is not None
    assert found[2].own.probability is None  # a cluster that a reviewer made later
    assert cluster_probability({"class_names": model["class_names"]}) is None
