from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from window_parts import Window

from birdmodes.app.lists import (
    ListsChangedError,
    find_label_tables,
    read_species_table,
    table_path,
    write_species_table,
)
from birdmodes.app.projects import Project
from birdmodes.audio.find import find_recordings
from birdmodes.errors import LabelError
from birdmodes.labels import fit_labels
from birdmodes.workspace.labels import remember_labels

OAKS = "<b>OAKS_20240513_053000.wav"
MARSH = "MARSH_20240512_043000.wav"


def test_the_table_is_what_segment_reads(recordings: Path) -> None:
    path = table_path(recordings, recordings / "birdmodes-workspace")
    assert path == recordings / "labels.csv"
    rows = [(OAKS, 'Wren;=Robin "x"'), (MARSH, " None "), ("bad.wav", "  ")]
    table = write_species_table(path, "", rows)
    assert table.species == {OAKS: 'Wren;=Robin "x"', MARSH: "none"}
    fitted = fit_labels(find_recordings(recordings))
    assert set(fitted.species[OAKS]) == {"Wren", '=Robin "x"'}
    assert fitted.species[MARSH] == ()
    assert "bad.wav" not in fitted.species
    assert not list(recordings.glob(".unfinished-*"))


def test_a_table_that_somebody_else_saved_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    first = write_species_table(path, "", [("a.wav", "Wren")])
    write_species_table(path, first.revision, [("a.wav", "Robin")])
    with pytest.raises(ListsChangedError, match="another window"):
        write_species_table(path, first.revision, [("a.wav", "Owl")])
    assert read_species_table(path).species == {"a.wav": "Robin"}


@pytest.mark.parametrize(
    "text", ["file,start,end,label\na,1,2,Wren\n", "recording,species\na,Wren,more\n", '"', "\xff"]
)
def test_what_the_table_cannot_hold_is_left_alone(recordings: Path, text: str) -> None:
    path = recordings / "labels.csv"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(LabelError):
        read_species_table(path)
    place = table_path(recordings, recordings / "birdmodes-workspace")
    assert place.name == "species-lists.csv"
    write_species_table(place, "", [(OAKS, "Wren")])
    assert path.read_text(encoding="latin-1") == text


def test_where_nobody_may_write_the_table_lies_by_the_workspace(
    recordings: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert table_path(recordings, tmp_path / "home" / "ws") == tmp_path / "home" / "labels.csv"


@pytest.mark.parametrize(
    "rows", [[("a", "Wren"), ("a", "Robin")], [("", "Wren")], [("a", "Wren\nRobin")]]
)
def test_tables_that_would_be_read_otherwise_are_refused(
    tmp_path: Path, rows: list[tuple[str, str]]
) -> None:
    with pytest.raises(LabelError):
        write_species_table(tmp_path / "labels.csv", "", rows)
    assert not list(tmp_path.iterdir())


def test_label_files_beside_recordings_are_recognised(recordings: Path) -> None:
    (recordings / "notes.txt").write_text("Rain in the morning.\n")
    (recordings / "birds.csv").write_text(f"recording,species\n{MARSH},Wren\n{OAKS},Robin;Owl\n")
    (found,) = find_label_tables(find_recordings(recordings))
    assert found["path"] == str(recordings / "birds.csv")
    assert found["format"] == "birdmodes CSV"


def test_pages_read_and_save_lists(window: Window, project: Project) -> None:
    at = f"p/{project.id}/api/lists"
    found = window.ask(at).json
    assert found["recordings"] == sorted([OAKS, MARSH, "MARSH_20240513_043000.wav", "bad.wav"])
    assert found["chosen"] is None
    saved = window.post(f"{at}/save", {"revision": "", "rows": [[OAKS, "Wren"]]})
    assert saved.status == 200
    again = window.ask(at).json
    assert again["table"]["species"] == {OAKS: "Wren"}
    assert again["chosen"] == [str(project.recordings) + "/labels.csv"]
    late = window.post(f"{at}/save", {"revision": "", "rows": [[OAKS, "Owl"]]})
    assert (late.status, "another window" in late.json["problem"]) == (422, True)
    assert window.post(f"{at}/choose", {"files": []}).status == 200
    step = {"steps": [{"command": "segment"}]}
    (command,) = window.post(f"p/{project.id}/api/command", step).json["commands"]
    assert "--no-labels" in command
    for wrong in ("x", ["relative.csv"], ["/a\nb"], ["/dev/zero"], ["/proc"], [1]):
        for path in ("choose", "check"):
            assert window.post(f"{at}/{path}", {"files": wrong}).status == 422
    for wrong in ({"rows": [["a"]], "revision": ""}, {"rows": [[1, 2]], "revision": ""}, {}):
        assert window.post(f"{at}/save", wrong).status == 422


def test_lists_that_were_named_in_a_terminal_are_those_in_use(
    window: Window, project: Project, recordings: Path
) -> None:
    (recordings / "who.csv").write_text(f"recording,species\n{MARSH},Wren\n")
    files = find_recordings(recordings)
    project.workspace.mkdir()
    remember_labels(project.workspace, files, fit_labels(files, labels=[recordings / "who.csv"]))
    assert window.ask(f"p/{project.id}/api/lists").json["chosen"] == [str(recordings / "who.csv")]
    assert b"<strong>who.csv</strong>" in window.ask(f"p/{project.id}/modes").body
    # The command leaves them out: so it reads them as they were read before.
    step = {"steps": [{"command": "segment"}]}
    (command,) = window.post(f"p/{project.id}/api/command", step).json["commands"]
    assert "labels" not in command.replace(str(recordings), "")
    assert window.post(f"p/{project.id}/api/lists/choose", {"files": []}).status == 200
    assert b"<strong>none</strong>" in window.ask(f"p/{project.id}/modes").body


def test_a_full_disk_keeps_the_old_table(
    window: Window, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = f"p/{project.id}/api/lists"
    first = window.post(f"{at}/save", {"revision": "", "rows": [[OAKS, "Wren"]]}).json

    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("birdmodes.app.lists.write_text", full)
    answer = window.post(f"{at}/save", {"revision": first["revision"], "rows": [[OAKS, "Owl"]]})
    assert answer.status == 507
    assert os.strerror(errno.ENOSPC) in answer.json["problem"]
    monkeypatch.undo()
    assert window.ask(at).json["table"]["species"] == {OAKS: "Wren"}
