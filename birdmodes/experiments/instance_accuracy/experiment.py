"""The experiment, for :func:`birdmodes.experiments.held_out.run.run_held_out`."""

from __future__ import annotations

import pandas as pd

from birdmodes.experiments.held_out.experiment import HeldOutExperiment
from birdmodes.experiments.instance_accuracy.claims import CLAIMS
from birdmodes.experiments.instance_accuracy.entrants import ENTRANTS
from birdmodes.experiments.instance_accuracy.report import make_report
from birdmodes.experiments.instance_accuracy.results import plain_rules
from birdmodes.experiments.instance_accuracy.work import (
    MEASURES,
    SETTING_COLUMNS,
    run_accuracy_task,
)


def _brief(summary: pd.DataFrame) -> pd.DataFrame:
    """Rows of the paper's Table 1."""
    return plain_rules(summary, "all", ("instances", "bags"))


EXPERIMENT = HeldOutExperiment(
    name="instance-accuracy",
    needs_truth=True,
    entrants=ENTRANTS,
    setting_columns=SETTING_COLUMNS,
    measures=MEASURES,
    shown={
        "accuracy": "accuracy",
        "precision": "precision",
        "train_seconds": "training (s)",
    },
    brief=_brief,
    claims=CLAIMS,
    run_task=run_accuracy_task,
    make_report=make_report,
)
