"""Common names of one species, known by its scientific name or code, made one."""

from __future__ import annotations

from collections import Counter, defaultdict


class Synonyms:
    """Names that stand beside the same scientific name or code are of one species.

    Programs write common names in the language they are set to, and taxonomies rename species, so
    that two label files may call one species differently.
    """

    def __init__(self) -> None:
        self._names: dict[str, Counter[str]] = defaultdict(Counter)

    def add(self, scientific: str, name: str, count: int = 1) -> None:
        """Take in the scientific name or code of some labels and the name that they give."""
        if scientific and name:
            self._names[scientific][name] += count

    def renamed(self) -> dict[str, str]:
        """Names that are not to be used, to those that are.

        The name that most labels have is used, of equal ones the first in the alphabet. A name
        that stands for several species stays.
        """
        used = Counter(name for names in self._names.values() for name in names)
        found: dict[str, str] = {}
        for names in self._names.values():
            own = [name for name in names if used[name] == 1]
            best = max(sorted(names), key=lambda name: names[name])
            found.update({name: best for name in own if name != best})
        return found

    def warnings(self) -> list[str]:
        """What was made one, a line for each species."""
        renamed = self.renamed()
        found = []
        for scientific, names in sorted(self._names.items()):
            others = sorted(name for name in names if name in renamed)
            if others:
                best = renamed[others[0]]
                found.append(
                    f"{' and '.join(repr(name) for name in others)} and {best!r} are one species "
                    f"({scientific}): called {best!r} throughout; --species-map gives other names"
                )
        return found
