"""Spectrogram pictures of syllables and clips, for the gallery and for publications."""
