"""Labels with times, brought to the clips of a recording."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from birdmodes.labels import FittedLabels, TimedLabel, join_species
from birdmodes.labels.model import Confidence

# Label files round their times; a clip is not touched by a rounding error.
_ROUNDING_S = 1e-6

# A box from at most the one to at least this share of half the sample rate is over all frequencies.
_LOWEST_HZ = 100.0
_WHOLE_BAND = 0.9


@dataclass(frozen=True)
class ClipGrid:
    """How a recording was cut.

    Attributes
    ----------
    n_clips : int
        Clips there are; the last one reaches to the recording's end.
    clip_s : float
        Length of all others (s).
    duration_s : float
        Of the recording.
    nyquist_hz : float
        Half its sample rate.
    """

    n_clips: int
    clip_s: float
    duration_s: float
    nyquist_hz: float = math.inf

    def touched(self, label: TimedLabel) -> range:
        """Numbers of the clips that a label has a part in.

        A label that ends where a clip begins does not touch it; one without length touches the
        clip it lies in; one that begins at the recording's end or later touches none.
        """
        if label.start_s >= self.duration_s or label.end_s < 0:
            return range(0)
        first = min(max(0, int((label.start_s + _ROUNDING_S) / self.clip_s)), self.n_clips - 1)
        last = first
        while last + 1 < self.n_clips and label.end_s > (last + 1) * self.clip_s + _ROUNDING_S:
            last += 1
        return range(first, last + 1)


@dataclass(frozen=True)
class RecordingLabels:
    """What is known of a recording's species.

    Attributes
    ----------
    columns : dict
        Values of the columns labelled, species, clip_species, timed_labels and confidences of the
        recordings table.
    note : str
        What the user should know of it, or empty.
    """

    columns: dict[str, Any]
    note: str = ""

    @property
    def by_clip(self) -> bool:
        """Whether every clip has a species list of its own."""
        return bool(self.columns["clip_species"])


def labels_of(fitted: FittedLabels, recording: str, grid: ClipGrid) -> RecordingLabels:
    """Labels of one recording for the recordings table.

    Parameters
    ----------
    fitted : FittedLabels
        Labels of all recordings.
    recording : str
        Name of the recording.
    grid : ClipGrid
        How it was cut.
    """
    timed = fitted.timed.get(recording)
    told = fitted.confidences.get(recording, ())
    if timed is None or grid.n_clips == 0:
        species = fitted.species.get(recording)
        return RecordingLabels(
            _columns(species is not None, species or (), (), sure=confidences_of(told, grid))
        )
    clips: list[set[str]] = [set(fitted.whole.get(recording, ())) for _ in range(grid.n_clips)]
    inside = []
    for label in timed:
        touched = grid.touched(label)
        inside += [label] if touched else []
        for clip in touched:
            clips[clip].add(label.species)
    note = ""
    outside = len(timed) - len(inside)
    if outside:
        note = (
            f"{outside} of {len(timed)} labels lie after its end ({grid.duration_s:.1f} s) and "
            "are left out"
        )
    if outside == len(timed) > 0 and not any(clips):
        # they are of another recording, or their times are wrong: of this one nothing is known
        return RecordingLabels(_columns(False, (), ()), f"{note}; it stays unlabelled")
    strong = strong_labels(inside, fitted.labels_as, grid.nyquist_hz)
    sure = confidences_of(told, grid)
    return RecordingLabels(_columns(True, set().union(*clips), clips, strong, sure), note)


def confidences_of(told: Iterable[Confidence], grid: ClipGrid) -> list[dict[str, Any]]:
    """The highest confidence of each species in each clip, as the recordings table has it.

    Parameters
    ----------
    told : iterable of Confidence
        Those of a recording.
    grid : ClipGrid
        How it was cut.

    Returns
    -------
    list of dict
        ``clip``, ``species`` and ``confidence``, sorted. What was said of the whole recording holds
        for every clip.
    """
    highest: dict[tuple[int, str], float] = {}
    for species, start_s, end_s, confidence in told:
        if start_s is None or end_s is None:
            clips = range(grid.n_clips)
        else:
            clips = grid.touched(TimedLabel(start_s, end_s, species))
        for clip in clips:
            key = clip, species
            highest[key] = max(highest.get(key, 0.0), confidence)
    return [
        {"clip": clip, "species": species, "confidence": confidence}
        for (clip, species), confidence in sorted(highest.items())
    ]


def strong_labels(
    labels: Iterable[TimedLabel], labels_as: str, nyquist_hz: float
) -> list[TimedLabel]:
    """Labels that say something of single sounds, in the way the user wants.

    Parameters
    ----------
    labels : iterable of TimedLabel
        All labels with times of a recording.
    labels_as : {"auto", "lists", "spans", "boxes"}
        See `birdmodes.labels.choice.Choice`.
    nyquist_hz : float
        Half the sample rate: a box over all frequencies is a span.
    """
    if labels_as == "lists":
        return []
    plain = [
        replace(label, low_hz=0.0, high_hz=math.inf) if _is_span(label, nyquist_hz) else label
        for label in labels
    ]
    return plain if labels_as != "boxes" else [label for label in plain if label.is_box]


def _is_span(label: TimedLabel, nyquist_hz: float) -> bool:
    return label.low_hz <= _LOWEST_HZ and label.high_hz >= _WHOLE_BAND * nyquist_hz


def _columns(
    labelled: bool,
    species: Iterable[str],
    clips: Sequence[Iterable[str]],
    timed: Sequence[TimedLabel] = (),
    sure: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    return {
        "labelled": labelled,
        "species": join_species(species),
        "clip_species": [join_species(names) for names in clips],
        "timed_labels": [
            {
                "start_s": label.start_s,
                "end_s": label.end_s,
                "low_hz": label.low_hz,
                "high_hz": label.high_hz,
                "species": label.species,
            }
            for label in timed
        ],
        "confidences": list(sure),
    }
