"""When, where and by which recorder a recording was made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from birdmodes.audio.recorders.chunks import read_blocks
from birdmodes.audio.recorders.headers import HeaderFacts, header_facts
from birdmodes.audio.recorders.moments import Moment
from birdmodes.audio.recorders.names import NameFacts, name_facts


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
    """

    recorded_at: str = ""
    utc_offset: str = ""
    device: str = ""
    recorder: str = ""
    latitude: float | None = None
    longitude: float | None = None


def recorder_facts(name: str, path: Path) -> RecorderFacts:
    """Find when, where and by which recorder a recording was made.

    Parameters
    ----------
    name : str
        The recording's name; only its last part, the file's own name, counts.
    path : pathlib.Path
        The file. Its header is read, never its sound.

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
    return RecorderFacts(
        recorded_at=moment.local_text if moment else "",
        utc_offset=moment.offset_text if moment else "",
        device=device,
        recorder=recorder,
        latitude=place[0] if place else None,
        longitude=place[1] if place else None,
    )


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
