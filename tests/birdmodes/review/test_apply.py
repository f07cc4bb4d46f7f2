from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from birdmodes.modes.clustering import Clustering
from birdmodes.review.apply import Conflict, apply_edits, reviewed_clustering, start_state
from birdmodes.review.edits import Edit

from .conftest import PLACE, small_bags, small_clustering

MakeEdit = Callable[..., Edit]


def corrected(*edits: Edit, order: Sequence[int] = range(8)) -> tuple[Clustering, list[Conflict]]:
    original = small_clustering(order)
    state = start_state(original)
    conflicts = apply_edits(state, edits)
    made = reviewed_clustering(original, state, PLACE[list(order)], small_bags(order))
    return made, conflicts


def modes_of(clustering: Clustering) -> dict[int, str]:
    return dict(zip(clustering.modes["cluster"], clustering.modes["mode"], strict=True))


def row(clustering: Clustering, cluster: int) -> Any:
    return clustering.modes.set_index("cluster").loc[cluster]


def test_no_edits_change_no_table(small: Clustering) -> None:
    made, conflicts = corrected()
    pd.testing.assert_frame_equal(made.assignments, small.assignments)
    pd.testing.assert_frame_equal(made.modes, small.modes)
    assert not conflicts


def test_a_mode_is_renamed_and_gets_its_number_back(edit: MakeEdit) -> None:
    song = edit("rename", cluster=1, name="song")
    made, _ = corrected(song)
    assert modes_of(made)[1] == "Robin song"
    assert made.assignments["mode"].tolist()[3:5] == ["Robin song"] * 2
    assert row(made, 1)["confidence"] == 0.71, "nothing but the name has changed"
    made, _ = corrected(song, edit("rename", cluster=1, name=""))
    assert modes_of(made)[1] == "Robin mode 2"


def test_merged_modes_are_counted_anew_and_keep_the_first_name(edit: MakeEdit) -> None:
    made, conflicts = corrected(edit("merge", clusters=[1, 0]))
    assert not conflicts
    assert made.assignments["cluster"].tolist() == [1, 1, 1, 1, 1, 2, 2, 3]
    merged = row(made, 1)
    assert (merged["mode"], merged["syllables"], merged["recordings"]) == ("Robin mode 2", 5, 3)
    assert merged["confidence"] == pytest.approx((0.9 + 0.8 + 0.7 + 0.6 + 0.8) / 5)
    # Bags a, b, c have the cluster, and all of them Robin, as three of the four bags do.
    assert merged["consistency"] == 1.0
    assert merged["p_value"] == pytest.approx(1 / 4)
    # Places 0, 1, 5, 10, 12 have the mean 5.6: they are 5.6, 4.6, 0.6, 4.4 and 6.4 away.
    assert made.assignments["centrality"].tolist()[:5] == [0.4, 0.6, 1.0, 0.8, 0.2]
    assert made.assignments["centrality"].tolist()[5:] == [0.123] * 3
    assert made.assignments["review"].tolist() == [""] * 8


def test_what_is_merged_into_another_species_is_of_it_for_sure(edit: MakeEdit) -> None:
    made, _ = corrected(edit("merge", clusters=[1, 2]))
    assert made.assignments["species"].tolist()[3:7] == ["Robin"] * 4
    assert made.assignments["confidence"].tolist()[3:7] == [0.6, 0.8, 1.0, 1.0]


def test_a_split_makes_a_mode_with_the_next_number(edit: MakeEdit, ids: list[str]) -> None:
    split = edit("split", cluster=0, groups=[ids[:2], ids[2:3]], new_clusters=[4])
    made, conflicts = corrected(split)
    assert not conflicts
    assert modes_of(made) == {
        0: "Robin mode 1",
        1: "Robin mode 2",
        4: "Robin mode 3",
        2: "Wren mode 1",
        3: "",
    }
    assert made.assignments["confidence"].tolist()[:3] == [0.9, 0.8, 0.7]
    assert row(made, 4)["confidence"] == pytest.approx(0.7)


def test_a_number_is_not_used_again_after_its_mode_has_gone(edit: MakeEdit, ids: list[str]) -> None:
    made, _ = corrected(
        edit("merge", clusters=[0, 1]),
        edit("split", cluster=0, groups=[ids[:3], ids[3:5]], new_clusters=[4]),
    )
    assert modes_of(made)[4] == "Robin mode 3"


