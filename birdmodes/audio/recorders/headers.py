"""What the blocks of text in a recording's header tell."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from birdmodes.audio.recorders.moments import Moment, make_moment, parse_iso, parse_offset

LONGEST_TEXT = 100
"""Characters of a serial number or a model that are kept."""

# AudioMoth, all firmware so far: "Recorded at 19:31:30 03/09/2024 (UTC+1) by AudioMoth 24E1...",
# or "during deployment ..."; 1.0 had no "(UTC)" and meant it. The AudioMoth Live app: "by" the
# name of any microphone.
_COMMENT_TIME = re.compile(
    r"Recorded at (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))? (\d\d)/(\d\d)/(\d{4})"
    r"(?: \(UTC([+-]\d{1,2}(?::\d\d)?)?\))?"
    r" (?:by|during deployment) ",
    re.ASCII,
)
_AUDIOMOTH_COMMENT = re.compile(
    r" during deployment [0-9A-F]{16}\b| by [\w ]{0,60}\bAudioMoth(?: ([0-9A-F]{16}))?\b", re.ASCII
)
_AUDIOMOTH_ARTIST = re.compile(r"AudioMoth ([0-9A-F]{16})", re.ASCII)
# OpenSoundscape puts a JSON text with the start of what it saved into the comment.
_OPENSOUNDSCAPE = "opso_metadata"
_OPENSOUNDSCAPE_START = re.compile(r'"recording_start_time": "([^"]{1,40})"')

_GUANO_PLACE = re.compile(r"([+-]?\d{1,2}(?:\.\d+)?)[\s,]+([+-]?\d{1,3}(?:\.\d+)?)", re.ASCII)
_WAMD_PLACE = re.compile(
    r"[^,]*,\s*(\d{1,2}(?:\.\d+)?),\s*([NS]),\s*(\d{1,3}(?:\.\d+)?),\s*([EW])\b.*", re.ASCII
)
_WAMD_MODEL, _WAMD_SERIAL, _WAMD_TIME, _WAMD_PLACE_FIELD = 1, 2, 5, 6

# Bat detectors expand 8 to 32 times.
_MOST_EXPANSION = 100.0
_VENDOR = "(vendor)"  # where the writer of a Vorbis comment is kept among its texts

_BEXT_TIME = re.compile(
    rb"(\d{4})[-_:. /](\d\d)[-_:. /](\d\d)(\d\d)[-_:. /](\d\d)[-_:. /](\d\d)", re.ASCII
)


@dataclass(frozen=True)
class HeaderFacts:
    """What one block of a header tells; see `birdmodes.audio.recorders.names.NameFacts`."""

    moment: Moment | None = None
    device: str = ""
    recorder: str = ""
    place: tuple[float, float] | None = None


def time_expansion(blocks: dict[bytes, bytes], sample_rate_hz: int) -> float:
    """How many times slower than it sounded a recording is stored, by its GUANO block.

    Parameters
    ----------
    blocks : dict
        As from `birdmodes.audio.recorders.chunks.read_blocks`.
    sample_rate_hz : int
        Of the file; where GUANO gives the same rate, only the text is of an expanded file.

    Returns
    -------
    float
        1 where it does not say, or says nonsense.
    """
    value = _guano_values(_text(blocks.get(b"guan", b"")))
    factor = _number(value.get("TE", ""))
    rate_hz = _number(value.get("Samplerate", ""))
    if factor is None or not 1 < factor <= _MOST_EXPANSION or rate_hz == sample_rate_hz:
        return 1.0
    return factor


def header_facts(blocks: dict[bytes, bytes]) -> Iterator[HeaderFacts]:
    """Read the blocks of a header; it never fails, whatever they hold.

    Parameters
    ----------
    blocks : dict
        As from `birdmodes.audio.recorders.chunks.read_blocks`.

    Yields
    ------
    HeaderFacts
        One for each block, the most trustworthy first.
    """
    if b"guan" in blocks:
        yield _from_guano(_text(blocks[b"guan"]))
    yield _from_comment(_text(blocks.get(b"ICMT", b"")), _text(blocks.get(b"IART", b"")))
    if b"FLAC" in blocks:
        comments = _vorbis_comments(blocks[b"FLAC"])
        yield _from_comment(comments.get("COMMENT", ""), comments.get("ARTIST", ""))
        yield _from_frontier_labs(comments)
    if b"wamd" in blocks:
        yield _from_wamd(blocks[b"wamd"])
    if b"bext" in blocks:
        yield _from_bext(blocks[b"bext"])


def _text(content: bytes) -> str:
    return content.decode("utf-8", "replace").rstrip("\0")


def _short(text: str) -> str:
    """A text on one line, printable and not long, whatever was in the file."""
    words = "".join(c if c.isprintable() and c != "\ufffd" else " " for c in text).split()
    return " ".join(words)[:LONGEST_TEXT].strip()


def _from_comment(comment: str, artist: str) -> HeaderFacts:
    """Read the comment and the artist of AudioMoth, also as OpenSoundscape passes them on."""
    start = _OPENSOUNDSCAPE_START.search(comment) if _OPENSOUNDSCAPE in comment else None
    moment = parse_iso(start[1]) if start else _comment_moment(comment)
    by_artist = _AUDIOMOTH_ARTIST.search(artist)
    by_comment = _AUDIOMOTH_COMMENT.search(comment)
    if by_artist is None and by_comment is None:
        return HeaderFacts(moment)
    # The artist is always the device; the comment may have the deployment's number instead.
    device = by_artist[1] if by_artist else by_comment[1] if by_comment else ""
    return HeaderFacts(moment, device or "", "AudioMoth")


def _comment_moment(comment: str) -> Moment | None:
    match = _COMMENT_TIME.search(comment)
    if match is None:
        return None
    hour, minute, second, fraction, day, month, year, zone = match.groups(default="")
    offset = parse_offset(zone or "Z")
    if offset is None:
        return None
    return make_moment(
        int(year), int(month), int(day), int(hour), int(minute), int(second), fraction, offset
    )


def _from_guano(text: str) -> HeaderFacts:
    value = _guano_values(text)
    recorder = _recorder_name(value.get("Make", ""), value.get("Model", ""))
    place = _GUANO_PLACE.fullmatch(value.get("Loc Position", ""))
    return HeaderFacts(
        parse_iso(value.get("Timestamp", "")),
        _short(value.get("Serial", "")),
        recorder,
        _on_earth(float(place[1]), float(place[2])) if place else None,
    )


def _guano_values(text: str) -> dict[str, str]:
    """Values of GUANO, which has a line for each ``key: value``."""
    lines = (line.partition(":") for line in text.splitlines())
    return {key.strip(): rest.strip() for key, _, rest in lines}


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _from_frontier_labs(comments: dict[str, str]) -> HeaderFacts:
    """Read the comments of Frontier Labs' recorders."""
    vendor = comments.get(_VENDOR, "")
    place = _GUANO_PLACE.fullmatch(comments.get("SENSORLOCATION", "").strip())
    return HeaderFacts(
        parse_iso(comments.get("RECORDINGSTART", "")),
        _short(comments.get("SENSORUID", "")),
        vendor if vendor == "Frontier Labs" else "",
        _on_earth(float(place[1]), float(place[2])) if place else None,
    )


