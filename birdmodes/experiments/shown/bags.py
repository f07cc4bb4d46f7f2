"""What the experiment on m3ic shows: methods down, problems across."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from birdmodes.experiments.experiment import Measured, Shown
from birdmodes.experiments.figures import write_figure
from birdmodes.experiments.known import MARK, PAPER_ACCURACY, marked
from birdmodes.experiments.report import Section
from birdmodes.experiments.shown.bag_figures import draw_grids, draw_subsets
from birdmodes.experiments.tables import (
    NOTHING,
    Cell,
    Column,
    ReportTable,
    decimals,
    lay_out,
    percent,
    seconds,
)
from birdmodes.experiments.work.bags import BESIDE_M3IC, PREPARATIONS, SUBSETS_OF
from birdmodes.experiments.work.choices import PEEKING, RULES, entries

_IN_PAPER = "m3ic in the paper"
_ONE_GROUP = "all bags in one group"
"""A row that tells what accuracy is worth where classes differ in size."""

RULES_AND_FEATURES = (
    "Rules: "
    + "; ".join(f"{rule}: {text}" for rule, text in RULES.items())
    + ". Features: "
    + "; ".join(f"{name}: {text}" for name, text in PREPARATIONS.items())
    + "."
)
MAIN_TEXT = (
    f"Problems with {MARK} are not, or not surely, those of the paper: of SIVAL 6 of the 25 "
    "categories are public here, and which classes the paper's numbers of natural-scene and "
    "reuters stand for is not known (docs/datasets.md tells what could be inferred). "
    + RULES_AND_FEATURES
)


def show(folder: Path, measured: Measured) -> Shown:
    """Draw the figures and put together what is shown."""
    runs, choices = measured.runs, measured.summary
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
    return Shown([overview_table(whole, main)] if len(whole) else [], sections)


def _measure_section(choices: pd.DataFrame, measure: str) -> Section:
    """Every method on every problem: with choices that look at labels, then without."""
    accuracy = measure == "accuracy"
    made = []
    for peeking in (True, False):
        for preparation, here in choices.groupby("preparation", sort=False):
            how = "the papers' rules, which look at the labels" if peeking else "without labels"
            made.append(
                methods_table(
                    here,
                    measure,
                    f"{'Accuracy (%)' if accuracy else 'NMI'}, {how}; features {preparation}",
                    peeking=peeking,
                    text=percent if accuracy else decimals,
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
                methods_table(
                    table.reset_index().assign(rule=""),
                    "seconds",
                    f"{title}; features {preparation}",
                    peeking=None,
                    text=seconds,
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
        drawn = write_figure(folder, name, draw_grids(here, chosen), caption)
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
        figure = draw_subsets(choices)
        drawn = write_figure(folder, "natural-scene-subsets", figure, caption)
    return Section(
        "Every choice of classes of the natural scenes",
        drawn,
        [subsets_table(choices), reached_table(choices)],
        "Which classes the paper's natural-scene 1 to 4 hold is not known, so all subsets of "
        "three, four and five classes are shown.",
    )


def methods_table(
    choices: pd.DataFrame,
    measure: str,
    title: str,
    *,
    peeking: bool | None,
    text: Callable[[float], str] = decimals,
    low_is_good: bool = False,
    paper: dict[str, float] | None = None,
) -> ReportTable:
    """Lay out one figure of every method on every problem.

    Parameters
    ----------
    choices : pandas.DataFrame
        Of one preparation of the features and one number of groups for each problem.
    measure : str
        Its column.
    title : str
        What the table shows.
    peeking : bool or None
        Only rules that look at the labels, only those that do not, or all. Methods of the paper
        that are averaged there are in every table.
    text : callable
        Writes a figure.
    low_is_good : bool
        Whether the least figure of a column is marked, not the largest.
    paper : dict, optional
        Figures of m3ic in its paper, by problem.
    """
    names = {entry: _row_name(*entry) for entry in _entries(choices, peeking)}
    rows = list(names.values())
    if measure == "accuracy":
        rows.insert(0, _ONE_GROUP)
    if paper and set(paper) & set(choices["dataset"]):
        rows.insert(0, _IN_PAPER)
    columns: list[Column] = []
    for dataset, here in choices.groupby("dataset", sort=False):
        pairs = zip(here["method"], here["rule"], strict=True)
        figures = dict(zip(pairs, here[measure], strict=True))
        compared = {entry: figures[entry] for entry in names if entry in figures}
        fair = [value for entry, value in compared.items() if entry[1] != "luckiest"]
        best = (min if low_is_good else max)(fair, default=None)
        cells = {
            names[entry]: Cell(text(value), len(fair) > 1 and value == best)
            for entry, value in compared.items()
        }
        if measure == "accuracy":
            cells[_ONE_GROUP] = Cell(text(here["largest_class"].iloc[0]))
        if paper and dataset in paper:
            cells[_IN_PAPER] = Cell(text(paper[str(dataset)]))
        columns.append((marked(str(dataset)), cells))
    return lay_out(title, rows, columns)


def _entries(choices: pd.DataFrame, peeking: bool | None) -> list[tuple[str, str]]:
    """Pairs of method and rule that a table has rows for, in their order."""
    averaged = ("kmeans-vote", "mean")
    return [
        (method, rule)
        for method, rule in entries(choices)
        if peeking is None or (rule in PEEKING) == peeking or (method, rule) == averaged
    ]


def _row_name(method: str, rule: str) -> str:
    beside = " (beside the paper)" if method in BESIDE_M3IC else ""
    return f"{method}, {rule}{beside}" if rule else f"{method}{beside}"


def overview_table(choices: pd.DataFrame, main: str) -> ReportTable:
    """Put m3ic beside its paper and beside the best of the other methods.

    Parameters
    ----------
    choices : pandas.DataFrame
        All of them.
    main : str
        Preparation for which the choices without labels are shown.
    """
    rows = []
    for dataset, here in choices.groupby("dataset", sort=False):
        m3ic = here[here["method"] == "m3ic"]
        prepared = m3ic[m3ic["preparation"] == main]
        best = m3ic[m3ic["rule"] == "best"]
        paper = PAPER_ACCURACY.get(str(dataset))
        cells = [
            Cell(percent(here["largest_class"].iloc[0])),
            NOTHING if paper is None else Cell(percent(paper)),
        ]
        if len(best):
            at = best.iloc[int(best["accuracy"].argmax())]
            cells.append(Cell(percent(at["accuracy"])))
            cells.append(Cell(f"{at['preparation']}, C = {at['C']:g}, l = {at['balance']:g}"))
        else:
            cells += [NOTHING, NOTHING]
        for rule in ("stable", "defaults"):
            figures = prepared.loc[prepared["rule"] == rule, "accuracy"]
            cells.append(Cell(percent(figures.iloc[0])) if len(figures) else NOTHING)
        cells.append(_best_other(here, ("best", "mean")))
        cells.append(_best_other(here[here["preparation"] == main], ("least", "mean")))
        rows.append((marked(str(dataset)), cells))
    header = [
        "data set",
        _ONE_GROUP,
        "m3ic, paper",
        "m3ic, best",
        "at",
        f"m3ic, stable ({main})",
        f"m3ic, defaults ({main})",
        "best of bamic and kmeans-vote, best or mean",
        f"best of bamic and kmeans-vote, least or mean ({main})",
    ]
    return ReportTable("Accuracy (%) of m3ic", header, rows)


def _best_other(choices: pd.DataFrame, rules: Sequence[str]) -> Cell:
    """Highest accuracy of BAMIC by the first rule and of k-means by the second."""
    bamic = choices["method"].str.startswith("bamic") & (choices["rule"] == rules[0])
    vote = (choices["method"] == "kmeans-vote") & (choices["rule"] == rules[1])
    accuracies = choices.loc[bamic | vote, "accuracy"]
    return Cell(percent(accuracies.max())) if len(accuracies) else NOTHING


def subsets_table(choices: pd.DataFrame) -> ReportTable:
    """List the accuracies on every subset of classes: of m3ic by each rule, and of k-means."""
    rows = [str(name).partition(":")[2] for name in dict.fromkeys(choices["dataset"])]
    columns: list[Column] = []
    for preparation, prepared in choices.groupby("preparation", sort=False):
        for method, rule in entries(choices):
            if method in ("m3ic", "kmeans-vote") and rule != "least":
                here = prepared[(prepared["method"] == method) & (prepared["rule"] == rule)]
                pairs = zip(here["dataset"], here["accuracy"], strict=True)
                cells = {name.partition(":")[2]: Cell(percent(each)) for name, each in pairs}
                columns.append((f"{method}, {rule} ({preparation})", cells))
    title = "Accuracy (%) on every subset of classes"
    return lay_out(title, rows, columns, corner="classes")


def reached_table(choices: pd.DataFrame) -> ReportTable:
    """Count the subsets on which m3ic is as accurate as the paper says of each of its four."""
    best = choices[(choices["method"] == "m3ic") & (choices["rule"] == "best")]
    best = best.loc[best.groupby("dataset", sort=False)["accuracy"].idxmax()]
    sizes = sorted(set(best["k"]))
    rows = []
    for name, paper in PAPER_ACCURACY.items():
        if name.startswith(SUBSETS_OF):
            cells = []
            for size in sizes:
                reached = best.loc[best["k"] == size, "accuracy"].round(3) >= paper
                cells.append(Cell(f"{reached.sum()} of {len(reached)}"))
            rows.append((f"{name} in the paper, {percent(paper)}", cells))
    header = ["figure", *[f"{size} classes" for size in sizes]]
    title = "Subsets on which m3ic (best, any features) is as accurate as the paper's figure"
    return ReportTable(title, header, rows)
