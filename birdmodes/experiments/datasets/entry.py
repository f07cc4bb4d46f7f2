"""What the table of data sets says of each: its size, its origin and its files."""

from __future__ import annotations

from dataclasses import dataclass

ADDRESS = "https://raw.githubusercontent.com"


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
    terms : str
        What is known of the terms of use.
    builder : str
        ``"module:function"`` that makes it from a folder of raw files.
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
    terms: str
    builder: str
    files: tuple[RawFile, ...] = ()


NO_TERMS = "The public copies state no licence or terms for the data; cite the paper."
"""Terms of use of sets whose copies say nothing."""
