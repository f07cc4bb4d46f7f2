"""Scores of clusters against the truth."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import normalized_mutual_info_score

from birdmodes.evaluation.cluster_scores import score_clusters
from birdmodes.evaluation.truth import Match

TRUTH = pd.DataFrame(
    {
        "species": ["Wren", "Wren", "Robin", "Robin", "Wren", ""],
        "mode": ["song", "call", "song", "song", "", "song"],
    }
)


def match_of(*truth_row: int) -> Match:
    every = np.ones(len(TRUTH), dtype=np.bool_)
    return Match(np.array(truth_row, dtype=np.int64), every, every)


def test_scores_are_those_worked_out_by_hand() -> None:
    # Cluster 0: Wren song, Wren call, Robin song -> "Wren". Cluster 1: Robin song twice -> "Wren".
    match = match_of(0, 1, 2, 2, 3)
    scores = score_clusters(match, TRUTH, [0, 0, 0, 1, 1], ["Wren"] * 5)
    assert scores.n_matched == 5
    assert scores.species_purity == pytest.approx((2 + 2) / 5)
    assert scores.mode_purity == pytest.approx((1 + 2) / 5)
    assert scores.species_accuracy == pytest.approx(2 / 5)
    assert scores.n_modes_judged == 2
    assert scores.modes_named_right == 0.5
    # I = H(species) - H(species | cluster), in nats
    entropy_species = -(0.4 * np.log(0.4) + 0.6 * np.log(0.6))
    left = 0.6 * -(2 / 3 * np.log(2 / 3) + 1 / 3 * np.log(1 / 3))
    assert scores.species_nmi == pytest.approx((entropy_species - left) / entropy_species)


def test_equal_mode_names_of_two_species_are_two_modes() -> None:
    scores = score_clusters(match_of(0, 2), TRUTH, [7, 7], ["Wren", "Wren"])
    assert scores.mode_purity == 0.5


def test_syllables_that_match_nothing_count_nowhere() -> None:
    with_noise = score_clusters(
        match_of(0, -1, 2, -1), TRUTH, [0, 0, 1, 2], ["Wren", "Wren", "Robin", "Robin"]
    )
    without = score_clusters(match_of(0, 2), TRUTH, [0, 1], ["Wren", "Robin"])
    assert with_noise == without
    assert without.modes_named_right == 1.0


def test_background_clusters_are_no_modes_but_their_syllables_are_named_wrong() -> None:
    scores = score_clusters(match_of(0, 2), TRUTH, [0, 1], ["Wren", ""])
    assert scores.n_modes_judged == 1
    assert scores.modes_named_right == 1.0
    assert scores.species_accuracy == 0.5


def test_missing_names_read_back_from_a_table_are_background() -> None:
    names = pd.Series(["Wren", None], dtype=object)
    assert score_clusters(match_of(0, 2), TRUTH, [0, 1], names).n_modes_judged == 1


def test_rows_without_species_or_mode_are_left_out_of_the_scores_that_need_them() -> None:
    scores = score_clusters(match_of(0, 4, 5), TRUTH, [0, 1, 0], ["Wren", "Wren", "Robin"])
    assert scores.n_matched == 3
    assert scores.species_accuracy == 1.0  # rows 0 and 4
    assert scores.mode_purity == 1.0  # row 0


def test_nothing_matched_gives_no_scores() -> None:
    scores = score_clusters(match_of(-1, -1), TRUTH, [0, 1], ["Wren", "Robin"])
    assert scores.n_matched == 0
    assert scores.species_purity is scores.mode_nmi is scores.modes_named_right is None


def test_clusters_for_another_number_of_syllables_are_refused() -> None:
    with pytest.raises(ValueError, match="1 clusters for 2"):
        score_clusters(match_of(0, 1), TRUTH, [0], ["Wren"])


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(-1, 5), st.integers(0, 3)), min_size=1, max_size=30))
def test_mutual_information_agrees_with_scikit_learn(pairs: list[tuple[int, int]]) -> None:
    rows, clusters = zip(*pairs, strict=True)
    scores = score_clusters(match_of(*rows), TRUTH, clusters, ["Wren"] * len(rows))
    known = [(TRUTH["species"][r], c) for r, c in pairs if r >= 0 and TRUTH["species"][r]]
    if not known:
        assert scores.species_nmi is None
        return
    species, cluster = zip(*known, strict=True)
    expected = normalized_mutual_info_score(species, cluster)
    assert scores.species_nmi == pytest.approx(expected, abs=1e-9)
