"""Everything that decides what ``segment`` writes."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from birdmodes.segmentation.parameters import SegmentationParameters


@dataclass(frozen=True)
class Settings:
    """Everything that decides what ``segment`` writes.

    Attributes
    ----------
    segmentation : SegmentationParameters
        Spectrogram and segmenter.
    channel : int or None
        Channel to read, from 1; 0 takes the best one of each recording, None mixes all down.
    bag : {"auto", "recording", "clip"}
        What becomes a bag; "auto" makes a recording longer than one clip a bag of its own, unless
        its labels have times, so that the species of every clip are known.
    model_digest : str
        Which trained segmenter was used; empty for those that need no training.
    boxes_as_syllables : bool
        Whether sounds that labels mark and the segmenter missed became syllables.
    """

    segmentation: SegmentationParameters = field(default_factory=SegmentationParameters)
    channel: int | None = None
    bag: str = "auto"
    model_digest: str = ""
    boxes_as_syllables: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Values for ``workspace.json``."""
        values = {
            "segmentation": self.segmentation.to_dict(),
            "channel": self.channel,
            "bag": self.bag,
            "model_digest": self.model_digest,
        }
        # named where it is so, and workspaces of earlier versions can be continued where not
        return {**values, "boxes_as_syllables": True} if self.boxes_as_syllables else values

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Settings:
        """Reverse of `to_dict`, for dictionaries of other versions too.

        What the other version did not have gets its default, what this one does not have is left
        out. That is enough to read what was made with them; see `differences` for making more.
        """
        known = {field.name for field in fields(SegmentationParameters)}
        segmentation, channel = values["segmentation"].items(), values["channel"]
        if not (channel in (None, "auto") or type(channel) is int):
            raise ValueError(f"channel {channel!r}")
        if values["bag"] not in ("auto", "clip", "recording"):
            raise ValueError(f"bag {values['bag']!r}")
        return cls(
            SegmentationParameters(
                **{name: value for name, value in segmentation if name in known}
            ),
            channel=channel,
            bag=values["bag"],
            model_digest=values["model_digest"],
            boxes_as_syllables=values.get("boxes_as_syllables", False),
        )

    def differences(self, stored: dict[str, Any]) -> list[str]:
        """Words for every setting that is not the same in `stored`, a result of `to_dict`."""
        mine, theirs = _flat(self.to_dict()), _flat(stored)
        changed = [
            f"{name} {value!r} instead of {theirs[name]!r}"
            for name, value in mine.items()
            if name in theirs and theirs[name] != value
        ]
        new = [f"{name}, which is new" for name in mine if name not in theirs]
        gone = [f"{name}, which is no more" for name in theirs if name not in mine]
        return changed + new + gone


def _flat(values: dict[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in values.items() if name != "segmentation"}
    return {**values["segmentation"], **rest}
