"""``assign``: place the syllables of new recordings in the modes of a clustering."""
