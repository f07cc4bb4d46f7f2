"""Files that are no tables at all: what they are, and what to do instead."""

from __future__ import annotations

import json
import re
from pathlib import Path

from birdmodes.errors import LabelError
from birdmodes.io.printing import shown
from birdmodes.labels.errors import NotLabelsError

SAVE = "; save the labels as CSV or .xlsx"

# How they begin, behind blanks and a byte-order mark; what they are; what to do.
_KINDS = (
    (re.compile(rb"%PDF-"), "a PDF document", SAVE),
    (re.compile(rb"\{\\rtf"), "a document in RTF", SAVE),
    (re.compile(rb"\x89PNG|\xff\xd8\xff|GIF8"), "a picture", SAVE),
    (
        re.compile(rb"<(!doctype +html|html)\b", re.IGNORECASE),
        "a web page",
        "; open it, and save the table as CSV or .xlsx",
    ),
    (re.compile(rb"<\?xml\b"), "an XML file", SAVE),
    (re.compile(rb"\x1f\x8b|7z\xbc\xaf|Rar!"), "a compressed file", "; unpack it first"),
    (
        re.compile(rb"RIFF....WAVE|fLaC|OggS|ID3", re.DOTALL),
        "a sound file",
        "; give a file of labels",
    ),
)
_BEFORE = b"\xef\xbb\xbf \t\r\n"

# No table of text begins like objects of JSON.
_OBJECTS = re.compile(r'\s*\[?\s*\{\s*"')


def refuse_other_files(path: Path, head: bytes) -> None:
    """Say what a file is that cannot hold labels.

    Parameters
    ----------
    path : pathlib.Path
        The file, for the message.
    head : bytes
        Its begin.

    Raises
    ------
    NotLabelsError
        If it is a document, a picture, sound or the like.
    """
    begin = head.lstrip(_BEFORE)
    for pattern, what, advice in _KINDS:
        if pattern.match(begin):
            raise NotLabelsError(path, f"{what}, no labels", advice)


def refuse_broken_json(path: Path, text: str, in_lines: LabelError) -> None:
    """Say where JSON is broken, unless the text may be a table that only begins like it.

    Parameters
    ----------
    path : pathlib.Path
        The file, for the message.
    text : str
        Its content, neither JSON nor lines of it.
    in_lines : LabelError
        What is wrong if it is meant as JSON lines.

    Raises
    ------
    LabelError
        If it begins as objects of JSON do.
    """
    if not _OBJECTS.match(text):
        return
    try:
        json.loads(text)
    except json.JSONDecodeError as reason:
        if reason.msg == "Extra data":  # the first line is whole
            raise in_lines from reason
        raise LabelError(f"{shown(path)}: broken JSON ({reason}); make it again") from reason
    except (ValueError, RecursionError) as reason:  # a number too long, or lists too deep
        raise in_lines from reason
