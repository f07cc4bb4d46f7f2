from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.bagwise import kmedoids
from algorithms.bagwise.kmedoids import KMedoids, alternating, best_swap, build, pam

Array = npt.NDArray[np.float64]
LINE = np.abs(np.subtract.outer(*[np.array([0.0, 1, 2, 10, 11, 12, 20, 21])] * 2))


def random_distances(seed: int, n: int, *, largest: int | None = None) -> Array:
    """Symmetric, without triangle inequality; whole numbers up to the largest have many ties."""
    rng = np.random.default_rng(seed)
    table = rng.random((n, n)) if largest is None else rng.integers(0, largest + 1, (n, n))
    return np.triu(table, 1) + np.triu(table, 1).T.astype(np.float64)


def cost_of(distances: Array, medoids: tuple[int, ...]) -> float:
    return float(distances[list(medoids)].min(axis=0).sum())


def plain_swap(distances: Array, medoids: npt.NDArray[np.int64]) -> tuple[int, int]:
    """Try all swaps; of equal ones the first item wins, then the first medoid."""
    best, found = np.inf, (-1, -1)
    for entering in range(len(distances)):
        for leaving in range(len(medoids)):
            if entering in medoids:
                continue
            swapped = medoids.copy()
            swapped[leaving] = entering
            if cost_of(distances, tuple(swapped)) < best:
                best, found = cost_of(distances, tuple(swapped)), (entering, leaving)
    return found


def plain_build(distances: Array, k: int) -> list[int]:
    medoids: list[int] = []
    for _ in range(k):
        left = [i for i in range(len(distances)) if i not in medoids]
        medoids.append(min(left, key=lambda i: cost_of(distances, (*medoids, i))))
    return medoids


def test_alternating_on_the_worked_line_stops_at_21() -> None:
    found = alternating(LINE, np.array([0, 1, 2]))
    assert found.cost == 21
    assert list(found.medoids) == [0, 1, 5]
    assert list(found.labels) == [0, 1, 1, 2, 2, 2, 2, 2]


def test_pam_on_the_worked_line_costs_5() -> None:
    found = pam(LINE, 3)
    assert found.cost == 5
    assert list(found.medoids) == [1, 4, 6]
    assert list(found.labels) == [0, 0, 0, 1, 1, 1, 2, 2]


@pytest.mark.parametrize("largest", [None, 3])
@pytest.mark.parametrize("k", [1, 2, 5, 11])
@pytest.mark.parametrize("seed", range(4))
def test_best_swap_is_that_of_trying_all(seed: int, k: int, largest: int | None) -> None:
    distances = random_distances(seed, 12, largest=largest)
    start = np.sort(np.random.default_rng(seed).choice(12, k, replace=False))
    found = best_swap(distances, KMedoids.around(distances, start))
    assert found == plain_swap(distances, start)


@pytest.mark.parametrize("seed", range(4))
def test_best_swap_does_not_depend_on_blocks(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    distances = random_distances(seed, 40, largest=2)
    start = KMedoids.around(distances, np.array([3, 9, 30]))
    expected = best_swap(distances, start), list(build(distances, 4))
    monkeypatch.setattr(kmedoids, "_BLOCK_ENTRIES", 100)
    assert (best_swap(distances, start), list(build(distances, 4))) == expected


@pytest.mark.parametrize("largest", [None, 3])
@pytest.mark.parametrize("seed", range(3))
def test_build_is_greedy(seed: int, largest: int | None) -> None:
    distances = random_distances(seed, 10, largest=largest)
    assert list(build(distances, 10)) == plain_build(distances, 10)


@pytest.mark.parametrize("largest", [None, 5])
@pytest.mark.parametrize("seed", range(3))
def test_pam_makes_the_swaps_of_the_plain_method(seed: int, largest: int | None) -> None:
    distances = random_distances(seed, 15, largest=largest)
    medoids = np.sort(plain_build(distances, 4))
    while True:
        entering, leaving = plain_swap(distances, medoids)
        swapped = np.sort(np.append(np.delete(medoids, leaving), entering))
        if cost_of(distances, tuple(swapped)) >= cost_of(distances, tuple(medoids)):
            break
        medoids = swapped
    found = pam(distances, 4)
    assert list(found.medoids) == list(medoids)
    assert found.cost == pytest.approx(cost_of(distances, tuple(medoids)))


def test_pam_with_one_medoid_is_the_best_of_all() -> None:
    distances = random_distances(1, 20)
    assert list(pam(distances, 1).medoids) == [distances.sum(axis=0).argmin()]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1000), st.integers(1, 9), st.data())
def test_what_both_methods_find(seed: int, n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(1, n))
    distances = random_distances(seed, n, largest=4)
    start = np.array(data.draw(st.permutations(range(n)))[:k])
    best = min(cost_of(distances, medoids) for medoids in itertools.combinations(range(n), k))
    for found in (alternating(distances, start), pam(distances, k)):
        assert len(set(found.medoids.tolist())) == k
        assert sorted(found.medoids) == list(found.medoids)
        assert list(found.labels[found.medoids]) == list(range(k))
        assert found.cost == distances[found.medoids[found.labels], np.arange(n)].sum()
        assert found.cost == cost_of(distances, tuple(found.medoids)) >= best
    assert alternating(distances, start).cost <= cost_of(distances, tuple(start))


def test_as_many_medoids_as_items() -> None:
    for found in (alternating(LINE, np.arange(8)[::-1]), pam(LINE, 8)):
        assert list(found.medoids) == list(found.labels) == list(range(8))
        assert found.cost == 0


def test_items_that_are_all_the_same() -> None:
    distances = np.zeros((5, 5))
    for found in (alternating(distances, np.array([4, 2])), pam(distances, 2)):
        assert found.cost == 0
        assert list(found.labels[found.medoids]) == [0, 1]
    assert list(alternating(distances, np.array([4, 2])).labels) == [0, 0, 0, 0, 1]
    assert list(pam(distances, 2).medoids) == [0, 1]


def test_a_tie_between_medoids_goes_to_the_first() -> None:
    distances = np.abs(np.subtract.outer([0.0, 1, 2], [0.0, 1, 2]))
    assert list(KMedoids.around(distances, np.array([2, 0])).labels) == [0, 0, 1]