def test_moved_syllables_are_sure_and_empty_modes_disappear(edit: MakeEdit, ids: list[str]) -> None:
    made, _ = corrected(edit("move", syllables=ids[3:5], cluster=2))
    assert made.assignments["cluster"].tolist() == [0, 0, 0, 2, 2, 2, 2, 3]
    assert made.assignments["review"].tolist() == ["", "", "", "moved", "moved", "", "", ""]
    assert row(made, 2)["confidence"] == pytest.approx((1 + 1 + 0.5 + 0.7) / 4)
    assert 1 not in modes_of(made)


def test_noise_and_denied_species_get_clusters_of_their_own(edit: MakeEdit, ids: list[str]) -> None:
    made, _ = corrected(
        edit("mark", syllables=[ids[0], ids[5]], as_="noise"),
        edit("mark", syllables=[ids[1], ids[6]], as_="not-species", species="Robin"),
    )
    # The Wren that is said to be no Robin stays a Wren.
    assert made.assignments["cluster"].tolist() == [4, 5, 0, 1, 1, 4, 2, 3]
    assert made.assignments["mode"].tolist()[:2] == ["", ""]
    assert made.assignments["confidence"].tolist()[:2] == [0, 0]
    assert made.assignments["review"].tolist() == [
        "noise", "not-species", "", "", "", "noise", "", "",
    ]  # fmt: skip
    assert [row(made, c)["background"] for c in (4, 5)] == [True, False]


def test_taking_a_mark_away_brings_a_syllable_back(edit: MakeEdit, ids: list[str]) -> None:
    made, _ = corrected(
        edit("mark", syllables=ids[:2], as_="noise"),
        edit("merge", clusters=[1, 0]),
        edit("mark", syllables=ids[:1], as_="none"),
    )
    assert made.assignments["cluster"].tolist()[:3] == [1, 4, 1]


def test_good_examples_are_sure_and_stay(edit: MakeEdit, ids: list[str]) -> None:
    made, _ = corrected(edit("mark", syllables=ids[:1], as_="good"))
    assert made.assignments["confidence"].tolist()[:3] == [1.0, 0.8, 0.7]
    assert row(made, 0)["confidence"] == pytest.approx(2.5 / 3)
    assert made.assignments["centrality"].tolist() == [0.123] * 8


def test_a_new_mode_may_be_of_a_species_that_nobody_listed(edit: MakeEdit, ids: list[str]) -> None:
    made, _ = corrected(
        edit("new-mode", cluster=4, species="=Yeti\t1", name="<b>", syllables=ids[6:8])
    )
    assert modes_of(made)[4] == "=Yeti\t1 <b>"
    assert np.isnan(row(made, 4)["p_value"])
    assert made.assignments["confidence"].tolist()[6:] == [1, 1]
    assert 3 not in modes_of(made)


def test_a_cluster_is_given_a_species_or_none(edit: MakeEdit) -> None:
    made, _ = corrected(
        edit("species", cluster=3, species="Wren"), edit("species", cluster=1, species="")
    )
    assert modes_of(made)[3] == "Wren mode 2"
    assert (row(made, 3)["background"], row(made, 3)["confidence"]) == (False, 1.0)
    assert row(made, 3)["consistency"] == 1.0, "bag d has Wren"
    assert modes_of(made)[1] == ""
    assert made.assignments["confidence"].tolist()[3:5] == [0, 0]


def test_two_modes_of_one_name_are_told_and_told_apart(edit: MakeEdit) -> None:
    made, conflicts = corrected(
        edit("rename", cluster=0, name="call"), edit("rename", cluster=1, name="call")
    )
    assert modes_of(made)[0] == "Robin call"
    assert modes_of(made)[1] == "Robin call (2)"
    assert "two modes called 'call'" in str(conflicts[0])


def test_names_may_be_exchanged(edit: MakeEdit) -> None:
    _, conflicts = corrected(
        edit("rename", cluster=0, name="call"),
        edit("rename", cluster=1, name="call"),
        edit("rename", cluster=0, name="song"),
    )
    assert not conflicts


def test_what_does_not_fit_is_told_and_the_rest_is_done(edit: MakeEdit, ids: list[str]) -> None:
    made, conflicts = corrected(
        edit("rename", cluster=77, name="x"),
        edit("merge", clusters=[0, 1]),
        edit("rename", cluster=1, name="x"),
        edit("move", syllables=["gone#00000", ids[7]], cluster=2),
        edit("mark", syllables=["gone#00000"], as_="good"),
        edit("new-mode", cluster=2, species="Wren", name="", syllables=ids[:1]),
        edit("split", cluster=2, groups=[ids[5:6], ids[:1]], new_clusters=[9]),
    )
    assert [str(conflict) for conflict in conflicts] == [
        "rename: there is no cluster 77",
        "rename: cluster 1 is merged into Robin mode 1 (cluster 0) already",
        "move: 1 of 2 syllables are not here",
        "mark: 1 of 1 syllables are not here",
        "new-mode: the number 2 for a new cluster is taken",
        "split: nothing to split off Wren mode 1 (cluster 2): "
        "1 of 1 syllables are elsewhere by now",
    ]
    assert made.assignments["cluster"].tolist() == [0, 0, 0, 0, 0, 2, 2, 2]


