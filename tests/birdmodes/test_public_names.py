from __future__ import annotations

import birdmodes
import birdmodes.modes.find


def test_every_public_name_is_there() -> None:
    for name in birdmodes.__all__:
        assert getattr(birdmodes, name) is not None, name
    assert birdmodes.find_modes is birdmodes.modes.find.find_modes


def test_other_names_are_missing_as_usual() -> None:
    assert not hasattr(birdmodes, "nonsense")
