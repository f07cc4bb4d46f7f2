"""The work on some clips of a recording: what a worker process gets, does and gives back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from birdmodes.gallery.folder import write_file
from birdmodes.gallery.media.clip_media import (
    ClipAudio,
    ClipSound,
    clip_picture,
    clip_script,
    picture_facts,
    place_of_patch,
    read_clip,
)
from birdmodes.gallery.media.thumbs import thumb
from birdmodes.pictures.ink import black_of, level_in_box, window_ink
from birdmodes.pictures.mean_patch import MeanPatch
from birdmodes.pictures.picture_files import encode_picture
from birdmodes.pictures.pictures import SoundImage, outline, patch_image
from birdmodes.pictures.source import Source, UnavailableError
from birdmodes.pictures.windows import ContextScale
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.tables import unpack_patch

EXAMPLE_QUALITY = 50
"""Of the examples' pictures."""

USUAL = 0.75
"""A clip is drawn so that this share of its syllables is not quite black."""

_BOX = ["start_s", "end_s", "low_hz", "high_hz"]
_PATCH = ["patch_bins", "patch_frames", "patch", "mask"]


@dataclass(frozen=True)
class ClipWork:
    """A clip to be worked on.

    Attributes
    ----------
    number : int
        Which clip of the recording.
    start_s, end_s : float
        Where it lies in it (s).
    name, picture, script : str
        Its name and the addresses of its files.
    wanted : bool
        Whether these are to be made.
    """

    number: int
    start_s: float
    end_s: float
    name: str
    picture: str
    script: str
    wanted: bool


@dataclass(frozen=True)
class ExampleWork:
    """A syllable to be drawn.

    Attributes
    ----------
    syllable : str
        Which.
    start_s : float
        Where its picture begins (s of the recording).
    picture, fallback : str
        Addresses of its picture as the recording has it, and as the workspace has it.
    """

    syllable: str
    start_s: float
    picture: str
    fallback: str


@dataclass(frozen=True)
class DrawTask:
    """Some clips of a recording, and what is wanted of them.

    Attributes
    ----------
    workspace : Workspace
        Where the patches are.
    source : Source
        The recording.
    folder : pathlib.Path
        The gallery's folder.
    clips : tuple of ClipWork
        The clips.
    examples : dict of str to ExampleWork
        Syllables of these clips that the pages show, and how.
    scale : ContextScale
        Of their pictures.
    thumbs : bool
        Whether thumbs of all syllables are wanted.
    clusters : dict of str to int
        Syllables that count for the mean patch of a cluster.
    widest : int
        Frames of the mean patches.
    silent : bool
        Do without the recording.
    """

    workspace: Workspace
    source: Source
    folder: Path
    clips: tuple[ClipWork, ...]
    examples: dict[str, ExampleWork]
    scale: ContextScale
    thumbs: bool
    clusters: dict[str, int]
    widest: int
    silent: bool = False


@dataclass
class DrawOutcome:
    """What became of a `DrawTask`.

    Attributes
    ----------
    problems : set of str
        Why the recording could not be read.
    made : set of str
        Names of the clips whose files were made.
    pictures : dict of str to str
        Address of the picture of every syllable that is an example.
    gains : dict of str to float
        Gains of those whose clips were made.
    thumbs : dict of str to ndarray
        Thumb of every syllable, if wanted.
    means : dict of int to MeanPatch
        By cluster.
    """

    problems: set[str] = field(default_factory=set)
    made: set[str] = field(default_factory=set)
    pictures: dict[str, str] = field(default_factory=dict)
    gains: dict[str, float] = field(default_factory=dict)
    thumbs: dict[str, npt.NDArray[np.uint8]] = field(default_factory=dict)
    means: dict[int, MeanPatch] = field(default_factory=dict)


class _Syllable(NamedTuple):
    name: str
    start_s: float
    end_s: float
    low_hz: float
    high_hz: float
    patch: npt.NDArray[np.uint8]
    mask: npt.NDArray[np.bool_]


def draw_clips(task: DrawTask) -> DrawOutcome:
    """Make all files of some clips; runs in a worker process.

    Returns
    -------
    DrawOutcome
        A recording that cannot be read is a problem in it, not an exception.
    """
    outcome = DrawOutcome()
    rows = task.workspace.syllable_rows(task.source.recording)
    rows = rows.select(["syllable", "clip", *_BOX, *_PATCH])
    for clip in task.clips:
        members = list(_members(rows.filter(pc.equal(rows["clip"], clip.number))))
        _from_patches(task, members, outcome)
        sound = None
        if clip.wanted or any(m.name in task.examples for m in members):
            sound = _sound(task, clip, members, outcome)
        if sound is not None and clip.wanted:
            _make_clip(task, clip, sound, members, outcome)
    return outcome


