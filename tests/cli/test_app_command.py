from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from birdmodes.app.steps import STEPS, options_of
from cli.commands.window.app import window_forms

Call = Callable[..., tuple[int, str]]


def test_pages_offer_what_the_commands_take_in_their_own_words() -> None:
    forms = window_forms()
    assert set(forms) == set(STEPS)
    for name, form in forms.items():
        first, more = options_of(form)
        assert len(first) == len(STEPS[name].first)
        assert all(option.help for option in form.options), name
        assert "--workspace" not in {option.flag for option in [*first, *more]}
    cluster = forms["cluster"]
    assert "up to four candidates for each species" in " ".join(cluster.option("--k").help.split())
    assert cluster.option("--metric").choices == ("euclidean", "mimlca", "miml", "mildml")
    assert cluster.option("--metric").default == "euclidean"
    assert cluster.option("--seed").kind == "whole"
    assert cluster.option("--set").several
    assert cluster.option("--with-review").kind == "switch"
    export = forms["export"].option("--format")
    assert (export.kind, export.required, "raven" in export.choices) == ("choice", True, True)
    assert "birdmodes[map]" in forms["gallery"].option("--map").help
    assert forms["segment"].option("--clip-seconds").default == "10, or the model's"


def test_every_option_is_one_that_the_command_knows(call: Call) -> None:
    for name, form in window_forms().items():
        _, said = call(*name.split(), "--help")
        for option in form.options:
            assert option.flag in said, (name, option.flag)


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_without_the_extra_one_line_says_what_to_install(
    call: Call, monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    monkeypatch.setattr(
        "cli.commands.window.app.find_spec", lambda name: None if name == missing else name
    )
    code, said = call("app")
    assert code == 2
    assert said.strip() == f"birdmodes: the window needs {missing}: pip install 'birdmodes[app]'"


def test_a_shortcut_is_written_for_the_system_asked_for(call: Call, tmp_path: Path) -> None:
    code, said = call("app", "--shortcut", "--system", "macos", "-o", tmp_path)
    assert code == 0
    assert str(tmp_path / "birdmodes.command") in said
    assert sys.executable in (tmp_path / "birdmodes.command").read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for other processes")
def test_the_window_is_served_until_it_is_interrupted(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    command = [sys.executable, "-P", "-m", "cli", "app", str(tmp_path), "--no-browser"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment
    ) as program:
        assert program.stdout is not None
        address = program.stdout.readline().split(": ", 1)[1].strip()
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/p/[0-9a-f]{12}/recordings", address)
        with urllib.request.urlopen(address) as answer:  # noqa: S310  our own server
            assert str(tmp_path.name).encode() in answer.read()
        program.send_signal(signal.SIGINT)
        rest = program.stdout.read()
        assert program.wait(20) == 0
    assert "Traceback" not in rest
