"""Small label files that users of other programs stumbled over; the right value of each."""

from __future__ import annotations

from pathlib import Path

import pytest

from birdmodes.audio.find import find_recordings
from birdmodes.errors import LabelError
from birdmodes.labels import FittedLabels, fit_labels


@pytest.fixture
def tables(shared: Path) -> Path:
    return shared / "cases" / "F08-tables"


def fit(folder: Path, *labels: Path, **options: object) -> FittedLabels:
    return fit_labels(find_recordings([folder]), list(labels), **options)  # type: ignore[arg-type]


def test_labels_of_one_channel(shared: Path) -> None:
    cases = shared / "cases"
    names = ("s0.wav", "s1.wav", "s2.wav")
    labels = cases / "F07-channel-labels"
    both = fit(cases / "F07-channel", labels)
    assert both.species == dict.fromkeys(names, ("Robin", "Wren"))
    second = fit(cases / "F07-channel", labels, channel=2)
    assert second.species == dict.fromkeys(names, ("Wren",))
    assert "1 labels of other channels than --channel 2 are left out" in second.warnings[0]


def test_na_is_no_species(tables: Path) -> None:
    found = fit(tables / "rec", tables / "na.csv")
    assert found.species == {"r0.wav": ("Robin",), "r1.wav": (), "r2.wav": ()}
    assert "line 3 and 1 more rows: 'NA' is taken for no species" in found.warnings[0]


@pytest.mark.parametrize(
    ("name", "species"), [("entity", "Cooper's Hawk"), ("dashes", "Black-throated Warbler")]
)
def test_look_alikes_are_one_species(tables: Path, name: str, species: str) -> None:
    found = fit(tables / "rec", tables / f"{name}.csv")
    assert found.species == dict.fromkeys(("r0.wav", "r1.wav", "r2.wav"), (species,))


def test_commas_separate_species_that_are_known_from_elsewhere(tables: Path) -> None:
    found = fit(tables / "rec", tables / "comma_list.csv")
    assert found.species == dict.fromkeys(("r0.wav", "r1.wav"), ("Robin", "Wren"))


def test_absent_is_absent(tables: Path) -> None:
    found = fit(tables / "rec", tables / "absent.csv")
    assert found.species == {"r0.wav": ("Robin",), "r1.wav": ("Wren",)}
    assert "2 rows say by 'present' that their species was not there" in found.warnings[0]


@pytest.mark.parametrize(
    ("name", "species"),
    [
        ("gbk", ("\u5927\u5c71\u96c0", "\u767d\u5934\u9e4e")),
        ("shift_jis", ("\u30b7\u30b8\u30e5\u30a6\u30ab\u30e9", "\u30d2\u30e8\u30c9\u30ea")),
        (
            "cp1251",
            (
                "\u0411\u043e\u043b\u044c\u0448\u0430\u044f \u0441\u0438\u043d\u0438\u0446\u0430",
                "\u0417\u044f\u0431\u043b\u0438\u043a",
            ),
        ),
    ],
)
def test_other_code_pages(tables: Path, name: str, species: tuple[str, str]) -> None:
    found = fit(tables / "rec", tables / f"{name}.csv")
    assert found.species == {"r0.wav": (species[0],), "r1.wav": (species[1],)}
    told = fit(tables / "rec", tables / f"{name}.csv", encoding=name)
    assert told.species == found.species
    assert told.warnings == []
    with pytest.raises(LabelError, match="not in the encoding utf-8"):
        fit(tables / "rec", tables / f"{name}.csv", encoding="utf-8")


def test_one_scientific_name_is_one_species(tables: Path) -> None:
    found = fit(tables / "rec", tables / "locales")
    owl, other_owl, heron, other_heron = (found.species[f"r{n}.wav"] for n in range(4))
    assert owl == other_owl
    assert heron == other_heron != owl
    assert ["are one species" in warning for warning in found.warnings] == [True, True]


def test_names_that_differ_in_their_unicode_form_only(shared: Path) -> None:
    folder = shared / "cases" / "R-inputs" / "nfc_nfd"
    recordings = find_recordings([folder])
    assert len(recordings) == 2
    table = next(path for path in folder.iterdir() if path.suffix == ".csv")
    found = fit_labels(recordings, [table])
    assert found.species == {"e\u0301.wav": ("A",), "\u00e9.wav": ("B",)}
