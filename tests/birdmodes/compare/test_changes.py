from __future__ import annotations

import numpy as np

from birdmodes.compare.changes import Change, Move, block_order, find_changes, find_moves


def changes_of(rows: list[list[int]]) -> list[Change]:
    return find_changes(np.array(rows))


def test_a_cluster_that_both_have_stays() -> None:
    # 8 in common of 8 + 2 + 0
    first, second = changes_of([[8, 0], [2, 10]])
    assert first == Change("stays", (1,), (1,), 10, 10 / 12)
    assert second == Change("stays", (0,), (0,), 8, 0.8)


def test_one_cluster_to_several_splits() -> None:
    assert changes_of([[6, 5, 0], [0, 1, 9]]) == [
        Change("splits", (0,), (0, 1), 11, 11 / 12),
        Change("stays", (1,), (2,), 9, 0.9),
    ]


def test_several_clusters_to_one_merge_the_largest_first() -> None:
    assert changes_of([[3, 0], [7, 0], [0, 4]]) == [
        Change("merges", (1, 0), (0,), 10, 1.0),
        Change("stays", (2,), (1,), 4, 1.0),
    ]


def test_several_to_several_mix() -> None:
    # 4 of the second column's 6 are of the first row, 6 of the second row's 8 go to the third
    assert changes_of([[5, 4, 0], [0, 2, 6]]) == [
        Change("splits", (0,), (1, 0), 9, 9 / 11),
        Change("stays", (1,), (2,), 6, 6 / 8),
    ]
    assert [change.kind for change in changes_of([[5, 4], [0, 7]])] == ["stays", "stays"]
    # the first row and 6 of the second's 10 go to the first column, the other 4 make the second
    assert changes_of([[5, 0], [6, 4]]) == [Change("mixes", (1, 0), (0, 1), 15, 1.0)]


def test_a_small_part_of_a_large_cluster_does_not_make_it_stay() -> None:
    # the row's 3 of 5 are but 3 of the column's 11, whose rest comes from all over
    table = [[3, 1, 1], [4, 20, 0], [4, 0, 20]]
    kinds = {change.first: change.kind for change in changes_of(table)}
    assert kinds[(0,)] == "mixes"
    assert kinds[(1,)] == kinds[(2,)] == "stays"


def test_what_is_scattered_dissolves_and_what_is_gathered_appears() -> None:
    table = np.array([[20, 0, 2], [0, 20, 2], [2, 2, 0]])
    kinds = {change.kind: (change.first, change.second) for change in find_changes(table)}
    assert kinds["dissolves"] == ((2,), ())
    assert kinds["appears"] == ((), (2,))
    assert find_changes(table)[-1].syllables == 0


def test_exactly_half_is_not_more_than_half() -> None:
    kinds = [change.kind for change in changes_of([[2, 2], [2, 2]])]
    assert sorted(kinds) == ["appears", "appears", "dissolves", "dissolves"]


def test_every_cluster_is_in_exactly_one_change() -> None:
    rng = np.random.default_rng(0)
    table = rng.poisson(0.7, (12, 9)) * rng.integers(1, 40, (12, 9))
    table = table[table.any(axis=1)][:, table.any(axis=0)]
    changes = find_changes(table)
    rows, columns = block_order(changes)
    assert sorted(rows) == list(range(len(table)))
    assert sorted(columns) == list(range(table.shape[1]))


def test_syllables_that_leave_their_group_move() -> None:
    # 30 of 100 + 5 leave; 5 % of the smaller of both is 5 and 0.3
    table = np.array([[100, 30, 1], [0, 100, 0], [0, 0, 60]])
    changes = find_changes(table)
    moves, others = find_moves(table, changes)
    assert moves == [Move(0, 1, 30)]
    assert others == 1


def test_moves_and_groups_hold_all_syllables() -> None:
    table = np.array([[9, 1, 3], [4, 12, 0], [1, 1, 30]])
    changes = find_changes(table)
    moves, others = find_moves(table, changes)
    within = sum(change.syllables for change in changes)
    assert within + sum(move.syllables for move in moves) + others == table.sum()


def test_the_order_puts_linked_clusters_along_the_diagonal() -> None:
    table = np.array([[0, 9, 0], [5, 0, 0], [0, 8, 0], [0, 0, 7]])
    rows, columns = block_order(find_changes(table))
    assert table[np.ix_(rows, columns)].tolist() == [[9, 0, 0], [8, 0, 0], [0, 7, 0], [0, 0, 5]]
