from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from birdmodes.parallel.threads import THREADS, ahead, in_order


def test_results_come_in_order_and_items_are_taken_as_they_are_needed() -> None:
    taken: list[int] = []
    later = threading.Event()

    def items() -> Iterator[int]:
        for number in range(20):
            taken.append(number)
            yield number

    def work(number: int) -> int:
        if number == 0:
            later.wait(10)  # the second one is done before
        else:
            later.set()
        return number * number

    results = in_order(work, items())
    assert next(results) == 0
    assert len(taken) <= THREADS + 1
    assert list(results) == [number * number for number in range(1, 20)]


def test_what_a_task_raises_is_raised_in_its_place() -> None:
    def work(number: int) -> float:
        return 1 / (2 - number)

    results = in_order(work, range(9))
    assert [next(results), next(results)] == [0.5, 1.0]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_items_are_taken_ahead_by_one_thread_but_not_all_of_them() -> None:
    taken: list[int] = []
    threads: set[int] = set()
    third = threading.Event()

    def items() -> Iterator[int]:
        for number in range(20):
            taken.append(number)
            threads.add(threading.get_ident())
            if number == 2:
                third.set()
            yield number

    given = ahead(items())
    assert next(given) == 0
    assert next(given) == 1
    assert third.wait(10)  # nobody has asked for it yet
    assert len(taken) <= 4
    assert list(given) == list(range(2, 20))
    assert len(threads) == 1
    assert threading.get_ident() not in threads


def test_what_taking_an_item_raises_is_raised_in_its_place() -> None:
    given = ahead(1 / (2 - number) for number in range(9))
    assert [next(given), next(given)] == [0.5, 1.0]
    with pytest.raises(ZeroDivisionError):
        next(given)
