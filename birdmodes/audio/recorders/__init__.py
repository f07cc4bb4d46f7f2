"""When, where and by which recorder a recording was made: from its file name and its header.

::

    moments.py   a time as a recorder's clock showed it
    names.py     what file names tell
    chunks.py    the blocks of text in WAV and FLAC files, read without the sound
    headers.py   what these blocks tell
    facts.py     which of them to believe
"""

from birdmodes.audio.recorders.facts import RecorderFacts, recorder_facts

__all__ = ["RecorderFacts", "recorder_facts"]
