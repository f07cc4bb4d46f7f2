"""Our figures beside the tables of the papers, cell by cell."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd

from birdmodes.experiments.known import METHODS_OF_ZHANG, paper_of_zhang, published
from birdmodes.experiments.tables import (
    UNKNOWN,
    WORDS,
    Cell,
    Column,
    ReportTable,
    decimals,
    lay_out,
    percent,
    seconds,
)
from birdmodes.experiments.work.choices import WHOLE

_RULES = {"kmeans-vote": "mean"}  # the others: best
_POINTS = "m3ic, mean over the points"
WRITTEN: dict[str, Callable[[float], str]] = {
    "accuracy": percent,
    "nmi_geometric": decimals,
    "seconds": seconds,
}
"""How figures are written."""


def zhang_table(choices: pd.DataFrame, measure: str) -> ReportTable:
    """Put one measure of all methods beside the paper of Zhang et al., a row for each problem.

    Parameters
    ----------
    choices : pandas.DataFrame
        What every rule chose.
    measure : {"accuracy", "nmi_geometric", "seconds"}
        Column.
    """
    text = WRITTEN[measure]
    problems = list(paper_of_zhang(measure))
    columns: list[Column] = []
    for method in METHODS_OF_ZHANG:
        paper = paper_of_zhang(measure, method)
        ours = _of_method(choices, method, measure, _RULES.get(method, "best"))
        cells = {
            name: Cell(f"{_written(text, ours, name)} / {text(paper[name])}") for name in paper
        }
        columns.append((method, cells))
        if method == "m3ic" and measure != "seconds":
            points = _of_method(choices, method, measure, "points")
            columns.append((_POINTS, {name: Cell(_written(text, points, name)) for name in paper}))
    return lay_out(WORDS["beside_zhang"][measure], problems, columns, corner="problem")


def _of_method(choices: pd.DataFrame, method: str, measure: str, rule: str) -> dict[str, float]:
    """Best over all features, by problem; of times the mean."""
    rows = choices[choices["method"] == method]
    if measure == "seconds":
        found = rows[rows["rule"].isin(WHOLE)].groupby("dataset")[measure].mean()
    else:
        found = rows[rows["rule"] == rule].groupby("dataset")[measure].max()
    return {str(name): float(figure) for name, figure in found.items()}


def _written(text: Callable[[float], str], figures: dict[str, float], name: str) -> str:
    return text(figures[name]) if name in figures else UNKNOWN


def plain_table(name: str, title: str) -> ReportTable:
    """Show a table of a paper as it is printed.

    Parameters
    ----------
    name : str
        See :func:`~birdmodes.experiments.known.published`.
    title : str
        What it is.
    """
    filled = published(name, as_text=True).fillna(UNKNOWN)
    named = [c for c in ("method", "setting") if c in filled]
    figures = [c for c in filled if c not in named]
    rows = [
        (", ".join(str(row[c]) for c in named), [Cell(f"{row[c]}") for c in figures])
        for row in filled.to_dict("records")
    ]
    header = [", ".join(named), *[str(c).replace("_", " ") for c in figures]]
    return ReportTable(title, header, rows)


def alphas_of_law() -> ReportTable:
    """Lay out Table 3 of Law et al. (2017), alphas across: accuracy / precision in per cent."""
    table = published("law-table-3")
    alphas = sorted(set(table["alpha"]))
    rows = []
    for (method, setting), here in table.groupby(["method", "setting"], sort=False):
        at = here.set_index("alpha")
        cells = [Cell(f"{at.loc[a, 'accuracy']} / {at.loc[a, 'precision']}") for a in alphas]
        rows.append((f"({setting}) {method}", cells))
    title = "The paper's Table 3, on faces: accuracy / precision (%) by rule 16 with alpha"
    return ReportTable(title, ["method", *[f"{alpha:g}" for alpha in alphas]], rows)
