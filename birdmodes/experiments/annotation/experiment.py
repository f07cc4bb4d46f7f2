"""The experiment on annotating bags, one of those with left-out bags."""

from __future__ import annotations

from birdmodes.experiments.annotation.claims import CLAIMS
from birdmodes.experiments.annotation.entrants import ENTRANTS
from birdmodes.experiments.annotation.report import make_report
from birdmodes.experiments.annotation.work import MEASURES, SETTING_COLUMNS, run_annotation_task
from birdmodes.experiments.held_out.experiment import HeldOutExperiment

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
