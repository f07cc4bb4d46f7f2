"""Every command that writes is killed before every change of a file; nothing is lost, and it mends.

Whatever the point: what was there before is there, the old or the new, whole; ``info`` has no
complaint; and the same command again ends as if nothing had happened, and leaves no litter.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from kill_points import Point, State, kill_points, litter, put, state_of
from writing_commands import STEPS, Step, World


def check(
    world: World, step: Step, kept: Path, choose: Callable[[list[Point]], list[Point]]
) -> int:
    """Kill a command at the points that are chosen; gives how many those were."""
    world.begin(step)
    earlier = state_of(world.root)
    kept.mkdir()
    points = choose(kill_points(lambda: world.must(step.command), world.root, kept))
    once = state_of(world.root)
    assert once != earlier
    assert litter(world.root) == []
    put(world.root, kept / "once")
    for point in points:
        put(point.kept, world.root)
        where = f"{' '.join(step.command)} killed at {point.number}, {point.change}"
        check_point(world, step, (earlier, once), where)
        end = state_of(world.root)
        if end != once:
            # What had been done when it was killed was done twice.
            put(kept / "once", world.root)
            world.run(step.command)
            twice = state_of(world.root)
            differ = [_differences(end, whole) for whole in (once, twice)]
            assert not all(differ), f"{where}: {differ} are not as without"
    return len(points)


def _differences(one: State, other: State) -> list[str]:
    return sorted(path for path in one.keys() | other.keys() if one.get(path) != other.get(path))


def check_point(world: World, step: Step, sides: tuple[State, State], where: str) -> None:
    """Look at what is left, and run the command again."""
    now = state_of(world.root)
    lost = _neither(now, sides, anew=step.anew)
    assert not lost, f"{where}: {lost} are neither as before nor as after"
    if step.made:
        code, printed = world.run(("info", "-w", "{w}"))
        assert code == 0 or (step.damaged and "Traceback" not in printed), f"{where}: {printed}"
    code, printed = world.run(step.command)
    assert code == 0 or (step.done and step.done in printed), f"{where}: {printed}"
    assert litter(world.root) == [], where


def _neither(now: State, sides: tuple[State, State], *, anew: bool) -> list[str]:
    """What is as it was neither before nor after the command: results count as wholes."""

    def of(state: State) -> dict[str, dict[str, str]]:
        units: dict[str, dict[str, str]] = {}
        for path, digest in state.items():
            if not (anew and path.split("/")[1] in ("recordings", "syllables", "errors.csv")):
                units.setdefault(_unit(path), {})[path] = digest
        return units

    found, known = of(now), [of(side) for side in sides]
    names = set(found).union(*known)
    return sorted(
        name for name in names if found.get(name) not in [side.get(name) for side in known]
    )


def _unit(path: str) -> str:
    """What appears as a whole: a result, a folder that was written, or a file."""
    parts = path.split("/")
    for place, part in enumerate(parts):
        if part in ("clusterings", "groupings", "exports", "evaluations", "gallery"):
            return "/".join(parts[: place + 2]).rpartition(".")[0] or "/".join(parts[: place + 2])
    return path


def most_delicate(points: list[Point]) -> list[Point]:
    """One point: where something is set aside or half moved, or the last rename."""
    half = [point for point in points if any(_half_moved(path) for path in litter(point.kept))]
    renames = [point for point in points if point.change.startswith("before os.rename")]
    return (half or renames)[-1:]


def _half_moved(path: str) -> bool:
    return Path(path).name.startswith((".superseded-", ".complete-"))


def test_states_differ_by_what_files_hold_but_not_by_moments(tmp_path: Path) -> None:
    page, states = tmp_path / "run.html", []
    for words in ("2026-11-29\u00a016:41\u00a0UTC", "2026-11-29\u00a016:42\u00a0UTC", "today"):
        page.write_text(f"<td>{words}</td>", encoding="utf-8")
        states.append(state_of(tmp_path))
    assert states[0] == states[1] != states[2]


# Of the formats one that is a file and one that is a folder.
NOT_IN_SAMPLE = {name for name in STEPS if name.startswith("export")} - {
    "export csv",
    "export raven",
}
SAMPLE = [name for name in STEPS if name not in {*NOT_IN_SAMPLE, "segment with a model"}]
# What takes long is made for the first time.
FRESH = ("gallery", "figure", "annotate", "assign", "evaluate")


@pytest.mark.parametrize("name", SAMPLE)
def test_a_command_that_is_killed_where_it_is_most_delicate_loses_nothing(
    world: World, tmp_path: Path, name: str
) -> None:
    step = replace(STEPS[name], before=()) if name in FRESH else STEPS[name]
    assert check(world, step, tmp_path / "kept", most_delicate) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPS)
def test_a_command_that_is_killed_anywhere_loses_nothing(
    world: World, tmp_path: Path, name: str
) -> None:
    assert check(world, STEPS[name], tmp_path / "kept", lambda points: points) > 1


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="opens files otherwise")
def test_what_is_kept_at_a_point_is_what_a_killed_program_leaves(
    world: World, tmp_path: Path
) -> None:
    kept, step = tmp_path / "kept", STEPS["review apply"]
    kept.mkdir()
    world.begin(step)
    put(world.root, tmp_path / "before")
    points = kill_points(lambda: world.must(step.command), world.root, kept)
    (point,) = most_delicate(points)
    put(tmp_path / "before", world.root)
    program = (
        "import sys; from pathlib import Path; from cli.main import main; import kill_points; "
        "sys.argv = ['birdmodes', *sys.argv[3:]]; "
        f"kill_points.die_at({point.number}, main, Path({str(world.root)!r}))"
    )
    words = [word.format(w=world.root / "w") for word in step.command]
    run = subprocess.run(
        [sys.executable, "-c", program, "", "", *words],
        cwd=Path(__file__).parent,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert run.returncode == 9
    assert state_of(world.root) == state_of(point.kept)
    assert len(litter(world.root)) == len(litter(point.kept)) > 0
