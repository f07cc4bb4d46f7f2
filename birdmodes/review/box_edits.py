"""Corrections of the syllables themselves: boxes added, mended, cut, joined and thrown away.

They are about sounds, not about a clustering: what is said here holds for the whole workspace.
``gallery/assets/clip/boxes.js`` does the same for the page; both run the cases of
``tests/birdmodes/review/review_cases.json``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from birdmodes.review.edits import Edit

Box = tuple[float, float, float, float]
"""Begin and end (s, in the recording), lowest and highest frequency (Hz)."""

BOX_ACTIONS = ("add-box", "mend-box", "cut", "join", "discard")

FIRST_ADDED = 1_000_000_000
"""Numbers of syllables that a person drew are not below; `segment` counts from 0."""


class MisfitError(Exception):
    """An edit that cannot be applied; the message says why, in words."""


def added_syllable(recording: str, edit: str) -> str:
    """Name of the syllable that an edit adds to a recording: the same wherever it is applied.

    Parameters
    ----------
    recording : str
        The recording's name.
    edit : str
        Id of the edit, hexadecimal.
    """
    return f"{recording}#{FIRST_ADDED + int(edit[-7:], 16)}"


def recording_of(syllable: str) -> str:
    """Name of the recording that a syllable is of."""
    return syllable.rpartition("#")[0]


def recordings_of(edit: Edit) -> set[str]:
    """Recordings whose syllables an edit changes; none if it leaves boxes as they are."""
    if edit.action not in BOX_ACTIONS:
        return set()
    if edit.action == "add-box":
        return {edit.values["recording"]}
    return {recording_of(name) for name in named_in(edit)}


def named_in(edit: Edit) -> list[str]:
    """Syllables that a box edit names; that which it adds is not among them."""
    if "syllables" in edit.values:
        return list(edit.values["syllables"])
    return [edit.values["syllable"]] if "syllable" in edit.values else []


def box_of(edit: Edit) -> Box:
    """The box that an edit draws."""
    values = edit.values
    return values["start_s"], values["end_s"], values["low_hz"], values["high_hz"]


@dataclass
class Boxes:
    """Syllables and where they are, as the edits so far have left them.

    Attributes
    ----------
    box : dict of str to Box
        By syllable.
    """

    box: dict[str, Box] = field(default_factory=dict)

    def apply(self, edit: Edit, new_name: str | None = None) -> list[str]:
        """Apply an edit that is one of `BOX_ACTIONS`.

        Parameters
        ----------
        edit : Edit
            Others change nothing.
        new_name : str, optional
            What the syllable that it adds is called, if not as `added_syllable` says.

        Returns
        -------
        list of str
            What could not be done, in words.

        Raises
        ------
        MisfitError
            If nothing could be done.
        """
        if edit.action == "add-box":
            name = new_name or added_syllable(edit.values["recording"], edit.id)
            self.box[name] = box_of(edit)
            return []
        if edit.action == "mend-box":
            self._need(edit.values["syllable"])
            self.box[edit.values["syllable"]] = box_of(edit)
            return []
        if edit.action == "cut":
            return self._cut(edit, new_name)
        if edit.action == "join":
            return self._join(edit.values["syllables"])
        if edit.action == "discard":
            return self._discard(edit.values["syllables"])
        return []

    def _cut(self, edit: Edit, new_name: str | None) -> list[str]:
        syllable, at_s = edit.values["syllable"], edit.values["at_s"]
        start_s, end_s, low_hz, high_hz = self._need(syllable)
        if not start_s < at_s < end_s:
            raise MisfitError(
                f"{at_s:.3f} s is not inside the syllable, {start_s:.3f} to {end_s:.3f} s"
            )
        self.box[syllable] = (start_s, at_s, low_hz, high_hz)
        name = new_name or added_syllable(recording_of(syllable), edit.id)
        self.box[name] = (at_s, end_s, low_hz, high_hz)
        return []

    def _join(self, syllables: Sequence[str]) -> list[str]:
        here = [name for name in syllables if name in self.box]
        problems = absent(len(syllables) - len(here), len(syllables))
        if len(here) < 2:
            raise MisfitError("; ".join(problems))
        starts, ends, lows, highs = zip(*(self.box.pop(name) for name in here), strict=True)
        self.box[here[0]] = (min(starts), max(ends), min(lows), max(highs))
        return problems

    def _discard(self, syllables: Sequence[str]) -> list[str]:
        gone = [self.box.pop(name, None) is None for name in syllables]
        problems = absent(sum(gone), len(gone))
        if all(gone):
            raise MisfitError("; ".join(problems))
        return problems

    def _need(self, syllable: str) -> Box:
        if syllable not in self.box:
            raise MisfitError("; ".join(absent(1, 1)))
        return self.box[syllable]


def absent(missing: int, of: int) -> list[str]:
    """Say that some syllables are not here."""
    return [f"{missing} of {of} syllables are not here"] if missing else []


def overlap(one: Box, others: Mapping[str, Box]) -> tuple[str, float]:
    """The most alike of some boxes, by intersection over union; "" and 0 if none overlaps."""
    best, most = "", 0.0
    for name, other in others.items():
        time = min(one[1], other[1]) - max(one[0], other[0])
        band = min(one[3], other[3]) - max(one[2], other[2])
        if time <= 0 or band <= 0:
            continue
        areas = [(box[1] - box[0]) * (box[3] - box[2]) for box in (one, other)]
        iou = time * band / (sum(areas) - time * band)
        if iou > most:
            best, most = name, iou
    return best, most
