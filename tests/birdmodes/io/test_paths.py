from __future__ import annotations

from pathlib import Path, PurePosixPath

import pytest

from birdmodes.io.paths import as_paths, folder_of


def test_text_is_one_path_and_not_its_letters() -> None:
    assert as_paths("rec") == as_paths(Path("rec")) == [Path("rec")]
    assert as_paths(["a", Path("b")]) == as_paths(name for name in "ab") == [Path("a"), Path("b")]


def test_what_is_no_path_is_a_type_error() -> None:
    with pytest.raises(TypeError):
        as_paths([3])  # type: ignore[list-item]


@pytest.mark.parametrize(
    "path",
    [
        *("a.wav", "a/b.wav", "a/b/c", "/a", "//a", "///a", "a//b", "a/./b", "./a", "a/.", "a/"),
        *("/", "", "../a", "a/..", ".", "..", "a/b/", "a/b//", "a\\b/c", "ä/ö.wav", " /a"),
    ],
)
def test_the_folder_of_a_path_is_that_of_pathlib(path: str) -> None:
    assert folder_of(path) == str(PurePosixPath(path).parent)
