"""Common names of one species, known by its scientific name or code, made one."""

from __future__ import annotations

import re
from collections import Counter, defaultdict

from birdmodes.labels.spelling import is_nothing, spelled

# "Turdus sp." stands beside names of several species.
_VAGUE = re.compile(r"(.* )?(spp?|indet)\.?( .*)?|.*/.*")
_AUTHOR = re.compile(r"([a-z-]+ [a-z-]+(?: [a-z-]+)?),? \(?[^\W\d_][^,]*,? \d{4}\)?")


class Synonyms:
    """Names that stand beside the same scientific name or code are of one species.

    Programs write common names in the language they are set to, and taxonomies rename species, so
    that two label files may call one species differently. Where a label gives the scientific name
    or code alone, it is of the species that other labels give it for.
    """

    def __init__(self) -> None:
        self._names: dict[str, Counter[str]] = defaultdict(Counter)
        self._written: dict[str, str] = {}
        self._alone: set[str] = set()

    def add(self, scientific: str, name: str, count: int = 1) -> None:
        """Take in the scientific name or code of some labels, if any, and the name they give."""
        key = _key(scientific)
        if not key or key == _key(name):
            self._alone.add(name)
        else:
            self._names[key][name] += count
            self._written.setdefault(key, scientific)

    def renamed(self) -> dict[str, str]:
        """Names that are not to be used, to those that are.

        The name that most labels have is used, of equal ones the first in the alphabet. A name
        that stands for several species stays.
        """
        used = Counter(name for names in self._names.values() for name in names)
        found: dict[str, str] = {}
        best = {key: max(sorted(n), key=lambda name: n[name]) for key, n in self._names.items()}
        for key, names in self._names.items():
            own = [name for name in names if used[name] == 1]
            found.update({name: best[key] for name in own if name != best[key]})
        for name in self._alone - used.keys():
            if _key(name) in best:
                found[name] = best[_key(name)]
        return found

    def warnings(self) -> list[str]:
        """What was made one, a line for each species; names of several species."""
        groups: dict[str, set[str]] = defaultdict(set)
        for name, best in self.renamed().items():
            groups[best].add(name)
        found = []
        for best, others in sorted(groups.items()):
            key = next(key for key, names in sorted(self._names.items()) if best in names)
            found.append(
                f"{' and '.join(repr(name) for name in sorted(others))} and {best!r} are one "
                f"species ({self._written[key]}): called {best!r} throughout; --species-map gives "
                "other names"
            )
        several: dict[str, list[str]] = defaultdict(list)
        for key, names in sorted(self._names.items()):
            for name in names:
                several[name].append(self._written[key])
        return found + [
            f"{name!r} stands beside {' and '.join(map(repr, keys))}; it is taken for one species"
            for name, keys in sorted(several.items())
            if len(keys) > 1
        ]


def _key(scientific: str) -> str:
    """What a scientific name or code is looked for by: without its author; empty if it is none."""
    text = spelled(scientific).casefold()
    author = _AUTHOR.fullmatch(text)
    text = author[1] if author else text
    return "" if is_nothing(text) or _VAGUE.fullmatch(text) else text
