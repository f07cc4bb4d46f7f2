from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import kmeans_plusplus

from algorithms.spectral.seeding import plus_plus_starts


@pytest.mark.parametrize("n_clusters", [1, 2, 9, 40])
def test_the_starts_are_those_that_scikit_learn_draws(n_clusters: int) -> None:
    rows = np.random.default_rng(0).standard_normal((500, 6)) + 3
    seeds = [0, 7, 4_000_000_000]
    starts = plus_plus_starts(rows, n_clusters, seeds)
    centred = rows - rows.mean(axis=0)
    expected = [kmeans_plusplus(centred, n_clusters, random_state=seed)[1] for seed in seeds]
    assert starts.tolist() == [chosen.tolist() for chosen in expected]


def test_every_one_of_well_separated_groups_gets_a_centre() -> None:
    rng = np.random.default_rng(1)
    group = np.repeat(np.arange(8), 25)
    rows = 100 * np.eye(8)[group] + rng.standard_normal((200, 8))
    starts = plus_plus_starts(rows, 8, range(5))
    assert all(sorted(group[start].tolist()) == list(range(8)) for start in starts)


def test_a_run_does_not_depend_on_the_others() -> None:
    rows = np.random.default_rng(2).standard_normal((300, 4))
    together = plus_plus_starts(rows, 6, [3, 1, 2])
    assert (together[1] == plus_plus_starts(rows, 6, [1])[0]).all()


def test_alike_rows_are_drawn_all_the_same() -> None:
    starts = plus_plus_starts(np.ones((10, 2)), 4, [0, 1])
    assert starts.shape == (2, 4)
    assert ((starts >= 0) & (starts < 10)).all()
