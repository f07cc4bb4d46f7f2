"""Run ``birdmodes segment`` on the nodes of a SLURM cluster.

Set the four names below to what your cluster has, and give this script what you would give to
``birdmodes segment``, on a login node, in tmux or screen:

    python slurm_segment.py /project/recordings --workspace /project/birdmodes-workspace

Needs ``pip install 'birdmodes[cluster]' dask-jobqueue`` in an environment that the nodes see too.
"""

from __future__ import annotations

import subprocess
import sys

from dask_jobqueue import SLURMCluster

PARTITION = "normal"
ACCOUNT = None  # or the project that pays
JOBS = 4
CORES_PER_JOB = 16


def main() -> int:
    """Start the workers, segment, and end them; the exit code is that of birdmodes."""
    with SLURMCluster(
        queue=PARTITION,
        account=ACCOUNT,
        cores=CORES_PER_JOB,
        processes=CORES_PER_JOB,  # one thread each: they do not wait for each other
        memory=f"{2 * CORES_PER_JOB}GB",
        walltime="08:00:00",
        # One worker thread is one core; libraries must not start threads of their own.
        job_script_prologue=["export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1"],
        scheduler_options={"dashboard_address": ":0"},
    ) as cluster:
        cluster.scale(jobs=JOBS)
        print("waiting for the first worker; 'squeue --me' shows the jobs", flush=True)
        cluster.wait_for_workers(1)
        command = ["birdmodes", "segment", *sys.argv[1:]]
        return subprocess.call([*command, "--scheduler", cluster.scheduler_address])  # noqa: S603


if __name__ == "__main__":
    sys.exit(main())