def _members(rows: pa.Table) -> Iterator[_Syllable]:
    for row in rows.to_pylist():
        patch, mask = unpack_patch(*(row[name] for name in _PATCH))
        start_s, end_s, low_hz, high_hz = (row[name] for name in _BOX)
        yield _Syllable(row["syllable"], start_s, end_s, low_hz, high_hz, patch, mask)


def _from_patches(task: DrawTask, members: list[_Syllable], outcome: DrawOutcome) -> None:
    """Do what needs no recording."""
    for member in members:
        if task.thumbs:
            outcome.thumbs[member.name] = thumb(member.patch)
        if member.name in task.clusters:
            mean = outcome.means.setdefault(task.clusters[member.name], MeanPatch(task.widest))
            mean.add(member.patch, member.mask)


def _sound(
    task: DrawTask, clip: ClipWork, members: list[_Syllable], outcome: DrawOutcome
) -> ClipSound | None:
    """Read a clip and draw its examples, from their patches if it cannot be read."""
    parameters = task.workspace.settings.segmentation
    examples = [(task.examples[m.name], m) for m in members if m.name in task.examples]
    missing = [(e, m) for e, m in examples if not (task.folder / e.picture).is_file()]
    outcome.pictures.update({example.syllable: example.picture for example, _ in examples})
    if not missing and not clip.wanted:
        return None
    sound = None
    try:
        if task.silent:
            raise UnavailableError("could not be decoded without a crash")
        sound = read_clip(task.source, clip.start_s, clip.end_s, parameters)
        for example, member in missing:
            _write_example(task, example.picture, sound.image, example, member)
    except UnavailableError as error:
        outcome.problems.add(str(error))
        for example, member in missing:
            if (task.folder / example.picture).is_file():
                continue
            outcome.pictures[example.syllable] = example.fallback
            if not (task.folder / example.fallback).is_file():
                image = patch_image(member.patch, member.low_hz, parameters)
                image = replace(image, first_s=image.first_s + member.start_s)
                _write_example(task, example.fallback, image, example, member)
    return sound


def _write_example(
    task: DrawTask, address: str, image: SoundImage, example: ExampleWork, member: _Syllable
) -> None:
    level_db = level_in_box(image, member.start_s, member.end_s, member.low_hz, member.high_hz)
    pixels = window_ink(
        image, example.start_s, task.scale.width_s, task.scale.top_hz, black_of(level_db)
    )
    write_file(task.folder / address, encode_picture(pixels, EXAMPLE_QUALITY))


def _make_clip(
    task: DrawTask,
    clip: ClipWork,
    sound: ClipSound,
    members: list[_Syllable],
    outcome: DrawOutcome,
) -> None:
    """Write a clip's picture, and its script, which says that both are there, after it."""
    parameters = task.workspace.settings.segmentation
    image = sound.clip_image(parameters)
    audio = ClipAudio.of(sound, parameters)
    boxes = [(m.start_s - clip.start_s, m.end_s - clip.start_s) for m in members]
    levels = [
        level_in_box(image, start_s, end_s, m.low_hz, m.high_hz)
        for m, (start_s, end_s) in zip(members, boxes, strict=True)
    ]
    gains = {m.name: audio.further_gain(m.start_s, m.end_s) for m in members}
    content: dict[str, Any] = {
        "recording": task.source.recording,
        "start_s": round(clip.start_s, 6),
        "end_s": round(clip.end_s, 6),
        "picture": picture_facts(clip.picture, image) if image.level.size else None,
        "numbers": [int(m.name.rpartition("#")[2]) for m in members],
        "places": [
            place_of_patch(start_s, m.low_hz, image, parameters)
            for m, (start_s, _) in zip(members, boxes, strict=True)
        ],
        "outlines": [outline(m.mask) for m in members],
        "gains": list(gains.values()),
        "sound": audio.data_url(),
        "slowed": audio.slowed,
    }
    if image.level.size:
        write_file(
            task.folder / clip.picture, clip_picture(image, float(np.quantile(levels, USUAL)))
        )
    write_file(task.folder / clip.script, clip_script(clip.name, content))
    outcome.made.add(clip.name)
    outcome.gains.update({name: gain for name, gain in gains.items() if name in task.examples})
