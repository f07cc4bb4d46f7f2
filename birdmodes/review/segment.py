"""Recordings found, labelled and segmented, with a person's boxes: all of ``segment``."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from birdmodes.audio.find import RecordingFile, find_recordings
from birdmodes.errors import BusyError, DamagedError, LabelError, ParameterError
from birdmodes.io.paths import AnyPath
from birdmodes.labels import FittedLabels, LabelRequest
from birdmodes.review.apply import Conflict
from birdmodes.review.mended.mend import mend_again
from birdmodes.segmentation import ForestModel, check_method, load_model
from birdmodes.segmentation.parameters import SegmentationParameters
from birdmodes.workspace.labels import fit_again, remembered_of
from birdmodes.workspace.segment import Progress, SegmentSummary, segment_recordings
from birdmodes.workspace.settings import Settings
from birdmodes.workspace.store import DEFAULT_FOLDER, Workspace
from birdmodes.workspace.summaries.totals import totals
from birdmodes.workspace.taxonomy import keep_names

NO_LABELS = LabelRequest(())
"""Ask for this to use no labels, not even those of an earlier run."""


@dataclass(frozen=True)
class SegmentOptions:
    """How recordings are segmented, and which labels they have.

    Attributes
    ----------
    labels : LabelRequest
        Label files and how to read them; by default those that the workspace remembers, or that
        lie beside the recordings. `NO_LABELS` for none.
    model : str, path-like or None
        File of a trained pixel forest; None finds sounds by their energy.
    preset : str or None
        Parameters to start from; None takes the default ones, or those of the model.
    parameters : mapping of str to value
        Changes of single ones of `birdmodes.SegmentationParameters`.
    channel : int or None
        Channel to read, from 1; 0 takes the best one of each recording, None mixes all down.
    bag : {"auto", "recording", "clip"}
        What becomes a bag, see `birdmodes.Settings`.
    boxes_as_syllables : bool
        Sounds that labels mark and that are not found become syllables as large as their boxes.
    """

    labels: LabelRequest = field(default_factory=LabelRequest)
    model: AnyPath | None = None
    preset: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    channel: int | None = None
    bag: str = "auto"
    boxes_as_syllables: bool = False

    def settings(self, model: ForestModel | None) -> Settings:
        """Everything that decides what is written, given the model that was read."""
        if model is None:
            parameters = SegmentationParameters.preset(self.preset or "default", **self.parameters)
        elif self.preset is None:
            parameters = model.parameters_with(dict(self.parameters))
        else:
            raise ParameterError(
                "leave --preset out: the model brings the parameters it was trained with"
            )
        check_method(parameters, model)
        digest = "" if model is None else model.digest
        return Settings(parameters, self.channel, self.bag, digest, self.boxes_as_syllables)


@dataclass(frozen=True)
class SegmentPlan:
    """What is known before anything is segmented.

    Attributes
    ----------
    recordings : list of RecordingFile
        Those that were found.
    labels : FittedLabels
        What is known of their species.
    """

    recordings: list[RecordingFile]
    labels: FittedLabels


@dataclass(frozen=True)
class MadeSyllables:
    """A workspace that was filled.

    Attributes
    ----------
    workspace : Workspace
        With the syllables.
    plan : SegmentPlan
        Recordings and their labels.
    summary : SegmentSummary
        What was done, and what could not be read.
    conflicts : list of Conflict
        Boxes that a person corrected in what was there before and that do not fit any more; they
        stay in the log.
    """

    workspace: Workspace
    plan: SegmentPlan
    summary: SegmentSummary
    conflicts: list[Conflict]


def make_syllables(
    recordings: AnyPath | Iterable[AnyPath],
    workspace: AnyPath = DEFAULT_FOLDER,
    options: SegmentOptions | None = None,
    *,
    workers: int = 1,
    scheduler: str | None = None,
    restart: bool = False,
    fail_fast: bool = False,
    on_warnings: Callable[[list[str]], None] | None = None,
    on_found: Callable[[int], None] | None = None,
    on_plan: Callable[[SegmentPlan], None] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> MadeSyllables:
    """Find the syllables of recordings and keep them in a workspace.

    Whatever is done already is not done again, so a run that was stopped goes on where it was.
    Boxes that a person corrected are corrected again in recordings that are segmented anew.

    Parameters
    ----------
    recordings : str, path-like, or iterable of them
        Recordings, or folders of them.
    workspace : str or path-like
        Folder of the workspace; made if it does not exist.
    options : SegmentOptions, optional
        How to segment, and which labels there are.
    workers, scheduler, fail_fast
        As for `birdmodes.segment_recordings`.
    restart : bool
        Drop what the workspace holds and segment all anew.
    on_warnings : callable, optional
        Called first, with a line for each parameter that is likely a mistake, and last with what
        does not fit the taxonomy.
    on_found : callable, optional
        Called with the number of recordings found so far.
    on_plan : callable, optional
        Called once with the recordings and their labels, before anything is segmented.
    on_progress : callable, optional
        Called with a `Progress` at the start and after each recording.

    Raises
    ------
    BirdmodesError
        If there are no recordings, labels cannot be read, options contradict each other, the
        workspace was made with others, or another command is writing to it.
    """
    options = options or SegmentOptions()
    model = None if options.model is None else load_model(options.model)
    settings = options.settings(model)
    if on_warnings is not None:
        on_warnings(settings.segmentation.warnings())
    found = find_recordings(recordings, on_progress=on_found)
    by_itself = options.labels.labels is None
    remembered = remembered_of(Path(workspace), found) if by_itself else {}
    if options.labels == NO_LABELS:
        labels = FittedLabels({}, [], [], request=NO_LABELS)
    else:
        labels = fit_again(Path(workspace), found, options.labels, options.channel)
    plan = SegmentPlan(found, labels)
    if on_plan is not None:
        on_plan(plan)

    def check() -> None:
        # Those of another 'segment' must not give way to what was remembered before it.
        if by_itself and remembered_of(Path(workspace), found) != remembered:
            raise BusyError(
                f"{workspace}: another birdmodes command has labelled these recordings meanwhile; "
                "do this again"
            )

    # Nobody else comes between what is dropped, what is found and what a person had corrected.
    with Workspace.filling(workspace, settings, restart=restart, check=check) as target:
        summary = segment_recordings(
            found,
            labels,
            target,
            model=model,
            workers=workers,
            scheduler=scheduler,
            fail_fast=fail_fast,
            on_progress=on_progress,
        )
        with contextlib.suppress(DamagedError):  # whoever reads it says so
            totals(target)  # now, so that 'info' need not read a hundred thousand recordings
        asked = options.labels
        if on_warnings is not None and asked.taxonomy is not None:
            on_warnings(_other_names(target, asked))
        return MadeSyllables(target, plan, summary, mend_again(target))


def _other_names(target: Workspace, asked: LabelRequest) -> list[str]:
    """Remember the species' names in the taxonomy; what is wrong with it undoes nothing here."""
    try:
        return keep_names(target, asked.taxonomy, asked.language)
    except LabelError as error:
        return [str(error)]
