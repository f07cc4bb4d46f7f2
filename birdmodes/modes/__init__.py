"""Syllables to vocal modes: found, named, described, kept."""
