"""Data that experiments are run on: where they come from, and what they are called."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from birdmodes.errors import BirdmodesError
from birdmodes.experiments.datasets.miml import Data, MIMLDataset, load_dataset
from birdmodes.experiments.datasets.own import read_bags

__all__ = ["Data", "Problems", "Source", "load", "read_all"]

_KEPT = 32  # a process may need any set next; all of them take less than 300 MB


@dataclass(frozen=True)
class Source:
    """Where data come from, so that any process can read them.

    Attributes
    ----------
    name : str
        Of public or built-in data, when there is no `path`.
    path : pathlib.Path, optional
        A file of one's own.
    data_dir : pathlib.Path, optional
        Folder of the public sets' files.
    """

    name: str = ""
    path: Path | None = None
    data_dir: Path | None = None

    @property
    def place(self) -> str:
        """What errors call it."""
        return str(self.path or self.name)

    def dataset(self) -> MIMLDataset:
        """Read a data set, its features as they are in the file."""
        if self.path is not None:
            return read_bags(self.path)
        return load_dataset(self.name, self.data_dir)

    def read(self) -> Data:
        """Read the same, with truth where any instance has a known class."""
        dataset = self.dataset()
        return Data(dataset.name, dataset.bags, dataset.y if (dataset.y >= 0).any() else None)

    def scored(self, data: Data) -> Data:
        """Give the data that were read from here, if they have truth to score by.

        Raises
        ------
        BirdmodesError
            When they have none.
        """
        if data.truth is None:
            raise BirdmodesError(
                f"{self.place}: no instance has a known class, so nothing can be scored"
            )
        return data


Read = Callable[[Source], Data]
"""Reads data as an experiment wants them, and refuses what it cannot be run on."""


@lru_cache(maxsize=_KEPT)
def load(read: Read, source: Source) -> Data:
    """Read data once per process."""
    return read(source)


def read_all(read: Read, sources: Iterable[Source], kind: str) -> list[Data]:
    """Read what an experiment is run on, and see that names are distinct.

    Parameters
    ----------
    read : callable
        Reads one source.
    sources : iterable of Source
        Where the data come from.
    kind : str
        What they are called, in the plural.

    Raises
    ------
    BirdmodesError
        When two have one name.
    """
    found: dict[str, Data] = {}
    for source in sources:
        data = load(read, source)
        if data.name in found:
            raise BirdmodesError(f"two {kind} are called {data.name}: give each once, rename files")
        found[data.name] = data
    return list(found.values())


@dataclass(frozen=True, kw_only=True)
class Problems:
    """What an experiment may be run on by name.

    Attributes
    ----------
    check : callable
        Raises :class:`~birdmodes.errors.DatasetError` for an unknown name.
    read : callable
        Reads one.
    built_in : str
        Needs no download.
    every : sequence of str
        Those that ``all`` stands for.
    kind : str
        What they are called, in the plural.
    """

    check: Callable[[str], object]
    read: Read
    built_in: str
    every: Sequence[str]
    kind: str = "data sets"

    def expand(self, names: Sequence[str]) -> list[str]:
        """Give all that `names` stand for, each once; the built-in one for none.

        Raises
        ------
        DatasetError
            For an unknown name; the message suggests the nearest.
        """
        found: list[str] = []
        for name in names or [self.built_in]:
            if name != "all":
                self.check(name)
            found += self.every if name == "all" else [name]
        return list(dict.fromkeys(found))