def test_metrics_follow_and_the_truth_no_longer_holds(edit: MakeEdit, ids: list[str]) -> None:
    made, _ = corrected(edit("mark", syllables=ids[:1], as_="noise"))
    assert made.metrics["clusters"] == 5
    assert made.metrics["modes"] == 3
    assert made.metrics["background_share"] == 0.25
    assert made.metrics["stability"] == 0.9
    assert made.metrics["reviewed_syllables"] == 1
    assert "truth_recall" not in made.metrics


def edits_of(data: st.DataObject, n: int) -> list[Edit]:
    """Some edits that all fit the small clustering, in a random order."""
    names = small_clustering().assignments["syllable"].tolist()
    some = st.lists(st.sampled_from(names), min_size=1, max_size=4, unique=True)
    cluster = st.integers(0, 3)
    made = []
    for number in range(n):
        action = data.draw(st.sampled_from(["rename", "species", "merge", "move", "mark", "new"]))
        values: dict[str, Any] = {"cluster": data.draw(cluster)}
        if action == "rename":
            values["name"] = data.draw(st.sampled_from(["", "song", "call"]))
        elif action == "species":
            values["species"] = data.draw(st.sampled_from(["", "Robin", "Wren", "Owl"]))
        elif action == "merge":
            values = {"clusters": data.draw(st.lists(cluster, min_size=2, unique=True))}
        elif action == "mark":
            kinds = ["noise", "not-species", "good", "none"]
            values = {"as": data.draw(st.sampled_from(kinds)), "species": "Robin"}
        elif action == "new":
            # The two numbers after it may be given to what is set aside at the end of a batch.
            values = {"cluster": 10 * (number + 1), "species": "Owl", "name": ""}
            action = "new-mode"
        if action in ("move", "mark", "new-mode"):
            values["syllables"] = data.draw(some)
        made.append(Edit(f"{number:016x}", "2026-01-01T10:00:00Z", action, values))
    return made


@settings(max_examples=12)
@given(data=st.data())
def test_the_order_of_rows_changes_nothing(data: st.DataObject) -> None:
    edits = edits_of(data, 5)
    order = data.draw(st.permutations(range(8)))
    one, said = corrected(*edits)
    other, said_too = corrected(*edits, order=order)
    assert said == said_too
    again = other.assignments.iloc[np.argsort(order)].reset_index(drop=True)
    pd.testing.assert_frame_equal(one.assignments, again)
    pd.testing.assert_frame_equal(one.modes, other.modes)


@settings(max_examples=12)
@given(data=st.data())
def test_tables_agree_with_each_other_whatever_is_edited(data: st.DataObject) -> None:
    made, _ = corrected(*edits_of(data, 8))
    table = made.assignments
    assert sorted(made.modes["cluster"]) == sorted(table["cluster"].unique())
    sizes = table["cluster"].value_counts()
    assert (sizes.loc[made.modes["cluster"]].to_numpy() == made.modes["syllables"]).all()
    named = made.modes[made.modes["mode"] != ""]
    assert named["mode"].is_unique
    assert ((made.modes["species"] == "") == (made.modes["mode"] == "")).all()
    assert table["confidence"].between(0, 1).all()
    assert (table.loc[table["species"] == "", "confidence"] == 0).all()
    assert table["syllable"].tolist() == small_clustering().assignments["syllable"].tolist()


@settings(max_examples=12)
@given(data=st.data(), cut=st.integers(0, 6))
def test_edits_in_two_batches_do_what_they_do_in_one(data: st.DataObject, cut: int) -> None:
    edits = edits_of(data, 6)
    one, two = start_state(small_clustering()), start_state(small_clustering())
    apply_edits(one, edits)
    apply_edits(two, edits[:cut])
    apply_edits(two, edits[cut:])
    assert (one.species() == two.species()).all()
    assert (one.review() == two.review()).all()
    # Clusters of what was set aside may have other numbers, and hold the same.
    pairs = set(zip(one.where().tolist(), two.where().tolist(), strict=True))
    assert len(pairs) == len(np.unique(one.where())) == len(np.unique(two.where()))
