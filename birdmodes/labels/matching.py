"""Which recording a label file means."""

from __future__ import annotations

import os
import posixpath
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath

from birdmodes.audio.find import AUDIO_ENDINGS, CONVERTIBLE_ENDINGS

# What programs add to the name of a recording to name the file of its labels.
_ADDED = re.compile(
    r"(?i)(.+?)[. _-]+(birdnet|results?|selections?|table|table[. ]\d+|r|kaleidoscope|audacity|"
    r"raven|labels?|annotations?|crowsetta)"
)


class NameMatcher:
    """Find the recording that a table means: by relative path, else file name, else stem.

    A relative path may lack its ending too, or have that of another kind of sound file: recordings
    are converted after they were labelled. Letter case of the ending, the direction of slashes
    and how accents are encoded do not matter; nothing else is guessed.

    Parameters
    ----------
    names : iterable of str
        Names of the recordings (relative paths with forward slashes).
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._levels: list[dict[str, list[str]]] = [defaultdict(list) for _ in range(4)]
        self._names = list(names)
        self._exact = frozenset(self._names)
        for name in self._names:
            for level, key in zip(self._levels, _keys(name), strict=True):
                level[key].append(name)

    def find(self, text: str) -> list[str]:
        """Names of the recordings that `text` may mean: one if all is well."""
        if text in self._exact:
            return [text]
        whole = _plain(text)
        for bare in _bare(text):
            for level, key in zip(self._levels, (whole, whole, bare, bare), strict=True):
                if level.get(key):
                    return level[key]
        return []

    @cached_property
    def _by_tail(self) -> list[dict[str, list[str]]]:
        """The ends of the paths, with and without the ending of the file."""
        levels: list[dict[str, list[str]]] = [defaultdict(list), defaultdict(list)]
        for name in self._names:
            for level, key in zip(levels, _keys(name)[::2], strict=True):
                for tail in _tails(key):
                    level[tail].append(name)
        return levels

    def find_moved(self, text: str) -> list[str]:
        """Names of the recordings that `text` may mean, if it is a path on another computer.

        Those that have most of the path in common, from its end; at least the file name, with or
        without its ending.
        """
        found = self.find(text)
        if found:
            return found
        for kind in _bare(text):
            for whole, bare in zip(_tails(_plain(text)), _tails(kind), strict=True):
                for level, key in zip(self._by_tail, (whole, bare), strict=True):
                    if level.get(key):
                        return level[key]
        return []


class PathMatcher:
    """Find recordings by where they lie on the disk.

    Parameters
    ----------
    paths : mapping
        Name of a recording to its absolute path.
    """

    def __init__(self, paths: Mapping[str, Path]) -> None:
        self._paths = {name: path.as_posix() for name, path in paths.items()}
        self._matcher = NameMatcher(self._paths.values())
        self._names: dict[str, list[str]] = defaultdict(list)
        for name, path in self._paths.items():
            self._names[path].append(name)

    def find(self, folder: Path, text: str) -> list[str]:
        """Names of the recordings at the path `text`, as seen from `folder`."""
        exact = os.path.abspath(folder / text)  # noqa: PTH100  keeps links
        path = Path(os.path.abspath(folder / _slashes(text)))  # noqa: PTH100
        if exact in self._names:
            return self._names[exact]
        found = self._matcher.find(path.as_posix())
        return [name for match in found for name in self._names[match]]

    def shared(self, name: str, folder: PurePosixPath) -> int:
        """How many folders, from the end, `folder` has in common with that of a recording."""
        ours = PurePosixPath(self._paths[name]).parts[-2::-1]
        theirs = folder.parts[::-1]
        count = 0
        for a, b in zip(ours, theirs, strict=False):
            if a != b:
                break
            count += 1
        return count


def recording_names(file_name: str) -> Iterator[str]:
    """What the recording of a label file may be called, after the name of that file.

    Parameters
    ----------
    file_name : str
        As ``X.BirdNET.results.csv``, ``X.Table.1.selections.txt``, ``X.wav.txt``.

    Yields
    ------
    str
        The name without its ending, then without one more thing that programs add, and so on.
    """
    name = os.path.splitext(file_name)[0]  # noqa: PTH122
    while name:
        yield name
        shorter = _ADDED.fullmatch(name)
        name = shorter.group(1) if shorter else ""


def _slashes(text: str) -> str:
    return posixpath.normpath(unicodedata.normalize("NFC", text.strip()).replace("\\", "/"))


def _bare(text: str) -> Iterator[str]:
    """The text as a path without its ending: as it is, then without the ending of a sound file."""
    path = _slashes(text)
    yield path
    stem, ending = posixpath.splitext(path)
    if ending.lower() in AUDIO_ENDINGS | CONVERTIBLE_ENDINGS:
        yield stem


def _plain(text: str) -> str:
    stem, ending = posixpath.splitext(_slashes(text))
    return stem + ending.lower()


def _keys(name: str) -> tuple[str, str, str, str]:
    """What may name a recording: path, file name, path without ending, stem."""
    path = _plain(name)
    bare = posixpath.splitext(path)[0]
    return path, posixpath.basename(path), bare, posixpath.basename(bare)


def _tails(path: str) -> Iterator[str]:
    """The path, then without its first folder, and so on."""
    parts = path.split("/")
    for first in range(len(parts)):
        yield "/".join(parts[first:])


def same_names(written: Iterable[str]) -> dict[str, str]:
    """Make one of names that may well mean one recording, where the recordings are not known.

    Parameters
    ----------
    written : iterable of str
        Paths, file names and stems, as label files write them.

    Returns
    -------
    dict of str to str
        Each of them to the longest that ends like it: ``a`` and ``x/a.wav`` to the latter, unless
        there is a ``y/a.wav``, too.
    """
    keys = {name: list(_bare(name))[-1] for name in written}
    ends: dict[str, set[str]] = defaultdict(set)
    chosen: dict[str, str] = {}
    result = {}
    for name in sorted(keys, key=lambda name: (-keys[name].count("/"), name)):
        longer = ends.get(keys[name], set())
        if len(longer) == 1:
            key = next(iter(longer))
        else:
            key = keys[name]
            for tail in _tails(key):
                ends[tail].add(key)
        result[name] = chosen.setdefault(key, name)
    return result
