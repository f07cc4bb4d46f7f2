"""The experiments of Law et al. (2017): parts of the bags are left out, and told.

References
----------
Law, Yu, Urtasun, Zemel & Xing, Efficient multiple instance metric learning using weakly supervised
data, CVPR 2017, section 4.1 (instances), 4.2 (annotation of bags).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import pandas as pd

from algorithms.annotation_measures import MIN_ITEMS
from birdmodes.experiments.data import Data, Problems
from birdmodes.experiments.datasets.readers.corel5k import PHOTOGRAPHS, TEST_PHOTOGRAPHS
from birdmodes.experiments.experiment import Protocol
from birdmodes.experiments.judges import Found, exceeds, with_names
from birdmodes.experiments.known import best_alphas_of_law, times_of_law
from birdmodes.experiments.names import BUILT_IN_SET
from birdmodes.experiments.paper import read_experiment
from birdmodes.experiments.shown import annotation as shown_annotation
from birdmodes.experiments.shown import telling as shown_telling
from birdmodes.experiments.tasks import Setting
from birdmodes.experiments.work import annotation, telling
from birdmodes.experiments.work.folds import (
    check_name,
    fold_numbers,
    read_labelled,
    read_with_truth,
)
from birdmodes.experiments.work.learners import LEARNERS
from birdmodes.experiments.work.tables import MOST_KERNEL_INSTANCES, ON_SETS
from birdmodes.experiments.work.telling import (
    CHOSEN,
    INNER_FOLDS,
    MOST_INNER_INSTANCES,
    alpha_rows,
    form_of,
    with_rule_16,
)
from birdmodes.experiments.work.ways import MEANS, TOLD


def settings_of(data: Data, entrant: str, protocol: Protocol) -> Iterator[Setting]:
    """List the settings of one method on one set: its folds, from 0; 0 for a published split."""
    for fold in fold_numbers(data, protocol.folds, protocol.seed):
        names = {"dataset": data.name, "experiment": protocol.experiment, "entrant": entrant}
        yield Setting(**names, fold=fold)


def facts_of_folds(
    protocol: Protocol, data: Sequence[Data], runs: pd.DataFrame
) -> list[tuple[str, str]]:
    """How large every set is, and how it is tested."""
    return [(each.name, _size(each, protocol)) for each in data]


def _size(data: Data, protocol: Protocol) -> str:
    bags = data.bags
    n_folds = len(fold_numbers(data, protocol.folds, protocol.seed))
    how = (
        f"{data.test.sum()} bags left out"
        if data.test is not None
        else f"cross-validated by bag in {n_folds} folds"
    )
    size = (
        f"{bags.n_bags} bags, {bags.n_instances} instances, {bags.n_features} features, "
        f"{bags.n_classes} classes; {how}"
    )
    return f"{size}; {data.note}" if data.note else size


AS_PUBLISHED = ("mimlca", "mimlca-rbf", "mimlca-chi2")

BY_MEANS = partial(with_names, "means", ["own", "instances"], ", {}")
"""Calls methods by their name and where their class means come from, where that varies."""

ENOUGH = 0.01
"""An alpha is as good as the best when its accuracy is lower by no more than this."""


def better_than_chance(runs: pd.DataFrame) -> Found:
    """Judge that every method annotates better than the ranking by frequency."""
    means = runs.groupby("called", sort=False)["average_precision"].mean()
    judged: dict[str, bool] = {}
    for name in means.index.drop("frequency", errors="ignore"):
        measured = {"average_precision": "average precision"}
        compared = exceeds(str(name), "frequency", measures=measured, paired_by="fold")(runs)
        for _, holds in compared:
            judged[str(name)] = holds
    if not judged:
        return []
    # One line for each set: most methods are far better.
    not_better = [f"{name} {means[name]:.3f}" for name, holds in judged.items() if not holds]
    figures = (
        f"average precision frequency {means['frequency']:.3f}; not better: "
        f"{', '.join(not_better) or 'none'} of {len(judged)}"
    )
    return [(figures, not not_better)]


def best_alpha_as_published(runs: pd.DataFrame) -> Found:
    """Judge that the alpha most accurate on held-out instances is in the paper's range."""
    found = []
    for method in AS_PUBLISHED:
        means = alpha_rows(runs, method).groupby("alpha")["accuracy"].mean()
        if means.notna().any():
            low, high = best_alphas_of_law()[form_of(method)]
            best = float(means.index[int(means.argmax())])
            inside = means[(means.index >= low) & (means.index <= high)]
            figures = (
                f"{method}: best at {best:g}, accuracy {means.max():.3f}; in the paper's range "
                f"{inside.max():.3f}"
            )
            found.append((figures, low <= best <= high))
    return found


