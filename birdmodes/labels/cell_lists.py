"""Which signs separate the species in the cells of a table, and which belong to a name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from birdmodes.labels.spelling import is_nothing

# These are in no name.
_ALWAYS = re.compile(r"\s*[|、]\s*")
# These may be in a name, as in "Owl, Barn"; where that is not clear, birdmodes asks.
_ASKED = (re.compile(r"\s*[,，]\s*"), re.compile(r"\s+/\s+"))
# These are in many names, as in "Black & White Warbler" and "Common/Lesser Redpoll".
_AND = r"\s*[+&]\s*|\s+(?:and|und|et|y|och|en)\s+"
_RARE = re.compile(rf"\s*/\s*|{_AND}")
# Names that are turned round, as "Owl, Barn" is, have two parts.
_SURELY_A_LIST = 3


class CellLists:
    """Tells from all cells of a column which signs separate species.

    A comma, or a slash between spaces, may be a separator or part of a name, as in ``Owl, Barn``.
    It is taken for a separator where the parts are known from elsewhere in the table: on their
    own, or from lists that are no turned names. ``&``, ``+``, a slash without spaces and words for
    "and" separate only names that are all known.

    Parameters
    ----------
    cells : iterable of str
        Texts of the cells, as `names_in_cell` gives them.
    """

    def __init__(self, cells: Iterable[str]) -> None:
        names = sorted({name for cell in cells for name in _parts(cell, (_ALWAYS,))})
        lists = {name: _parts(name, _ASKED) for name in names}
        self._known = {parts[0] for parts in lists.values() if len(parts) == 1}
        every = (part for name in names for part in _parts(name, (*_ASKED, _RARE)))
        self._known |= set(filter(is_nothing, every))
        lists = {name: parts for name, parts in lists.items() if len(parts) > 1}
        self._known |= _told_by(list(lists.values()), self._known)
        self._separators: list[re.Pattern[str]] = []
        self._unclear: set[str] = set()
        for sign in _ASKED:
            held = {name: parts for name, parts in lists.items() if len(_parts(name, (sign,))) > 1}
            if self._are_lists(list(held.values())):
                self._separators.append(sign)
            else:
                self._unclear |= held.keys()
        for name in lists.keys() - self._unclear:
            self._known |= set(lists[name])

    def _are_lists(self, cells: Sequence[Sequence[str]]) -> bool:
        clear = sum(self._known.issuperset(parts) for parts in cells)
        return 2 * clear >= len(cells) and not any(map(self._known.isdisjoint, cells))

    def is_unclear(self, cell: str) -> bool:
        """Whether a text may be one name or several, so that the user must say which."""
        return not self._unclear.isdisjoint(_parts(cell, (_ALWAYS,)))

    def may_be_several(self, name: str) -> bool:
        """Whether a name that `split` leaves whole has a sign that is seldom part of one."""
        parts = _parts(name, (_RARE,))
        some_known = not self._known.isdisjoint(parts)
        return len(parts) > 1 and (some_known or re.search(_AND, name) is not None)

    def split(self, cell: str) -> tuple[str, ...]:
        """Names in a text, at the signs that separate."""
        found: list[str] = []
        for name in _parts(cell, (_ALWAYS, *self._separators)):
            parts = _parts(name, (_RARE,))
            asked = _parts(name, _ASKED)  # of one part, if a comma is left over at an end
            whole = asked if len(asked) == 1 else (name,)
            found += parts if self._known.issuperset(parts) else whole
        return tuple(dict.fromkeys(found))


def _told_by(lists: Sequence[Sequence[str]], alone: set[str]) -> set[str]:
    """Parts that are names by where they stand: turned names have the same order everywhere.

    A name stands first in one list and further back in another, or in two lists of three or more,
    or first in two lists whose other parts are known.
    """
    first = {parts[0] for parts in lists}
    behind = {part for parts in lists for part in parts[1:]}
    long = [part for parts in lists if len(parts) >= _SURELY_A_LIST for part in set(parts)]
    leading = [parts[0] for parts in lists if alone.issuperset(parts[1:])]
    return (first & behind) | _repeated(long) | _repeated(leading)


def _repeated(parts: Iterable[str]) -> set[str]:
    return {part for part, count in Counter(parts).items() if count > 1}


def _parts(cell: str, signs: Sequence[re.Pattern[str]]) -> tuple[str, ...]:
    parts = [cell]
    for sign in signs:
        parts = [part for each in parts for part in sign.split(each)]
    return tuple(dict.fromkeys(part.strip() for part in parts if part.strip())) or (cell,)
