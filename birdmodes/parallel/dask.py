"""A Dask cluster as an executor, whose failures are told in words.

Dask itself runs a task again when the worker that had it is gone. What is left to do here: refuse
workers with another version, whose results would differ; tell a task that kills its workers from
a cluster that is lost; and not wait for ever.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from birdmodes._version import __version__
from birdmodes.errors import BirdmodesError

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")

CONNECT_S = 5.0
COUNT_INTERVAL_S = 2.0
RETRIES = 3

# They tell of lost connections with tracebacks; we tell of them in words.
LOGGERS = ("asyncio", "distributed", "distributed.client", "tornado", "tornado.application")

# A cluster without any worker for so long does not get one without the user.
NO_WORKERS_S = 120.0


class Cluster(Executor):
    """Executor on the workers of a Dask scheduler; a context manager.

    Futures raise `concurrent.futures.BrokenExecutor` for a task whose workers died one after the
    other, as those of local processes do.

    Parameters
    ----------
    scheduler : str
        Address, such as ``tcp://host:8786``.

    Raises
    ------
    BirdmodesError
        If Dask is not installed, no scheduler answers, or it has no workers.
    """

    def __init__(self, scheduler: str) -> None:
        try:
            from distributed import Client, KilledWorker
        except ImportError as error:
            raise BirdmodesError(
                "--scheduler needs Dask: pip install 'birdmodes[cluster]', here and on the workers"
            ) from error
        _check_address(scheduler)
        self._scheduler = scheduler
        self._killed_worker = KilledWorker
        self._busy_at = time.monotonic()
        self._cores = 0
        self._counted_at = -COUNT_INTERVAL_S
        for name in LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            self._client = Client(scheduler, timeout=CONNECT_S, set_as_default=False)
        except (OSError, TypeError, ValueError) as error:
            raise BirdmodesError(
                f"--scheduler {scheduler}: no Dask scheduler answers there"
            ) from error
        try:
            self._check_versions()
            if not self.cores():
                raise BirdmodesError(f"--scheduler {scheduler}: the cluster has no workers")
        except BirdmodesError:
            self._client.close()
            raise
        # Not "pure": a task that is given again is to be done again.
        self._executor = self._client.get_executor(pure=False)

    def _check_versions(self) -> None:
        """Ask the workers before they get tasks: without birdmodes they could not even open one."""

        def version() -> str:  # travels as it is, since the workers may not have this module
            from importlib import import_module

            found: str = import_module("birdmodes").__version__
            return found

        for worker, answer in self._client.run(version, on_error="return").items():
            if answer != __version__:
                found = f"no birdmodes ({answer})" if isinstance(answer, Exception) else answer
                raise BirdmodesError(
                    f"--scheduler {self._scheduler}: the worker {worker} has {found}, not "
                    f"{__version__}; install the same birdmodes on all workers"
                )

    def submit(
        self,
        function: Callable[Arguments, Result],
        /,
        *args: Arguments.args,
        **kwargs: Arguments.kwargs,
    ) -> Future[Result]:
        """Run a function of this package on a worker; see `concurrent.futures.Executor`."""
        inner = self._executor.submit(_run_in_version, __version__, function, *args, **kwargs)
        outer: Future[Result] = Future()
        inner.add_done_callback(lambda done: self._pass_on(done, outer))
        return outer

    def begin(self, function: Callable[..., Any], *args: Any) -> Any:
        """Run a function of this package on a worker, where what it gives stays.

        Returns
        -------
        distributed.Future
            An argument for further calls, or for `finish`; when it is forgotten, so is what the
            worker keeps.
        """
        return self._client.submit(_run_in_version, __version__, function, *args, pure=False)

    def finish(self, begun: Any) -> Any:
        """Give what came of `begin`.

        Raises
        ------
        BirdmodesError
            If the scheduler, or every worker for long, is gone, or the task kills its workers.
        """
        retries = 0
        while True:
            try:
                found = begun.result(timeout=COUNT_INTERVAL_S)
            except TimeoutError:
                self.check()
            except self._killed_worker as error:
                retries += 1
                if retries <= RETRIES:  # others may have died of something else, and it with them
                    begun.retry()
                    continue
                raise BirdmodesError(
                    f"--scheduler {self._scheduler}: a block of syllables kills every worker that "
                    "takes it; start workers with more memory"
                ) from error
            except CancelledError as error:
                raise self._lost() from error
            else:
                self._busy_at = time.monotonic()
                return found

    def cores(self) -> int:
        """Threads of all workers; on a cluster with a queue they come one after the other."""
        now = time.monotonic()
        if now - self._counted_at >= COUNT_INTERVAL_S:
            self._counted_at = now
            # Of a scheduler that is lost, `check` tells.
            with contextlib.suppress(OSError, RuntimeError):
                self._cores = max(self._cores, sum(self._client.ncores().values()))
        return self._cores

    def _pass_on(self, inner: Future[Result], outer: Future[Result]) -> None:
        self._busy_at = time.monotonic()
        try:
            outer.set_result(inner.result())
        except self._killed_worker as error:
            outer.set_exception(BrokenExecutor(str(error)))
        except CancelledError:
            outer.set_exception(self._lost())
        except Exception as error:
            outer.set_exception(error)

    def _lost(self) -> BirdmodesError:
        return BirdmodesError(
            f"--scheduler {self._scheduler}: the connection to the scheduler is lost; what "
            "was done is kept: start it and run the command again"
        )

    def check(self) -> None:
        """Raise `BirdmodesError` if the scheduler, or every worker for long, is gone."""
        if self._client.status != "running":
            raise self._lost()
        try:
            workers = self._client.ncores()
        except (OSError, RuntimeError) as error:
            raise self._lost() from error
        if workers:
            self._busy_at = time.monotonic()
        elif time.monotonic() - self._busy_at > NO_WORKERS_S:
            raise BirdmodesError(
                f"--scheduler {self._scheduler}: the cluster has no workers any more; start some "
                "and run the command again"
            )

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Give up what is still running, and the connection."""
        with contextlib.suppress(Exception):
            self._executor.shutdown(wait=False)
        self._client.close(timeout=CONNECT_S)


def _check_address(scheduler: str) -> None:
    """Refuse what cannot be an address: Dask's client would end in tracebacks over it."""
    from distributed.comm import parse_address, parse_host_port
    from distributed.comm.registry import get_backend

    try:
        scheme, place = parse_address(scheduler)
        get_backend(scheme)
        if scheme == "inproc":  # a cluster within this process: no host, no port
            return
        host, _ = parse_host_port(place)
        if not host or any(letter.isspace() for letter in host):
            raise ValueError(host)
    except (ImportError, RuntimeError, ValueError) as error:
        raise BirdmodesError(
            f"--scheduler {scheduler}: not an address; give the one that the scheduler printed, "
            "such as tcp://host:8786"
        ) from error


def _run_in_version(
    version: str, function: Callable[..., Result], *args: Any, **kwargs: Any
) -> Result:
    """Run a function on a worker, unless the worker came later and has another birdmodes."""
    if __version__ != version:
        raise BirdmodesError(
            f"a Dask worker has birdmodes {__version__}, this is {version}; install the "
            "same version on all workers"
        )
    return function(*args, **kwargs)
