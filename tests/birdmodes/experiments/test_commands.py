"""A folder of results knows which commands filled it, and which of them were stopped."""

from __future__ import annotations

from pathlib import Path

from birdmodes.experiments.store import commands_of, note_command


def test_commands_that_did_something_are_told_in_their_order(tmp_path: Path) -> None:
    note_command(tmp_path, "first", 5, 0)
    note_command(tmp_path, "nothing left", 0, 5)
    note_command(tmp_path, "second", 2, 5)
    assert commands_of(tmp_path, 7) == ["first", "second"]


def test_a_command_that_was_stopped_says_so_until_it_has_gone_on(tmp_path: Path) -> None:
    note_command(tmp_path, "long", 1200, 0)
    assert commands_of(tmp_path, 36) == ["long (36 of its 1,200 tasks)"]
    note_command(tmp_path, "other", 4, 36)
    note_command(tmp_path, "long", 1164, 40)
    assert commands_of(tmp_path, 1204) == ["long", "other"]


def test_a_folder_from_before_commands_were_noted_says_that(tmp_path: Path) -> None:
    assert commands_of(tmp_path, 3) == ["not noted which (3 tasks)"]
    note_command(tmp_path, "later", 2, 3)
    assert commands_of(tmp_path, 5) == ["not noted which (3 tasks)", "later"]


def test_the_report_of_what_was_finished_before_names_its_command(tmp_path: Path) -> None:
    note_command(tmp_path, "again", 0, 0)
    assert commands_of(tmp_path, 0) == ["again"]
