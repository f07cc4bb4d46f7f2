"""Corrected boxes in the syllables of a workspace, in its clusterings, and as examples."""
