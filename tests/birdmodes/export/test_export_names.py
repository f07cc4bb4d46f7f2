from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from birdmodes.export.names import different_names, label_files, readable_name

SAFE = re.compile(r"[\w \-.,()'&]+")


@pytest.mark.parametrize("name", ["Robin", "mode 1", "Müller's Robin", "アオジ", "A. (B) & c"])
def test_readable_names_stay_as_they_are(name: str) -> None:
    assert readable_name(name) == name


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("../..", "x-"),
        ("a/b", "a-b-"),
        ('<b>"\\|?*:', "b-"),
        ("CON", "_CON-"),
        ("lpt1.txt", "_lpt1.txt-"),
        ("..hidden", "hidden-"),
        ("ends. ", "ends-"),
        ("=1+1", "1-1-"),
        ("", "x-"),
        ("a" * 300, "a" * 60 + "-"),
    ],
)
def test_other_names_are_changed_and_get_a_digest(name: str, start: str) -> None:
    assert re.fullmatch(re.escape(start) + "[0-9a-f]{8}", readable_name(name))


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_name_is_one_safe_part_of_a_path(name: str) -> None:
    safe = readable_name(name)
    assert SAFE.fullmatch(safe)
    assert safe[0] not in ".- "
    assert safe[-1] not in ". "
    assert len(safe.encode()) <= 200
    assert not re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?", safe)


@given(st.sets(st.text(st.sampled_from("aAÅ/:. é"), max_size=4), max_size=12))
def test_different_names_stay_different_without_letter_case(names: set[str]) -> None:
    safe = different_names(names)
    assert set(safe) == names
    assert len({part.casefold() for part in safe.values()}) == len(names)


def test_label_files_are_named_after_their_recordings() -> None:
    assert label_files(["b/a.wav", "b/c.wav", "c.flac"], ".txt") == {
        "b/a.wav": "b/a.txt",
        "b/c.wav": "b/c.txt",
        "c.flac": "c.txt",
    }


def test_the_ending_tells_recordings_of_one_name_apart() -> None:
    files = label_files(["a.wav", "a.flac", "A.mp3", "b.wav"], ".txt")
    assert files == {
        "a.wav": "a.wav.txt",
        "a.flac": "a.flac.txt",
        "A.mp3": "A.mp3.txt",
        "b.wav": "b.txt",
    }
    assert len(set(label_files(["x.wav", "x.flac", "x.wav.mp3"], ".txt").values())) == 3


@pytest.mark.parametrize("name", ["../../x.wav", "/etc/x.wav", "a/../../x.wav", "a\\..\\x.wav"])
def test_label_files_stay_in_the_folder(name: str) -> None:
    (file,) = label_files([name], ".txt").values()
    assert not {"..", ""} & set(file.split("/"))
    assert "\\" not in file


def test_a_name_as_long_as_the_file_system_allows_is_cut() -> None:
    (file,) = label_files(["n" * 251 + ".wav"], ".Table.1.selections.txt").values()
    assert len(file) < 255
    assert file.endswith(".Table.1.selections.txt")
