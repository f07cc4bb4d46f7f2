"""The window in a browser, from a folder of recordings to exported tables."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browser import RULES, Field, OpenPage, grave_findings, set_size
from playwright.sync_api import Locator, Page, expect
from window_parts import Window, serving, stand_in, write_sound

from birdmodes.app.context import Context
from birdmodes.app.pages import PAGES
from birdmodes.app.projects import Projects
from birdmodes.demo import sample_data
from birdmodes.modes.digest import assignments_digest
from birdmodes.review.log import read_base
from birdmodes.review.pending import pending_path
from birdmodes.workspace.store import Workspace
from cli.commands.window.app import window_forms

N_RECORDINGS = 3
WORK_MS = 240_000  # much else may be going on


@pytest.fixture
def window(tmp_path: Path) -> Iterator[Window]:
    """A window that runs the commands themselves."""
    program = (sys.executable, "-P", "-m", "cli")
    with serving(
        Context(program, window_forms(), Projects(tmp_path / "state")), tmp_path
    ) as served:
        yield served


def address(window: Window, path: str = "") -> str:
    return f"http://127.0.0.1:{window.port}/{window.context.token}/{path}"


PASTE = """([selector, text]) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  const about = { clipboardData: data, bubbles: true, cancelable: true };
  document.querySelector(selector).dispatchEvent(new ClipboardEvent("paste", about));
}"""


@pytest.mark.browser
def test_from_a_folder_to_exported_tables(
    window: Window, open_page: OpenPage, tmp_path: Path, call: Callable[..., tuple[int, str]]
) -> None:
    source = sample_data() / "recordings"
    names = sorted(path.name for path in source.glob("*.flac"))[:N_RECORDINGS]
    recordings = tmp_path / "my recordings"
    recordings.mkdir()
    for name in names:
        shutil.copy(source / name, recordings)

    page = open_page(address(window), reduced_motion="reduce")
    choose_folder(page, recordings)
    expect(page.locator("#n-recordings")).to_have_text(str(N_RECORDINGS))
    expect(page.locator("#dates")).to_have_text("2024-05-12")
    assert "MARSH" in page.locator("#sites").inner_text()

    page.get_by_role("link", name="Next: species lists").click()
    paste_lists(page, source / "labels.csv", names)
    page.get_by_role("button", name="What is read from them?").click()
    fit = page.locator("#found-fit")
    expect(fit).to_contain_text(f"{N_RECORDINGS} recordings", timeout=WORK_MS)

    page.get_by_role("link", name="Next: find modes").click()
    # Two more processes would take longer to start than these few recordings do.
    page.locator("#form-segment summary").click()
    page.locator("#form-segment").get_by_label("workers", exact=True).fill("1")
    page.get_by_label("k", exact=True).fill("4")
    page.locator("#form-cluster summary").click()
    page.get_by_label("stability runs", exact=True).fill("0")
    shown = page.locator("[data-all] pre")
    expect(shown).to_contain_text("birdmodes cluster --k=4 --stability-runs=0")
    page.get_by_role("button", name="Start").click()
    # Another tab sees the same, and can stop it.
    other = open_page(
        address(window, page.url.split(f"{window.context.token}/")[1]), reduced_motion="reduce"
    )
    other.get_by_role("button", name="Stop", exact=True).click()
    expect(page.locator("#work-state")).to_have_text("stopped; nothing is lost", timeout=WORK_MS)
    other.close()
    page.get_by_role("button", name="Go on").click()
    page.locator("#work").get_by_role("link", name="Look and listen").click(timeout=WORK_MS)

    expect(page.get_by_text("pages show the present state")).to_be_visible()
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Open").click()
    opened.value.get_by_text("Click a picture to hear it.").wait_for()
    opened.value.get_by_role("banner").get_by_text("Review").click()
    expect(opened.value.get_by_text("in the workspace").first).to_be_visible()
    opened.value.close()

    page.get_by_role("link", name="Export").click()
    page.get_by_label("format", exact=True).select_option("csv")
    page.get_by_role("button", name="Export").click()
    made = page.get_by_role("link", name="ldc-k4.csv")
    made.wait_for(timeout=WORK_MS)
    with page.expect_download() as download:
        made.click()
    workspace = recordings / "birdmodes-workspace"
    call("export", "-f", "csv", "-w", workspace, "-o", tmp_path / "same.csv")
    assert download.value.path().read_bytes() == (tmp_path / "same.csv").read_bytes()

    for name in PAGES:
        look_at(page, address(window, f"p/{page.url.split('/p/')[1].split('/')[0]}/{name}"))
    look_at(page, address(window))


def choose_folder(page: Page, folder: Path) -> None:
    path = page.get_by_label("Path of the folder")
    expect(path).not_to_have_value("")
    path.fill(str(folder.parent))
    path.press("Enter")
    page.get_by_role("button", name=folder.name, exact=True).click()
    expect(path).to_have_value(str(folder))
    page.get_by_role("button", name="Use this folder").click()


def paste_lists(page: Page, labels: Path, names: list[str]) -> None:
    """Two columns from a spreadsheet, in another order and with others between."""
    with labels.open(newline="") as file:
        rows = list(csv.reader(file))[::-1]
    text = "\r\n".join("\t".join(row) for row in rows)
    page.locator("#sheet input").first.wait_for()
    page.evaluate(PASTE, ["#sheet input", text])
    expect(page.locator("#saved")).to_contain_text("not found")
    # One column goes down from where it is pasted, a word in it where there is none.
    page.evaluate(PASTE, ["#sheet tr:nth-child(2) input", "Wren;Robin\r\nnone\r\n"])
    assert page.locator("#sheet input").nth(1).input_value() == "Wren;Robin"
    assert page.locator("#sheet input").nth(2).input_value() == "none"
    page.evaluate(PASTE, ["#sheet input", text])
    page.get_by_role("button", name="Save and use this table").click()
    expect(page.locator("#saved")).to_contain_text("It is used from now on.")


def look_at(page: Page, place: str) -> None:
    """Nothing grave for axe in either theme, nor on a phone, where nothing is cut off."""
    page.goto(place)
    for scheme, width in (("light", 1280), ("dark", 390)):
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        set_size(page, width, 800)
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert grave_findings(page, runOnly=RULES) == []
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_edits_in_a_served_gallery_are_kept_as_by_review(window: Window, hostile: Field) -> None:
    name = hostile.clustering.name
    folder = window.folder / "workspace"
    shutil.copytree(hostile.workspace.folder, folder)
    shutil.copytree(hostile.gallery, folder / "gallery" / name)
    project = window.context.projects.open(str(folder))
    at = f"p/{project.id}/gallery/{name}/api/review"
    assert window.ask(at).json == {"revision": "", "review": None}
    base = assignments_digest(hostile.clustering.assignments)
    assert read_base(Workspace.open(folder), base) is not None
    review = {"format": 1, "clustering": name, "base": base, "who": "Ann", "edits": []}
    saved = window.post(at, {"revision": "", "review": review})
    assert saved.status == 200
    assert json.loads(pending_path(folder, name).read_text())["who"] == "Ann"
    # The other tab is told, and its edits are not lost.
    late = window.post(at, {"revision": "", "review": {**review, "who": "Ben"}})
    assert (late.status, late.json["review"]["who"]) == (409, "Ann")
    assert window.post(at, {"revision": "", "review": {**review, "base": "0" * 64}}).status == 422
    assert window.post(at, {"revision": ""}, Origin="http://evil.example").status == 403
    # Nobody edits what is being changed.
    data = folder / "gallery" / name / "data" / "gallery.js"
    data.write_text(data.read_text().replace(base, "0" * 64))
    answer = window.ask(at)
    assert (answer.status, "make the gallery again" in answer.json["problem"]) == (422, True)
    assert b"changed since its pages were made" in window.ask(f"p/{project.id}/gallery").body


CONTROLS = """[...document.querySelectorAll("a[href], button, input, select, textarea, summary")]
  .filter((one) => one.checkVisibility() && !one.disabled)"""
# Of radio buttons the Tab key reaches one.
MISSED = f"""{CONTROLS}.filter((one) => !one.dataset.reached && one.type !== "radio")
  .map((one) => one.outerHTML)"""
FOCUS = """(() => {
  const one = document.activeElement;
  one.dataset.reached = "yes";
  return one === document.body || one.matches(":focus-visible");
})()"""


def tab_to(page: Page, control: Locator) -> None:
    for _ in range(page.evaluate(f"{CONTROLS}.length")):
        page.keyboard.press("Tab")
        if control.evaluate("(one) => one === document.activeElement"):
            return
    pytest.fail("the Tab key does not lead there")


@pytest.mark.browser
def test_the_keyboard_alone_chooses_a_folder_and_reaches_everything(
    open_page: OpenPage, tmp_path: Path
) -> None:
    write_sound(tmp_path / "dawn" / "a.wav")
    with serving(stand_in(tmp_path), tmp_path) as window:
        page = open_page(address(window), reduced_motion="reduce")
        path = page.get_by_label("Path of the folder")
        expect(path).not_to_have_value("")
        tab_to(page, path)
        page.keyboard.press("Control+a")
        page.keyboard.type(str(tmp_path / "dawn"))
        page.keyboard.press("Enter")
        expect(page.get_by_text("1 recording here")).to_be_visible()
        tab_to(page, page.get_by_role("button", name="Use this folder"))
        page.keyboard.press("Enter")
        expect(page.locator("#n-recordings")).to_have_text("1")
        page.goto(page.url.replace("/recordings", "/modes"))
        for _ in range(page.evaluate(f"{CONTROLS}.length") + 5):
            page.keyboard.press("Tab")
            assert page.evaluate(FOCUS)
        assert page.evaluate(MISSED) == []
        page.close()
