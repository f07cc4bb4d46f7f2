"""Blocks of rows worked on by a Dask cluster; see `algorithms.blocks.runners.Runner`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from algorithms.threads import one_thread
from birdmodes.parallel.dask import Cluster

Result = TypeVar("Result")


class ClusterRunner:
    """Works on blocks with the workers of a cluster, whose memory holds what is made of them.

    What a worker had that is gone is made anew by another, from what it was made of; so nothing
    depends on who worked on what, and sums are those of one process, added in the same order.

    Parameters
    ----------
    cluster : Cluster
        Open while the runner is used.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def make(
        self, function: Callable[..., Any], *columns: Iterable[Any], shared: Sequence[Any] = ()
    ) -> Sequence[Any]:
        """See `algorithms.blocks.runners.Runner`."""
        # A task of its own, and not data that are sent: those could not be made anew.
        common = [self._cluster.begin(_as_it_is, one) for one in shared]
        return [
            self._cluster.begin(_on_one_thread, function, *items, *common)
            for items in zip(*columns, strict=True)
        ]

    def results(
        self, function: Callable[..., Any], *columns: Iterable[Any], shared: Sequence[Any] = ()
    ) -> Iterator[Any]:
        """See `algorithms.blocks.runners.Runner`."""
        waiting = list(self.make(function, *columns, shared=shared))
        waiting.reverse()
        while waiting:
            yield self._cluster.finish(waiting.pop())


def _as_it_is(one: Any) -> Any:
    return one


def _on_one_thread(function: Callable[..., Result], *arguments: Any) -> Result:
    # Sums split over threads differ in their last digits.
    with one_thread():
        return function(*arguments)
