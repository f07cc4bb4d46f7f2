"""Annotations of Whombat and soundevent: AOEF, in JSON."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from birdmodes.errors import LabelError
from birdmodes.io.printing import shown
from birdmodes.labels.model import LabelEntry
from birdmodes.labels.reading import Reading

NAME = "AOEF annotations"

# Keys of tags that name a species, the first that a sound has counts.
_KEYS = (
    *("species", "scientific_name", "scientific name", "dwc:scientificname", "taxon"),
    *("common_name", "common name", "class", "label", "event", "sound_type"),
)


def is_aoef(content: Any) -> bool:
    """Whether a JSON text holds annotations."""
    data = content.get("data") if isinstance(content, dict) else None
    return isinstance(data, dict) and (
        "sound_event_annotations" in data or "clip_annotations" in data
    )


def read_aoef(path: Path, content: dict[str, Any], how: Reading) -> list[LabelEntry]:
    """Read sounds with their tags, and the tags of clips.

    Parameters
    ----------
    path : pathlib.Path
        The file, for messages.
    content : dict
        Its JSON.
    how : Reading
        How to read it: a label column is the key of the tags that name species.

    Returns
    -------
    list of LabelEntry
        Sounds without such a tag have no species. The numbers of lines count sounds and clips.

    Raises
    ------
    LabelError
        If parts of it are missing, or which tags name species is not clear.
    """
    try:
        return list(_Reader(path, content["data"], how.label_column).read())
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as reason:
        raise LabelError(
            f"{shown(path)}: not AOEF as Whombat writes it ({type(reason).__name__}: {reason})"
        ) from reason


class _Reader:
    """One file: its recordings and tags by their numbers."""

    def __init__(self, path: Path, data: dict[str, Any], key: str | None) -> None:
        self._data = data
        self._recordings = {each["uuid"]: str(each["path"]) for each in data["recordings"]}
        self._tags = {each["id"]: (str(each["key"]), str(each["value"])) for each in data["tags"]}
        keys = dict.fromkeys(name for name, _ in self._tags.values())
        folded = {name.casefold(): name for name in keys}
        if key is None:
            self._key = next((folded[name] for name in _KEYS if name in folded), "")
        else:
            self._key = folded.get(key.casefold(), "")
        if keys and not self._key:
            raise LabelError(
                f"{shown(path)}: which tags name the species is not clear (found: "
                f"{', '.join(map(repr, keys))}); say which with --label-column"
            )

    def read(self) -> Iterator[LabelEntry]:
        sounds = {each["uuid"]: each for each in self._data.get("sound_events") or ()}
        clips = {each["uuid"]: each for each in self._data.get("clips") or ()}
        number = 0
        for each in self._data.get("sound_event_annotations") or ():
            number += 1
            sound = sounds[each["sound_event"]]
            start_s, end_s, low_hz, high_hz = _extent(sound["geometry"])
            for species in self._species(each):
                yield LabelEntry(
                    number, self._recordings[sound["recording"]], species, start_s, end_s,
                    None, low_hz, high_hz,
                )  # fmt: skip
        for each in self._data.get("clip_annotations") or ():
            number += 1
            clip = clips[each["clip"]]
            recording = self._recordings[clip["recording"]]
            named = [name for name in self._species(each) if name]
            for species in named:
                start_s, end_s = float(clip["start_time"]), float(clip["end_time"])
                yield LabelEntry(number, recording, species, start_s, end_s)
            if not named:
                # looked at, be it that all its sounds were annotated or that there are none
                yield LabelEntry(number, recording, "")

    def _species(self, annotation: dict[str, Any]) -> list[str]:
        tags = [self._tags[number] for number in annotation.get("tags") or ()]
        return [value for key, value in tags if key == self._key] or [""]


def _extent(geometry: dict[str, Any]) -> tuple[float, float, float | None, float | None]:
    """Begin and end (s), lowest and highest frequency (Hz) of a shape; None if it has none."""
    kind, where = geometry["type"], geometry["coordinates"]
    if kind == "TimeStamp":
        return float(where), float(where), None, None
    if kind == "TimeInterval":
        return float(where[0]), float(where[1]), None, None
    if kind == "BoundingBox":
        start_s, low_hz, end_s, high_hz = map(float, where)
        return start_s, end_s, low_hz, high_hz
    points = list(_points(where))
    times, hertz = [float(point[0]) for point in points], [float(point[1]) for point in points]
    return min(times), max(times), min(hertz), max(hertz)


def _points(where: Any) -> Iterator[Any]:
    """Points of a shape, however deep they lie."""
    if where and not isinstance(where[0], list):
        yield where
    else:
        for part in where:
            yield from _points(part)