def _from_wamd(content: bytes) -> HeaderFacts:
    """Read the chunk of Wildlife Acoustics: fields of a number, a length and a text."""
    field: dict[int, str] = {}
    at = 0
    while at + 6 <= len(content):
        number, length = struct.unpack_from("<HI", content, at)
        field.setdefault(number, _text(content[at + 6 : at + 6 + length]))
        at += 6 + length
    model = field.get(_WAMD_MODEL, "")
    return HeaderFacts(
        parse_iso(field.get(_WAMD_TIME, "")),
        _short(field.get(_WAMD_SERIAL, "")),
        _recorder_name("Wildlife Acoustics", model),
        _wamd_place(field.get(_WAMD_PLACE_FIELD, "")),
    )


def _wamd_place(text: str) -> tuple[float, float] | None:
    """Place with its N or S and E or W; without them the sign has been seen to be lost."""
    match = _WAMD_PLACE.fullmatch(text.strip())
    if match is None:
        return None
    north = float(match[1]) * (-1 if match[2] == "S" else 1)
    east = float(match[3]) * (-1 if match[4] == "W" else 1)
    return _on_earth(north, east)


def _from_bext(content: bytes) -> HeaderFacts:
    """Read date and time of a Broadcast Wave chunk (EBU Tech 3285): bytes 320 to 337."""
    match = _BEXT_TIME.fullmatch(content[320:338])
    if match is None:
        return HeaderFacts()
    year, month, day, hour, minute, second = map(int, match.groups())
    return HeaderFacts(make_moment(year, month, day, hour, minute, second))


def _vorbis_comments(content: bytes) -> dict[str, str]:
    """Texts of a Vorbis comment by their names in capitals, and who wrote it."""
    texts: dict[str, str] = {}
    if len(content) < 4:
        return texts
    at = 8 + struct.unpack_from("<I", content)[0]
    texts[_VENDOR] = _short(_text(content[4 : at - 4]))
    while at + 4 <= len(content):
        length = struct.unpack_from("<I", content, at)[0]
        name, equals, value = _text(content[at + 4 : at + 4 + length]).partition("=")
        if equals:
            texts.setdefault(name.upper(), value)
        at += 4 + length
    return texts


def _recorder_name(make: str, model: str) -> str:
    """Name by which people know a recorder: "AudioMoth", "Song Meter SM4"."""
    model = _short(model)
    if make.strip() == "Wildlife Acoustics" and re.match(r"SM\d", model):
        return f"Song Meter {model}"
    return model or _short(make)


def _on_earth(latitude: float, longitude: float) -> tuple[float, float] | None:
    """The place, unless it is none, or 0, 0, which recorders write before they know it."""
    if (latitude, longitude) == (0, 0) or abs(latitude) > 90 or abs(longitude) > 180:
        return None
    return latitude, longitude
