from __future__ import annotations

import json

import numpy as np
import pytest

from cli import console


def test_json_is_ascii_and_has_no_nan(capsys: pytest.CaptureFixture[str]) -> None:
    console.print_json(
        {
            "a": float("nan"), "b": np.float64(0.5), 3: np.array([1, 2]), "é\udcff": (np.int64(7),),
            "d": {"inf": np.inf, "yes": np.True_},
        }
    )  # fmt: skip
    printed = capsys.readouterr().out
    assert printed.isascii()
    assert json.loads(printed) == {
        "a": None, "b": 0.5, "3": [1, 2], "é\udcff": [7], "d": {"inf": None, "yes": True},
    }  # fmt: skip


def test_messages_step_aside_for_json_and_come_back(capsys: pytest.CaptureFixture[str]) -> None:
    with console.messages_aside(True):
        console.say("aside")
        with console.messages_aside(False):
            console.say("out")
    console.say("again")
    printed = capsys.readouterr()
    assert printed.err == "aside\n"
    assert printed.out == "out\nagain\n"
