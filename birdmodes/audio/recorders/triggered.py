"""AudioMoth's recordings that a sound has started, before they are expanded.

In a file whose name ends in ``T.WAV`` silence is left out. A block of 512 bytes stands for it: 32
samples of 1 or -1, the bits of how many such blocks are missing, and zeros. So what comes after it
is not when the file seems to say.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from birdmodes.audio.riff import container

UNEXPANDED = (
    "an AudioMoth T.WAV without its silence: times within it are too early and it is not dated; "
    "expand it first with AudioMoth's configuration app"
)

_NAME = re.compile(r"T\.wav$", re.IGNORECASE)
_BLOCK_SAMPLES, _BITS = 256, 32
_READ_BLOCKS = 4096


def is_unexpanded(name: str, path: Path) -> bool:
    """Whether a recording is one of AudioMoth's from which silence is still left out.

    Parameters
    ----------
    name : str
        The recording's name; others than ``...T.WAV`` are not looked at.
    path : pathlib.Path
        The file.
    """
    if not _NAME.search(name):
        return False
    try:
        with path.open("rb") as file:
            chunks = container(file, path.stat().st_size)
            sound = None if chunks is None else chunks.sound()
            if sound is None:
                return False
            file.seek(sound.start)
            while content := file.read(2 * _BLOCK_SAMPLES * _READ_BLOCKS):
                if _has_silence(content):
                    return True
    except OSError:
        return False
    return False


def _has_silence(content: bytes) -> bool:
    """Whether one of the blocks stands for silence."""
    whole = len(content) - len(content) % (2 * _BLOCK_SAMPLES)
    blocks = np.frombuffer(content[:whole], dtype="<i2").reshape(-1, _BLOCK_SAMPLES)
    bits = (abs(blocks[:, :_BITS].astype(np.int32)) == 1).all(axis=1)
    return bool((bits & ~blocks[:, _BITS:].any(axis=1)).any())
