"""The file of corrections that the gallery saves: ``review.json``; docs/review.md has its format.

It may come from anybody, so everything in it is checked before it is used.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from birdmodes.errors import ReviewError
from birdmodes.io.paths import AnyPath

FORMAT = 1

MAX_BYTES = 32 * 1024 * 1024
"""A file that is larger is refused; a move of 100,000 syllables takes a fifth of it."""

MAX_EDITS = 100_000
MAX_SYLLABLES = 1_000_000  # of one edit
MAX_NAME = 200  # characters
MAX_SYLLABLE = 5000  # characters: a path and a number
MAX_CLUSTER = 100_000  # tables have a place for every number up to the largest
MAX_S = 1e8  # three years
MAX_HZ = 1e6

MARKS = ("noise", "not-species", "good", "none")
"""What syllables can be marked as; "none" takes a mark away."""


@dataclass(frozen=True)
class Edit:
    """One correction.

    Attributes
    ----------
    id : str
        16 hexadecimal digits, different for every edit that is ever made.
    at : str
        When it was made (UTC, ISO 8601).
    action : str
        A key of `ACTIONS`.
    values : mapping
        The fields of the action, checked; see `ACTIONS`. Others are left out.
    """

    id: str
    at: str
    action: str
    values: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """As it is in the file."""
        return {"id": self.id, "at": self.at, "action": self.action, **self.values}


@dataclass(frozen=True)
class Review:
    """Corrections of a clustering, in the order in which they were made.

    Attributes
    ----------
    clustering : str
        Name of the clustering.
    base : str
        Which state of it was looked at, see `birdmodes.modes.digest`.
    who : str
        Who made them; may be empty.
    edits : tuple of Edit
        They hold one after the other.
    """

    clustering: str
    base: str
    who: str
    edits: tuple[Edit, ...]

    def to_dict(self) -> dict[str, Any]:
        """As it is in the file."""
        return {
            "format": FORMAT,
            "clustering": self.clustering,
            "base": self.base,
            "who": self.who,
            "edits": [edit.to_dict() for edit in self.edits],
        }


def read_review(path: AnyPath) -> Review:
    """Read a file of corrections.

    Raises
    ------
    ReviewError
        If it is missing, too large, or not what it should be; one line with the place of the
        mistake.
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise ReviewError(f"{path}: cannot be read ({error.strerror or error})") from error
    return load_review(content, str(path))


def load_review(content: bytes, source: str) -> Review:
    """Understand the content of a file of corrections.

    Parameters
    ----------
    content : bytes
        JSON, UTF-8.
    source : str
        What messages call it.

    Raises
    ------
    ReviewError
        As for `read_review`.
    """
    if len(content) > MAX_BYTES:
        raise ReviewError(
            f"{source}: larger than {MAX_BYTES // 1024**2} MB, which no review is; give the file "
            "that the gallery saved"
        )
    try:
        document = json.loads(content.decode("utf-8-sig"), parse_constant=_no_constant)
    except RecursionError:
        raise ReviewError(f"{source}: nested too deep to be a review") from None
    except ValueError as error:
        reason = " ".join(str(error).split())[:200]
        raise ReviewError(
            f"{source}: not JSON ({reason}); give the file the gallery saved"
        ) from error
    return parse_review(document, source)


def parse_review(document: object, source: str = "review") -> Review:
    """Check what was read from JSON.

    Parameters
    ----------
    document : object
        From `json.loads`.
    source : str
        What messages call it.

    Raises
    ------
    ReviewError
        At the first mistake.
    """
    fields = _object(document, source)
    if "edits" not in fields or "format" not in fields:
        raise ReviewError(f"{source}: not a review (no 'format' and 'edits' in it)")
    if type(fields["format"]) is not int or fields["format"] != FORMAT:
        raise ReviewError(
            f"{source}: in format {_show(fields['format'])}, this birdmodes reads {FORMAT}; use a "
            "newer birdmodes, or build the gallery again"
        )
    name = _text(fields.get("clustering"), f"{source}: clustering", MAX_NAME)
    if not re.fullmatch(r"[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}", name):
        raise ReviewError(f"{source}: clustering: {_show(name)} cannot be a clustering's name")
    base = _text(fields.get("base"), f"{source}: base", 64)
    if not re.fullmatch(r"[0-9a-f]{64}", base):
        raise ReviewError(f"{source}: base: must be 64 hexadecimal digits, not {_show(base)}")
    who = _text(fields.get("who", ""), f"{source}: who", MAX_NAME)
    items = _items(fields["edits"], f"{source}: edits", MAX_EDITS)
    edits = tuple(_edit(item, f"{source}: edits[{number}]") for number, item in enumerate(items))
    seen: set[str] = set()
    for number, edit in enumerate(edits):
        if edit.id in seen:
            raise ReviewError(f"{source}: edits[{number}].id: {edit.id} was used before")
        seen.add(edit.id)
    return Review(name, base, who, edits)


