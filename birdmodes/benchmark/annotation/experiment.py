"""The experiment on annotating bags, for :func:`birdmodes.benchmark.held_out.run.run_held_out`."""

from __future__ import annotations

from birdmodes.benchmark.annotation.claims import CLAIMS
from birdmodes.benchmark.annotation.entrants import ENTRANTS
from birdmodes.benchmark.annotation.report import make_report
from birdmodes.benchmark.annotation.work import MEASURES, SETTING_COLUMNS, run_annotation_task
from birdmodes.benchmark.held_out.experiment import HeldOutExperiment

EXPERIMENT = HeldOutExperiment(
    name="annotation",
    needs_truth=False,
    entrants=tuple(ENTRANTS),
    setting_columns=SETTING_COLUMNS,
    measures=MEASURES,
    shown={
        "one_error": "one-error",
        "coverage": "coverage",
        "average_precision": "average precision",
        "train_seconds": "training (s)",
    },
    claims=CLAIMS,
    run_task=run_annotation_task,
    make_report=make_report,
)
