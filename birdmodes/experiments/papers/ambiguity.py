"""How ambiguous bags may be, and how wrong their lists: from label sets to classes of instances.

The bags of Law et al. (2017) hold 1.55 instances each, fewer than those of most public sets, and
their setting (c) has label sets with errors; that data set is not public. Here the bags of other
sets are dealt into smaller ones, and their lists are made wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pandas as pd

from birdmodes.experiments.data import Data, Problems, load
from birdmodes.experiments.experiment import Measured, Protocol, Shown
from birdmodes.experiments.judges import Found
from birdmodes.experiments.paper import read_experiment
from birdmodes.experiments.papers.law import BY_MEANS, facts_of_folds
from birdmodes.experiments.report import Section
from birdmodes.experiments.shown.beside_paper import plain_table
from birdmodes.experiments.tables import (
    Cell,
    ReportTable,
    lay_out,
    marked_cells,
    percent,
    rows_with,
)
from birdmodes.experiments.tasks import Row, Setting, Stopwatch, Task, child_seed
from birdmodes.experiments.work.folds import (
    check_name,
    fold_numbers,
    folds_of,
    prepared,
    read_with_truth,
    rounded,
    split_at,
)
from birdmodes.experiments.work.learners import LEARNERS
from birdmodes.experiments.work.sub_bags import split_bags, with_errors
from birdmodes.experiments.work.tables import ON_SETS
from birdmodes.experiments.work.telling import measures
from birdmodes.experiments.work.ways import ways_of

WHOLE = "as published"
SIZES: dict[str, float | None] = {"1.45": 1.45, "2.4": 2.4, WHOLE: None}
"""Mean number of instances of the sub-bags that bags are dealt into; None leaves them whole."""

SMALLEST = "1.45"
ERRORS = (0.0, 0.1, 0.3)
"""Share of the labels that are taken away; as many are added."""


def settings_of(data: Data, entrant: str, protocol: Protocol) -> Iterator[Setting]:
    """List the settings: true lists of bags of every size, and wrong ones of the smallest."""
    kinds = [(size, 0.0) for size in SIZES] + [(SMALLEST, errors) for errors in ERRORS[1:]]
    if LEARNERS[entrant].learns_from != "bags":
        kinds = [kind for kind in kinds if not kind[1]]
    for size, errors in kinds:
        for fold in fold_numbers(data, protocol.folds, protocol.seed):
            names = {"dataset": data.name, "entrant": entrant, "size": size}
            yield Setting(**names, errors=errors, fold=fold)


def work(task: Task) -> Iterator[Row]:
    """Give the rows of a task: of every way to class means that knows no instance's class."""
    setting, protocol = task.setting, task.protocol
    data = load(read_with_truth, task.source)
    size = SIZES[setting.size]
    if size is not None:
        data = split_bags(data, size, child_seed(protocol.seed, data.name, "parts", setting.size))
    folds = folds_of(data, protocol.folds, protocol.seed)
    split = split_at(data, folds == setting.fold)
    lists = child_seed(protocol.seed, data.name, "lists", setting.size, setting.fold)
    train = with_errors(split.train, setting.errors, lists)
    learner = LEARNERS[setting.entrant]
    train, test = prepared(train, split.test, learner.features)
    seed = child_seed(protocol.seed, *vars(setting).values())
    with Stopwatch() as watch:
        fitted = learner.fit(train, split.train_truth, seed)
    if split.test_truth is None:
        return
    # Only a learner that is told the classes of instances may use them for means.
    told = split.train_truth if learner.learns_from == "nothing" else None
    for way in ways_of(learner, fitted, train, told, seed):
        if way.rule == "15":
            found = measures(split.test_truth, way.scores(test.X).argmax(axis=1))
            yield {
                "told": way.told,
                "means": way.means,
                **{name: rounded(figure) for name, figure in found.items()},
                "instances_per_bag": round(data.bags.n_instances / data.bags.n_bags, 3),
                "train_seconds": round(watch.seconds + way.seconds, 4),
            }


