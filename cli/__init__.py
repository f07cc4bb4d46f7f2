"""The ``birdmodes`` command: parses, calls :mod:`birdmodes`, prints."""
