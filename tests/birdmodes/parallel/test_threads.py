from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from birdmodes.parallel.threads import THREADS, in_order


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
