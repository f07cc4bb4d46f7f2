"""What is said of the species lists."""

from __future__ import annotations

import numpy as np

from algorithms import Bags
from algorithms.disambiguation.ldc import LDC
from algorithms.spectral.sp import SP
from birdmodes.modes.lists import judged_lists, lists_in_words


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
    found = judged_lists(LDC(2).fit(bags), bags)
    assert found is not None
    assert found["always_together"] == [["0", "1"]]
