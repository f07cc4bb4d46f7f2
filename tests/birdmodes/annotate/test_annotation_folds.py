from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from algorithms.folds import make_folds

ROWS = st.lists(
    st.tuples(st.integers(0, 9), st.booleans(), st.tuples(*[st.booleans()] * 3)),
    min_size=1,
    max_size=30,
)


def table(rows):
    group, labelled, labels = (np.array(column) for column in zip(*rows, strict=True))
    return labels & labelled[:, None], labelled, group


@given(ROWS, st.integers(2, 6), st.integers(0, 3))
def test_recordings_stay_together_and_no_fold_is_empty(rows, n_folds: int, seed: int) -> None:
    labels, labelled, group = table(rows)
    fold = make_folds(labels, labelled, group, n_folds, seed)
    for name in np.unique(group):
        assert len(np.unique(fold[group == name])) == 1
        assert (fold[group == name][0] >= 0) == labelled[group == name].any()
    dealt = len(np.unique(group[fold >= 0]))
    assert set(fold[fold >= 0]) == set(range(min(n_folds, dealt)))


@given(ROWS, st.integers(2, 6))
def test_no_fold_has_two_recordings_of_the_rarest_species_while_another_has_none(
    rows, n_folds: int
) -> None:
    labels, labelled, group = table(rows)
    fold = make_folds(labels, labelled, group, n_folds, 0)
    names = np.unique(group[fold >= 0])
    has = np.array([labels[group == name].any(axis=0) for name in names]).reshape(-1, 3)
    counts = np.where(has.sum(axis=0) > 0, has.sum(axis=0), 99)
    if counts.min() == 99:
        return
    of_group = np.array([fold[group == name][0] for name in names])
    n_made = of_group.max() + 1
    dealt = np.bincount(of_group[has[:, counts.argmin()]], minlength=n_made)
    assert dealt.max() - dealt.min() <= 1


def test_every_species_is_spread_evenly_where_recordings_have_one() -> None:
    species = np.repeat([0, 1, 2], [5, 10, 15])
    fold = make_folds(np.eye(3, dtype=bool)[species], np.ones(30, bool), np.arange(30), 5, 0)
    for number in range(5):
        assert np.bincount(species[fold == number], minlength=3).tolist() == [1, 2, 3]


def test_spreading_a_species_comes_before_folds_of_equal_size() -> None:
    # of C, of A and B, of A, of B: both species can be spread over two folds
    labels = np.array([[0, 0, 1], [1, 1, 0], [1, 0, 0], [0, 1, 0]], bool)
    for seed in range(20):
        fold = make_folds(labels, np.ones(4, bool), np.arange(4), 2, seed)
        assert fold[1] != fold[2]
        assert fold[1] != fold[3]


def test_the_seed_decides_between_equals() -> None:
    labels, group = np.ones((20, 1), bool), np.arange(20)
    folds = [make_folds(labels, labels[:, 0], group, 4, seed) for seed in (0, 0, 1)]
    assert (folds[0] == folds[1]).all()
    assert (folds[0] != folds[2]).any()
