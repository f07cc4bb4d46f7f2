from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from birdmodes.annotate import likeness as module
from birdmodes.annotate.likeness import Examples, likeness


def test_likeness_is_the_share_of_left_out_ones_as_far_away() -> None:
    usual = np.array([3.0, 1.0, 4.0, 2.0])
    # of five with itself: all; 2, 3, 4 and itself; 3, 4 and itself; itself
    found = likeness(np.array([0.5, 2.0, 2.5, 9.0]), usual)
    assert found == pytest.approx([1.0, 0.8, 0.6, 0.2])


def test_with_few_left_out_ones_nothing_is_unusual() -> None:
    assert likeness(np.array([1e9]), np.ones(5)) == pytest.approx([1 / 6])
    assert likeness(np.array([1e9]), np.empty(0)) == pytest.approx([1.0])


@given(st.lists(st.integers(0, 50), min_size=1, max_size=60), st.floats(0.01, 0.99))
def test_no_more_of_the_usual_are_below_a_limit_than_it_says(usual: list[int], p: float) -> None:
    # each against the others, as if it were new: the conformal guarantee
    values = np.array(usual, dtype=float)
    own = [likeness(values[[i]], np.delete(values, i))[0] for i in range(len(values))]
    assert np.mean(np.array(own) <= p) <= p + 1e-12


def test_distances_are_of_standardised_features(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    known = rng.normal(0, [1, 1000, 0.01], (50, 3))
    new = rng.normal(0, [1, 1000, 0.01], (30, 3))
    scaler = StandardScaler().fit(known)
    search = NearestNeighbors(n_neighbors=1).fit(scaler.transform(known))
    expected = search.kneighbors(scaler.transform(new))[0][:, 0]
    assert Examples.of(known, 0).nearest(new) == pytest.approx(expected)
    monkeypatch.setattr(module, "_BLOCK_ENTRIES", 120)  # a few rows at a time
    assert Examples.of(known, 0).nearest(new) == pytest.approx(expected)


def test_of_very_many_examples_a_sample_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_EXAMPLES", 10)
    known = np.arange(100.0)[:, None]
    first, second = Examples.of(known, 1), Examples.of(known, 1)
    assert first.features.shape == (10, 1)
    assert (first.features == second.features).all(), "same seed, same sample"
    assert (first.scale.mean_, first.scale.scale_) == (known.mean(), known.std()), "that of all"
