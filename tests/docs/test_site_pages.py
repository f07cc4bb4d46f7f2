"""Pages of the documentation that are made from the code."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
import typer

import algorithms
import birdmodes
from cli.main import app

SITE_PAGES = Path(__file__).parents[2] / "docs" / "site_pages"


@pytest.fixture(autouse=True)
def _site_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SITE_PAGES))


def _commands(command: Any, name: str) -> Iterator[tuple[str, Any]]:
    for word, inner in command.commands.items():
        yield f"{name} {word}", inner
        if hasattr(inner, "commands"):
            yield from _commands(inner, f"{name} {word}")


def test_the_page_of_commands_has_every_command_with_every_option() -> None:
    from commands import commands_page

    page = commands_page()
    missing = []
    for name, command in _commands(typer.main.get_command(app), "birdmodes"):
        heading = next((line for line in page.splitlines() if line.strip("# ") == name), None)
        if heading is None:
            missing.append(name)
            continue
        section = page.partition(f"{heading}\n")[2].partition("\n##")[0]
        options = [option for each in command.params for option in each.opts if option[0] == "-"]
        missing += [f"{name} {each}" for each in options if each not in section]
    assert [each for each in missing if not each.endswith(("--help", "-h"))] == []
    assert "birdmodes[map]" in page  # no marks of rich
    assert [code for code in re.findall("`[^`]*`", page) if "\\|" in code] == []  # shown as it is
    assert "`--system <windows|macos|linux>`" in page


def test_the_pages_of_names_have_all_that_the_packages_offer() -> None:
    from names import algorithms_page, birdmodes_page

    page = birdmodes_page()
    missing = [name for name in birdmodes.__all__ if f"heading: birdmodes.{name}\n" not in page]
    assert missing == ["__version__"]
    page = algorithms_page()
    assert all(f"::: {home}\n" in page for home in set(algorithms._HOMES.values()))
    assert "::: algorithms.disambiguation.ldc\n" in page


def test_the_notebook_runs_from_recordings_to_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from notebook import notebook_page, read_notebook, run_cells

    monkeypatch.chdir(tmp_path)
    mpl.use("agg")
    notebook, stored = read_notebook(), read_notebook()
    names = run_cells(notebook)
    assert len(names["syllables"]) > 100
    assert names["modes"]["species"].nunique() > 3
    assert (tmp_path / "modes.pdf").read_bytes().startswith(b"%PDF")
    kinds = [each["output_type"] for cell in notebook["cells"] for each in cell.get("outputs", [])]
    assert kinds.count("display_data") == 2
    assert notebook_page().count("data:image/png") == 2  # and they are stored
    # pictures may differ with the version of matplotlib
    assert _printed(notebook) == _printed(stored), "python docs/make_notebook.py"


def _printed(notebook: dict[str, Any]) -> list[str]:
    """What the cells print."""
    outputs = [each for cell in notebook["cells"] for each in cell.get("outputs", [])]
    return ["".join(each["text"]) for each in outputs if each["output_type"] == "stream"]
