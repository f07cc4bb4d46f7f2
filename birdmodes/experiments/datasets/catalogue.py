"""The table of data sets: what is in each, where it comes from, and its files.

It is data, in ``sets.toml``. Reading it loads nothing heavy, so that the command line can name the
data sets at once.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from algorithms.errors import did_you_mean
from birdmodes.errors import DatasetError

ADDRESS = "https://raw.githubusercontent.com"

NO_TERMS = "The public copies state no licence or terms for the data; cite the paper."
"""Terms of use of sets whose copies say nothing."""


@dataclass(frozen=True)
class RawFile:
    """A public file, pinned: its address names one commit and its sha256 is known.

    Attributes
    ----------
    repository, commit, path : str
        Where it is published.
    local : str
        Its path in the data folder, with forward slashes. There it may also lie gzipped, with
        ``.gz`` after its name.
    sha256 : str
        Hash of its content as published.
    """

    repository: str
    commit: str
    path: str
    local: str
    sha256: str

    @property
    def address(self) -> str:
        """Address to download it from."""
        return f"{ADDRESS}/{self.repository}/{self.commit}/{self.path}"


@dataclass(frozen=True)
class DatasetInfo:
    """One entry of :data:`birdmodes.experiments.datasets.DATASETS`.

    Attributes
    ----------
    name : str
        What users type.
    title : str
        One line for tables.
    n_bags, n_instances, n_features, n_classes : int
        Its size.
    n_single_label : int
        Number of bags that have a single class: those that methods which group bags can be
        compared on.
    origin : str
        What the bags and instances are, and how the published files become a data set.
    citation : str
        What to cite.
    builder : str
        ``"module:function"`` that makes it from its raw file, or from the folder of several; the
        module is one of :mod:`birdmodes.experiments.datasets.readers`.
    terms : str
        What is known of the terms of use.
    files : tuple of RawFile
        Its raw files; none if it is built in.
    """

    name: str
    title: str
    n_bags: int
    n_instances: int
    n_features: int
    n_classes: int
    n_single_label: int
    origin: str
    citation: str
    builder: str
    terms: str = NO_TERMS
    files: tuple[RawFile, ...] = ()


_CONTENT = tomllib.loads(Path(__file__).with_name("sets.toml").read_text(encoding="utf-8"))

CLASS_NAMES: dict[str, list[str]] = _CONTENT["class_names"]
"""Of sets whose files do not name their classes."""


def _file(repository: str, **fields: Any) -> RawFile:
    published = _CONTENT["repositories"][repository]
    return RawFile(published["name"], published["commit"], **fields)


DATASETS: dict[str, DatasetInfo] = {
    fields["name"]: DatasetInfo(
        **{**fields, "files": tuple(_file(**each) for each in fields.get("files", ()))}
    )
    for fields in _CONTENT["sets"]
}


def dataset_info(name: str) -> DatasetInfo:
    """Look up a data set.

    Parameters
    ----------
    name : str
        A key of :data:`DATASETS`.

    Returns
    -------
    DatasetInfo

    Raises
    ------
    DatasetError
        If there is none of that name; the message has the nearest name and all of them.
    """
    if name in DATASETS:
        return DATASETS[name]
    raise DatasetError(
        f"there is no data set {name!r}{did_you_mean(name, DATASETS)}: "
        f"choose one of {', '.join(DATASETS)}"
    )
