"""One function over many tasks in threads, for what libraries do without Python's lock."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

THREADS = 2


def in_order(
    function: Callable[[Item], Result], items: Iterable[Item], threads: int = THREADS
) -> Iterator[Result]:
    """Call a function with each item, some at a time, and give the results in their order.

    Parameters
    ----------
    function : callable
        Called in several threads.
    items : iterable
        Taken one after the other, few more than are worked on: not all of them need to be in
        memory.
    threads : int
        How many.

    Yields
    ------
    object
        What `function` gave. What it raises is raised here, in place of its result.
    """
    waiting: deque[Future[Result]] = deque()
    pool = ThreadPoolExecutor(threads)
    try:
        for item in items:
            waiting.append(pool.submit(function, item))
            if len(waiting) > threads:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def ahead(items: Iterable[Item]) -> Iterator[Item]:
    """Give items, each of which is taken in another thread while the one before is worked on.

    Parameters
    ----------
    items : iterable
        Taken one after the other, two more than are asked for.

    Yields
    ------
    object
        The items. What taking one raises is raised here, in its place.
    """
    iterator = iter(items)

    def take(_: int) -> list[Item]:
        return list(itertools.islice(iterator, 1))

    for taken in in_order(take, itertools.count(), threads=1):
        if not taken:
            return
        yield taken[0]
