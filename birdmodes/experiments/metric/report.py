"""What the report says, and in which order."""

from __future__ import annotations

import pandas as pd

from birdmodes.experiments.claims import STANDARD_ERRORS, Verdict
from birdmodes.experiments.metric import tables
from birdmodes.experiments.metric.protocol import EUCLIDEAN, METRICS, OWN
from birdmodes.experiments.report import Report, Section

_MAIN = (
    f"A gain counts when it exceeds {STANDARD_ERRORS:g} standard errors over runs, which are "
    "paired by the start of k-means; a set, when it does by NMI and by purity; bold: on every set. "
    "All bags are labelled, and the metric learns from the labels that the constraints use too: "
    "what it gains is what these labels say beyond the constraints, not what they say alone."
)
_SUB_CLASSES = (
    "Classes are merged at random into a third as many species, bags are labelled with species, "
    "and as many clusters as classes are sought: what a metric that is learned from species does "
    "to the modes within them. The adjusted Rand index within species does not tell how well "
    "species are told apart. Repetitions are mergings."
)
_OWN = "Methods that take no metric, from the same labels; not spectral. At most 5 runs."


def make_report(
    summary: pd.DataFrame, verdicts: list[Verdict], facts: list[tuple[str, str]], notes: list[str]
) -> Report:
    """Put together what is shown.

    Parameters
    ----------
    summary : pandas.DataFrame
        See :func:`birdmodes.experiments.metric.results.summary_table`.
    verdicts : list of Verdict
        The checked list.
    facts : list of (str, str)
        Of the run.
    notes : list of str
        What methods warned of, and what failed.
    """
    learned = set(summary["metric"]) - {OWN, EUCLIDEAN}
    sections = []
    if learned:
        sections = [_metric_section(summary, name) for name in METRICS if name in learned]
    if (summary["metric"] == OWN).any():
        of_each = [tables.reference_table(summary, times) for times in tables.K_NAMES]
        sections.append(Section("Beside them", None, of_each, _OWN))
    if (summary["part"] == "sub-classes").any():
        found = tables.sub_class_tables(summary)
        sections.append(Section("Classes merged: are modes hidden?", None, found, _SUB_CLASSES))
    if learned:
        sections.append(Section("Time", None, [tables.seconds_table(summary)]))
    return Report(
        facts,
        verdicts,
        [tables.overview_table(summary, times) for times in tables.K_NAMES] if learned else [],
        sections,
        notes,
        title="Benchmark: clustering in a learned metric",
        main_title="Does it help?",
        main_text=_MAIN,
        claims_title="What is to be known, checked",
    )


def _metric_section(summary: pd.DataFrame, metric: str) -> Section:
    made = [
        tables.gain_table(summary, metric, measure, times)
        for times in tables.K_NAMES
        for measure in tables.SHOWN
    ]
    return Section(f"Euclidean → {metric}", None, made)
