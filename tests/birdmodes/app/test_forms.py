from __future__ import annotations

from typing import Any

import pytest

from birdmodes.app.forms import CommandForm, Option, shown_command
from birdmodes.app.progress import Progress, read_progress
from birdmodes.errors import ParameterError

FORM = CommandForm(
    "review apply",
    "",
    (
        Option("--k", "", "whole", least=1, most=9),
        Option("--share", "", "number"),
        Option("--dry-run", "", "switch"),
        Option("--method", "", "choice", choices=("ldc", "csp")),
        Option("--set", "", "text", several=True),
    ),
)


def test_values_become_words_and_defaults_do_not() -> None:
    values: dict[str, Any] = {
        "--k": " 3 ",
        "--share": "",
        "--dry-run": True,
        "--method": "csp",
        "--set": ["a=1", "", "--b"],
    }
    assert FORM.arguments(values, ["/a b"]) == [
        *("review", "apply", "--k=3", "--dry-run", "--method=csp", "--set=a=1", "--set=--b"),
        *("--", "/a b"),
    ]
    assert FORM.arguments({"--dry-run": False}) == ["review", "apply"]


@pytest.mark.parametrize(
    "values",
    [
        {"--k": "0"},
        {"--k": "10"},
        {"--k": "two"},
        {"--k": 3},
        {"--k": ["3"]},
        {"--share": "nan"},
        {"--dry-run": "yes"},
        {"--method": "other"},
        {"--set": "a\nb"},
        {"--set": "a\0b"},
        {"--set": "a" * 10_001},
        {"--other": "1"},
        {"-k": "1"},
    ],
)
def test_what_a_command_does_not_take_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        FORM.arguments(values)


def test_what_a_command_needs_is_asked_for() -> None:
    form = CommandForm(
        "export", "", (Option("--format", "", "choice", "", ("csv",), required=True),)
    )
    with pytest.raises(ParameterError, match="choose format first"):
        form.arguments({})
    assert form.arguments({"--format": "csv"}) == ["export", "--format=csv"]


def test_the_shown_command_can_be_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["segment", "--set=a b", "--", "/it's here"]
    monkeypatch.setattr("sys.platform", "linux")
    assert shown_command(words) == """birdmodes segment '--set=a b' '/it'"'"'s here'"""
    assert shown_command(["segment", "--", "-x"]) == "birdmodes segment -- -x"
    monkeypatch.setattr("sys.platform", "win32")
    assert shown_command(words) == 'birdmodes segment "--set=a b" "/it\'s here"'


def test_lines_of_progress_are_taken_apart() -> None:
    assert read_progress("segmenting: 1,200 of 3,000, about 2 h 5 min left  7 syllables") == (
        Progress("segmenting", 1200, 3000, "2 h 5 min", "7 syllables")
    )
    assert read_progress("gallery: 3 of 3") == Progress("gallery", 3, 3)
    assert read_progress("looking for recordings: 2,000") == Progress(
        "looking for recordings", 2000
    )
    assert read_progress("written to /a: 3 of 4 files") is None
    assert read_progress("31 recordings, 0 labelled with 0 species") is None


def test_it_reads_what_the_commands_print(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from cli import console

    monkeypatch.setattr(console, "LOG_INTERVAL_S", 0.0)
    with console.progress("learning and annotating") as advance:
        advance(1000, 4000, "12 syllables, 1 failed")
    with console.counting("looking for recordings") as count:
        count(3000)
    first, second = map(read_progress, capsys.readouterr().err.splitlines())
    assert first is not None
    assert (first.what, first.done, first.total) == ("learning and annotating", 1000, 4000)
    assert first.left
    assert first.text == "12 syllables, 1 failed"
    assert second == Progress("looking for recordings", 3000)
