"""What the reports of the two experiments on bags say, and in which order."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from birdmodes.experiments.bagwise import figures, tables
from birdmodes.experiments.bagwise.names import SUBSETS_OF
from birdmodes.experiments.bagwise.paper import DIFFERENCES, F_KNOWN, PAPER_ACCURACY
from birdmodes.experiments.bagwise.problems import PREPARATIONS
from birdmodes.experiments.bagwise.protocol import BagProtocol
from birdmodes.experiments.bagwise.results import RULES
from birdmodes.experiments.claims import Verdict
from birdmodes.experiments.report import Report, Section
from birdmodes.experiments.report_tables import ReportTable

_RULES = "Rules: " + "; ".join(f"{rule}: {text}" for rule, text in RULES.items()) + "."
_FEATURES = "Features: " + "; ".join(f"{name}: {text}" for name, text in PREPARATIONS.items()) + "."
_CLAIMS_TITLE = "What the paper says, and what follows, checked"
_MI_EM_MEASURES = {
    "purity": ("precision", False),
    "f_measure": ("F-measure", False),
    "average_entropy": ("average entropy", True),
    "accuracy": ("accuracy", False),
}
"""Measures of the experiment about mi-em: what they are called, whether small is good."""


def make_report(
    folder: Path,
    protocol: BagProtocol,
    runs: pd.DataFrame,
    choices: pd.DataFrame,
    verdicts: list[Verdict],
    facts: list[tuple[str, str]],
    notes: list[str],
) -> Report:
    """Draw the figures and put together what is shown.

    Parameters
    ----------
    folder : pathlib.Path
        Takes the figures.
    protocol : BagProtocol
        Which experiment.
    runs, choices : pandas.DataFrame
        Of :mod:`birdmodes.experiments.bagwise.results`.
    verdicts : list of Verdict
        The checked list.
    facts : list of (str, str)
        Of the run.
    notes : list of str
        What methods warned of, and what failed.
    """
    if protocol.experiment == "mi-em":
        sections = _mi_em_sections(folder, choices)
        return Report(
            facts,
            verdicts,
            [],
            sections,
            notes,
            title="Benchmark: EM for multi-instance objects",
            main_title="What is shown",
            main_text=" ".join([F_KNOWN, _RULES, _FEATURES]),
            claims_title=_CLAIMS_TITLE,
        )
    subset = choices["dataset"].str.startswith(f"{SUBSETS_OF}:")
    whole, subsets = choices[~subset], choices[subset]
    main = next(name for name in PREPARATIONS if name in set(choices["preparation"]))
    sections = []
    if len(whole):
        sections += [
            _measure_section(whole, "accuracy"),
            _measure_section(whole, "nmi_geometric"),
            _time_section(whole, runs),
            *_grid_sections(folder, runs, whole),
        ]
    if len(subsets):
        sections.append(_subset_section(folder, subsets))
    return Report(
        facts,
        verdicts,
        [tables.overview_table(whole, main)] if len(whole) else [],
        sections,
        notes,
        title="Benchmark: maximum margin multiple instance clustering",
        main_title="m3ic beside its paper",
        main_text=" ".join([DIFFERENCES, _RULES, _FEATURES]),
        claims_title=_CLAIMS_TITLE,
    )


def _measure_section(choices: pd.DataFrame, measure: str) -> Section:
    """Every method on every problem: with choices that look at labels, then without."""
    accuracy = measure == "accuracy"
    made = []
    for peeking in (True, False):
        for preparation, here in choices.groupby("preparation", sort=False):
            how = "the papers' rules, which look at the labels" if peeking else "without labels"
            made.append(
                tables.methods_table(
                    here,
                    measure,
                    f"{'Accuracy (%)' if accuracy else 'NMI'}, {how}; features {preparation}",
                    peeking=peeking,
                    text=tables.percent if accuracy else tables.decimals,
                    paper=PAPER_ACCURACY if accuracy and peeking else None,
                )
            )
    if accuracy:
        return Section("Accuracy (the paper's Table 4)", None, made)
    text = "The paper's own figures were not at hand."
    return Section("NMI, geometric mean (the paper's Table 5)", None, made, text)


def _time_section(choices: pd.DataFrame, runs: pd.DataFrame) -> Section:
    """Processor time: of one run, and of all that the paper's protocol asks for."""
    made: list[ReportTable] = []
    for preparation, here in runs.groupby("preparation", sort=False):
        here = here[here["dataset"].isin(choices["dataset"])]
        by_method = here.groupby(["dataset", "method"], sort=False)["seconds"]
        for title, table in (
            ("Seconds of one run, mean", by_method.mean()),
            ("Seconds of all runs on all points of the grid", by_method.sum()),
        ):
            made.append(
                tables.methods_table(
                    table.reset_index().assign(rule=""),
                    "seconds",
                    f"{title}; features {preparation}",
                    peeking=None,
                    text=tables.seconds,
                    low_is_good=True,
                )
            )
    text = (
        "Processor time on one thread, without reading the data. Distances between bags count as "
        "part of each run of BAMIC and PAM, though ten runs could share them. The paper's own "
        "figures were not at hand, and its machine was another."
    )
    return Section("Processor time (the paper's Table 6)", None, made, text)


