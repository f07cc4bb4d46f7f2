"""What the name of a recording's file tells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from birdmodes.audio.recorders.moments import Moment, from_posix, make_moment, parse_offset

_MONTH = r"(?P<month>0[1-9]|1[0-2])"
_DAY = r"(?P<day>0[1-9]|[12]\d|3[01])"
_HOUR = r"(?P<hour>[01]\d|2[0-4])"
_MINUTE = r"(?P<minute>[0-5]\d)"
_SECOND = r"(?P<second>[0-5]\d)"
_YEAR = r"(?P<year>(?:19|20)\d\d)"

_CLOCKS = [
    re.compile(pattern, re.ASCII)
    for pattern in (
        # 2021-05-02 4.30.15 PM, 20210502_0430pm: clocks of twelve hours, before those of 24
        rf"(?<!\d){_YEAR}(?P<d>[-_. ]?){_MONTH}(?P=d){_DAY}(?:[T_ .-]|[ _]at[ _])?[ _]?"
        rf"(?P<hour12>0?[1-9]|1[0-2])(?P<t>[-_.:]?){_MINUTE}(?:(?P=t){_SECOND})?"
        r"[ _.-]?(?P<half>[AaPp])\.?[Mm](?![A-Za-z])",
        # 201905 8T020000+1000, by Frontier Labs: blanks for leading zeros
        r"(?<!\d)(?P<year>20\d\d)(?P<month>[ \d]\d)(?P<day>[ \d]\d)"
        r"T(?P<hour>[ \d]\d)(?P<minute>[ \d]\d)(?P<second>[ \d]\d)"
        r"(?P<offset>Z|[+-]\d{4})(?!\d)",
        # Robin-80-2023-05-12-birdnet-04:30:00, by BirdNET-Pi
        rf"(?<!\d){_YEAR}-{_MONTH}-{_DAY}-birdnet-(?:RTSP_\d+-)?"
        rf"{_HOUR}(?P<t>[-_.:]?){_MINUTE}(?P=t){_SECOND}(?!\d)",
        # 20170625_102105, 20171121$143444, 20070415051314, 2015-06-02_02.01.02_Z, also with a
        # fraction (.789 or _010) and a zone (Z, +10, -0430). What might be half a zone or more
        # digits makes it a number.
        rf"(?<!\d){_YEAR}(?P<d>[-_.]?){_MONTH}(?P=d){_DAY}[T_$ .-]?"
        rf"{_HOUR}(?P<t>[-_.:;]?){_MINUTE}(?P=t){_SECOND}"
        r"(?:\.(?P<fraction>\d{1,9})(?=Z?(?![A-Za-z\d]))"
        r"|_(?P<milliseconds>\d{3})(?![A-Za-z\d]))?"
        r"(?P<offset>_?Z(?![A-Za-z\d])|[+-]\d\d(?::?\d\d)?(?!\d))?(?![+-]?\d)",
        # 20190522_0530
        rf"(?<!\d){_YEAR}(?P<d>-?){_MONTH}(?P=d){_DAY}[T_ ]{_HOUR}(?P<t>[-.:]?){_MINUTE}(?!\d)",
        # 2359-01012015
        rf"(?<!\d){_HOUR}{_MINUTE}-{_DAY}{_MONTH}{_YEAR}(?!\d)",
        # 180801_1630 and 180801_163000
        rf"(?<![A-Za-z\d])(?P<yy>\d\d){_MONTH}{_DAY}_{_HOUR}{_MINUTE}{_SECOND}?(?!\d)",
        # 230411-221029.038
        rf"(?<![A-Za-z\d])(?P<yy>\d\d){_MONTH}{_DAY}-{_HOUR}{_MINUTE}{_SECOND}"
        r"(?:\.(?P<fraction>\d{1,9})(?![A-Za-z\d]))?(?!\d)",
        # 671629352.181204100002, by SoundTrap
        rf"^\d+\.(?P<yy>\d\d){_MONTH}{_DAY}{_HOUR}{_MINUTE}{_SECOND}(?!\d)",
    )
]

_OLD_AUDIOMOTH = re.compile(r"([0-9A-F]{8})\.(WAV|wav)", re.ASCII)
_AUDIOMOTH_YEARS = range(2015, 2035)
"""In which a name of the old AudioMoth kind may have been given; 1970 is a clock not set."""

_AUDIOMOTH = re.compile(r"(?:([0-9A-F]{16})_)?\d{8}_\d{6}(T?)\.wav", re.ASCII | re.IGNORECASE)

_SONG_METER = re.compile(
    r"(?P<serial>S4[AU]\d{5}|SM[23]\d{5}|SM[AMU]\d{5}|2M[A-Z]\d{5})(?:_|-|$)|.*_0\+1_", re.ASCII
)
_SONG_METER_MODELS = {"S4": "SM4", "SM3": "SM3", "SM2": "SM2"}

_NUMBER = r"\d{1,%d}(?:\.\d+)?"
_PLACES = [
    re.compile(pattern, re.ASCII)
    for pattern in (
        # _-1.4763 178.8986_ and [-39.5336 -131.2711]
        r"(?<=[_\[(])([+-]?\d{1,2}\.\d+) ([+-]?\d{1,3}\.\d+)(?=[_\])])",
        # _+40.1213-075.0015 of ISO 6709
        rf"(?<=_)([+-]{_NUMBER % 2})([+-]{_NUMBER % 3})(?=[_+-]|$)",
    )
]


@dataclass(frozen=True)
class NameFacts:
    """What a file name tells.

    Attributes
    ----------
    moment : Moment or None
        Start of the recording.
    device : str
        Serial number of the recorder, or empty.
    recorder : str
        Maker or model, or empty.
    place : tuple of float or None
        Latitude and longitude (degrees, WGS 84).
    """

    moment: Moment | None = None
    device: str = ""
    recorder: str = ""
    place: tuple[float, float] | None = None


def name_facts(name: str) -> NameFacts:
    """Read a recording's name; it never fails, whatever the name.

    Parameters
    ----------
    name : str
        File name, with or without folders before it; only the file name counts.

    Returns
    -------
    NameFacts
        Nothing in it is guessed: a date whose order of day and month is open is not read.
    """
    file_name = re.split(r"[/\\]", name)[-1]
    moment = _old_audiomoth_moment(file_name)
    if moment is not None:
        return NameFacts(moment, recorder="AudioMoth")
    device, recorder = _recorder(file_name)
    stem = file_name.rpartition(".")[0] or file_name
    return NameFacts(next(_moments(file_name), None), device, recorder, _place(stem))


def _moments(file_name: str) -> Iterator[Moment]:
    """Every date with a time in a name, the surest kind first."""
    for pattern in _CLOCKS:
        for match in pattern.finditer(file_name):
            moment = _moment(match)
            if moment is not None:
                yield moment


def _moment(match: re.Match[str]) -> Moment | None:
    part = match.groupdict()
    # Without seconds, "0012" is more often the twelfth recording of a day than 12 past midnight.
    if part.get("second") is None and part.get("hour") == "00":
        return None
    zone = (part.get("offset") or "").removeprefix("_")
    offset = parse_offset(zone) if zone else None
    if zone and offset is None:
        return None
    year = int(part["year"]) if part.get("year") else 2000 + int(part["yy"])
    return make_moment(
        year,
        int(part["month"]),
        int(part["day"]),
        _hour(part),
        int(part["minute"]),
        int(part.get("second") or 0),
        part.get("fraction") or part.get("milliseconds") or "",
        offset,
    )


def _hour(part: dict[str, str | None]) -> int:
    """Hour of the day, also of a clock of twelve hours."""
    hour12, half = part.get("hour12"), part.get("half")
    if hour12 is None or half is None:
        return int(part["hour"] or 0)
    return int(hour12) % 12 + (12 if half in "Pp" else 0)


def _old_audiomoth_moment(file_name: str) -> Moment | None:
    """Time of a name such as 5B07C752.WAV: seconds since 1970 in hexadecimal."""
    match = _OLD_AUDIOMOTH.fullmatch(file_name)
    # The recorder writes .WAV in capitals; digits alone with another ending are any number.
    if match is None or (match[1].isdigit() and match[2] != "WAV"):
        return None
    moment = from_posix(int(match[1], 16))
    return moment if moment.local.year in _AUDIOMOTH_YEARS or not moment.is_set else None


def _recorder(file_name: str) -> tuple[str, str]:
    """Serial number and model, where the name is of a kind that only one recorder gives."""
    audiomoth = _AUDIOMOTH.fullmatch(file_name)
    if audiomoth is not None and (audiomoth[1] or audiomoth[2]):
        return (audiomoth[1] or "").upper(), "AudioMoth"
    song_meter = _SONG_METER.match(file_name)
    if song_meter is None:
        return "", ""
    serial = song_meter["serial"] or ""
    model = next((m for start, m in _SONG_METER_MODELS.items() if serial.startswith(start)), "")
    return serial, f"Song Meter {model}".strip()


def _place(stem: str) -> tuple[float, float] | None:
    for pattern in _PLACES:
        match = pattern.search(stem)
        if match is not None and abs(float(match[1])) <= 90 and abs(float(match[2])) <= 180:
            return float(match[1]), float(match[2])
    return None
