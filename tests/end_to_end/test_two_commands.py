"""Of two commands on one workspace one is refused, in words, before it computes anything."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from kill_points import litter, state_of
from writing_commands import STEPS, World

from birdmodes.io.locks import single_writer
from birdmodes.workspace.folder import LOCK

# Those that write results into a workspace, and where that is; others only read it, or write files
# that take their places whole.
HOLDS = {
    "segment more": "w",
    "segment --restart": "w",
    "cluster": "w",
    "cluster --with-review": "w",
    "groups": "w",
    "evaluate": "w",
    "review apply": "w",
    "review undo": "w",
    "assign": "w/assigned/two",
    "annotate": "out/new",
}
FREE = ("export csv", "export raven", "figure", "compare")


@contextlib.contextmanager
def another_writing(folder: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Hold a workspace as a command does while it computes."""
    with monkeypatch.context() as patch:
        patch.setattr(sys, "argv", ["/usr/bin/birdmodes", command])
        holding = single_writer(folder / LOCK)
        holding.__enter__()
    try:
        yield
    finally:
        holding.__exit__(None, None, None)


def _compute_nothing(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Have what commands compute with only say that it was asked for."""
    asked: list[str] = []
    for place in (
        "birdmodes.workspace.segment.run_tasks",
        "birdmodes.review.make.find_modes",
        "birdmodes.groups.make.find_groups",
        "birdmodes.review.history.read_original",
        "birdmodes.annotate.evaluate.evaluate_workspace",
        "birdmodes.annotate.run.annotator_class",
        "birdmodes.assign.run.Placer.fit",
    ):
        monkeypatch.setattr(place, lambda *_, place=place, **__: asked.append(place))
    return asked


@pytest.mark.parametrize("name", HOLDS)
def test_who_comes_second_is_refused_before_it_computes(
    world: World, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    step = STEPS[name]
    world.begin(step)
    before = state_of(world.root)
    computed = _compute_nothing(monkeypatch)
    with another_writing(world.root / HOLDS[name], "evaluate", monkeypatch):
        code, printed = world.run(step.command)
    assert code == 2
    assert (
        f"{world.root / HOLDS[name]}: another birdmodes command is writing here "
        f"(birdmodes evaluate, process {os.getpid()} on "
    ) in printed
    assert printed.rstrip().endswith("); wait for it or use another --workspace")
    assert computed == []
    assert state_of(world.root) == before
    assert litter(world.root) == []


def test_who_only_reads_is_not_refused(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.must(("cluster", "-w", "{w}", "--k", "3", "--name", "one", "--workers", "1"))
    with another_writing(world.root / "w", "cluster", monkeypatch):
        for name in FREE:
            world.must(STEPS[name].command)
        world.must(("info", "-w", "{w}"))
