from __future__ import annotations

from pathlib import Path

import pytest

from birdmodes.errors import BirdmodesError
from birdmodes.gallery.folder import MARKER, new_gallery_folder


def write_gallery(output: Path, text: str) -> None:
    with new_gallery_folder(output) as folder:
        (folder / "index.html").write_text(text, encoding="utf-8")


def test_the_folder_appears_when_all_is_done(tmp_path: Path) -> None:
    output = tmp_path / "deep" / "gallery"
    with new_gallery_folder(output) as folder:
        (folder / "index.html").write_text("x")
        assert not output.exists()
    assert sorted(path.name for path in output.iterdir()) == sorted([MARKER, "index.html"])
    assert [path.name for path in output.parent.iterdir()] == ["gallery"]


def test_a_gallery_is_replaced_whole(tmp_path: Path) -> None:
    output = tmp_path / "gallery"
    write_gallery(output, "old")
    (output / "left-over.html").write_text("old")
    write_gallery(output, "new")
    assert (output / "index.html").read_text() == "new"
    assert not (output / "left-over.html").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["gallery"]


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "gallery").mkdir()
    write_gallery(tmp_path / "gallery", "new")
    assert (tmp_path / "gallery" / MARKER).is_file()


def test_a_failure_leaves_the_old_gallery_and_no_remains(tmp_path: Path) -> None:
    output = tmp_path / "gallery"
    write_gallery(output, "old")
    with pytest.raises(UnicodeEncodeError):
        write_gallery(output, "half \ud800")  # opens the file, then cannot encode
    assert (output / "index.html").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["gallery"]


def test_somebody_elses_folder_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(BirdmodesError, match=r"not empty and not a gallery.*--output"):
        write_gallery(tmp_path, "new")
    assert (tmp_path / "thesis.txt").read_text() == "years of work"


def test_a_file_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "gallery").write_text("a file")
    with pytest.raises(BirdmodesError, match="is a file"):
        write_gallery(tmp_path / "gallery", "new")


def test_a_place_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BirdmodesError, match=r"cannot be written") as raised:
        write_gallery(tmp_path / "file" / "gallery", "new")
    assert "\n" not in str(raised.value)
