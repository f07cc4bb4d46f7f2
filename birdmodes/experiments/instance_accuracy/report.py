"""What the report of the experiment says, and in which order."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from algorithms.annotation_measures import MIN_ITEMS
from birdmodes.experiments.bagwise.tables import seconds
from birdmodes.experiments.held_out.experiment import Closing
from birdmodes.experiments.held_out.learners import MOST_KERNEL_INSTANCES
from birdmodes.experiments.held_out.results import HeldOutTables
from birdmodes.experiments.instance_accuracy import tables
from birdmodes.experiments.instance_accuracy.alphas import INNER_FOLDS, MOST_INNER_INSTANCES
from birdmodes.experiments.instance_accuracy.figures import write_alpha_figure
from birdmodes.experiments.instance_accuracy.ways import MEANS
from birdmodes.experiments.report import Report, Section
from birdmodes.experiments.report_tables import ReportTable

_SETTINGS = "What is told of the training bags: " + tables.settings_text()
_MEANS = (
    "Instances are given the class of the nearest mean in the learned space (rule 15); class "
    "means: " + "; ".join(f"{name}: {text}" for name, text in MEANS.items()) + ". mc2b, own: the "
    "class-to-bag distance of the instance as a bag of its own. majority: the most frequent class "
    "of training instances (a), or label of training bags (b)."
)
_PROTOCOL = (
    "The label sets of held-out bags are not told to any method, unless a table says so. Features "
    "are standardised as the training bags ask for; for mimlca-chi2 every instance is divided by "
    "its sum instead, and sets with negative features are left out. no-limit: a bag may hold any "
    "number of instances of a label; otherwise one, as published. rbf, chi2: kernel form, 90 % of "
    f"the kernel's variance in U, a sample of bags with {MOST_KERNEL_INSTANCES} instances at most; "
    "ridge: 0.1 times the mean of the kernel's diagonal is added to it. miml and mc2b are "
    "reconstructions; all other parameters are defaults."
)
_MEASURES = (
    "Accuracy: share of the instances of a category that are given it, averaged over categories; "
    "precision: share of the named instances that are named rightly. Both, as in the paper, over "
    f"the categories with at least {MIN_ITEMS} held-out instances. ± standard deviation over "
    "folds, which share most of their training bags. Bold: largest of its setting."
)
_ALPHAS = (
    "Rule 16 with alpha: the class of the largest (L'x)_c - alpha ‖L'z_c‖², own class means. "
    "Bold: the best alpha, which is known only from the held-out instances (the paper chooses so). "
    f"chosen by label sets: cross-validation of the training bags in {INNER_FOLDS} folds takes the "
    "alpha by which most instances are given a class that their bag has; no instance of known "
    f"class is needed for that (kernel form: samples of {MOST_INNER_INSTANCES} instances at most). "
    "In parentheses: mean of the chosen alphas."
)
_TIMES = (
    "Processor time on one thread, mean over folds. mimlca's includes giving classes to the "
    "training instances, which the others do not do. Ratios of the paper are of other features "
    "and other programs."
)
_TRUE_MEANS = (
    "The metric is learned from label sets, or not at all, but class means are those of the true "
    "classes of the training instances. So it is the metric alone that is compared."
)
_ALL = "All categories count, however few their held-out instances; share right: of all instances."


def make_report(folder: Path, measured: HeldOutTables, closing: Closing) -> Report:
    """Draw the figure and put together what is shown.

    Parameters
    ----------
    folder : pathlib.Path
        Takes the figure.
    measured : HeldOutTables
        The tables.
    closing : Closing
        What every report ends with.
    """
    summary = measured.summary
    main = [
        tables.methods_table(summary, "accuracy", "Accuracy (%)"),
        tables.methods_table(summary, "precision", "Precision (%)"),
    ]
    return Report(
        closing.facts,
        closing.verdicts,
        main,
        _sections(folder, summary),
        closing.notes,
        title="Benchmark: accuracy on instances",
        main_title="Accuracy and precision on held-out instances (the paper's Table 1)",
        main_text=f"{_SETTINGS} {_MEASURES}",
        claims_title="What the paper says, and what we ask, checked",
    )


def _sections(folder: Path, summary: pd.DataFrame) -> list[Section]:
    sections = [
        Section("How it is done", None, [], f"{_PROTOCOL} {_MEANS}"),
        Section("Told the label sets of held-out bags", None, _told_tables(summary)),
        Section("What the metric alone is worth", None, [_metric_table(summary)], _TRUE_MEANS),
    ]
    by_alpha = [tables.alphas_table(summary, name) for name in dict.fromkeys(summary["dataset"])]
    by_alpha = [table for table in by_alpha if table.rows]
    if by_alpha:
        drawn = write_alpha_figure(folder, summary)
        sections.append(
            Section("Rules 15 and 16, alpha (the paper's Table 3)", drawn, by_alpha, _ALPHAS)
        )
    if summary["examples_mean"].notna().any():
        sections.append(Section("What mimlca learns from", None, [tables.examples_table(summary)]))
    sections.append(Section("Training time", None, _time_tables(summary), _TIMES))
    sections.append(Section("All categories", None, _all_tables(summary), _ALL))
    return sections


def _told_tables(summary: pd.DataFrame) -> list[ReportTable]:
    """What is left to tell when the classes of a bag are known: the ecologist's case."""
    return [
        tables.methods_table(summary, measure, title, candidates="bag")
        for measure, title in (("accuracy", "Accuracy (%)"), ("precision", "Precision (%)"))
    ]


def _metric_table(summary: pd.DataFrame) -> ReportTable:
    return tables.methods_table(
        summary, "accuracy", "Accuracy (%), true class means", told=("instances", "both")
    )


def _time_tables(summary: pd.DataFrame) -> list[ReportTable]:
    return [
        tables.times_table(summary),
        tables.methods_table(
            summary,
            "train_seconds",
            "Seconds of learning metric and class means",
            text=seconds,
            spread=False,
            mark=False,
        ),
    ]


def _all_tables(summary: pd.DataFrame) -> list[ReportTable]:
    return [
        tables.methods_table(summary, measure, title, spread=False)
        for measure, title in (("accuracy_all", "Accuracy (%)"), ("share_right", "Share right (%)"))
    ]