def _edit(item: object, place: str) -> Edit:
    fields = _object(item, place)
    number = _text(fields.get("id"), f"{place}.id", 64)
    if not re.fullmatch(r"[0-9a-f]{16}", number):
        raise ReviewError(f"{place}.id: must be 16 hexadecimal digits, not {_show(number)}")
    at = _text(fields.get("at"), f"{place}.at", 40)
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)", at):
        raise ReviewError(f"{place}.at: must be a time like 2026-01-31T10:00:00Z, not {_show(at)}")
    action = _text(fields.get("action"), f"{place}.action", MAX_NAME)
    if action not in ACTIONS:
        raise ReviewError(
            f"{place}.action: {_show(action)} is unknown; there are {', '.join(ACTIONS)}"
        )
    return Edit(number, at, action, ACTIONS[action](fields, place))


def _rename(fields: dict[str, Any], place: str) -> dict[str, Any]:
    name = _text(fields.get("name"), f"{place}.name", MAX_NAME).strip()
    if any(ord(character) < 32 or ord(character) == 127 for character in name):
        raise ReviewError(f"{place}.name: has control characters in it: {_show(name)}")
    return {"cluster": _cluster(fields.get("cluster"), f"{place}.cluster"), "name": name}


def _species(fields: dict[str, Any], place: str) -> dict[str, Any]:
    return {
        "cluster": _cluster(fields.get("cluster"), f"{place}.cluster"),
        "species": _text(fields.get("species"), f"{place}.species", MAX_NAME),
    }


def _merge(fields: dict[str, Any], place: str) -> dict[str, Any]:
    return {"clusters": _clusters(fields.get("clusters"), f"{place}.clusters", 2)}


def _split(fields: dict[str, Any], place: str) -> dict[str, Any]:
    cluster = _cluster(fields.get("cluster"), f"{place}.cluster")
    items = _items(fields.get("groups"), f"{place}.groups", 100)
    groups = [_syllables(item, f"{place}.groups[{i}]") for i, item in enumerate(items)]
    if len(groups) < 2:
        raise ReviewError(f"{place}.groups: a split needs at least two groups")
    together = [syllable for group in groups for syllable in group]
    if len(set(together)) < len(together):
        raise ReviewError(f"{place}.groups: a syllable is in two groups")
    new = _clusters(fields.get("new_clusters"), f"{place}.new_clusters", 1)
    if len(new) != len(groups) - 1 or cluster in new:
        raise ReviewError(
            f"{place}.new_clusters: must have a new number for each of the groups but the first"
        )
    return {"cluster": cluster, "groups": groups, "new_clusters": new}


def _new_mode(fields: dict[str, Any], place: str) -> dict[str, Any]:
    return {
        **_rename({"name": "", **fields}, place),
        **_species(fields, place),
        "syllables": _syllables(fields.get("syllables"), f"{place}.syllables"),
    }


def _move(fields: dict[str, Any], place: str) -> dict[str, Any]:
    return {
        "syllables": _syllables(fields.get("syllables"), f"{place}.syllables"),
        "cluster": _cluster(fields.get("cluster"), f"{place}.cluster"),
    }


def _mark(fields: dict[str, Any], place: str) -> dict[str, Any]:
    mark = _text(fields.get("as"), f"{place}.as", MAX_NAME)
    if mark not in MARKS:
        raise ReviewError(f"{place}.as: {_show(mark)} is unknown; there are {', '.join(MARKS)}")
    values = {
        "syllables": _syllables(fields.get("syllables"), f"{place}.syllables"),
        "as": mark,
    }
    if mark == "not-species":
        values["species"] = _text(fields.get("species"), f"{place}.species", MAX_NAME)
    return values


def _add_box(fields: dict[str, Any], place: str) -> dict[str, Any]:
    values = {
        "recording": _text(fields.get("recording"), f"{place}.recording", MAX_SYLLABLE),
        **_box(fields, place),
        "species": _text(fields.get("species", ""), f"{place}.species", MAX_NAME),
    }
    # Without a mode, it comes to lie where it is most alike when the edit is applied.
    if fields.get("cluster") is not None:
        values["cluster"] = _cluster(fields["cluster"], f"{place}.cluster")
    return values


