"""Makes the pictures and sounds that the pages show, as far as they are not there yet."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

import numpy as np
import pandas as pd

from birdmodes.gallery.clips import (
    Clip,
    SyllableDigests,
    by_importance,
    list_clips,
    recording_state,
    within_budget,
)
from birdmodes.gallery.example_files import ExampleFiles
from birdmodes.gallery.folder import GalleryFolder
from birdmodes.gallery.media.clip_media import read_clip_script
from birdmodes.gallery.media.draw_task import (
    ClipWork,
    DrawOutcome,
    DrawTask,
    ExampleWork,
    draw_clips,
)
from birdmodes.gallery.media.means import Means
from birdmodes.gallery.media.sheets import Sheets
from birdmodes.gallery.plan import PagePlan
from birdmodes.gallery.windows import Windows
from birdmodes.parallel.executors import run_tasks
from birdmodes.pictures.picture_files import picture_ending
from birdmodes.pictures.source import Source, source_warnings
from birdmodes.workspace.store import Workspace

CLIPS_PER_TASK = 12
"""So many clips of a recording are one piece of work, so that a long one keeps all workers busy."""

WORTH_WORKERS = 8
"""With fewer clips to read, starting processes takes longer than the work."""

MEGABYTE = 1e6

EXAMPLE_BYTES, THUMB_BYTES, ROW_BYTES, PAGES_BYTES = 9_000, 250, 120, 1_000_000
"""About how large an example (with its place on a page), a thumb, a syllable's row of the data,
and all else becomes."""


@dataclass
class Material:
    """Files made for the pages.

    Attributes
    ----------
    examples : dict of str to ExampleFiles
        By syllable.
    mean_pictures : dict
        Cluster to the address of its mean patch; clusters without typical members are missing.
    clips : list of Clip
        All clips with syllables, in order.
    media : set of str
        Names of the clips whose picture and sound are there.
    sheets : list of str
        Addresses of the thumbs of all syllables, `birdmodes.gallery.media.thumbs.PER_SHEET` in
        each.
    warnings : list of str
        What could not be made.
    """

    examples: dict[str, ExampleFiles] = field(default_factory=dict)
    mean_pictures: dict[int, str] = field(default_factory=dict)
    clips: list[Clip] = field(default_factory=list)
    media: set[str] = field(default_factory=set)
    sheets: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def n_pictures(self) -> int:
        """Number of pictures of examples and means."""
        return len(self.examples) + len(self.mean_pictures)

    @property
    def n_sounds(self) -> int:
        """Number of clips that can be played."""
        return len(self.media)

    def addresses(self) -> set[str]:
        """Addresses of all files."""
        clips = [clip for clip in self.clips if clip.name in self.media]
        return {
            *(files.picture for files in self.examples.values()),
            *self.mean_pictures.values(),
            *self.sheets,
            *(clip.picture for clip in clips),
            *(clip.script for clip in clips),
        }


def make_material(
    workspace: Workspace,
    syllables: pd.DataFrame,
    pages: list[PagePlan],
    windows: Windows,
    gallery: GalleryFolder,
    on_progress: Callable[[int, int, str], None],
    *,
    further: Sequence[str] = (),
    max_bytes: float = float("inf"),
    workers: int = 1,
) -> Material:
    """Draw all pictures and cut all sounds that are not there yet.

    Parameters
    ----------
    workspace : Workspace
        Where patches and recordings are listed.
    syllables : pandas.DataFrame
        Rows of ``workspace.syllables()``: those that the gallery is of.
    pages : list of PagePlan
        What is wanted.
    windows : Windows
        What the pictures show.
    gallery : GalleryFolder
        Files go to its folders ``clips``, ``pictures`` and ``thumbs``.
    on_progress : callable
        Called with the number of clips done, that of all, and the recording's name.
    further : sequence of str
        Syllables that other pages show.
    max_bytes : float
        About how large the gallery may become: the least important clips are left out.
    workers : int
        Processes.
    """
    maker = _Maker(workspace, syllables, pages, windows, further, gallery, max_bytes)
    tasks = list(maker.tasks())
    to_read = sum(clip.wanted for task in tasks for clip in task.clips)
    done = len(maker.material.clips) - sum(len(task.clips) for task in tasks)
    n_workers = workers if to_read >= WORTH_WORKERS else 1
    for task, outcome in run_tasks(draw_clips, tasks, workers=n_workers):
        # The process died: what it could do without the recording is done here.
        maker.take(task, outcome or draw_clips(replace(task, silent=True)))
        done += len(task.clips)
        on_progress(done, len(maker.material.clips), task.source.recording)
    return maker.finish(max_bytes)


class _Maker:
    """What is wanted, what is there, and what comes back from the workers."""

    def __init__(
        self,
        workspace: Workspace,
        syllables: pd.DataFrame,
        pages: list[PagePlan],
        windows: Windows,
        further: Sequence[str],
        gallery: GalleryFolder,
        max_bytes: float,
    ) -> None:
        self.workspace = workspace
        self.windows = windows
        self.gallery = gallery
        self.material = Material()
        self.problems: dict[str, set[str]] = {}
        self.digests = SyllableDigests(syllables)
        self.row_of = {name: row for row, name in enumerate(syllables["syllable"])}
        self.facts = workspace.recordings().set_index("recording").to_dict("index")
        self.material.clips = list_clips(workspace, syllables, self.digests)
        self.clip_of = {
            int(row): clip for clip in self.material.clips for row in clip.rows.tolist()
        }
        self.examples = self._examples([*_examples_of(pages), *further])
        self.shown = {self.clip_of[self.row_of[name]].name for name in self.examples}
        self.other_bytes = (
            len(self.examples) * EXAMPLE_BYTES
            + len(syllables) * (THUMB_BYTES + ROW_BYTES)
            + PAGES_BYTES
        )
        ordered = by_importance(self.material.clips, self.shown)
        self.chosen = within_budget(ordered, max_bytes - self.other_bytes)
        self.sheets = Sheets(gallery, self.digests, len(syllables))
        self.means = Means(
            workspace.settings.segmentation,
            pages,
            windows.scale,
            gallery,
            self.digests,
            self.row_of,
        )

    def _examples(self, names: list[str]) -> dict[str, ExampleWork]:
        """What is to be drawn, by syllable."""
        settings, ending, scale = self.workspace.settings, picture_ending(), self.windows.scale
        wanted: dict[str, ExampleWork] = {}
        for name in dict.fromkeys(names):
            rows = np.array([self.row_of[name]])
            recording = self.clip_of[self.row_of[name]].recording
            state = recording_state(settings, self.facts[recording])
            start_s = self.windows.of(name).place.start_s
            shown = [start_s, scale.width_s, scale.top_hz]
            heard = self.digests.of(rows, made_with=["example", shown, state])
            stored = self.digests.of(rows, made_with=["patch", shown])
            wanted[name] = ExampleWork(
                name, start_s, f"pictures/{heard}{ending}", f"pictures/{stored}{ending}"
            )
        return wanted

    def tasks(self) -> Iterator[DrawTask]:
        """Work that is left; what is there already is noted."""
        for _, group in groupby(self.material.clips, key=lambda clip: clip.recording):
            clips = list(group)
            for first in range(0, len(clips), CLIPS_PER_TASK):
                task = self._task(clips[first : first + CLIPS_PER_TASK])
                if task is not None:
                    yield task

    def _task(self, clips: list[Clip]) -> DrawTask | None:
        recording = clips[0].recording
        names = self.digests.names(np.concatenate([clip.rows for clip in clips]))
        there = {clip.name for clip in clips if self._is_there(clip)}
        self.material.media |= there
        for clip in clips:
            if clip.name in there:
                self._remember_examples(clip)
        examples = {
            name: self.examples[name]
            for name in names
            if name in self.examples and name not in self.material.examples
        }
        for example in examples.values():
            self.gallery.has(example.picture)
            self.gallery.has(example.fallback)
        clusters = {name: self.means.wanted[name] for name in names if name in self.means.wanted}
        work = tuple(
            ClipWork(
                clip.number,
                clip.start_s,
                clip.end_s,
                clip.name,
                clip.picture,
                clip.script,
                clip.name in self.chosen and clip.name not in there,
            )
            for clip in clips
        )
        with_thumbs = any(self.sheets.wants(int(row)) for clip in clips for row in clip.rows)
        if not (examples or clusters or with_thumbs or any(clip.wanted for clip in work)):
            return None
        return DrawTask(
            workspace=self.workspace,
            source=Source.of(recording, self.facts[recording], self.workspace.settings.channel),
            folder=self.gallery.folder,
            clips=work,
            examples=examples,
            scale=self.windows.scale,
            thumbs=with_thumbs,
            clusters=clusters,
            widest=self.means.widest,
        )

    def _is_there(self, clip: Clip) -> bool:
        """Whether a clip's files are made; one that has no room is as good as not there."""
        if clip.name not in self.chosen:
            return False
        return self.gallery.has(clip.picture) and self.gallery.has(clip.script)

    def _remember_examples(self, clip: Clip) -> None:
        """Take gains from a clip that is there, if the pictures are there too."""
        wanted = [name for name in self.digests.names(clip.rows) if name in self.examples]
        if not wanted:
            return
        content = read_clip_script(self.gallery.folder / clip.script)
        place = {number: at for at, number in enumerate(content["numbers"])}
        for name in wanted:
            if self.gallery.has(self.examples[name].picture):
                gain = content["gains"][place[_number(name)]]
                self.material.examples[name] = ExampleFiles(
                    self.examples[name].picture, clip.name, gain
                )

    def take(self, task: DrawTask, outcome: DrawOutcome) -> None:
        """Note what a worker has made."""
        for problem in outcome.problems:
            self.problems.setdefault(problem, set()).add(task.source.recording)
        self.material.media |= outcome.made
        for name in task.examples:
            clip = self.clip_of[self.row_of[name]]
            gain = outcome.gains.get(name)
            if gain is None and clip.name in self.material.media:
                content = read_clip_script(self.gallery.folder / clip.script)
                gain = content["gains"][content["numbers"].index(_number(name))]
            self.material.examples[name] = ExampleFiles(
                outcome.pictures[name], clip.name, gain or 1.0
            )
        for name, pixels in outcome.thumbs.items():
            self.sheets.put(self.row_of[name], pixels)
        for cluster, mean in outcome.means.items():
            self.means.merge(cluster, mean)

    def finish(self, max_bytes: float) -> Material:
        """Draw the means, leave out what has no room after all, and say what is missing."""
        material = self.material
        material.sheets = self.sheets.addresses
        self.means.draw()
        material.mean_pictures = self.means.addresses
        sizes = {
            clip.name: self.gallery.size_bytes([clip.picture, clip.script])
            for clip in material.clips
            if clip.name in material.media
        }
        made = by_importance([c for c in material.clips if c.name in sizes], self.shown)
        material.media = within_budget(made, max_bytes - self.other_bytes, sizes)
        material.examples = {
            name: files if files.clip in material.media else replace(files, clip=None, gain=1.0)
            for name, files in material.examples.items()
        }
        too_many = (len(material.clips) - len(self.chosen)) + (len(made) - len(material.media))
        material.warnings = source_warnings(self.problems)
        if too_many:
            everything = self.other_bytes + sum(clip.bytes for clip in material.clips)
            material.warnings.append(
                f"{too_many} of {len(material.clips)} clips cannot be played or seen whole, so "
                f"that the gallery stays below {max_bytes / MEGABYTE:.0f} MB; --max-size "
                f"{math.ceil(everything / MEGABYTE)} would include them"
            )
        return material


def _examples_of(pages: list[PagePlan]) -> Iterator[str]:
    """Syllables that the pages of modes show."""
    for page in pages:
        for mode in page.modes:
            yield from mode.examples["syllable"].astype(str)


def _number(syllable: str) -> int:
    """Number of a syllable in its recording."""
    return int(syllable.rpartition("#")[2])
