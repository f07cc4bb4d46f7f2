from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from birdmodes.errors import BirdmodesError
from birdmodes.parallel.executors import run_tasks


def square(number: int) -> int:
    return number * number


def square_or_die(number: int) -> int:
    if number == 5:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


@pytest.mark.parametrize("workers", [1, 2])
def test_every_task_gives_its_result_once(workers: int) -> None:
    answers = sorted(run_tasks(square, range(20), workers=workers))
    assert answers == [(number, number * number) for number in range(20)]


def test_tasks_are_taken_as_they_are_needed() -> None:
    taken = []

    def tasks() -> object:
        for number in range(1000):
            taken.append(number)
            yield number

    results = run_tasks(square, tasks(), workers=2)  # type: ignore[var-annotated, arg-type]
    next(results)
    assert len(taken) < 20
    results.close()  # type: ignore[attr-defined]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")
def test_a_task_that_kills_its_process_loses_only_itself() -> None:
    answers = dict(run_tasks(square_or_die, range(12), workers=2))
    assert answers.pop(5) is None
    assert answers == {number: number * number for number in range(12) if number != 5}


ORPHANS = """
import os, time
from birdmodes.parallel.executors import run_tasks
results = run_tasks(os.system, ["echo $PPID"] * 2, workers=2)
next(results), next(results)
time.sleep(60)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")
def test_processes_end_when_the_program_is_killed() -> None:
    command = [sys.executable, "-c", ORPHANS]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        workers = [int(program.stdout.readline()) for _ in range(2)]
        assert program.pid not in workers
        program.kill()
        # The pipe closes when the last process that holds it has ended.
        assert program.communicate(timeout=60) == ("", None)


def test_a_scheduler_that_does_not_answer_is_named() -> None:
    pytest.importorskip("distributed")
    with pytest.raises(BirdmodesError, match=r"tcp://127\.0\.0\.1:9: no Dask scheduler"):
        list(run_tasks(square, range(3), workers=1, scheduler="tcp://127.0.0.1:9"))


@pytest.mark.parametrize("address", ["nonsense://x", "tcp://", "tcp://[::1", "x y", ""])
def test_what_is_no_address_of_a_scheduler_is_refused_at_once(address: str) -> None:
    pytest.importorskip("distributed")
    with pytest.raises(BirdmodesError, match=r"^--scheduler .*: not an address; .*tcp://host"):
        list(run_tasks(square, range(3), workers=1, scheduler=address))


def test_a_dask_cluster_gives_the_same_results() -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
    ) as cluster:
        answers = sorted(
            run_tasks(square, range(20), workers=1, scheduler=cluster.scheduler_address)
        )
    assert answers == [(number, number * number) for number in range(20)]
