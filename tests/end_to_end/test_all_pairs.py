"""Two commands are started together on one workspace, in all pairs: nothing is lost or mixed.

Each either does its work or is refused in words; what they leave is what one of them alone, or one
after the other, would have left. A gallery may be of before and after; made again, it is of after.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import pytest
from at_once import run_at_once
from kill_points import State, litter, put, state_of
from writing_commands import APPLY, STEPS, Words, World

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="forks"),
]

REFUSED = "another birdmodes command is writing here"
TOGETHER = [
    "segment more",
    "segment --restart",
    "cluster",
    "cluster --with-review",
    "groups",
    "gallery",
    "export csv",
    "export raven",
    "assign",
    "annotate",
    "evaluate",
    "compare",
    "review apply",
    "review undo",
    "repair",
]
NEEDS_UNAPPLIED = "review apply"


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Path]:
    """Where worlds lie in which every command has something to do; with corrections taken over."""
    return {taken: tmp_path_factory.mktemp("prepared") / "root" for taken in (False, True)}


def begin(world: World, kept: dict[bool, Path], pair: tuple[str, str]) -> Path:
    """Give the folder of what is there before both commands; made once."""
    taken = NEEDS_UNAPPLIED not in pair
    if not kept[False].exists():
        earlier = dict.fromkeys(words for name in TOGETHER for words in STEPS[name].before)
        for words in earlier:
            if words != APPLY:
                world.must(words)
        put(world.root, kept[False])
        world.must(APPLY)
        put(world.root, kept[True])
    put(kept[taken], world.root)
    for file in {file for name in pair for file in STEPS[name].damaged}:
        with (world.root / "w" / file).open("r+b") as cut:
            cut.truncate(10)
    return world.root


def one_after_the_other(
    world: World, before: Path, commands: list[Words]
) -> tuple[list[int], State]:
    """Exit codes and what is left."""
    put(before, world.root)
    codes = [world.run(words)[0] for words in commands]
    return codes, state_of(world.root)


@pytest.mark.parametrize(
    "pair", list(itertools.combinations_with_replacement(TOGETHER, 2)), ids=" + ".join
)
def test_of_two_commands_at_once_each_does_its_work_or_is_refused(
    world: World, prepared: dict[bool, Path], tmp_path: Path, pair: tuple[str, str]
) -> None:
    put(begin(world, prepared, pair), tmp_path / "before")
    commands = [STEPS[name].command for name in pair]
    said = run_at_once([world.words(words) for words in commands], tmp_path)
    again = [STEPS["gallery"].command] if "gallery" in pair else []
    # That may be refused, as where the other command has changed what modes were made from.
    codes_again = [world.run(words)[0] for words in again]
    left = state_of(world.root)
    for code, printed in said:
        assert "Traceback" not in printed, printed
        assert code in (0, 2), printed
        assert code == 0 or len(printed.strip().splitlines()[-1]) > len("error: "), printed
    assert litter(world.root) == []
    refused = [code == 2 and REFUSED in printed for code, printed in said]
    assert not all(refused), said
    orders: list[tuple[int, ...]] = [(0, 1), (1, 0)]
    # Who only reads is not refused; but what it wants to read may be about to be made anew.
    orders += [(1 - number,) for number in (0, 1) if said[number][0] == 2]
    if any(refused):
        orders = [(refused.index(False),)]
    known = []
    for order in orders:
        codes, state = one_after_the_other(
            world, tmp_path / "before", [*(commands[number] for number in order), *again]
        )
        if codes == [*(said[number][0] for number in order), *codes_again]:
            known.append(state)
            if not different(left, known):
                return
    pytest.fail(f"{said} is as in no order: {different(left, known)}")


def different(left: State, known: list[State]) -> list[str]:
    """Files that are not as in that of several states which is the nearest."""
    if not known:
        return ["exit codes"]
    paths = set(left).union(*known)
    return sorted(min(([p for p in paths if left.get(p) != one.get(p)] for one in known), key=len))
