"""What the pages call the modes."""

from __future__ import annotations

import pandas as pd
import pytest

from birdmodes.gallery.names import letter, names_of_modes
from birdmodes.gallery.words.order import alike_order
from birdmodes.modes.words import ModeWords
from birdmodes.modes.words.series import Series


def words(title: str, pitch_hz: float = 4000.0) -> ModeWords:
    return ModeWords(title, "flat", "whistle", pitch_hz, pitch_hz, pitch_hz, 0.2, 0.0, Series())


def modes(*names: str, background: tuple[int, ...] = ()) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "cluster": range(len(names)),
            "species": ["Wren" if name else "" for name in names],
            "mode": names,
            "background": [number in background for number in range(len(names))],
        }
    )


@pytest.mark.parametrize(("number", "text"), [(1, "A"), (26, "Z"), (27, "AA"), (53, "BA")])
def test_letters_go_on_after_z(number: int, text: str) -> None:
    assert letter(number) == text


def test_modes_have_the_letters_of_their_numbers_and_are_named_in_words() -> None:
    found = names_of_modes(modes("Wren mode 2", "Wren mode 1"), {0: words("Trill")})
    assert (found[0].name, found[0].letter, found[0].heading) == ("Wren B", "B", "Trill")
    assert (found[1].name, found[1].letter, found[1].heading) == ("Wren A", "A", "Mode A")
    assert not found[0].given


def test_a_person_s_own_name_comes_first() -> None:
    found = names_of_modes(
        modes("Wren mode 1", "Wren song", "Wren mode 3"), {1: words("Trill"), 2: words("Buzz")}
    )
    assert (found[1].name, found[1].letter, found[1].heading) == ("Wren song", "B", "Song")
    assert found[1].given
    assert [found[number].letter for number in (0, 2)] == ["A", "C"]


def test_clusters_of_no_species_have_their_number() -> None:
    found = names_of_modes(modes("", "", background=(1,)), {0: words("Trill")})
    assert (found[0].name, found[0].letter, found[0].heading) == ("Cluster 0", "", "Trill")
    assert found[1].heading == "Cluster 1"


def test_modes_that_sound_alike_stand_together() -> None:
    pitches = {3: 2000.0, 5: 8000.0, 8: 2100.0, 9: 7800.0, 11: 4000.0}
    order = alike_order({cluster: words("x", pitch) for cluster, pitch in pitches.items()})
    assert sorted(order.values()) == [0, 1, 2, 3, 4]
    assert abs(order[3] - order[8]) == 1
    assert abs(order[5] - order[9]) == 1
    assert order[11] == 2  # between low and high


def test_two_modes_have_an_order_too() -> None:
    assert alike_order({4: words("x"), 2: words("y")}) == {2: 0, 4: 1}
    assert alike_order({}) == {}


def test_a_mode_that_is_called_as_its_species_has_been_named_by_nobody() -> None:
    found = names_of_modes(modes("Wren", "Wren song"), {0: words("Trill")})
    assert (found[0].name, found[0].heading, found[0].given) == ("Wren A", "Trill", False)
    assert found[1].given
