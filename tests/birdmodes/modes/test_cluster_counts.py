from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest

from algorithms import Bags
from algorithms.mode_counts import CONTINUUM_CUT, CRITERIA, K_MAX, CountCurve, ModeCount
from birdmodes.errors import BirdmodesError, ParameterError
from birdmodes.modes.counts.files import write_k_curves
from birdmodes.modes.counts.found import (
    CURVE_COLUMNS,
    ClusterCounts,
    SpeciesPosterior,
    attribute_syllables,
    count_clusters,
    parse_k,
    parse_per_species,
)
from birdmodes.modes.find import ClusterOptions, find_modes
from birdmodes.workspace.bags import species_named
from birdmodes.workspace.store import Workspace

NAMES = ["Dipper", "Robin", "Wren"]


@pytest.fixture(autouse=True)
def few_references(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("algorithms.mode_counts.REFERENCES", 5)


def made_bags(modes: Sequence[int], n_noise: int = 0) -> tuple[Bags, npt.NDArray[np.int64]]:
    """Ten bags of every species, with two syllables of each of its modes; then noise."""
    rng = np.random.default_rng(0)
    rows, bag, species = [], [], []
    for number, k in enumerate(modes):
        for place in range(10):
            for mode in range(k):
                centre = 30 * np.eye(8)[2 * number] + 15 * np.eye(8)[mode + 5]
                rows += [centre + rng.standard_normal(8) for _ in range(2)]
                bag += [10 * number + place] * 2
                species += [number] * 2
    rows += [100 + rng.standard_normal(8) for _ in range(n_noise)]
    bag += [noise % (10 * len(modes)) for noise in range(n_noise)]
    species += [-1] * n_noise
    labels = np.repeat(np.eye(len(modes), dtype=bool), 10, axis=0)
    return Bags(np.array(rows), bag, labels, class_names=NAMES[: len(modes)]), np.array(species)


def certain(species: npt.NDArray[np.int64], n_classes: int) -> SpeciesPosterior:
    """A posterior that knows; -1 is nobody's."""

    def posterior(bags: Bags, seed: int) -> npt.NDArray[np.float64]:
        return (species[:, None] == np.arange(n_classes)).astype(float)

    return posterior


def test_auto_finds_the_modes_of_every_species_and_of_the_rest() -> None:
    bags, species = made_bags([1, 2, 3], n_noise=20)
    counts = count_clusters(bags, "auto", None, 0, certain(species, 3))
    assert counts.per_species == {"Dipper": 1, "Robin": 2, "Wren": 3}
    assert counts.background == 1
    assert counts.total == 7
    assert counts.source == "auto"
    assert counts.short_name == "auto"
    assert counts.summary == "modes: Dipper 1, Robin 2, Wren 3; background 1"


def test_background_is_not_counted_for_methods_that_see_to_it_themselves() -> None:
    bags, species = made_bags([1, 2], n_noise=20)
    counts = count_clusters(bags, "auto", None, 0, certain(species, 2), background=False)
    assert (counts.total, counts.background) == (3, 0)
    assert counts.curves is not None
    assert set(counts.curves["species"]) == {"Dipper", "Robin"}


def test_the_curves_tell_how_it_was_found() -> None:
    bags, species = made_bags([1, 2])
    curves = count_clusters(bags, "auto", None, 0, certain(species, 2)).curves
    assert curves is not None
    assert list(curves.columns) == CURVE_COLUMNS
    assert len(curves) == 2 * K_MAX
    chosen = curves[curves["chosen"]]
    assert list(chosen["species"]) == ["Dipper", "Robin"]
    assert list(chosen["syllables"]) == [20, 40]
    assert list(chosen["k"]) == [1, 2]
    assert list(chosen["shape"]) == ["one", "kinds"]
    assert set(curves["shape"][~curves["chosen"]]) == {""}


def test_the_same_seed_finds_the_same() -> None:
    bags, _ = made_bags([2, 1])
    first, second = (count_clusters(bags, "auto", None, 5) for _ in range(2))
    assert first.per_species == second.per_species
    pd.testing.assert_frame_equal(first.curves, second.curves)


def test_syllables_are_attributed_to_a_species_of_their_bag() -> None:
    bags, species = made_bags([2, 2, 2])
    posterior = attribute_syllables(bags, 0)
    assert (posterior.argmax(axis=1) == species).all()
    assert (posterior.max(axis=1) > 0.5).mean() > 0.9
    assert (posterior[~bags.labels[bags.bag]] == 0).all()


@pytest.mark.parametrize("n_syllables", [0, 1, 2])
def test_species_with_next_to_no_syllables_have_one_mode(n_syllables: int) -> None:
    bags, species = made_bags([2, 2])
    of_robin = np.flatnonzero(species == 1)
    species[of_robin[n_syllables:]] = 0
    counts = count_clusters(bags, "auto", None, 0, certain(species, 2))
    assert counts.per_species is not None
    assert counts.per_species["Robin"] == 1
    assert any("Robin: " in line for line in counts.warnings)


@pytest.mark.parametrize(
    ("own", "other", "found"),
    [(0.49, 0.0, {"": 80, "Dipper": 0, "Robin": 0}), (0.4, 0.35, {"Dipper": 40, "Robin": 40})],
)
def test_syllables_count_for_what_they_most_probably_are(
    own: float, other: float, found: dict[str, int]
) -> None:
    bags, species = made_bags([2, 2])

    def unsure(bags: Bags, seed: int) -> npt.NDArray[np.float64]:
        return np.where(certain(species, 2)(bags, seed) > 0, own, other)

    counts = count_clusters(bags, "auto", None, 0, unsure)
    assert counts.curves is not None
    assert dict(counts.curves.groupby("species")["syllables"].first()) == found


def test_a_continuum_is_called_one(monkeypatch: pytest.MonkeyPatch) -> None:
    curves = {name: CountCurve(np.zeros(K_MAX)) for name in CRITERIA}
    found = ModeCount(CONTINUUM_CUT, "continuum", curves)
    monkeypatch.setattr("birdmodes.modes.counts.found.mode_count", lambda *args, **options: found)
    bags, species = made_bags([1])
    counts = count_clusters(bags, "auto", None, 0, certain(species, 1))
    assert counts.continua == ["Dipper"]
    assert counts.summary == "modes: Dipper a continuum, cut in three"


def test_one_species_is_enough() -> None:
    bags, _ = made_bags([2])
    assert count_clusters(bags, "auto", None, 0).per_species == {"Dipper": 2}


def test_numbers_that_are_given() -> None:
    bags, _ = made_bags([1, 2, 3])
    assert count_clusters(bags, 5, None, 0) == ClusterCounts(5, "given")
    each = count_clusters(bags, None, 4, 0)
    assert (each.total, each.per_species) == (12, dict.fromkeys(NAMES, 4))
    named = count_clusters(bags, None, {"Wren": 5}, 0)
    assert (named.total, named.per_species) == (9, {"Dipper": 2, "Robin": 2, "Wren": 5})
    assert named.short_name == "per-species"


def test_frequent_species_get_up_to_four_candidates() -> None:
    # 80 syllables of a bag with Dipper alone, 120 of Robin and Wren, which count half for each.
    labels = np.array([[1, 0, 0], [0, 1, 1]], dtype=bool)
    for n, expected in ((120, [4, 3, 3]), (40, [4, 2, 2]), (1000, [4, 4, 4])):
        bags = Bags(np.zeros((80 + n, 1)), [0] * 80 + [1] * n, labels, class_names=NAMES)
        counts = count_clusters(bags, None, None, 0)
        assert counts.per_species == dict(zip(NAMES, expected, strict=True))
        assert (counts.total, counts.source) == (sum(expected), "candidates")


def test_candidates_are_no_more_than_there_are_syllables() -> None:
    bags = Bags(np.eye(3), [0, 0, 1], np.ones((2, 3), dtype=bool), class_names=NAMES)
    assert count_clusters(bags, None, None, 0).total == 2


def test_impossible_numbers_are_one_line() -> None:
    bags, _ = made_bags([1, 1])
    with pytest.raises(ParameterError, match="exclude each other"):
        count_clusters(bags, 3, 2, 0)
    with pytest.raises(ParameterError, match=r"no .* species 'robbin' \(did you mean 'Robin'\?\)"):
        count_clusters(bags, None, {"robbin": 2}, 0)
    nobody = Bags(np.eye(3), [0, 0, 1], np.zeros((2, 0), dtype=bool), class_names=[])
    for k, each in (("auto", None), (None, 2), (None, None)):
        with pytest.raises(BirdmodesError, match="must be given with --k"):
            count_clusters(nobody, k, each, 0)


def test_numbers_are_refused_before_the_features_are_made(
    make_workspace: Callable[..., Workspace], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = mock.Mock(side_effect=AssertionError("long work"))
    monkeypatch.setattr("birdmodes.modes.find.describe_syllables", made)
    unnamed = make_workspace(("a.wav", [[0, 1]]), ("b.wav", [[1]], None))
    with pytest.raises(BirdmodesError, match="no recording has a species"):
        find_modes(unnamed, ClusterOptions())
    named = make_workspace(("c.wav", [[0, 1]], "Robin"))
    with pytest.raises(ParameterError, match="no recording has the species 'robbin'"):
        find_modes(named, ClusterOptions(k_per_species={"robbin": 2}))


def test_species_of_clips_and_of_sounds_in_them_are_known_to_the_lists() -> None:
    sound = {"start_s": 0.0, "end_s": 1.0, "low_hz": 0.0, "high_hz": np.inf, "species": "Wren"}
    recordings = pd.DataFrame(
        {
            "species": ["", "Robin"],
            "clip_species": [["Dipper;Robin", ""], None],
            "timed_labels": [None, [sound]],
        }
    )
    assert species_named(recordings) == NAMES


@pytest.mark.parametrize(
    ("text", "k"), [(None, None), ("auto", "auto"), ("Auto", "auto"), ("26", 26)]
)
def test_k_is_read(text: str | None, k: object) -> None:
    assert parse_k(text) == k


@pytest.mark.parametrize("text", ["0", "-3", "2.5", "many", ""])
def test_other_k_are_refused(text: str) -> None:
    with pytest.raises(ParameterError, match="--k must be a whole number from 1, or auto"):
        parse_k(text)


def test_k_per_species_is_read() -> None:
    assert parse_per_species([]) is None
    assert parse_per_species(["3"]) == 3
    assert parse_per_species(["Wren=3", " Sea=Gull = 1"]) == {"Wren": 3, "Sea=Gull": 1}


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["0"], "--k-per-species must be a whole number from 1"),
        (["some"], "a whole number from 1, or NAME=N, not 'some'"),
        (["Wren=x"], "Wren must be a whole number from 1, not 'x'"),
        (["Wren=1", "Wren=2"], "Wren is given twice"),
        (["=2"], "give one number for all species"),
        (["2", "Wren=3"], "give one number for all species"),
    ],
)
def test_other_k_per_species_are_refused(texts: list[str], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        parse_per_species(texts)


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"k": 0}, "^k must be a whole number from 1, not 0$"),
        ({"k": -4}, "^k must be"),
        ({"k": 2.5}, "^k must be a whole number from 1, not 2.5$"),
        ({"k": True}, "^k must be"),
        ({"k_per_species": 0}, "^k_per_species must be a whole number from 1, not 0$"),
        ({"k_per_species": -1}, "^k_per_species must be"),
        ({"k_per_species": {"Wren": 2, "Robin": 0}}, "k_per_species of Robin must be.*not 0"),
        ({"k_per_species": {"Wren": 1.5}}, "k_per_species of Wren must be.*not 1.5"),
    ],
)
def test_numbers_from_python_that_cannot_be_are_refused(
    numbers: dict[str, Any], message: str
) -> None:
    bags = Bags([[0.0], [1.0]], [0, 1], [["Wren"], ["Robin"]])
    with pytest.raises(ParameterError, match=message):
        count_clusters(bags, **{"k": None, "k_per_species": None, "seed": 0, **numbers})


def test_the_figure_takes_any_name_and_is_the_same_every_time(tmp_path: Path) -> None:
    table = pd.DataFrame({"species": "$x_1$ <&>", "syllables": 9, "k": [1, 2]})
    for criterion in CRITERIA:
        table[criterion] = [0.0, np.nan if criterion == "bouts" else 5.4]
    table["chosen"], table["shape"] = [False, True], ["", "kinds"]
    pictures = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write_k_curves(tmp_path / name, table[CURVE_COLUMNS])
        pictures.append((tmp_path / name / "k_curves.svg").read_text(encoding="utf-8"))
    assert pictures[0] == pictures[1]
    assert "$x_1$ &lt;&amp;&gt;: 2  (9 syllables)" in pictures[0]
