from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
from scipy.stats import fisher_exact, hypergeom

from birdmodes.modes.co_occurrence import co_occurrence, companions, upper_tail


def table(*recordings: str) -> pd.DataFrame:
    """Syllables: a text per recording, with a digit for each syllable's cluster."""
    rows = [
        (f"r{number}", int(cluster)) for number, text in enumerate(recordings) for cluster in text
    ]
    return pd.DataFrame(rows, columns=["recording", "cluster"])


def test_counts_and_chance_are_those_of_a_hand_calculation() -> None:
    # Clusters 0 and 1 are in recordings 0, 1, 2 and in no other of six; 5 is in all but one.
    found = co_occurrence(table("0015", "01", "015", "5", "5", "55"))
    assert found.clusters.tolist() == [0, 1, 5]
    assert found.n_recordings == 6
    assert found.recordings.tolist() == [3, 3, 5]
    assert found.together.tolist() == [[3, 3, 2], [3, 3, 2], [2, 2, 5]]
    assert found.expected[0, 1] == pytest.approx(3 * 3 / 6)
    assert found.expected[0, 2] == pytest.approx(3 * 5 / 6)
    # All three of three out of six: 1 / C(6, 3); fewer than expected: not tested
    assert found.p_value[0, 1] == found.p_value[1, 0] == pytest.approx(1 / 20)
    assert found.p_value[0, 2] == found.p_value[0, 0] == 1
    # Benjamini & Hochberg: the smallest of three p-values times three
    assert found.q_value[0, 1] == pytest.approx(3 / 20)


def test_recordings_without_these_clusters_can_be_counted() -> None:
    found = co_occurrence(table("01", "01"), n_recordings=10)
    # C(8, 0) / C(10, 2)
    assert found.p_value[0, 1] == pytest.approx(1 / 45)
    assert found.expected[0, 1] == pytest.approx(0.4)


def test_a_recording_counts_once_however_many_syllables_it_has() -> None:
    once, often = co_occurrence(table("01", "0", "1")), co_occurrence(table("0000111", "00", "1"))
    assert often.together.tolist() == once.together.tolist() == [[2, 1], [1, 2]]


def test_companions_are_the_surest_first_and_only_those_beyond_chance() -> None:
    # 0 and 1 always together, 2 with both but for one; 3 is everywhere, so with nobody
    recordings = ["0123"] * 7 + ["013"] + ["23"] + ["3"] * 12
    found = companions(co_occurrence(table(*recordings)))
    assert [one.cluster for one in found[0]] == [1, 2]
    first = found[0][0]
    assert (first.recordings, first.together) == (8, 8)
    assert first.expected == pytest.approx(8 * 8 / 21)
    assert first.q_value == pytest.approx(6 / 203490)  # 1 / C(21, 8), the smallest of 6 pairs
    assert found[3] == []
    strict = companions(co_occurrence(table(*recordings)), at_most=1e-9)
    assert strict == {0: [], 1: [], 2: [], 3: []}


def test_what_is_everywhere_is_no_companion() -> None:
    found = companions(co_occurrence(table(*["01"] * 50)))
    assert found == {0: [], 1: []}


@pytest.mark.parametrize("clusters", ["", "000"])
def test_nothing_to_compare(clusters: str) -> None:
    found = co_occurrence(table(clusters))
    assert found.q_value.shape == (len(set(clusters)),) * 2
    assert all(one == [] for one in companions(found).values())


def test_tails_agree_with_those_of_scipy() -> None:
    rng = np.random.default_rng(3)
    n = 400
    first, second = rng.integers(1, n, (2, 300))
    lowest = np.maximum(0, first + second - n)
    together = rng.integers(lowest, np.minimum(first, second) + 1)
    ours = upper_tail(together, n, first, second)
    theirs = hypergeom.sf(together - 1, n, first, second)
    tested = together * n > first * second
    np.testing.assert_allclose(ours[tested], theirs[tested], rtol=1e-8)
    assert (ours[~tested] == 1).all()
    assert (theirs[~tested] > 0.4).all()  # so nothing that matters is passed over


def test_a_pair_agrees_with_fishers_exact_test() -> None:
    # 100 recordings: 12 with both, 18 with the first alone, 8 with the second alone
    expected = fisher_exact([[12, 18], [8, 62]], alternative="greater").pvalue
    ours = upper_tail(np.array([12]), 100, np.array([30]), np.array([20]))
    assert ours[0] == pytest.approx(expected, rel=1e-9)


def test_many_recordings_and_modes_are_no_trouble() -> None:
    rng = np.random.default_rng(0)
    n, size = 300, 400_000
    members = pd.DataFrame(
        {
            "recording": np.char.add("r", rng.integers(0, 20_000, size).astype(str)),
            "cluster": rng.integers(0, n, size),
        }
    )
    began = time.process_time()
    found = co_occurrence(members)
    together = companions(found)
    assert time.process_time() - began < 5
    # Drawn independently: hardly any of the 44,850 pairs survives the adjustment
    assert sum(map(len, together.values())) < 20
