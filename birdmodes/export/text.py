"""Names as they may stand in tables that other programs read."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pandas as pd
import pyarrow.compute as pc

from birdmodes.io import cells
from birdmodes.io.formula_guard import guarded, guarded_path

_DOUBTFUL = r"^[^0-9A-Za-z_]|[\x00-\x1f\x7f-\x9f\x{2028}\x{2029}\"]"
"""In the words of Arrow: a strange beginning, `_BREAKS`, or a quote."""

_BREAKS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def one_line(name: str) -> str:
    """Replace tabs, line ends and other control characters, each run of them by one space."""
    return _BREAKS.sub(" ", name)


def without_nul(name: str) -> str:
    """Replace the one character that no text file may hold."""
    return name.replace("\0", " ")


def syllable_key(name: str) -> str:
    """Give the name of a syllable as all exports have it: on one line, and no formula."""
    return guarded_path(one_line(name))


def tab_cell(name: str) -> str:
    """Give a cell of a table whose columns are separated by tabs.

    Parameters
    ----------
    name : str
        Any text.

    Returns
    -------
    str
        On one line and `guarded`. A cell with a double quote is written as CSV has it, which
        pandas, R and spreadsheets undo.
    """
    cell = guarded(one_line(name))
    return '"' + cell.replace('"', '""') + '"' if '"' in cell else cell


def each(names: pd.Series, change: Callable[[str], str]) -> pd.Series:
    """Change every text of a column; each different one is worked on once."""
    codes, different = pd.factorize(names)
    kind: Any = "category" if isinstance(names.dtype, pd.CategoricalDtype) else "str"
    changed = pd.Series([change(name) for name in different], dtype=kind)
    return pd.Series(changed.array.take(codes), index=names.index, name=names.name)


def each_doubtful(names: pd.Series, change: Callable[[str], str]) -> pd.Series:
    """Change texts that mostly differ, but for those that nothing can be wrong with.

    Parameters
    ----------
    names : pandas.Series of str
        Any texts.
    change : callable
        What leaves those as they are that `_DOUBTFUL` does not find: a function of this module,
        `guarded` or `guarded_path`.
    """
    doubtful = pc.match_substring_regex(cells.texts(names), _DOUBTFUL).to_numpy(False)
    if not doubtful.any():
        return names
    changed = names.to_numpy(dtype=object, copy=True)
    changed[doubtful] = [change(name) for name in changed[doubtful]]
    return pd.Series(changed, index=names.index, name=names.name)
