"""What `birdmodes.info.workspace` tells of a workspace."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True)
class ClusteringInfo:
    """A clustering in a few words.

    Attributes
    ----------
    name, method : str
        Its name, and how it was made.
    k : int or None
        Number of clusters that were asked for or found.
    written : str
        When it was written, or last corrected (UTC, ISO 8601).
    modes, species : int
        How many it has.
    batches : int
        Batches of corrections in it.
    base : str
        Digest of its present state, see `birdmodes.modes.digest`; empty if it cannot be used.
    problem : str
        Why it cannot be used; empty if it can.
    metric : str
        The learned metric that the method went by; empty if it was told none.
    features : list of str
        The feature sets that the syllables were described by.
    names : str
        How good its names are, in a sentence, see `birdmodes.modes.left_out`; empty if not known.
    other_labels : bool
        Whether the recordings' labels have changed since.
    exported : bool
        Whether its present state is among the exports of the workspace.
    """

    name: str
    method: str
    k: int | None
    written: str
    modes: int
    species: int
    batches: int
    base: str
    problem: str
    metric: str
    features: list[str]
    names: str = ""
    other_labels: bool = False
    exported: bool = False


@dataclass(frozen=True)
class GroupingInfo:
    """Groups of recordings in a few words.

    Attributes
    ----------
    name, method : str
        Its name, and how it was made.
    k : int or None
        Number of groups that were asked for or found.
    written : str
        When it was written (UTC, ISO 8601).
    groups, bags : int
        How many it has; bags without syllables, which are in no group, do not count.
    base : str
        Digest of its present state, see `birdmodes.groups.grouping.grouping_digest`; empty if it
        cannot be used.
    problem : str
        Why it cannot be used; empty if it can.
    features : list of str
        The feature sets that the syllables were described by.
    """

    name: str
    method: str
    k: int | None
    written: str
    groups: int
    bags: int
    base: str
    problem: str
    features: list[str]


@dataclass(frozen=True)
class AnnotationInfo:
    """Annotations of new recordings in a few words.

    Attributes
    ----------
    folder : str
        Where they are, from the workspace's folder: a workspace of its own.
    method : str
        How they were made.
    written : str
        When (UTC, ISO 8601).
    recordings, named, species : int
        Recordings annotated, syllables of them that got a name, and species said to be present in
        any.
    expected_f1 : float or None
        Micro F1 of such annotations of labelled recordings that were left out; None if not known.
    problem : str
        Why they cannot be read; empty if they can.
    """

    folder: str
    method: str
    written: str
    recordings: int
    named: int
    species: int
    expected_f1: float | None
    problem: str


@dataclass(frozen=True)
class AssignedInfo:
    """New recordings whose syllables were placed in the modes of a clustering, in a few words.

    Attributes
    ----------
    folder : str
        Where they are, from the workspace's folder: a workspace of its own.
    clustering : str
        Whose modes these are.
    written : str
        When (UTC, ISO 8601).
    recordings, syllables, in_modes : int
        New recordings, their syllables, and how many of these are in a mode.
    problem : str
        Why they cannot be read; empty if they can.
    """

    folder: str
    clustering: str
    written: str
    recordings: int
    syllables: int
    in_modes: int
    problem: str


@dataclass(frozen=True)
class EvaluationInfo:
    """An evaluation in a few words.

    Attributes
    ----------
    name, method : str
        Its name, and what was evaluated.
    written : str
        When (UTC, ISO 8601).
    recordings, species, folds : int
        Labelled recordings that were left out in turn, their species, and the number of parts.
    micro_f1, average_precision : float or None
        See `birdmodes.annotate.measures`; None if not known.
    page : str
        Its HTML page, from the workspace's folder; empty if there is none.
    problem : str
        Why it cannot be read; empty if it can.
    """

    name: str
    method: str
    written: str
    recordings: int
    species: int
    folds: int
    micro_f1: float | None
    average_precision: float | None
    page: str
    problem: str


@dataclass(frozen=True)
class GalleryInfo:
    """A gallery of the workspace.

    Attributes
    ----------
    folder : str
        Where it is, from the workspace's folder.
    clustering : str
        What it is of; empty if it shows groups of recordings only.
    grouping : str
        Groups of recordings that it shows; empty for none.
    current : bool
        Whether it shows these as they are now.
    written : str
        When it was built (UTC, ISO 8601).
    """

    folder: str
    clustering: str
    grouping: str
    current: bool
    written: str


@dataclass(frozen=True)
class PendingInfo:
    """Corrections that were saved and not applied yet.

    Attributes
    ----------
    file : str
        Where they are, from the workspace's folder.
    clustering : str
        What they are of; empty if the file cannot be read.
    edits : int
        How many.
    """

    file: str
    clustering: str
    edits: int


@dataclass(frozen=True)
class NextStep:
    """The next useful command, and why."""

    command: str
    reason: str


@dataclass(frozen=True)
class WorkspaceInfo:
    """What is in a workspace.

    Attributes
    ----------
    folder : str
        Where it is.
    recordings, labelled, unread : int
        Recordings segmented, those of them with species lists, and those that could not be read.
    duration_s : float
        Length of the recordings segmented.
    species : list of str
        Those listed, in alphabetical order.
    syllables : int
        How many were found.
    sizes : dict of str to int
        Bytes on disk by part, see `birdmodes.info.workspace.PARTS`.
    settings : dict
        What the tables were made with, see `birdmodes.workspace.settings.Settings`.
    changed : dict
        Those of the segmentation settings that are not the default.
    clusterings : list of ClusteringInfo
        Oldest first.
    groupings : list of GroupingInfo
        Oldest first.
    galleries : list of GalleryInfo
        Those in the workspace; others are not known.
    pending : list of PendingInfo
        Corrections not applied yet.
    corrections : int
        Edits applied and not taken back.
    assigned : list of AssignedInfo
        New recordings in the workspace, oldest first.
    annotations : list of AnnotationInfo
        Of new recordings, those in the workspace, oldest first.
    evaluations : list of EvaluationInfo
        Oldest first.
    annotation : AnnotationInfo or None
        If this workspace is itself what ``annotate`` wrote.
    damaged : list of str
        A line for each file that is damaged, which says what to do; what it holds is left out.
    outdated : list of str
        A line for each label file that has changed since it was used, and for each clustering and
        grouping that was made with other labels than the recordings have now.
    label_files_changed : bool
        Whether there are such label files.
    other_names : dict of str to list of str
        What species are called otherwise, as far as a taxonomy told.
    next : NextStep or None
        The next useful command; None before it was thought of.
    changing : bool
        Whether another command is changing all this, so that some of it is of before.
    """

    folder: str
    recordings: int
    labelled: int
    unread: int
    duration_s: float
    species: list[str]
    syllables: int
    sizes: dict[str, int]
    settings: dict[str, Any]
    changed: dict[str, Any]
    clusterings: list[ClusteringInfo]
    groupings: list[GroupingInfo]
    galleries: list[GalleryInfo]
    pending: list[PendingInfo]
    corrections: int
    assigned: list[AssignedInfo]
    annotations: list[AnnotationInfo]
    evaluations: list[EvaluationInfo]
    annotation: AnnotationInfo | None
    damaged: list[str]
    outdated: list[str] = field(default_factory=list)
    label_files_changed: bool = False
    other_names: dict[str, list[str]] = field(default_factory=dict)
    next: NextStep | None = None
    changing: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Everything as JSON has it."""
        return asdict(self)
