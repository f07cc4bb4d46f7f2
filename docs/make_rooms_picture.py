"""Draw docs/rooms.svg: the rooms on their floors, from the contracts in pyproject.toml.

The contracts are what ``make check`` holds the imports against, so the picture cannot differ from
them; a test compares the file with what is drawn here.
"""

from __future__ import annotations

import ast
import tomllib
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "docs" / "rooms.svg"

_WIDTH, _FLOOR, _GAP, _LEFT = 880, 30, 6, 12
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#222}.name{font-weight:600}"
    "rect{fill:#eef3ee;stroke:#7a937a}.outer{fill:#f4efe4;stroke:#a08f66}"
)


def main() -> None:
    """Write the picture beside this script."""
    PICTURE.write_text(rooms_svg(), encoding="utf-8")


def rooms_svg() -> str:
    """Draw one floor below another; what is above may import what is below.

    Returns
    -------
    str
        An SVG document.
    """
    floors = [("cli", ["cli"]), *(("birdmodes", floor) for floor in _floors())]
    floors.append(("algorithms", ["algorithms"]))
    drawn: list[str] = []
    for number, (package, rooms) in enumerate(floors):
        top = _GAP + number * (_FLOOR + _GAP)
        width = (_WIDTH - _GAP) / len(rooms) - _GAP
        for place, room in enumerate(rooms):
            left = _GAP + place * (width + _GAP)
            drawn.append(_box(room, package, left, top, width))
    height = _GAP + len(floors) * (_FLOOR + _GAP)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" '
        'aria-label="Rooms of the three packages; imports go down">'
        f"<style>{_STYLE}</style>\n" + "\n".join(drawn) + "\n</svg>\n"
    )


def _floors() -> list[list[str]]:
    """Floors of the package birdmodes, top first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = project["tool"]["importlinter"]["contracts"]
    layers = next(each for each in contracts if each.get("containers") == ["birdmodes"])["layers"]
    return [[room.strip() for room in layer.split("|")] for layer in layers]


def _box(room: str, package: str, left: float, top: int, width: float) -> str:
    kind = "" if package == "birdmodes" else ' class="outer"'
    folder = ROOT / room if package == room else ROOT / package / room
    about = _about(folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py"))
    room_for = int(width / 7.3) - len(room) - 2
    words = about if len(about) <= room_for else about[: max(0, room_for - 1)].rstrip() + "…"
    return (
        f'<rect{kind} x="{left:.0f}" y="{top}" width="{width:.0f}" height="{_FLOOR}" rx="4"/>'
        f'<text x="{left + _LEFT:.0f}" y="{top + 20}"><tspan class="name">{room}</tspan> '
        f"{escape(words)}<title>{escape(about)}</title></text>"
    )


def _about(module: Path) -> str:
    """First sentence of a room's own description."""
    described = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    sentence = described.split("\n")[0].rstrip(".")
    return sentence.replace(":mod:", "").replace("`", "")


if __name__ == "__main__":
    main()
