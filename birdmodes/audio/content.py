"""Tell from its content why a file cannot be read as a recording, and what to do about it."""

from __future__ import annotations

import shlex
import struct
from pathlib import Path

from birdmodes.errors import AudioError
from birdmodes.io.printing import shown

HEAD_BYTES = 4096

# Sound that libsndfile does not read: where the mark is, the mark, what it is.
_OTHER_SOUND = (
    (4, b"ftyp", "MP4/M4A sound (AAC or ALAC)"),
    (0, b"\xff\xf1", "AAC sound"),
    (0, b"\xff\xf9", "AAC sound"),
    (0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "WMA sound"),
    (0, b"\x1a\x45\xdf\xa3", "WebM or Matroska sound"),
    (0, b"#!AMR", "AMR sound"),
    (0, b"\x0b\x77", "AC-3 sound"),
    (0, b"MAC ", "Monkey's Audio sound"),
    (0, b"wvpk", "WavPack sound"),
    (0, b"TTA1", "True Audio sound"),
)
_ARCHIVES = (b"PK\x03\x04", b"\x1f\x8b", b"7z\xbc\xaf\x27\x1c", b"Rar!", b"\xfd7zXZ", b"BZh")

_WAV_CODECS = {
    0x0055: "MP3",
    0x0092: "AC-3",
    0x00FF: "AAC",
    0x0160: "WMA",
    0x0161: "WMA",
    0x0162: "WMA",
    0x0163: "WMA",
    0x2000: "AC-3",
}
_CUT_HEADER = "it ends within its header"
_COPY_AGAIN = "copy it again, or leave it out"
_PCM, _FLOAT, _EXTENSIBLE = 1, 3, 0xFFFE
# Bits of the samples that libsndfile reads, by the code of the format.
_BITS_READ = {_PCM: range(1, 33), _FLOAT: (32, 64)}


def read_head(path: Path) -> bytes:
    """Read the first bytes of a file, which tell what it is."""
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)


def refuse_other_content(path: Path, head: bytes) -> None:
    """Refuse what is certainly nothing that libsndfile reads, whatever its ending.

    Parameters
    ----------
    path : pathlib.Path
        For the message.
    head : bytes
        First bytes of the file.

    Raises
    ------
    AudioError
        That says what the file is and how to get a recording from it.
    """
    if head.startswith(b"version https://git-lfs"):
        raise AudioError(
            f"{shown(path)}: is a Git LFS pointer, not the recording itself; fetch it: "
            "run git lfs pull"
        )
    if head.startswith(b"WAac"):
        raise AudioError(
            f"{shown(path)}: is Wildlife Acoustics WAC sound, which birdmodes cannot read; "
            "convert it to WAV with Kaleidoscope or wac2wav"
        )
    for start, mark, kind in _OTHER_SOUND:
        if head.startswith(mark, start):
            raise AudioError(
                f"{shown(path)}: is {kind}, which birdmodes cannot read; "
                f"convert it: {_command(path)}"
            )
    if head.startswith(_ARCHIVES):
        raise AudioError(f"{shown(path)}: is an archive; unpack it first")
    if path.suffix.lower() == ".raw":
        # soundfile would take the ending for a format and ask for what only the user knows
        raise AudioError(
            f"{shown(path)}: raw samples have no header that gives their rate; convert it to WAV, "
            "such as with: sox -r RATE -e signed -b 16 -c 1 FILE.raw FILE.wav"
        )


def explain(path: Path, head: bytes, reason: str) -> str:
    """Say why libsndfile refused a file.

    Parameters
    ----------
    path : pathlib.Path
        For the message.
    head : bytes
        First bytes of the file.
    reason : str
        What libsndfile said.

    Returns
    -------
    str
        One line: the file, what is wrong with it, and what to do.
    """
    advice = "convert it to WAV or FLAC of 16 or 24 bits, or leave it out"
    if not head.strip(b"\0"):
        reason = "zeros where its header should be: the recorder or its card failed"
        advice = _COPY_AGAIN
    elif _is_text(head):
        reason, advice = "it is text", "leave it out"
    elif head.startswith(b"ID3"):
        reason = "no sound is where its ID3 tag ends, by the length that the tag gives"
        advice = _COPY_AGAIN
    elif head[:4] in (b"RIFF", b"RIFX", b"RF64", b"BW64"):
        reason = _wav_problem(head) or reason
        advice = _COPY_AGAIN if reason == _CUT_HEADER else advice
    if "possibly a pipe" in reason:  # what the reader of MP3 says of any file that is none
        reason = "Format not recognised"
    return f"{shown(path)}: cannot be read as audio ({reason.rstrip('. ')}); {advice}"


def _command(path: Path) -> str:
    source = shlex.quote(shown(path.name))
    target = shlex.quote(shown(path.with_suffix(".flac").name))
    return f"ffmpeg -i {source} {target}"


def _is_text(head: bytes) -> bool:
    """Whether the bytes are UTF-8 without control characters; one may be cut at the end."""
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3:
            return False
        text = head[: error.start].decode("utf-8")
    return all(letter.isprintable() or letter in "\t\r\n\f\ufeff" for letter in text)


def _wav_problem(head: bytes) -> str:
    """What a WAV header tells of the reason, or nothing."""
    order = ">" if head.startswith(b"RIFX") else "<"
    position = 12
    while position + 8 <= len(head):
        name, size = struct.unpack_from(f"{order}4sI", head, position)
        if name == b"fmt " and position + 24 <= len(head):
            problem = _format_problem(head[position + 8 :], order)
            if problem:
                return problem
        if name == b"data":
            return ""
        position += 8 + size + size % 2
    return _CUT_HEADER if len(head) < HEAD_BYTES else ""


def _format_problem(content: bytes, order: str) -> str:
    codec, channels, rate, _, _, bits = struct.unpack_from(f"{order}HHIIHH", content)
    if codec == _EXTENSIBLE and len(content) >= 26:
        (codec,) = struct.unpack_from(f"{order}H", content, 24)
    if codec in _WAV_CODECS:
        return f"{_WAV_CODECS[codec]} sound in a WAV file"
    if not channels or not 0 < rate < 2**31:
        return f"its header gives {channels} channels and {rate} Hz"
    if codec in _BITS_READ and bits not in _BITS_READ[codec]:
        return f"{bits}-bit {'float' if codec == _FLOAT else 'integer'} samples"
    return ""
