"""The experiments of Law et al. (2017): parts of the bags are left out, and told.

References
----------
Law, Yu, Urtasun, Zemel & Xing, Efficient multiple instance metric learning using weakly supervised
data, CVPR 2017, section 4.1 (instances), 4.2 (annotation of bags).
"""

from __future__ import annotations

from functools import partial

import pandas as pd

from algorithms.annotation_measures import MIN_ITEMS
from birdmodes.experiments.data import Problems
from birdmodes.experiments.experiment import Brief, Experiment
from birdmodes.experiments.known import times_of_law
from birdmodes.experiments.paper import read_paper
from birdmodes.experiments.papers import law_judges
from birdmodes.experiments.papers.folds import averaged, brief_of_folds, settings_of
from birdmodes.experiments.shown import annotation as shown_annotation
from birdmodes.experiments.shown import telling as shown_telling
from birdmodes.experiments.work import annotation, telling
from birdmodes.experiments.work.alphas import INNER_FOLDS, MOST_INNER_INSTANCES
from birdmodes.experiments.work.folds import (
    PHOTOGRAPHS,
    TEST_PHOTOGRAPHS,
    check_name,
    read_labelled,
    read_with_truth,
)
from birdmodes.experiments.work.learners import LEARNERS, MOST_KERNEL_INSTANCES
from birdmodes.experiments.work.ways import MEANS, TOLD

_FAMILIES = {name: each.family for name, each in annotation.ENTRANTS.items()}
_KERNELS = [name for name, each in LEARNERS.items() if each.most_instances is not None]
# The least times that, when not reached, need an explanation.
_RIVALS_IN_PAPER = [
    {
        "name": name,
        "explained": least,
        "on_corel": times_of_law("law-table-4")[name],
        "on_faces": times_of_law("law-table-1")[name],
    }
    for name, least in (("miml", 10.0), ("mildml", 2.0))
]

_OF_BAGS = read_paper(
    "annotation",
    law_judges.OF_BAGS,
    rivals_in_paper=_RIVALS_IN_PAPER,
    others_than_emdd=[name for name in _FAMILIES if name != "emdd"],
    metrics=[name for name, family in _FAMILIES.items() if family == "metric"],
    classifiers=[name for name, family in _FAMILIES.items() if family == "classifier"],
    emdd=annotation.ENTRANTS["emdd"].options,
    NEIGHBOURS=annotation.NEIGHBOURS,
    MOST_KERNEL_INSTANCES=MOST_KERNEL_INSTANCES,
    PHOTOGRAPHS=PHOTOGRAPHS,
    TEST_PHOTOGRAPHS=TEST_PHOTOGRAPHS,
)
_SHOWN_OF_ANNOTATION = {
    "one_error": "one-error",
    "coverage": "coverage",
    "average_precision": "average precision",
    "train_seconds": "training (s)",
}

ANNOTATION = Experiment(
    problems=Problems(
        every=("hja-birdsong", "msrc-v2", "natural-scene", "reuters-miml", PHOTOGRAPHS),
        check=check_name,
        read=read_labelled,
    ),
    entrants=annotation.ENTRANTS,
    settings=settings_of,
    work=annotation.work,
    show=partial(shown_annotation.show, _OF_BAGS.texts),
    brief=partial(brief_of_folds, _SHOWN_OF_ANNOTATION),
    **averaged(_OF_BAGS, annotation.MEASURES),
)

_LETTERS = shown_telling.LETTERS
_OF_INSTANCES = read_paper(
    "instance-accuracy",
    law_judges.OF_INSTANCES,
    rivals_in_paper=_RIVALS_IN_PAPER,
    kernels=_KERNELS,
    with_ridge=[name for name in _KERNELS if "ridge" in name],
    without_ridge=[name for name in _KERNELS if "ridge" not in name],
    ENOUGH=law_judges.ENOUGH,
    TOLD="; ".join(f"{_LETTERS[name]}: {text}" for name, text in TOLD.items()),
    MEANS="; ".join(f"{name}: {text}" for name, text in MEANS.items()),
    MIN_ITEMS=MIN_ITEMS,
    INNER_FOLDS=INNER_FOLDS,
    MOST_INNER_INSTANCES=MOST_INNER_INSTANCES,
    MOST_KERNEL_INSTANCES=MOST_KERNEL_INSTANCES,
)


def _brief_of_accuracy(summary: pd.DataFrame) -> Brief:
    """Print the rows of the paper's Table 1."""
    shown = {"accuracy": "accuracy", "precision": "precision", "train_seconds": "training (s)"}
    rows = telling.plain_rules(summary, "all", ("instances", "bags"))
    return brief_of_folds(shown, rows)


INSTANCE_ACCURACY = Experiment(
    problems=Problems(check=check_name, read=read_with_truth),
    entrants=dict.fromkeys(telling.ENTRANTS),
    settings=settings_of,
    work=telling.work,
    show=partial(shown_telling.show, _OF_INSTANCES.texts),
    brief=_brief_of_accuracy,
    **averaged(_OF_INSTANCES, telling.MEASURES),
)
