from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from birdmodes.errors import ReviewError
from birdmodes.review.apply import apply_edits, start_state
from birdmodes.review.edits import Edit, Review
from birdmodes.review.log import base_table
from birdmodes.review.two_people import cohen_kappa, compare_reviews, merge_reviews

from .conftest import small_clustering

MakeEdit = Callable[..., Edit]

BASE = "0" * 64


def review(who: str, *edits: Edit) -> Review:
    return Review("small-k4", BASE, who, edits)


def test_kappa_is_that_of_scikit_learn() -> None:
    rng = np.random.default_rng(0)
    for n in (2, 5, 40):
        one, other = rng.choice(["song", "call", "noise"], (2, n)).tolist()
        other[: n // 2] = one[: n // 2]
        if len({*one, *other}) > 1:
            assert cohen_kappa(one, other) == pytest.approx(cohen_kappa_score(one, other))
    # by hand: 3 of 4 agree, by chance 2/4 * 3/4 + 2/4 * 1/4 = 1/2
    assert cohen_kappa(list("aabb"), list("aaab")) == pytest.approx((0.75 - 0.5) / 0.5)
    assert np.isnan(cohen_kappa([], []))
    assert np.isnan(cohen_kappa(["a"], ["a"]))


def test_what_both_say_is_counted_and_what_they_say_apart_is_listed(
    edit: MakeEdit, ids: list[str]
) -> None:
    first = review(
        "Ann",
        edit("mark", syllables=ids[:2], as_="good"),
        edit("mark", syllables=ids[3:5], as_="noise"),
        edit("rename", cluster=0, name="song"),
    )
    second = review(
        "Ben",
        edit("mark", syllables=ids[1:2], as_="good"),
        edit("mark", syllables=ids[3:4], as_="noise"),
        edit("move", syllables=ids[4:6], cluster=0),
        edit("rename", cluster=0, name="call"),
    )
    found = compare_reviews(first, second, base_table(small_clustering()))
    assert (found.twice, found.agreed) == (3, 1)
    assert [(each.about, each.first, each.second) for each in found.disagreements] == [
        (ids[1], "Robin song", "Robin call"),
        (ids[4], "noise", "Robin call"),
        ("rename 0", "song", "call"),
    ]


def result(edits: tuple[Edit, ...]) -> tuple[list[int], list[str], list[str]]:
    state = start_state(small_clustering())
    conflicts = apply_edits(state, edits)
    assert conflicts == []
    return state.where().tolist(), state.review().tolist(), state.modes().tolist()


def test_merged_what_is_decided_holds_and_what_is_not_stays(edit: MakeEdit, ids: list[str]) -> None:
    first = review("Ann", edit("mark", syllables=ids[3:6], as_="good"))
    second = review(
        "Ben",
        edit("move", syllables=ids[4:6], cluster=0),
        edit("move", syllables=ids[7:], cluster=2),
    )
    found = compare_reviews(first, second, base_table(small_clustering()))
    assert [each.about for each in found.disagreements] == ids[4:6]
    merged = merge_reviews(found, {ids[4]: "B"})
    assert merged.who == "Ann and Ben"
    where, said, _ = result(merged.edits)
    assert where == [0, 0, 0, 1, 0, 2, 2, 2]
    assert said == ["", "", "", "good", "moved", "", "", "moved"]
    assert result(merge_reviews(found, dict.fromkeys(ids, "A")).edits)[1][3:6] == ["good"] * 3


def test_new_modes_of_both_have_numbers_of_their_own(edit: MakeEdit, ids: list[str]) -> None:
    first = review("", edit("new-mode", cluster=4, species="Robin", name="drum", syllables=ids[:1]))
    second = review(
        "",
        edit("new-mode", cluster=4, species="Wren", name="trill", syllables=ids[5:6]),
        edit("move", syllables=ids[6:7], cluster=4),
    )
    merged = merge_reviews(compare_reviews(first, second, base_table(small_clustering())))
    modes = result(merged.edits)[2]
    assert modes[0] == "Robin drum"
    assert modes[5:7] == ["Wren trill", "Wren trill"]


def test_a_sound_that_both_drew_is_one(edit: MakeEdit) -> None:
    box = {"recording": "a.wav", "low_hz": 1000.0, "high_hz": 2000.0, "species": "Robin"}
    mine = edit("add-box", start_s=3.0, end_s=3.5, **box)
    theirs = edit("add-box", start_s=3.02, end_s=3.5, **box)
    other = edit("add-box", start_s=5.0, end_s=5.5, **box)
    first, second = review("", mine), review("", theirs, other)
    merged = merge_reviews(compare_reviews(first, second, base_table(small_clustering())))
    assert [each.id for each in merged.edits] == [mine.id, other.id]


def test_reviews_of_different_states_are_refused(edit: MakeEdit) -> None:
    one = review("")
    with pytest.raises(ReviewError, match="different states"):
        compare_reviews(one, replace(one, base="1" * 64), base_table(small_clustering()))
