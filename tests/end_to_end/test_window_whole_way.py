"""The window with the commands themselves, in Chromium and in Firefox, to exported tables.

On sample recordings, whose species are filled in by hand, and on NIPS4B, with a label file.
"""

from __future__ import annotations

import csv
import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import playwright.sync_api
import pytest
from any_browser import Chromium
from chromium import browser
from firefox import Firefox, firefox
from window_parts import Window, serving

from birdmodes.app.context import Context
from birdmodes.app.projects import Projects
from birdmodes.demo import sample_data
from cli.commands.window.app import window_forms

__all__ = ["browser", "firefox"]

pytestmark = [pytest.mark.browser, pytest.mark.slow]

N_RECORDINGS = 6
WORK_S = 120.0


@pytest.fixture
def window(tmp_path: Path) -> Iterator[Window]:
    program = (sys.executable, "-P", "-m", "cli")
    state = Projects(tmp_path / "state")
    with serving(Context(program, window_forms(), state), tmp_path) as served:
        yield served


@pytest.fixture(params=["chromium", "firefox"])
def person(request: pytest.FixtureRequest) -> Any:
    """A browser, as a person sits before it."""
    if request.param == "chromium":
        return Chromium(request.getfixturevalue("open_page"))
    return request.getfixturevalue(request.param)


def until(person: Chromium | Firefox, condition: str) -> None:
    """Wait for what commands do, also over pages that are loaded again."""
    end = time.monotonic() + WORK_S
    while time.monotonic() < end:
        try:
            if person.evaluate(condition) is True:
                return
        except (AssertionError, playwright.sync_api.Error):  # the page went while it was asked
            pass
        time.sleep(0.2)
    pytest.fail(f"waited in vain for {condition}: {person.evaluate('document.body.innerText')}")


def press(person: Chromium | Firefox, selector: str) -> None:
    part = f"document.querySelector({json.dumps(selector)})"
    until(person, f"!!{part} && !{part}.disabled && !{part}.hidden")
    person.evaluate(f"{part}.click()")


def enter(person: Chromium | Firefox, selector: str, text: str) -> None:
    part = f"document.querySelector({json.dumps(selector)})"
    until(person, f"!!{part}")
    person.evaluate(f"""(() => {{
      {part}.value = {json.dumps(text)};
      {part}.dispatchEvent(new Event("input", {{ bubbles: true }}));
      {part}.dispatchEvent(new KeyboardEvent("keydown", {{ key: "Enter", bubbles: true }}));
    }})()""")


def choose_folder(person: Chromium | Firefox, inside: str, folder: Path) -> None:
    until(person, f"!!document.querySelector('{inside} .chooser-path')?.value")
    enter(person, f"{inside} .chooser-path", str(folder))
    said = f"document.querySelector('{inside} [role=status]').textContent"
    until(
        person,
        f"/in it/.test({said}) && {json.dumps(str(folder))} === "
        f"document.querySelector('{inside} .chooser-path').value",
    )
    press(person, f"{inside} .primary")


def run(person: Chromium | Firefox, command: str) -> None:
    """Start what a form is for, and wait for its end; it may not go wrong."""
    press(person, f"#form-{command.replace(' ', '-')} [type=submit]")
    until(
        person,
        f"document.querySelector('#work-log').textContent.includes('$ birdmodes {command}') && "
        "['stop', 'on'].every((one) => document.querySelector(`#work-${one}`).hidden)",
    )


def sample_recordings(folder: Path) -> dict[str, str]:
    with (sample_data() / "recordings" / "labels.csv").open(newline="") as file:
        lists = {row["recording"]: row["species"] for row in csv.DictReader(file)}
    for name in sorted(lists)[:N_RECORDINGS]:
        shutil.copy(sample_data() / "recordings" / name, folder)
    return {name: lists[name] for name in sorted(lists)[:N_RECORDINGS]}


def fill_in(person: Chromium | Firefox, lists: dict[str, str]) -> None:
    for row, name in enumerate(sorted(lists)):
        enter(person, f"#sheet tr:nth-child({row + 1}) input", lists[name])
    press(person, "#save")
    until(person, "document.querySelector('#saved').textContent.startsWith('Saved')")


