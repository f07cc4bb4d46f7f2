from __future__ import annotations

from pathlib import Path

import pytest

from cli import console


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (59.4, "59 s"), (200, "3 min 20 s"), (7500, "2 h 5 min")]
)
def test_lengths_of_time_read_as_people_say_them(seconds: float, text: str) -> None:
    assert console.duration(seconds) == text


def test_counts_agree_with_their_noun() -> None:
    assert console.plural(1, "recording") == "1 recording"
    assert console.plural(1234, "recording") == "1,234 recordings"
    assert console.plural(2, "species") == "2 species"
    assert console.plural(2, "batch") == "2 batches"


def test_long_lists_of_warnings_are_cut(capsys: pytest.CaptureFixture[str]) -> None:
    console.warn_all([f"w{number}" for number in range(25)])
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 11
    assert "15 more" in lines[-1]


def test_tables_are_aligned(capsys: pytest.CaptureFixture[str]) -> None:
    console.table(("mode", "n"), [("a", "10"), ("long name", "9")], numeric=(1,))
    assert capsys.readouterr().out.splitlines() == [
        "mode        n",
        "---------  --",
        "a          10",
        "long name   9",
    ]


def test_progress_in_a_log_is_the_last_line_at_least(capsys: pytest.CaptureFixture[str]) -> None:
    with console.progress("work") as advance:
        for done in range(101):
            advance(done, 100, f"{done} things")
    assert capsys.readouterr().err.splitlines()[-1] == "work: 100 of 100  100 things"


def test_names_in_progress_are_printable(capsys: pytest.CaptureFixture[str]) -> None:
    with console.progress("work") as advance:
        advance(1, 1, "a\tb\x1b[2J.wav")
    assert capsys.readouterr().err == "work: 1 of 1  a\\tb\\x1b[2J.wav\n"


def test_counting_in_a_log_says_something_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, *(4.0 * tick for tick in range(1, 100))])
    monkeypatch.setattr(console.time, "monotonic", lambda: next(clock))
    with console.counting("looking for recordings") as show:
        for count in (1000, 2000, 3000, 4000):
            show(count)
    assert capsys.readouterr().err == "looking for recordings: 3,000\n"


@pytest.mark.parametrize(("on_path", "typed"), [(True, "birdmodes"), (False, "{}")])
def test_commands_are_printed_as_they_have_to_be_typed(
    on_path: bool, typed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / "birdmodes"
    script.touch(mode=0o755)
    monkeypatch.setattr("sys.argv", [str(script), "demo"])
    monkeypatch.setenv("PATH", str(tmp_path) if on_path else str(tmp_path / "elsewhere"))
    assert console.program() == typed.format(script)
