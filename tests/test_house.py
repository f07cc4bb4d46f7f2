"""The plan of the code: how many files stand where, how many floors, what the docs say of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType

import grimp
import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("cli", "birdmodes", "algorithms")


@pytest.fixture(scope="module")
def rooms() -> dict[str, set[str]]:
    """Rooms (``birdmodes.modes``), and which ones each imports of its own package."""
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    found: dict[str, set[str]] = {}
    for module in graph.modules - set(PACKAGES):
        room = ".".join(module.split(".")[:2])
        imported = {
            ".".join(each.split(".")[:2])
            for each in graph.find_modules_directly_imported_by(module)
        }
        own = {each for each in imported if each.split(".")[0] == room.split(".")[0]}
        found.setdefault(room, set()).update(own - {room})
    return found


def test_few_files_lie_at_the_root_of_birdmodes() -> None:
    assert len(list((ROOT / "birdmodes").glob("*.py"))) <= 5


def test_no_folder_has_more_files_than_can_be_read_at_a_glance() -> None:
    modules = (path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
    files = Counter(path.parent.relative_to(ROOT) for path in modules)
    assert {str(folder): count for folder, count in files.items() if count > 20} == {}


def test_the_rooms_of_a_package_stand_on_at_most_ten_floors(rooms: dict[str, set[str]]) -> None:
    @cache
    def floor(room: str) -> int:  # would not come to an end in a circle, which the contracts forbid
        return 1 + max((floor(below) for below in rooms[room]), default=0)

    assert max(map(floor, rooms)) <= 10


def test_every_place_that_the_page_on_architecture_names_is_there() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:algorithms|birdmodes|cli|tests|docs)/[\w./-]*)`", text)
    assert len(named) > 20
    assert [place for place in named if not (ROOT / place).exists()] == []


def test_the_picture_of_the_rooms_shows_the_contracts(
    load_script: Callable[[Path], ModuleType],
) -> None:
    module = load_script(ROOT / "docs" / "make_rooms_picture.py")
    assert module.PICTURE.read_text(encoding="utf-8") == module.rooms_svg()