def field_recordings(shared: Path, folder: Path) -> None:
    """Recordings of NIPS4B with a warbler in them, and a label file."""
    source = shared / "recordings" / "nips4b"
    with (source / "labels-all.csv").open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if "Subalpine Warbler" in row["species"]]
    with (folder / "who.csv").open("w", newline="") as file:
        table = csv.DictWriter(file, ["recording", "species"])
        table.writeheader()
        for row in rows[: 2 * N_RECORDINGS]:
            target = folder / row["recording"]
            target.parent.mkdir(exist_ok=True)
            shutil.copy(source / row["recording"], target)
            table.writerow(row)


def tick(person: Chromium | Firefox) -> None:
    press(person, "#files input:not(:checked)")
    press(person, "#use")
    until(person, "document.querySelector('#said').textContent.includes('1 file will be used')")


@pytest.mark.parametrize("source", ["sample", "nips4b"])
def test_from_an_empty_folder_to_exported_tables(
    window: Window,
    person: Any,
    source: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    call: Callable[..., tuple[int, str]],
) -> None:
    recordings = tmp_path / "Vögel & more"
    recordings.mkdir()
    root = f"http://127.0.0.1:{window.port}/{window.context.token}/"
    person.open(root)
    # Nothing is in it yet.
    choose_folder(person, "#chooser", recordings)
    until(person, "document.querySelector('#n-recordings')?.textContent === '0'")
    project = person.evaluate(
        "new URL(document.documentElement.dataset.project, location.href).href"
    )
    if source == "sample":
        lists = sample_recordings(recordings)
        person.open(project + "lists")
        fill_in(person, lists)
    else:
        field_recordings(request.getfixturevalue("shared"), recordings)
        person.open(project + "lists")
        tick(person)

    person.open(project + "modes")
    enter(person, "#cluster--k", "6")
    enter(person, "#cluster--stability-runs", "0")
    enter(person, "#segment--workers", "1")
    until(person, "document.querySelector('[data-all] pre').textContent.includes('--k=6')")
    press(person, "#start-all")
    until(person, "document.querySelector('#work-now').textContent !== ''")
    person.open(project + "modes")  # the page is closed, and another opened
    press(person, "#work-stop")
    press(person, "#work-on")
    until(person, "document.querySelector('#work-next').hidden === false")

    correct(person, project + "gallery")
    person.open(project + "gallery")
    run(person, "review apply")
    workspace = recordings / "birdmodes-workspace"
    table = (workspace / "clusterings" / "ldc-k6" / "assignments.csv").read_text("utf-8")
    assert ",noise" in table

    person.open(project + "export")
    person.evaluate("document.querySelector('#export--format').value = 'csv'")
    run(person, "export")
    person.open(project + "export")
    made = "document.querySelector('.made a[download]').href"
    until(person, f"!!{made}")
    loaded = person.evaluate(f"fetch({made}).then((answer) => answer.text())")
    call("export", "-f", "csv", "-w", workspace, "-o", tmp_path / "same.csv")
    assert loaded == (tmp_path / "same.csv").read_text("utf-8-sig")

    person.open(project + "evaluate")
    enter(person, "#evaluate--folds", "3")
    run(person, "evaluate")
    assert list((workspace / "evaluations").iterdir())
    person.open(project + "new")
    press(person, "#form-assign [data-choose]")
    choose_folder(person, "#form-assign", recordings)
    run(person, "assign")


def correct(person: Chromium | Firefox, galleries: str) -> None:
    """Say of a syllable, in the gallery that the window serves, that it is noise."""
    person.open(galleries)
    gallery = person.evaluate("document.querySelector('.cards a').href")
    person.open(gallery)
    species = person.evaluate("document.querySelector('main a[href^=\"species/\"]').href")
    person.open(species)
    press(person, "#review-switch")
    until(person, "!!globalThis.birdmodesData?.syllables && birdmodes.review.isOpen")
    picture = "document.querySelector('[data-syllable] .spec.context')"
    place = f"""(() => {{
      {picture}.scrollIntoView({{ block: "center" }});
      const {{ left, top }} = {picture}.getBoundingClientRect();
      return [left + 40, top + 40];
    }})()"""
    person.click(*person.evaluate(place))
    until(person, "birdmodes.review.selection.size === 1")
    press(person, "[aria-keyshortcuts=N]")
    until(person, "document.body.textContent.includes('Saved in the workspace')")
    until(person, "birdmodes.review.asReview().edits.length === 1")
