"""The papers' own figures, as printed: tables in ``papers/published``, read when first needed."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pandas as pd

_FOLDER = Path(__file__).parent / "papers" / "published"

TABLE_OF = {
    "accuracy": "zhang-table-4",
    "nmi_geometric": "zhang-table-5",
    "seconds": "zhang-table-6",
}
"""Tables of Zhang, Wang, Si & Li (2011) by what they hold."""

METHODS_OF_ZHANG = ("m3ic", "bamic-min", "bamic-max", "bamic-avg", "kmeans-vote", "cpm3c")
"""Columns of these tables."""


@cache
def published(name: str, *, as_text: bool = False) -> pd.DataFrame:
    """Read a table of a paper.

    Parameters
    ----------
    name : str
        A file of ``papers/published`` without its ending: ``zhang-table-4``.
    as_text : bool
        Whether figures stay as they are written.

    Returns
    -------
    pandas.DataFrame
        As printed; accuracies of Zhang et al. as shares. An empty cell is not given in the paper.
    """
    return pd.read_csv(_FOLDER / f"{name}.csv", dtype=str if as_text else None)


def paper_of_zhang(measure: str, method: str = "m3ic") -> dict[str, float]:
    """Figures of a method in Zhang et al. (2011), by problem.

    Parameters
    ----------
    measure : {"accuracy", "nmi_geometric", "seconds"}
        Their Table 4, 5 or 6.
    method : str
        One of :data:`METHODS_OF_ZHANG`.
    """
    table = published(TABLE_OF[measure]).set_index("problem")[method]
    return {str(problem): float(figure) for problem, figure in table.items()}


def paper_of_kriegel(dataset: str, method: str, measure: str) -> tuple[float, float] | None:
    """Lowest and highest figure that Kriegel et al. (2006) print, of 8 clusters; None if none."""
    table = published("kriegel")
    rows = table[(table["set"] == dataset) & (table["method"] == method)]
    rows = rows[rows["measure"] == measure]
    return None if rows.empty else (float(rows["lowest"].iloc[0]), float(rows["highest"].iloc[0]))


KRIEGELS_CLUSTERS = 8
"""Number of clusters that the printed figures of Kriegel et al. are of."""


def times_of_law(table: str) -> dict[str, float]:
    """How many times as long as mimlca methods took to train.

    Parameters
    ----------
    table : {"law-table-1", "law-table-4"}
        Of Law et al. (2017): faces, setting (b); Corel5K.
    """
    rows = published(table)
    if "setting" in rows:
        rows = rows[rows["setting"] == "b"]
    seconds = rows.set_index("method")["seconds"].dropna()
    return {str(name): float(at / seconds["mimlca"]) for name, at in seconds.items()}


def best_alphas_of_law() -> dict[str, tuple[float, float]]:
    """Least and largest alpha of the best accuracy in Law et al. (2017), Table 3, by form."""
    table = published("law-table-3")
    found: dict[str, list[float]] = {"linear": [], "kernel": []}
    for (method, _), rows in table.groupby(["method", "setting"]):
        form = "kernel" if "chi2" in str(method) else "linear"
        found[form].append(float(rows["alpha"].iloc[int(rows["accuracy"].argmax())]))
    return {form: (min(alphas), max(alphas)) for form, alphas in found.items()}


MARK = "*"
"""Follows the names of problems that are not those of the paper."""

_DIFFERENT = ("sival",)


def marked(name: str) -> str:
    """Add the mark to the name of a problem that differs from the paper's."""
    return f"{name}{MARK}" if name.startswith(_DIFFERENT) else name
