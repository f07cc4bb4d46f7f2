from __future__ import annotations

from pathlib import Path

import pytest

from birdmodes.errors import BirdmodesError
from birdmodes.gallery.folder import MARKER, Counts, new_gallery_folder, write_file


def write_gallery(output: Path, text: str) -> None:
    with new_gallery_folder(output) as gallery:
        (gallery.folder / "index.html").write_text(text, encoding="utf-8")


def remains(folder: Path) -> list[str]:
    """What is beside the gallery."""
    return sorted(path.name for path in folder.iterdir() if path.name != "gallery")


def test_the_folder_appears_when_all_is_done(tmp_path: Path) -> None:
    output = tmp_path / "deep" / "gallery"
    with new_gallery_folder(output) as gallery:
        (gallery.folder / "index.html").write_text("x")
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


def test_a_failure_leaves_the_old_gallery_and_what_the_next_build_can_use(tmp_path: Path) -> None:
    output = tmp_path / "gallery"
    write_gallery(output, "old")

    def interrupted() -> None:
        with new_gallery_folder(output) as gallery:
            write_file(gallery.folder / "clips" / "a.js", b"new")
            (gallery.folder / "clips" / ".unfinished-7-b.js").write_text("ha")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (output / "index.html").read_text() == "old"
    assert not (output / "clips").exists()
    assert remains(tmp_path) == [".unfinished-gallery"]
    with new_gallery_folder(output) as gallery:
        assert gallery.has("clips/a.js")
        assert [path.name for path in (gallery.folder / "clips").iterdir()] == ["a.js"]
    assert remains(tmp_path) == []


def test_what_is_right_is_taken_over_without_a_copy(tmp_path: Path) -> None:
    output = tmp_path / "gallery"
    with new_gallery_folder(output) as gallery:
        write_file(gallery.folder / "clips" / "a.js", b"a")
        write_file(gallery.folder / "clips" / "gone.js", b"b")
        write_file(gallery.folder / "clips" / "empty.js", b"")
    before = (output / "clips" / "a.js").stat()
    with new_gallery_folder(output) as gallery:
        assert gallery.has("clips/a.js")
        assert not gallery.has("clips/empty.js")  # power was lost before it was on disk
        assert not gallery.has("clips/other.js")
        write_file(gallery.folder / "clips" / "new.js", b"c")
        counts = gallery.complete(["clips/a.js", "clips/new.js"])
        size = 2 + (output / MARKER).stat().st_size
        assert counts == Counts(new=2, unchanged=1, size_bytes=size)
    assert (output / "clips" / "a.js").stat().st_ino == before.st_ino
    assert (output / "clips" / "a.js").stat().st_mtime_ns == before.st_mtime_ns
    assert sorted(path.name for path in (output / "clips").iterdir()) == ["a.js", "new.js"]


def test_where_there_are_no_links_files_are_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_links(source: Path, target: Path) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr("os.link", no_links)
    output = tmp_path / "gallery"
    with new_gallery_folder(output) as gallery:
        write_file(gallery.folder / "clips" / "a.js", b"a")
    with new_gallery_folder(output) as gallery:
        assert gallery.has("clips/a.js")
        assert gallery.complete(["clips/a.js"]).unchanged == 1
    assert (output / "clips" / "a.js").read_bytes() == b"a"


def test_pages_that_stay_the_same_keep_their_time(tmp_path: Path) -> None:
    output = tmp_path / "gallery"
    for second in ("one", "other"):
        with new_gallery_folder(output) as gallery:
            gallery.seed_pages()
            write_file(gallery.folder / "index.html", b"same")
            write_file(gallery.folder / "species" / "a.html", second.encode())
            counts = gallery.complete(["index.html", "species/a.html"])
    assert (counts.new, counts.unchanged) == (1, 2)  # the index and the marker
    assert (output / "species" / "a.html").read_text() == "other"


def test_what_is_written_does_not_reach_into_the_old_gallery(tmp_path: Path) -> None:
    output = tmp_path / "gallery"
    write_gallery(output, "old")
    with new_gallery_folder(output) as gallery:
        gallery.seed_pages()
        (gallery.folder / "index.html").write_text("new")  # in place
        assert (output / "index.html").read_text() == "old"


def test_two_builds_at_once_are_refused(tmp_path: Path) -> None:
    output = tmp_path / "gallery"
    with (
        new_gallery_folder(output),
        pytest.raises(BirdmodesError, match=r"another birdmodes command.*--output"),
        new_gallery_folder(output),
    ):
        pass
    assert remains(tmp_path) == []


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
