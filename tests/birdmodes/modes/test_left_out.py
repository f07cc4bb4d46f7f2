"""How often names fit lists that took no part in giving them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms import Bags
from algorithms.disambiguation.ldc import LDC
from algorithms.disambiguation.refitted import refitted
from algorithms.spectral.sp import SP
from birdmodes.modes.left_out import fit_in_words, fit_of_names, left_out_fit

SPECIES = 4


def songs(n_bags: int, seed: int, *, shuffled: bool = False) -> Bags:
    """Bags of two species of four, three syllables each, which are easily told apart."""
    rng = np.random.default_rng(seed)
    labels = np.zeros((n_bags, SPECIES), dtype=bool)
    X, bag = [], []
    for number in range(n_bags):
        for species in rng.choice(SPECIES, 2, replace=False):
            labels[number, species] = True
            X.append(8 * np.eye(SPECIES)[species] + rng.standard_normal((3, SPECIES)))
            bag += [number] * 3
    return Bags(np.concatenate(X), bag, labels[rng.permutation(n_bags)] if shuffled else labels)


def test_share_and_chance_by_hand() -> None:
    labels = np.array([[1, 0], [1, 1], [0, 0]], dtype=bool)
    # the last two do not count: no name, and a bag without species
    found = fit_of_names(np.array([0, 1, 1, 0, -1, 0]), np.array([0, 0, 1, 1, 0, 2]), labels)
    assert found is not None
    assert found.share == 3 / 4
    # half of the names are of each species: one in two fits the first bag, all fit the second
    assert found.chance == (0.5 + 0.5 + 1 + 1) / 4
    assert found.doubt == 0


def test_one_bag_tells_nothing() -> None:
    assert fit_of_names(np.array([0, 0]), np.array([0, 0]), np.ones((2, 1), bool)) is None


def test_names_fit_where_lists_tell_species_apart() -> None:
    bags = songs(40, seed=0)
    found = left_out_fit(LDC(4).fit(bags), bags, np.arange(40), 0)
    assert found is not None
    assert found.share > 0.98
    assert found.chance == pytest.approx(0.5, abs=0.05)
    assert fit_in_words(found.metrics()).startswith("names fit the lists of left-out recordings")


@pytest.mark.parametrize("seed", range(3))
def test_names_from_lists_dealt_at_random_are_no_better_than_chance(seed: int) -> None:
    bags = songs(40, seed, shuffled=True)
    found = left_out_fit(LDC(4).fit(bags), bags, np.arange(40), 0)
    assert found is not None
    assert abs(found.share - found.chance) < 0.15
    assert "hardly better than chance" in fit_in_words(found.metrics())


def test_of_very_many_syllables_some_are_learned_from(monkeypatch: pytest.MonkeyPatch) -> None:
    bags = songs(60, seed=0)  # six syllables each, four fifths of them the others
    fitted, learned_from = LDC(4).fit(bags), []

    def counted(told: Any, others: Bags, *rest: Any) -> Any:
        learned_from.append((others.n_bags, others.n_instances))
        return refitted(told, others, *rest)

    monkeypatch.setattr("algorithms.disambiguation.refitted.refitted", counted)
    whole = left_out_fit(fitted, bags, np.arange(60), 0)
    assert min(learned_from) >= (45, 270)
    learned_from.clear()
    monkeypatch.setattr("birdmodes.modes.left_out.MOST_LEARNED", 100)
    some = left_out_fit(fitted, bags, np.arange(60), 0)
    assert set(learned_from) == {(16, 96)}
    assert whole is not None
    assert some is not None
    assert some.share == pytest.approx(whole.share, abs=0.05)


def test_what_is_of_one_recording_is_left_out_together() -> None:
    # Each species sings in clips of one recording only: left out, nothing tells its name.
    bags = songs(2, 0)
    labels = np.repeat(np.eye(2, dtype=bool), 4, axis=0)
    clips = Bags(np.repeat(bags.X[::3][:2], 8, axis=0), np.repeat(np.arange(8), 2), labels)
    found = left_out_fit(LDC(2).fit(clips), clips, np.repeat([0, 1], 4), 0)
    assert found is not None
    assert found.share == 0
    apart = left_out_fit(LDC(2).fit(clips), clips, np.arange(8), 0)
    assert apart is not None
    assert apart.share == 1


def test_methods_that_do_not_name_by_lists_tell_nothing() -> None:
    bags = songs(10, 0)
    assert left_out_fit(SP(2).fit(bags), bags, np.arange(10), 0) is None


@pytest.mark.parametrize(
    ("share", "chance", "doubt", "words"),
    [
        (0.74, 0.31, 0.02, "names fit the lists of left-out recordings in 74 of 100 syllables"),
        (0.33, 0.31, 0.02, "names are hardly better than chance"),
        (0.74, 0.31, 0.30, "names are hardly better than chance"),
        (1.0, 1.0, 0.0, "all names fit all lists"),
    ],
)
def test_one_sentence(share: float, chance: float, doubt: float, words: str) -> None:
    metrics = {"left_out_fit": share, "left_out_chance": chance, "left_out_doubt": doubt}
    assert fit_in_words(metrics).startswith(words)
    assert fit_in_words({}) == ""
