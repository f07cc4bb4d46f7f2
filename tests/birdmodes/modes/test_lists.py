"""What is said of the species lists."""

from __future__ import annotations

import numpy as np

from algorithms import Bags
from algorithms.bags import Known
from algorithms.disambiguation.ldc import LDC
from algorithms.spectral.sp import SP
from birdmodes.modes.lists import judged_lists, lists_in_words, tell_nothing


def test_shares_in_words_and_species_that_go_together() -> None:
    lists = {"present": 0.853, "missing": 0.11, "always_together": [["Robin", "Wren"]]}
    present, missing, together = lists_in_words(lists)
    assert present == "about 85 % of the species in your lists can be heard in them"
    assert missing.startswith("about 11 % of the species that can be heard are not in")
    assert together.startswith("Robin or Wren: always listed together")


def test_nothing_is_said_where_nothing_was_judged() -> None:
    assert lists_in_words(None) == []
    bags = Bags(
        np.random.default_rng(0).standard_normal((12, 2)), np.arange(12) // 3, np.ones((4, 2))
    )
    assert judged_lists(SP(2).fit(bags), bags) is None


def test_species_that_always_go_together_are_told() -> None:
    labels = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1], [1, 1, 1]], dtype=bool)
    bags = Bags(np.random.default_rng(0).standard_normal((12, 2)), np.arange(12) // 3, labels)
    found = judged_lists(LDC(2).fit(bags), bags)
    assert found is not None
    assert found["always_together"] == [["0", "1"]]


def test_lists_that_are_all_the_same_tell_nothing() -> None:
    labels = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 0]], dtype=bool)
    features = np.random.default_rng(0).standard_normal((9, 2))
    bags = Bags(features, np.arange(9) // 3, labels)
    assert tell_nothing(bags)
    found = judged_lists(LDC(3).fit(bags), bags)
    (line,) = lists_in_words(found)
    assert line.startswith("all lists have the same 2 species (0, 1), so that nothing tells")
    may_be = np.ones((9, 4), dtype=bool)
    may_be[0] = [True, False, False, False]  # one syllable is known: that tells
    assert not tell_nothing(Bags(features, bags.bag, labels, known=Known(may_be, np.full(9, -1))))
    assert not tell_nothing(Bags(features, bags.bag, labels[:, :1]))  # one species is told
