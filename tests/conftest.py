"""Fixtures shared by the whole suite."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes depends on the machine; it says nothing about what is right. The
# continuous integration takes the same examples each time, so that it judges the change alone.
settings.register_profile("birdmodes", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("birdmodes")


@pytest.fixture(scope="session")
def shared() -> Path:
    """Root of the real recordings and data sets, which do not belong to the project."""
    root = os.environ.get("BIRDMODES_SHARED")
    if not root or not Path(root).is_dir():
        pytest.skip("real recordings not here: set BIRDMODES_SHARED to their folder")
    return Path(root)