def _grid_sections(folder: Path, runs: pd.DataFrame, choices: pd.DataFrame) -> list[Section]:
    """A figure of accuracy over C and l for each preparation of the features."""
    sections = []
    searched = runs[(runs["method"] == "m3ic") & runs["C"].notna()]
    searched = searched[searched["dataset"].isin(choices["dataset"])]
    for preparation, here in searched.groupby("preparation", sort=False):
        chosen = choices[(choices["method"] == "m3ic") & (choices["preparation"] == preparation)]
        caption = (
            f"Accuracy (%) of m3ic over C and l, features {preparation}; of the starts that with "
            "least J. Star: the most accurate point; ring: the point where the starts agree most."
        )
        name = f"m3ic-grid-{preparation}"
        drawn = figures.write_figure(folder, name, figures.draw_grids(here, chosen), caption)
        sections.append(Section(f"The grid of m3ic, features {preparation}", drawn, []))
    return sections


def _subset_section(folder: Path, choices: pd.DataFrame) -> Section:
    """All subsets of the classes of the natural scenes, as the paper's four are not known."""
    drawn = None
    if (choices["method"] == "m3ic").any():
        caption = (
            "Accuracy of m3ic on every subset of the five classes of the natural scenes; a point "
            "is a subset; best looks at the labels. Dashed: the paper's 56.6, 63.2, 60.4, 41.7 %."
        )
        figure = figures.draw_subsets(choices)
        drawn = figures.write_figure(folder, "natural-scene-subsets", figure, caption)
    return Section(
        "Every choice of classes of the natural scenes",
        drawn,
        [tables.subsets_table(choices), tables.reached_table(choices)],
        "Which classes the paper's natural-scene 1 to 4 hold is not known, so all subsets of "
        "three, four and five classes are shown.",
    )


def _mi_em_sections(folder: Path, choices: pd.DataFrame) -> list[Section]:
    """A section for each preparation of the features, with a figure over the number of groups."""
    means = choices[choices["rule"].isin(["mean", "only"])]
    sections = []
    for preparation, here in means.groupby("preparation", sort=False):
        names = [(measure, name) for measure, (name, _) in list(_MI_EM_MEASURES.items())[:3]]
        caption = (
            "Precision, F-measure and average entropy against the number of groups, features "
            f"{preparation}; mi-em: mean of the runs."
        )
        drawn = figures.write_figure(
            folder, f"mi-em-{preparation}", figures.draw_over_k(here, names), caption
        )
        shown = choices[choices["preparation"] == preparation]
        made = [
            tables.over_k_table(of_set, measure, f"{dataset}: {name}", low_is_good=low)
            for dataset, of_set in shown.groupby("dataset", sort=False)
            for measure, (name, low) in _MI_EM_MEASURES.items()
        ]
        sections.append(Section(f"Features {preparation}", drawn, made))
    return sections
