"""When, where and by which recorder a recording was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from birdmodes.audio.recorders.chunks import read_blocks
from birdmodes.audio.recorders.headers import HeaderFacts, header_facts
from birdmodes.audio.recorders.moments import Moment
from birdmodes.audio.recorders.names import NameFacts, name_facts
from birdmodes.audio.recorders.triggered import UNEXPANDED, is_unexpanded

_SLACK = timedelta(seconds=2)
"""So much may lie between a header and a name, which are written one after the other."""


@dataclass(frozen=True)
class RecorderFacts:
    """What a recording's name and header tell; "" and None: unknown.

    Attributes
    ----------
    recorded_at : str
        When the recording starts by the recorder's clock, such as "2021-10-01T12:00:04", with a
        fraction only if there is one.
    utc_offset : str
        How far that clock is ahead of UTC, such as "+10:00".
    device : str
        Serial number of the recorder.
    recorder : str
        Model or maker, such as "AudioMoth" or "Song Meter SM4".
    latitude, longitude : float or None
        Degrees, WGS 84, north and east positive.
    note : str
        What the user should know, such as that name and header disagree; or empty.
    """

    recorded_at: str = ""
    utc_offset: str = ""
    device: str = ""
    recorder: str = ""
    latitude: float | None = None
    longitude: float | None = None
    note: str = ""


def recorder_facts(name: str, path: Path) -> RecorderFacts:
    """Find when, where and by which recorder a recording was made.

    Parameters
    ----------
    name : str
        The recording's name; only its last part, the file's own name, counts.
    path : pathlib.Path
        The file. Its header is read, and its sound only if its name ends in ``T.WAV``.

    Returns
    -------
    RecorderFacts
        Empty where nothing is known, also if the file cannot be read: that never stops a run.

    Notes
    -----
    Time: the first block of the header that has a time zone, else the name, else a block
    without a zone. Everything else: the first block that has it, else the name. A clock that was
    never set (1970) is no time.
    """
    from_name = name_facts(name)
    from_header = _read_header(path)
    sources: list[HeaderFacts | NameFacts] = [*from_header, from_name]
    place = next((source.place for source in sources if source.place), None)
    device = next((source.device for source in sources if source.device), "")
    recorder = next((source.recorder for source in sources if source.recorder), "")
    moment = _most_trusted([source.moment for source in from_header], from_name.moment)
    note = _disagreement(from_name.moment, [source.moment for source in from_header], moment)
    if is_unexpanded(name, path):
        moment, note = None, UNEXPANDED
    return RecorderFacts(
        recorded_at=moment.local_text if moment else "",
        utc_offset=moment.offset_text if moment else "",
        device=device,
        recorder=recorder,
        latitude=place[0] if place else None,
        longitude=place[1] if place else None,
        note=note,
    )


def _disagreement(
    in_name: Moment | None, in_header: Sequence[Moment | None], used: Moment | None
) -> str:
    """Say that name and header give different times, or nothing."""
    if in_name is None or used is None or not in_name.is_set:
        return ""
    other = next((moment for moment in in_header if moment and moment.is_set), None)
    if other is None or _same(in_name, other):
        return ""
    taken = "name" if used == in_name else "header"
    return (
        f"its name says {_words(in_name)}, its header {_words(other)}: "
        f"the time of the {taken} is used"
    )


def _same(in_name: Moment, in_header: Moment) -> bool:
    """Whether two moments may be the same; a name without zone may be local or UTC."""
    if in_name.offset is not None and in_header.offset is not None:
        return abs(in_name.local - in_name.offset - in_header.local + in_header.offset) <= _SLACK
    utc = in_header.local - (in_header.offset or timedelta(0))
    return min(abs(in_name.local - in_header.local), abs(in_name.local - utc)) <= _SLACK


def _words(moment: Moment) -> str:
    return " ".join(part for part in (moment.local_text, moment.offset_text) if part)


def _read_header(path: Path) -> list[HeaderFacts]:
    try:
        # Anything but a regular file, such as a pipe, might keep us waiting for ever.
        return list(header_facts(read_blocks(path))) if path.is_file() else []
    except (OSError, ValueError):
        return []


def _most_trusted(in_header: Sequence[Moment | None], in_name: Moment | None) -> Moment | None:
    with_zone = [moment for moment in in_header if moment and moment.offset is not None]
    candidates = [*with_zone, in_name, *in_header]
    return next((moment for moment in candidates if moment and moment.is_set), None)
