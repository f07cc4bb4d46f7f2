"""Names in tables must not be taken for formulas.

A spreadsheet takes a cell that begins with ``=``, ``+``, ``-`` or ``@`` for a formula and runs
it, wherever the cell came from. Such a name gets an apostrophe before it, and such a path ``./``,
which names the same file. `unguarded` takes the apostrophe off again.
"""

from __future__ import annotations

import re

# The wide forms are taken for the plain ones by some spreadsheets; spaces before are passed over.
_FORMULA = re.compile(r"[\s']*[=+\-@＝＋－＠]")


def guarded(name: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run as a formula.

    Parameters
    ----------
    name : str
        Any text.

    Returns
    -------
    str
        The text itself, unless it begins with ``=``, ``+``, ``-`` or ``@`` after any spaces and
        apostrophes.
    """
    return f"'{name}" if _FORMULA.match(name) else name


def unguarded(name: str) -> str:
    """Give back what `guarded` was given."""
    return name[1:] if name.startswith("'") and _FORMULA.match(name) else name


def guarded_path(path: str) -> str:
    """Put ``./`` before a relative path that a spreadsheet would run as a formula."""
    return f"./{path}" if _FORMULA.match(path) else path
