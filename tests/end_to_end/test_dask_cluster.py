"""``--scheduler``: a real Dask scheduler and worker processes on this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from algorithms import Bags
from algorithms.disambiguation.ldc import LDC
from birdmodes.errors import BirdmodesError
from birdmodes.parallel import dask as dask_cluster
from birdmodes.parallel.blocks import ClusterRunner
from birdmodes.parallel.executors import run_tasks

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs POSIX signals")

PATIENCE_S = 60


class DaskCluster:
    """Processes of a scheduler and its workers."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0")
        file = folder / "scheduler.json"
        end = time.monotonic() + PATIENCE_S
        while not file.exists() or not file.read_text().endswith("}"):
            assert time.monotonic() < end, "the scheduler does not start"
            time.sleep(0.01)
        self.address = str(json.loads(file.read_text())["address"])

    def _start(self, what: str, *options: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [
                *(sys.executable, "-m", f"distributed.cli.dask_{what}", "--no-dashboard"),
                *("--scheduler-file", "scheduler.json", *options),
            ],
            cwd=self.folder,
            # A task that kills its worker is given up at once instead of at the fourth time.
            env={**os.environ, "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0"},
            stderr=subprocess.DEVNULL,
        )

    def add_workers(self, count: int, *options: str) -> None:
        """Start workers, and wait until the scheduler knows them."""
        for _ in range(count):
            self.workers.append(self._start("worker", "--nthreads", "1", *options))
        from distributed import Client  # the suite's other processes do without

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(len(self.workers), timeout=PATIENCE_S)

    def stop(self) -> None:
        """End all processes."""
        for process in [*self.workers, self.scheduler]:
            process.terminate()
        for process in [*self.workers, self.scheduler]:
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


@pytest.fixture
def start_cluster(tmp_path: Path) -> Iterator[Callable[..., DaskCluster]]:
    """Start a scheduler and some workers with these options."""
    pytest.importorskip("distributed")
    started = []

    def start(workers: int, *options: str) -> DaskCluster:
        folder = tmp_path / f"dask-{len(started)}"
        folder.mkdir()
        started.append(DaskCluster(folder))
        started[-1].add_workers(workers, *options)
        return started[-1]

    yield start
    for cluster in started:
        cluster.stop()


# The executor's own tests lose a worker as well.
@pytest.mark.slow
def test_a_worker_that_is_killed_costs_only_time(
    field: Any, tmp_path: Path, start_cluster: Callable[..., DaskCluster]
) -> None:
    cluster = start_cluster(2, "--no-nanny")
    workspace = tmp_path / "w"
    with field.start(workspace, "--scheduler", cluster.address) as program:
        field.wait_until_done(workspace, 3, program)
        cluster.workers[0].kill()
        output, _ = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 1, output
    assert "Traceback" not in output, output
    assert f"{field.n_bad} recordings could not be read" in output, output
    field.assert_whole(workspace)


@pytest.mark.slow
def test_a_scheduler_that_ends_costs_only_time(
    field: Any,
    tmp_path: Path,
    start_cluster: Callable[..., DaskCluster],
    call: Callable[..., tuple[int, str]],
) -> None:
    cluster = start_cluster(2, "--no-nanny")
    workspace = tmp_path / "w"
    with field.start(workspace, "--scheduler", cluster.address) as program:
        field.wait_until_done(workspace, 3, program)
        cluster.scheduler.kill()
        output, _ = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 2, output
    assert "the connection to the scheduler is lost" in output.splitlines()[-1]
    assert "Traceback" not in output, output
    assert 3 <= field.done(workspace) < field.n_good
    code, output = call("segment", field.recordings, "-w", workspace, "--workers", "1")
    assert code == 1, output
    field.assert_whole(workspace)


def test_blocks_of_syllables_come_out_the_same_though_a_worker_is_killed(
    start_cluster: Callable[..., DaskCluster],
) -> None:
    rng = np.random.default_rng(0)
    labels = rng.random((30, 4)) < 0.5
    bags = Bags(rng.standard_normal((200, 6)), np.repeat(np.arange(30), 7)[:200], labels)
    here, there = (LDC(8, rounds=3) for _ in range(2))
    here.block_rows = there.block_rows = 100
    here.fit(bags)
    cluster = start_cluster(2, "--no-nanny")

    class Killing(ClusterRunner):
        calls = 0

        def results(self, *args: Any, **options: Any) -> Iterator[Any]:
            self.calls += 1
            if self.calls == 4:  # in the rounds, while both workers hold blocks
                cluster.workers[0].kill()
                cluster.workers[0].wait()
            return super().results(*args, **options)

    with dask_cluster.Cluster(cluster.address) as executor:
        there.runner = Killing(executor)
        there.fit(bags)
        assert (there.labels_ == here.labels_).all()
        assert (there.posterior_ == here.posterior_).all()
        assert there.runner.calls > 4


@pytest.mark.slow
def test_a_task_that_kills_its_workers_loses_only_itself(
    start_cluster: Callable[..., DaskCluster],
) -> None:
    cluster = start_cluster(1)  # with a nanny, which starts a new worker
    tasks = ["exit 0", "kill -9 $PPID", "exit 1"]
    answers = dict(run_tasks(os.system, tasks, workers=1, scheduler=cluster.address))
    assert answers == {"exit 0": 0, "kill -9 $PPID": None, "exit 1": 256}


@pytest.mark.slow
def test_a_cluster_whose_workers_are_gone_is_not_waited_for(
    start_cluster: Callable[..., DaskCluster], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dask_cluster, "NO_WORKERS_S", 2.0)
    cluster = start_cluster(1, "--no-nanny")
    results = run_tasks(os.system, ["kill -9 $PPID"], workers=1, scheduler=cluster.address)
    with pytest.raises(BirdmodesError, match="has no workers any more; start some"):
        list(results)
    with pytest.raises(BirdmodesError, match="the cluster has no workers"):
        list(run_tasks(os.system, ["exit 0"], workers=1, scheduler=cluster.address))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("import birdmodes; birdmodes.__version__ = '0.0.7'", r"tcp://\S+ has 0\.0\.7, not"),
        (
            "import sys; sys.modules['birdmodes'] = None",
            r"has no birdmodes \(.*import of birdmodes halted.*install the same",
        ),
    ],
)
def test_workers_with_another_birdmodes_are_refused(
    start_cluster: Callable[..., DaskCluster], tmp_path: Path, change: str, message: str
) -> None:
    (tmp_path / "change.py").write_text(change)
    cluster = start_cluster(1, "--no-nanny", "--preload", str(tmp_path / "change.py"))
    with pytest.raises(BirdmodesError, match=message):
        list(run_tasks(os.system, ["exit 0"], workers=1, scheduler=cluster.address))


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/cwd").exists(), reason="needs /proc")
def test_workers_that_do_not_see_the_recordings_say_so(
    field: Any, tmp_path: Path, start_cluster: Callable[..., DaskCluster]
) -> None:
    cluster = start_cluster(1, "--no-nanny")
    command = field.command(tmp_path / "w", "--scheduler", cluster.address)
    # A path that means another folder in every process.
    command[command.index(str(field.recordings))] = "/proc/self/cwd"
    answer = subprocess.run(
        command, cwd=field.recordings, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 1, answer.stdout + answer.stderr
    assert "Dask workers need the recordings under the same path" in answer.stderr