def _mend_box(fields: dict[str, Any], place: str) -> dict[str, Any]:
    return {"syllable": _syllable(fields.get("syllable"), place), **_box(fields, place)}


def _cut(fields: dict[str, Any], place: str) -> dict[str, Any]:
    at_s = _number(fields.get("at_s"), f"{place}.at_s", MAX_S)
    return {"syllable": _syllable(fields.get("syllable"), place), "at_s": at_s}


def _join(fields: dict[str, Any], place: str) -> dict[str, Any]:
    values = _discard(fields, place)
    if (
        len(values["syllables"]) < 2
        or len({one.rpartition("#")[0] for one in values["syllables"]}) > 1
    ):
        raise ReviewError(f"{place}.syllables: must be two or more syllables of one recording")
    return values


def _discard(fields: dict[str, Any], place: str) -> dict[str, Any]:
    return {"syllables": _syllables(fields.get("syllables"), f"{place}.syllables")}


ACTIONS: dict[str, Callable[[dict[str, Any], str], dict[str, Any]]] = {
    "rename": _rename,
    "species": _species,
    "merge": _merge,
    "split": _split,
    "new-mode": _new_mode,
    "move": _move,
    "mark": _mark,
    "add-box": _add_box,
    "mend-box": _mend_box,
    "cut": _cut,
    "join": _join,
    "discard": _discard,
}
"""Every action, with what checks its fields."""


def _object(value: object, place: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ReviewError(f"{place}: must be an object, not {_show(value)}")
    return value


def _items(value: object, place: str, most: int) -> list[Any]:
    if not isinstance(value, list):
        raise ReviewError(f"{place}: must be a list, not {_show(value)}")
    if len(value) > most:
        raise ReviewError(f"{place}: has {len(value)} entries, more than {most}")
    return value


def _text(value: object, place: str, longest: int) -> str:
    if not isinstance(value, str):
        raise ReviewError(f"{place}: must be text, not {_show(value)}")
    if len(value) > longest:
        raise ReviewError(f"{place}: has {len(value)} characters, more than {longest}")
    if "\0" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise ReviewError(f"{place}: has characters in it that are not text: {_show(value)}")
    return value


def _cluster(value: object, place: str) -> int:
    # True is a number in Python, but not in what a gallery saves.
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_CLUSTER:
        raise ReviewError(f"{place}: must be the number of a cluster, not {_show(value)}")
    return value


def _clusters(value: object, place: str, least: int) -> list[int]:
    items = _items(value, place, MAX_EDITS)
    numbers = [_cluster(item, f"{place}[{i}]") for i, item in enumerate(items)]
    if len(numbers) < least or len(set(numbers)) < len(numbers):
        raise ReviewError(f"{place}: must be {least} or more different numbers of clusters")
    return numbers


def _syllables(value: object, place: str) -> list[str]:
    items = _items(value, place, MAX_SYLLABLES)
    if not items:
        raise ReviewError(f"{place}: names no syllable")
    found = [_text(item, f"{place}[{i}]", MAX_SYLLABLE) for i, item in enumerate(items)]
    return list(dict.fromkeys(found))


def _syllable(value: object, place: str) -> str:
    name = _text(value, f"{place}.syllable", MAX_SYLLABLE)
    if not name:
        raise ReviewError(f"{place}.syllable: names no syllable")
    return name


def _box(fields: dict[str, Any], place: str) -> dict[str, float]:
    limits = {"start_s": MAX_S, "end_s": MAX_S, "low_hz": MAX_HZ, "high_hz": MAX_HZ}
    box = {key: _number(fields.get(key), f"{place}.{key}", most) for key, most in limits.items()}
    for first, last in (("start_s", "end_s"), ("low_hz", "high_hz")):
        if box[first] >= box[last]:
            raise ReviewError(f"{place}.{last}: must be larger than {first}")
    return box


def _number(value: object, place: str, most: float) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= most:  # type: ignore[operator]
        raise ReviewError(f"{place}: must be a number from 0 to {most:g}, not {_show(value)}")
    return float(value)  # type: ignore[arg-type]


def _show(value: object) -> str:
    """A value for a message: short, on one line."""
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    if isinstance(value, str):
        return ascii(value[:60]) + ("..." if len(value) > 60 else "")
    return "nothing" if value is None else str(value)[:60]


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")
