"""Every table of measured figures, and every picture, in docs/ names what made it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(path for path in DOCS.glob("*.md") if path.name != "claims.md")

COMMAND = re.compile(r"birdmodes [a-z]|(benchmarks|docs|tests)/[\w/]+\.py|make bench|report\.md")
"""A command, or a script."""

MEASURED = re.compile(r"(?<![\w.])-?\d*\.\d+\b|\d ?(%|s|ms|MB)(?!\w)")
FEWEST_ROWS = 2
NO_FIGURES = {
    ("benchmark.md", "What is varied"),
    ("features.md", "Place in time"),
    ("recorders.md", "Names"),
}
"""Sections whose tables say what is, and not what was measured."""


def sections(text: str) -> list[tuple[str, str, str]]:
    """Title of each section, its text, and the text of the section that it is in."""
    found: list[tuple[str, str, str]] = []
    above: dict[int, str] = {}
    for part in re.split(r"(?m)^(?=#{1,4} )", _without_code(text)):
        marks, _, rest = part.partition(" ")
        level = len(marks) if marks.strip("#") == "" else 0
        title, _, body = rest.partition("\n")
        above[level] = body
        found.append((title, body, above.get(level - 1, "")))
    return found


def _without_code(text: str) -> str:
    """Take comments of shells, which look like headings, out of fenced code."""
    return re.sub(r"(?ms)^```.*?^```", lambda code: code.group().replace("\n#", "\n "), text)


@pytest.mark.parametrize("page", PAGES, ids=[path.name for path in PAGES])
def test_figures_stand_beside_what_made_them(page: Path) -> None:
    nameless = []
    for title, body, parent in sections(page.read_text(encoding="utf-8")):
        rows = [
            line for line in body.splitlines() if line.startswith("|") and MEASURED.search(line)
        ]
        shown = len(rows) >= FEWEST_ROWS or "![" in body
        if (
            shown
            and not COMMAND.search(title + body + parent)
            and (page.name, title) not in NO_FIGURES
        ):
            nameless.append(title)
    assert not nameless


def test_scripts_that_pages_name_are_there() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for name in re.findall(r"\b(?:benchmarks|docs|tests)/[\w/]+\.py", text):
            assert (DOCS.parent / name).is_file(), (page.name, name)
