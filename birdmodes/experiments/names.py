"""Names of experiments and data, as they are typed; loads nothing heavy.

A new experiment is two files in ``papers/``, and a line here.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from birdmodes.experiments.experiment import Experiment

BUILT_IN_SET = "digits-words"
"""Needs no download."""

PUBLIC_SETS = ("hja-birdsong", "msrc-v2", "letter-carroll", "letter-frost")
"""Sets whose instances have known classes, those of Pei & Fern."""

EXPERIMENTS: dict[str, str] = {
    "alpha": "pei_fern:PEI_FERN",
    "labelled": "pei_fern:PEI_FERN",
    "clusters": "pei_fern:PEI_FERN",
    "all": "pei_fern:PEI_FERN",
    "m3ic": "zhang:ZHANG",
    "mi-em": "zhang:KRIEGEL",
    "metric": "learned_metrics:LEARNED_METRICS",
    "annotation": "law:ANNOTATION",
    "instance-accuracy": "law:INSTANCE_ACCURACY",
    "ambiguity": "ambiguity:AMBIGUITY",
    "m3ic-bags": "zhang_bags:ZHANG_BAGS",
    "noisy-lists": "noisy_lists:NOISY_LISTS",
}
"""Where experiments are, in :mod:`birdmodes.experiments.papers`, by what ``--experiment`` takes.

``all`` are the three before it, which are one experiment.
"""

FOLDER = "birdmodes-benchmark"


def experiment_called(name: str) -> Experiment:
    """Load an experiment by a key of :data:`EXPERIMENTS`."""
    module, _, attribute = EXPERIMENTS[name].partition(":")
    found: Experiment = getattr(import_module(f"birdmodes.experiments.papers.{module}"), attribute)
    return found


def default_folder(name: str) -> str:
    """Name the folder of results: experiments of Pei & Fern share one, others have their own."""
    return FOLDER if EXPERIMENTS[name] == EXPERIMENTS["all"] else f"{FOLDER}-{name}"
