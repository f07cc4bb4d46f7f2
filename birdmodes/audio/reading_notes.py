"""What the user should know of how a recording was read."""

from __future__ import annotations

from pathlib import Path

from birdmodes.audio.counted import another_flac_follows
from birdmodes.audio.length import announced_frames, lacks_end
from birdmodes.audio.mend import Mended
from birdmodes.audio.ogg import last_page_is_damaged
from birdmodes.audio.stream import LOUDEST, Blocks, Stream

# An MP3 decoder leaves out up to this many samples, as the encoder's padding.
_MP3_PADDING = 4 * 1152
# A header may count itself and other chunks as sound: nothing is missing then.
_SLACK_FRAMES = 128
# The first page of an Ogg stream may count what comes before its sound.
_OGG_SLACK_FRAMES = 4096
_NOT_MISSED = {"MP3": _MP3_PADDING, "OGG": _OGG_SLACK_FRAMES}
_COUNTED = ("MP3", "OGG")  # formats whose length is a number of samples


def note_of_reading(path: Path, file: Stream, blocks: Blocks) -> str:
    """What the user should know of how a recording was read."""
    parts = [_of_length(path, file, blocks)]
    if file.followers:
        parts.append(f"{1 + len(file.followers)} Ogg streams in one file, read one after the other")
    if file.left_out:
        parts.append("what follows in the file has another rate or other channels and is left out")
    if file.format == "FLAC" and another_flac_follows(path):
        parts.append("another FLAC follows in the file and is left out; cut them apart")
    if blocks.no_sound:
        parts.append(
            f"samples that are no numbers, or over {LOUDEST:g} times full scale, are taken for "
            f"silence: {blocks.no_sound} of them"
        )
    if file.expansion != 1:
        parts.append(
            f"expanded {file.expansion:g} times in time (GUANO): frequencies and times are those "
            "of the sound itself"
        )
    return "; ".join(part for part in parts if part)


def _of_length(path: Path, file: Stream, blocks: Blocks) -> str:
    """What the user should know of how much of a recording was read."""
    kind, rate = file.format, file.rate_hz
    announced = (
        None if file.left_out else announced_frames(path, kind, file.all_frames, file.samplerate)
    )
    read = _seconds(blocks.read / rate)
    part = read if announced is None else f"{read} of {_seconds(announced / rate)}"
    missing = 0 if announced is None else announced - blocks.read
    if blocks.damage and kind == "FLAC" and announced and missing <= 0:
        # a tag behind the sound
        return "" if file.mended is None else _of_mended(file.mended, read)
    if blocks.damage:
        return f"damaged: only the first {part} could be read ({blocks.damage})"
    if kind == "OGG" and lacks_end(path):
        return f"truncated: its end is missing, {read} are there"
    if kind == "OGG" and missing > _OGG_SLACK_FRAMES:
        return f"damaged: only {part} could be read, and what follows the damage is timed early"
    if kind == "OGG" and last_page_is_damaged(path):
        return f"damaged: its end could not be read, {read} are there"
    if file.mended is not None:
        return _of_mended(file.mended, read)
    if 0 < missing <= min(_SLACK_FRAMES, blocks.read // 10) and kind not in _COUNTED:
        return f"its header gives {missing} samples more than there are: read all, {read}"
    if missing <= _NOT_MISSED.get(kind, 0):
        return ""
    if kind == "MP3" and blocks.read == file.frames:
        return f"no length in its header: only the first {part} could be read; convert it to FLAC"
    return f"truncated: only {part} are there"


def _of_mended(mended: Mended, read: str) -> str:
    if mended.announced == 0:
        return f"its length was never written (power lost?): read all that is there, {read}"
    return (
        f"the length in its header is too short ({mended.announced} of {mended.there} "
        f"{mended.unit}): read all that is there, {read}"
    )


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 10 else f"{seconds:.3g} s"
