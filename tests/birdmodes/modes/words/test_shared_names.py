"""Names of modes of species that lists cannot tell apart."""

from __future__ import annotations

import pandas as pd
import pytest

from birdmodes.modes.words.shared_names import shared_species, whole_name, whole_species


@pytest.mark.parametrize(
    ("or_species", "species", "mode"),
    [
        ("", "Owl", "Owl mode 2"),
        ("Wren", "Owl or Wren", "Owl or Wren mode 2"),
        ("Robin;Wren", "Owl or Robin or Wren", "Owl or Robin or Wren mode 2"),
    ],
)
def test_all_species_that_a_mode_may_be_of_are_named(
    or_species: str, species: str, mode: str
) -> None:
    assert whole_species("Owl", or_species) == species
    assert whole_name("Owl mode 2", "Owl", or_species) == mode


@pytest.mark.parametrize(
    ("told", "found"), [(["Wren", "Wren"], "Wren"), (["Wren", ""], ""), (["", ""], "")]
)
def test_modes_share_what_all_of_them_may_be(told: list[str], found: str) -> None:
    assert shared_species(pd.DataFrame({"or_species": told})) == found


def test_older_tables_tell_of_no_other_species() -> None:
    assert shared_species(pd.DataFrame({"mode": ["Owl mode 1"]})) == ""
