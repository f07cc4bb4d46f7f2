"""Whole recordings to groups: found, described, kept."""