def annotates_best(runs: pd.DataFrame) -> Found:
    """Judge that mimlca, by the minimal distance, annotates better than all that is not mimlca."""
    means = runs.groupby("called", sort=False)["average_precision"].mean()
    ours = "mimlca, min"
    others = means[[not str(name).startswith("mimlca") for name in means.index]]
    others = others[[not str(name).endswith("max") for name in others.index]]
    if ours not in means.index or len(others) < 2:
        return []
    above = others[others >= means[ours]]
    figures = (
        f"average precision {ours} {means[ours]:.3f}; as good or better: {len(above)} of "
        f"{len(others)}, most {others.idxmax()} {others.max():.3f}"
    )
    return [(figures, above.empty)]


def choice_is_enough(runs: pd.DataFrame) -> Found:
    """Judge that the alpha chosen by label sets is nearly as good as the best in hindsight."""
    lost = {}
    for method in with_rule_16(list(runs["method"])):
        best = alpha_rows(runs, method).groupby("alpha")["accuracy"].mean().max()
        rows = runs[(runs["method"] == method) & (runs["rule"] == CHOSEN)]
        lost[method] = best - rows.loc[rows["candidates"] == "all", "accuracy"].mean()
    lost = {method: float(loss) for method, loss in lost.items() if pd.notna(loss)}
    if not lost:
        return []
    worst = max(lost, key=lambda method: lost[method])
    enough = sum(loss <= ENOUGH for loss in lost.values())
    figures = (
        f"enough for {enough} of {len(lost)} methods; most is lost by {worst}, {lost[worst]:.3f}"
    )
    return [(figures, enough == len(lost))]


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

ANNOTATION = read_experiment(
    "annotation",
    (better_than_chance, annotates_best),
    {
        "rivals_in_paper": _RIVALS_IN_PAPER,
        "others_than_emdd": [name for name in _FAMILIES if name != "emdd"],
        "metrics": [name for name, family in _FAMILIES.items() if family == "metric"],
        "classifiers": [name for name, family in _FAMILIES.items() if family == "classifier"],
        "emdd": annotation.ENTRANTS["emdd"].options,
        "NEIGHBOURS": annotation.NEIGHBOURS,
        "MOST_KERNEL_INSTANCES": MOST_KERNEL_INSTANCES,
        "PHOTOGRAPHS": PHOTOGRAPHS,
        "TEST_PHOTOGRAPHS": TEST_PHOTOGRAPHS,
    },
    problems=Problems(
        built_in=BUILT_IN_SET,
        every=("hja-birdsong", "msrc-v2", "natural-scene", "reuters-miml", PHOTOGRAPHS),
        check=check_name,
        read=read_labelled,
    ),
    entrants=annotation.ENTRANTS,
    settings=settings_of,
    work=annotation.work,
    show=shown_annotation.show,
    facts=facts_of_folds,
    judged=partial(with_names, "distance", [""], ", {}"),
)

INSTANCE_ACCURACY = read_experiment(
    "instance-accuracy",
    (best_alpha_as_published, choice_is_enough),
    {
        "rivals_in_paper": _RIVALS_IN_PAPER,
        "kernels": _KERNELS,
        "with_ridge": [name for name in _KERNELS if "ridge" in name],
        "without_ridge": [name for name in _KERNELS if "ridge" not in name],
        "AS_PUBLISHED": AS_PUBLISHED,
        "ENOUGH": ENOUGH,
        "TOLD": "; ".join(f"{shown_telling.LETTERS[name]}: {text}" for name, text in TOLD.items()),
        "MEANS": "; ".join(f"{name}: {text}" for name, text in MEANS.items()),
        "MIN_ITEMS": MIN_ITEMS,
        "INNER_FOLDS": INNER_FOLDS,
        "MOST_INNER_INSTANCES": MOST_INNER_INSTANCES,
        "MOST_KERNEL_INSTANCES": MOST_KERNEL_INSTANCES,
    },
    problems=Problems(**ON_SETS, check=check_name, read=read_with_truth),
    entrants=dict.fromkeys(telling.ENTRANTS),
    settings=settings_of,
    work=telling.work,
    show=shown_telling.show,
    facts=facts_of_folds,
    judged=BY_MEANS,
)
