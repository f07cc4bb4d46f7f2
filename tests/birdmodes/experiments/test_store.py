from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from birdmodes.errors import BirdmodesError
from birdmodes.experiments.store import BenchmarkFolder
from birdmodes.experiments.tasks import Outcome, Setting

PROTOCOL: dict[str, Any] = {"runs": 2, "seed": 0}
SETS = {"birds": "f1"}
SETTINGS = [
    Setting(dataset="birds", experiment="alpha", entrant="csp", ks=(3,), runs=(0, 1), alpha=alpha)
    for alpha in (0, 0.5, 1)
]


def fill(folder: Path) -> None:
    with BenchmarkFolder.opened(folder, PROTOCOL, SETS) as store:
        for number, setting in enumerate(SETTINGS):
            store.keep(setting, Outcome([{"nmi": number}], 1.5, ["é\n"]))


def kept(folder: Path) -> list[bool]:
    with BenchmarkFolder.opened(folder, PROTOCOL, SETS) as store:
        return [store.finished(setting) for setting in SETTINGS]


def test_what_was_kept_is_there_again(tmp_path: Path) -> None:
    fill(tmp_path / "out")
    with BenchmarkFolder.opened(tmp_path / "out", PROTOCOL, SETS) as store:
        task = store.tasks[SETTINGS[2].key]
        assert (task.rows, task.seconds, task.warnings) == ([{"nmi": 2}], 1.5, ["é\n"])
        assert (task.setting["dataset"], task.setting["alpha"]) == ("birds", 1)
        assert not store.finished(Setting(**vars(SETTINGS[0]) | {"entrant": "sp"}))


@pytest.mark.parametrize("cut", [1, 2, 30])
def test_a_line_that_was_cut_by_a_kill_is_done_again(tmp_path: Path, cut: int) -> None:
    fill(tmp_path)
    tasks = tmp_path / "tasks.jsonl"
    whole = tasks.read_bytes()
    tasks.write_bytes(whole[:-cut])
    expected = [True, True, cut == 1]  # without its newline alone the line is still whole
    assert kept(tmp_path) == expected
    with BenchmarkFolder.opened(tmp_path, PROTOCOL, SETS) as store:
        store.keep(SETTINGS[2], Outcome([{"nmi": 9}]))
    assert kept(tmp_path) == [True, True, True]


def test_a_damaged_line_in_the_middle_costs_that_task_only(tmp_path: Path) -> None:
    fill(tmp_path)
    tasks = tmp_path / "tasks.jsonl"
    lines = tasks.read_bytes().split(b"\n")
    lines[1] = lines[1].replace(b'"nmi": 1', b'"nmi": 7')
    tasks.write_bytes(b"\n".join([lines[0], lines[1], b"\xff\x00rubbish", *lines[2:]]))
    assert kept(tmp_path) == [True, False, True]


def test_another_protocol_or_other_data_need_another_folder(tmp_path: Path) -> None:
    fill(tmp_path)
    with (
        pytest.raises(BirdmodesError, match=r"holds figures with runs 2, not 5.*--out"),
        BenchmarkFolder.opened(tmp_path, {**PROTOCOL, "runs": 5}, SETS),
    ):
        pass
    with (
        pytest.raises(BirdmodesError, match="another data set called birds"),
        BenchmarkFolder.opened(tmp_path, PROTOCOL, {"birds": "f2"}),
    ):
        pass
    assert kept(tmp_path) == [True, True, True]


def test_sets_can_be_added(tmp_path: Path) -> None:
    fill(tmp_path)
    with BenchmarkFolder.opened(tmp_path, PROTOCOL, {"frogs": "f3"}) as store:
        assert len(store.tasks) == 3
    assert json.loads((tmp_path / "settings.json").read_text())["datasets"] == {
        "birds": "f1",
        "frogs": "f3",
    }


def test_foreign_folders_and_files_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    for place, reason in ((tmp_path, "not of a benchmark"), (tmp_path / "letter.txt", "is a file")):
        with (
            pytest.raises(BirdmodesError, match=reason),
            BenchmarkFolder.opened(place, PROTOCOL, SETS),
        ):
            pass
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_damaged_settings_are_named(tmp_path: Path) -> None:
    fill(tmp_path)
    (tmp_path / "settings.json").write_text("[1")
    with pytest.raises(BirdmodesError, match=r"settings\.json: damaged"):
        kept(tmp_path)


def test_two_benchmarks_do_not_write_to_one_folder(tmp_path: Path) -> None:
    with (
        BenchmarkFolder.opened(tmp_path, PROTOCOL, SETS),
        pytest.raises(BirdmodesError, match=r"another benchmark is writing here.*--out"),
        BenchmarkFolder.opened(tmp_path, PROTOCOL, SETS),
    ):
        pass
