"""Names as they may stand in tables that other programs read."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from birdmodes.io import cells
from birdmodes.io.formula_guard import guarded, guarded_path

if TYPE_CHECKING:
    import pandas as pd

TIME_DECIMALS = 6
"""Times are given to the microsecond, frequencies to the thousandth of a hertz."""

FREQUENCY_DECIMALS = 3

_DOUBTFUL = r"^[^0-9A-Za-z_]|[\x00-\x1f\x7f-\x9f\x{2028}\x{2029}\"]"
"""In the words of Arrow: a strange beginning, `_BREAKS`, or a quote."""

_PLAIN = (0x20, 0x7E)
"""The first and the last of the signs of ASCII that can be seen, in Unicode as in UTF-8."""

_FALSE = cells.from_numpy(np.zeros(1, dtype=np.bool_))[0]

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
    import pandas as pd  # slow to import, and many formats do without

    codes, different = pd.factorize(names)
    changed = pd.Series([change(name) for name in different], dtype="str")
    return pd.Series(changed.array.take(codes), index=names.index, name=names.name)


def each_cell(names: pa.Array, change: Callable[[str], str]) -> pa.Array:
    """Change every text of a column of Arrow; each different one is worked on once.

    Parameters
    ----------
    names : pyarrow.StringArray, or pyarrow.DictionaryArray of str
        What is missing stays so.
    change : callable
        A function of one text.
    """
    found = names if isinstance(names, pa.DictionaryArray) else names.dictionary_encode()
    different = found.dictionary.to_pylist()
    changed = [None if name is None else change(name) for name in different]
    return cells.coded(found.indices, cells.from_texts(changed))


def each_number(numbers: pa.DictionaryArray) -> pa.DictionaryArray:
    """Write whole numbers; each different one once."""
    return cells.coded(numbers.indices, numbers.dictionary.cast(pa.string()))


def label_cells(rows: pa.RecordBatch, label: str) -> pa.DictionaryArray:
    """Labels of syllables: their modes, or their species; "Cluster 7" where there is none.

    Parameters
    ----------
    rows : pyarrow.RecordBatch
        The syllables, see `birdmodes.export.picked.rows`.
    label : {"mode", "species"}
        What the labels say.
    """
    names = rows["name"]
    if label == "mode":
        return names
    both = zip(rows["species"].dictionary.to_pylist(), names.dictionary.to_pylist(), strict=True)
    return cells.coded(names.indices, cells.from_texts(one or other for one, other in both))


def doubtful_cells(names: pa.Array, change: Callable[[str], str]) -> pa.Array:
    """Change texts of a column of Arrow, but for those that nothing can be wrong with.

    Parameters
    ----------
    names : pyarrow.StringArray, or pyarrow.DictionaryArray of str
        What is missing stays so.
    change : callable
        What leaves those as they are that `_DOUBTFUL` does not find: a function of this module,
        `guarded` or `guarded_path`.
    """
    if isinstance(names, pa.DictionaryArray):
        return cells.coded(names.indices, doubtful_cells(names.dictionary, change))
    if _harmless(names):
        return names
    doubtful = pc.match_substring_regex(names, _DOUBTFUL)
    doubtful = doubtful.fill_null(_FALSE)
    changed = [change(name) for name in names.filter(doubtful).to_pylist()]
    return pc.replace_with_mask(names, doubtful, cells.from_texts(changed))


def _harmless(names: pa.StringArray) -> bool:
    """Whether texts are of plain signs, and none begins as a formula can."""
    content = np.frombuffer(cells.view(names), dtype=np.uint8)
    first, last = _PLAIN
    plain = not len(content) or bool(content.min() >= first and content.max() <= last)
    return plain and not cells.has_byte(names, '"') and not cells.begin_with(names, "=+-@' ")
