"""One function over many tasks in threads, for what libraries do without Python's lock."""

from __future__ import annotations

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