LITTLE = 0.03
"""What wrong lists may cost; 0.021 in the paper, where they were found automatically."""


def gap_grows(runs: pd.DataFrame) -> Found:
    """Judge that mimlca is further behind mlca on whole bags than on the smallest."""
    gaps = {}
    for size in (SMALLEST, WHOLE):
        here = rows_with(runs, {"size": [size], "errors": [0.0]})
        means = here.groupby("method")["accuracy"].mean()
        if not {"mlca", "mimlca"} <= set(means.index):
            return []
        gaps[size] = float(means["mlca"] - means["mimlca"])
    text = f"gap {gaps[SMALLEST]:+.3f} at {SMALLEST}, {gaps[WHOLE]:+.3f} {WHOLE}"
    return [(text, gaps[WHOLE] > gaps[SMALLEST])]


def loses_little(runs: pd.DataFrame) -> Found:
    """Judge that wrong lists cost mimlca no more than :data:`LITTLE`."""
    found = []
    here = rows_with(runs, {"method": ["mimlca"], "size": [SMALLEST], "told": ["bags"]})
    means = here.groupby("errors")["accuracy"].mean()
    for errors in ERRORS[1:]:
        if {0.0, errors} <= set(means.index):
            lost = float(means[0.0] - means[errors])
            text = f"errors {errors:g}: accuracy {means[errors]:.3f}, {means[0.0]:.3f} without"
            found.append((f"{text}, lost {lost:+.3f}", lost <= LITTLE))
    return found


def show(texts: Mapping[str, str], folder: Path, measured: Measured) -> Shown:
    """Show accuracies, and how far below mlca they are, by size of the bags and errors."""
    summary = measured.summary
    names = map(str, dict.fromkeys(summary["dataset"]))
    tables = [_table(summary, name, gap) for name in names for gap in (False, True)]
    tables = [table for table in tables if table.rows]
    paper = plain_table("law-table-1", "The paper's Table 1, on faces: 1.55 instances a bag (%)")
    return Shown(tables, [Section("The paper", None, [paper])])


def _table(summary: pd.DataFrame, dataset: str, gap: bool) -> ReportTable:
    """Lay out one set, sizes and errors across."""
    here = summary[summary["dataset"] == dataset]
    columns = []
    rows: dict[str, None] = {}
    for (size, errors), of_kind in here.groupby(["size", "errors"], sort=False):
        named = of_kind["method"] + of_kind["means"].map(
            lambda each: "" if each == "own" else f", {each}"
        )
        means: dict[str, float] = dict(zip(named, of_kind["accuracy_mean"], strict=True))
        rows |= dict.fromkeys(means)
        wrong = f", {errors:.0%} of labels wrong" if errors else ""
        title = f"{size}{wrong}"
        best = here.loc[(here["method"] == "mlca") & (here["size"] == size), "accuracy_mean"]
        if not gap:
            columns.append((title, marked_cells(means, percent, fewest=2)))
        elif len(best):
            behind = {name: Cell(f"{100 * (m - best.iloc[0]):+.1f}") for name, m in means.items()}
            columns.append((title, behind))
    what = "points from mlca on true classes" if gap else "accuracy (%)"
    return lay_out(f"{dataset}: {what}", rows if columns else [], columns)


AMBIGUITY = read_experiment(
    "ambiguity",
    (gap_grows, loses_little),
    {"SMALLEST": SMALLEST, "WHOLE": WHOLE, "LITTLE": LITTLE},
    problems=Problems(**ON_SETS, check=check_name, read=read_with_truth),
    settings=settings_of,
    work=work,
    show=show,
    orders={"size": tuple(SIZES), "errors": ERRORS},
    title=lambda at: f"{at.dataset}, {at.size}, errors {at.errors:g}, {at.entrant}",
    facts=facts_of_folds,
    judged=BY_MEANS,
)
