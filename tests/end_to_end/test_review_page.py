"""Correcting modes in the gallery: from disk, and from the server of ``birdmodes review``."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browser import SCRIPT, Field, OpenPage, grave_in_both_themes, set_size, wait_until
from playwright.sync_api import Locator, Page, expect

from birdmodes.gallery.review_server import ReviewServer
from birdmodes.gallery.review_session import review_session
from birdmodes.review.apply import apply_edits, start_state
from birdmodes.review.edits import read_review
from birdmodes.workspace.store import Workspace

pytestmark = pytest.mark.browser

MARKUP = "<img src=x onerror=alert(1)>"
FIRST = f"{SCRIPT} A"
SECOND = f"{SCRIPT} B"


def start(page: Page) -> Page:
    """Switch the review on."""
    page.get_by_role("switch", name="Review").check()
    wait_until(page, "globalThis.birdmodesData.syllables && birdmodes.review.isOpen")
    # All examples are wanted, those that are folded away too.
    page.evaluate(
        "document.querySelectorAll('details.more').forEach((one) => { one.open = true; })"
    )
    return page


def mode(page: Page, cluster: int) -> Locator:
    return page.locator(f"section[data-cluster='{cluster}']")


def example(page: Page, cluster: int, number: int = 0) -> Locator:
    return mode(page, cluster).locator("[data-syllable]").nth(number)


def syllable(page: Page, cluster: int, number: int = 0) -> str:
    return example(page, cluster, number).get_attribute("data-syllable") or ""


def pick(page: Page, cluster: int, number: int = 0, **options: Any) -> str:
    """Click on a picture; gives its syllable."""
    example(page, cluster, number).locator(".spec.context").click(
        position={"x": 60, "y": 60}, **options
    )
    return syllable(page, cluster, number)


def edits(page: Page) -> list[dict[str, Any]]:
    """The edits, without what is different each time."""
    found = page.evaluate("birdmodes.review.asReview().edits")
    return [{k: v for k, v in one.items() if k not in ("id", "at")} for one in found]


def selected(page: Page) -> set[str]:
    return set(page.evaluate("[...birdmodes.review.selection]"))


def panel(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Review")


def dialog(page: Page) -> Locator:
    return page.get_by_role("dialog")


def press(place: Page | Locator, name: str) -> None:
    place.get_by_role("button", name=name).first.click()


@pytest.fixture
def page(species_file: Path, open_page: OpenPage) -> Page:
    """The hostile species' page, with the review on."""
    return start(open_page(species_file, viewport={"width": 1300, "height": 900}))


# --- selecting -------------------------------------------------------------------------------


def test_a_click_selects_and_with_shift_all_up_to_it(page: Page) -> None:
    one = pick(page, 0)
    assert selected(page) == {one}
    expect(panel(page)).to_contain_text("1 syllable selected")
    assert not page.evaluate("birdmodes.player.playing")
    pick(page, 0, 2, modifiers=["Shift"])
    assert selected(page) == {syllable(page, 0, number) for number in range(3)}
    pick(page, 0, 1)
    assert selected(page) == {syllable(page, 0, number) for number in (0, 2)}
    page.keyboard.press("Escape")
    assert selected(page) == set()


def test_sounds_can_be_heard_while_selecting(page: Page) -> None:
    button = example(page, 0).locator("button.context")
    button.locator(".sign").click()
    expect(button).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Escape")
    button.focus()
    page.keyboard.press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    assert selected(page) == set()
    page.keyboard.press("Enter")
    button.dblclick(position={"x": 60, "y": 60})
    expect(button).to_have_attribute("aria-pressed", "true")
    assert selected(page) == set()


def test_the_space_bar_selects(page: Page) -> None:
    button = example(page, 0).locator("button.context")
    button.focus()
    page.keyboard.press("Space")
    assert selected(page) == {syllable(page, 0)}
    expect(button).to_have_attribute("aria-pressed", "false")
    expect(button).to_have_attribute("aria-description", "selected")
    page.keyboard.press("Space")
    assert selected(page) == set()


def test_without_the_review_a_click_plays(species_file: Path, open_page: OpenPage) -> None:
    page = open_page(species_file)
    button = example(page, 0).locator("button.context")
    button.click(position={"x": 60, "y": 60})
    expect(button).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("n")
    assert edits(page) == []


def test_all_of_a_mode_can_be_selected(page: Page) -> None:
    press(mode(page, 0), "Select those shown")
    shown = {
        one.get_attribute("data-syllable")
        for one in mode(page, 0).locator("figure[data-syllable]").all()
    }
    assert selected(page) == shown
    page.keyboard.press("Escape")
    press(mode(page, 0), "Select all 6")
    assert len(selected(page)) == 6


def test_selections_of_other_pages_are_taken_over(gallery: Path, open_page: OpenPage) -> None:
    page = start(open_page(gallery / "map.html"))
    ids = page.evaluate("[0, 5].map(birdmodes.syllableId)")
    page.evaluate(
        "(syllables) => document.dispatchEvent("
        "new CustomEvent('birdmodes:selection', { detail: { syllables } }))",
        ids,
    )
    expect(panel(page)).to_contain_text("2 syllables selected")
    press(panel(page), "Noise")
    assert edits(page) == [{"action": "mark", "syllables": ids, "as": "noise", "species": ""}]


# --- marks -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "name", "mark", "badge"),
    [
        ("n", "Noise", "noise", "noise"),
        ("x", "Not this species", "not-species", f"not {SCRIPT}"),
        ("g", "Good example", "good", "good example"),
    ],
)
def test_syllables_are_marked_by_key_and_by_button(
    page: Page, key: str, name: str, mark: str, badge: str
) -> None:
    species = SCRIPT if mark == "not-species" else ""
    one = pick(page, 0)
    page.keyboard.press(key)
    expect(example(page, 0).locator(".review-badge")).to_have_text(badge)
    expect(example(page, 0)).to_have_attribute("data-review", mark)
    page.keyboard.press(key)  # it is so already
    assert edits(page) == [{"action": "mark", "syllables": [one], "as": mark, "species": species}]
    press(panel(page), "Unmark")
    expect(example(page, 0).locator(".review-badge")).to_have_count(0)
    page.keyboard.press("Escape")
    pick(page, 0, 1)
    press(panel(page), name)
    expect(example(page, 0, 1).locator(".review-badge")).to_have_text(badge)
    assert [one["as"] for one in edits(page)] == [mark, "none", mark]


def test_a_key_marks_the_focused_syllable_when_none_is_selected(page: Page) -> None:
    example(page, 0, 1).locator("button.context").focus()
    page.keyboard.press("n")
    expect(example(page, 0, 1)).to_have_attribute("data-review", "noise")
    assert edits(page)[0]["syllables"] == [syllable(page, 0, 1)]


def test_not_this_species_is_said_of_each_one_s_own(gallery: Path, open_page: OpenPage) -> None:
    page = start(open_page(gallery / "index.html"))
    rows = page.evaluate("[0, 1, 2].map((c) => birdmodesData.syllables.cluster.indexOf(c))")
    ids = [page.evaluate("(row) => birdmodes.syllableId(row)", row) for row in rows]
    page.evaluate("(ids) => birdmodes.review.select(ids)", ids)
    page.keyboard.press("x")
    assert [(one["species"], one["syllables"]) for one in edits(page)] == [
        (SCRIPT, ids[:2]),
        ("Wren", ids[2:]),
    ]
    page.keyboard.press("Control+z")  # both are one step
    assert edits(page) == []


# --- modes -----------------------------------------------------------------------------------


def test_a_mode_is_renamed_and_its_name_given_back(page: Page) -> None:
    press(mode(page, 0), f"Rename {FIRST}")
    expect(dialog(page).get_by_role("textbox")).to_be_focused()
    page.keyboard.type(MARKUP)
    page.keyboard.press("Enter")
    expect(dialog(page)).to_have_count(0)
    heading = mode(page, 0).locator("h2")
    assert heading.text_content() == f"{SCRIPT} A {MARKUP}"
    expect(panel(page)).to_contain_text(f"Rename “{FIRST}” to “{SCRIPT} {MARKUP}”")
    assert edits(page) == [{"action": "rename", "cluster": 0, "name": MARKUP}]
    press(panel(page), "Remove: Rename")
    assert heading.text_content() == f"{SCRIPT} A Low flat whistle"
    expect(page.get_by_role("button", name="Undo")).to_be_focused()


def test_modes_are_merged_under_the_name_that_is_kept(page: Page) -> None:
    press(mode(page, 0), f"Merge {FIRST}")
    press(dialog(page), "Merge")
    expect(dialog(page).get_by_role("alert")).to_have_text("Choose at least one other mode.")
    dialog(page).get_by_role("checkbox", name=SECOND).check()
    dialog(page).get_by_role("combobox").select_option(label=SECOND)
    press(dialog(page), "Merge")
    assert edits(page) == [{"action": "merge", "clusters": [1, 0]}]
    expect(mode(page, 0)).to_contain_text(f"merged into “{SECOND}”")
    expect(mode(page, 1)).to_contain_text("12 syllables after the edits, 6 before")
    expect(mode(page, 0).get_by_role("button", name="Merge")).to_be_hidden()
    # syllables of the mode that is gone are shown where they are now
    assert page.evaluate("(id) => birdmodes.review.stateOf(id)", syllable(page, 0))["cluster"] == 1


def test_any_mode_can_be_found_by_its_name(page: Page) -> None:
    press(mode(page, 0), "Merge")
    boxes = dialog(page).get_by_role("checkbox")
    expect(boxes).to_have_count(2)
    dialog(page).get_by_role("searchbox").fill("wren")
    expect(dialog(page).locator("label.review-choice:visible")).to_have_count(1)
    dialog(page).get_by_role("checkbox", name="Wren A").check()
    press(dialog(page), "Merge")
    assert edits(page) == [{"action": "merge", "clusters": [0, 2]}]


def test_a_mode_is_split_into_the_parts_that_are_proposed(page: Page) -> None:
    press(mode(page, 0), f"Split {FIRST}")
    parts = dialog(page).locator(".review-part")
    expect(parts).to_have_count(2)
    dialog(page).get_by_role("radio", name="3 parts").check()
    expect(parts).to_have_count(3)
    assert dialog(page).locator(".review-part .review-thumb").count() == 6
    press(dialog(page), "Split")
    proposed = page.evaluate(
        """() => {
          const { syllables } = birdmodesData;
          const parts = {};
          syllables.cluster.forEach((cluster, row) => {
            if (cluster === 0) {
              (parts[syllables.sub["3"][row]] ??= []).push(birdmodes.syllableId(row));
            }
          });
          return Object.values(parts);
        }"""
    )
    (found,) = edits(page)
    assert found["new_clusters"] == [3, 4]
    assert sorted(map(sorted, found["groups"])) == sorted(map(sorted, proposed))
    assert [len(group) for group in found["groups"]] == sorted(map(len, proposed), reverse=True)
    expect(panel(page).locator(".review-new li")).to_have_count(2)
    press(panel(page).locator(".review-new"), "Rename")
    page.keyboard.type("trill")
    page.keyboard.press("Enter")
    expect(panel(page).locator(".review-new")).to_contain_text(f"{SCRIPT} trill")
    # what was split off is shown to be elsewhere
    off = found["groups"][1][0]
    shown = mode(page, 0).locator(f"figure[data-syllable={json.dumps(off)}] .review-badge")
    if shown.count():
        expect(shown).to_have_text(f"→ {SCRIPT} trill")


def test_the_selected_are_split_from_the_rest(page: Page) -> None:
    chosen = {pick(page, 0), pick(page, 0, 1)}
    press(mode(page, 0), "Split")
    dialog(page).get_by_role("radio", name="The 2 selected").check()
    press(dialog(page), "Split")
    (found,) = edits(page)
    assert set(found["groups"][1]) == chosen
    assert len(found["groups"][0]) == 4


def test_a_mode_gets_another_species_or_none(page: Page) -> None:
    press(mode(page, 1), "Species")
    dialog(page).get_by_role("combobox").fill("Owl")
    page.keyboard.press("Enter")
    assert edits(page) == [{"action": "species", "cluster": 1, "species": "Owl"}]
    expect(mode(page, 1).locator("h2")).to_have_text("Owl mode (new, 1)")
    press(mode(page, 1), "Species")
    dialog(page).get_by_role("combobox").fill("")
    press(dialog(page), "Set species")
    expect(mode(page, 1).locator("h2")).to_have_text("Cluster 1")
    expect(mode(page, 1).get_by_role("button", name="Rename")).to_be_hidden()


def test_syllables_are_moved_to_another_mode(page: Page) -> None:
    one = pick(page, 0)
    page.keyboard.press("m")
    press(dialog(page), "Move")
    expect(dialog(page).get_by_role("alert")).to_have_text("Choose a mode.")
    expect(dialog(page).get_by_role("radio", name=FIRST)).to_have_count(0)  # it is there already
    dialog(page).get_by_role("radio", name=SECOND).check()
    press(dialog(page), "Move")
    assert edits(page) == [{"action": "move", "syllables": [one], "cluster": 1}]
    expect(example(page, 0).locator(".review-badge")).to_have_text(f"→ {SECOND}")
    expect(mode(page, 1)).to_contain_text("7 syllables after the edits, 6 before")
    assert selected(page) == set()


def test_a_new_mode_is_made_of_the_selected(page: Page) -> None:
    ids = [pick(page, 0), pick(page, 1)]
    page.keyboard.press("c")
    species, name = dialog(page).locator("input[type=text]").all()
    expect(species).to_have_value(SCRIPT)
    species.fill("")
    press(dialog(page), "Make mode")
    expect(dialog(page).get_by_role("alert")).to_have_text("Name the species.")
    species.fill("=1+1")
    name.fill("call")
    page.keyboard.press("Enter")
    assert edits(page) == [
        {"action": "new-mode", "cluster": 3, "species": "=1+1", "name": "call", "syllables": ids}
    ]
    expect(panel(page).locator(".review-new")).to_contain_text("=1+1 call 2 syllables")
    expect(example(page, 0).locator(".review-badge")).to_have_text("→ =1+1 call")
    # removing it takes along what needs it
    pick(page, 0, 1)
    page.keyboard.press("m")
    dialog(page).get_by_role("radio", name="=1+1 call").check()
    press(dialog(page), "Move")
    press(panel(page), "Remove: New mode")
    assert edits(page) == []
    expect(panel(page)).to_contain_text("with 1 edit that needed it")
    press(panel(page), "Undo")
    assert len(edits(page)) == 2


# --- dialogs ---------------------------------------------------------------------------------


def test_dialogs_keep_the_focus_and_give_it_back(page: Page) -> None:
    button = mode(page, 0).get_by_role("button", name="Rename")
    button.focus()
    page.keyboard.press("Enter")
    for _ in range(8):
        page.keyboard.press("Tab")
        # the browser's own controls are in the round, where the page has no focus
        assert page.evaluate(
            "document.activeElement === document.body || !!document.activeElement.closest('dialog')"
        )
    page.keyboard.press("Escape")
    expect(dialog(page)).to_have_count(0)
    expect(button).to_be_focused()
    assert edits(page) == []


def test_keys_in_a_dialog_are_text(page: Page) -> None:
    pick(page, 0)
    press(mode(page, 0), "Rename")
    page.keyboard.type("gnxumc")
    page.keyboard.press("Enter")
    assert edits(page) == [{"action": "rename", "cluster": 0, "name": "gnxumc"}]


# --- undo ------------------------------------------------------------------------------------


def test_undo_and_redo(page: Page) -> None:
    pick(page, 0)
    page.keyboard.press("n")
    page.keyboard.press("g")
    press(panel(page), "Undo")
    expect(example(page, 0)).to_have_attribute("data-review", "noise")
    page.keyboard.press("Control+z")
    expect(example(page, 0).locator(".review-badge")).to_have_count(0)
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    page.keyboard.press("Control+Shift+z")
    press(panel(page), "Redo")
    expect(example(page, 0)).to_have_attribute("data-review", "good")
    expect(page.get_by_role("button", name="Redo")).to_be_disabled()


def test_all_edits_are_removed_after_a_question(page: Page) -> None:
    pick(page, 0)
    page.keyboard.press("n")
    press(panel(page), "Remove all edits")
    press(dialog(page), "Cancel")
    assert len(edits(page)) == 1
    press(panel(page), "Remove all edits")
    press(dialog(page), "Remove all")
    assert edits(page) == []
    page.keyboard.press("Control+z")
    assert len(edits(page)) == 1


# --- keeping, from disk ----------------------------------------------------------------------


def test_edits_are_kept_in_the_browser_for_all_pages(
    page: Page, gallery: Path, species_file: Path
) -> None:
    panel(page).get_by_role("textbox", name="Your name").fill("Ann")
    page.keyboard.press("Tab")
    pick(page, 0)
    page.keyboard.press("n")
    expect(panel(page)).to_contain_text("Saved in this browser")
    page.goto((gallery / "index.html").as_uri())
    expect(page.locator(".review-count")).to_have_text("1 edit")
    expect(panel(page)).to_be_visible()  # it stays open from page to page
    expect(panel(page).get_by_role("textbox", name="Your name")).to_have_value("Ann")
    page.keyboard.press("Control+z")  # an edit of another page can be undone
    page.keyboard.press("Control+y")
    page.goto(species_file.as_uri())
    expect(example(page, 0)).to_have_attribute("data-review", "noise")


def test_a_second_tab_follows_the_first(page: Page, species_file: Path) -> None:
    other = page.context.new_page()
    other.goto(species_file.as_uri())
    pick(page, 0)
    page.keyboard.press("n")
    expect(example(other, 0)).to_have_attribute("data-review", "noise")


def change_elsewhere(page: Page) -> None:
    """Save another review as a tab does that this one has not heard of."""
    page.evaluate(
        """() => {
          const key = birdmodes.review.store.keeper.key;
          const review = { ...birdmodes.review.asReview(), edits: [] };
          localStorage.setItem(key, JSON.stringify({ revision: 99, review }));
        }"""
    )


@pytest.mark.parametrize("choice", ["Use the other one", "Save mine over it"])
def test_the_later_of_two_tabs_is_told(page: Page, choice: str) -> None:
    change_elsewhere(page)
    pick(page, 0)
    page.keyboard.press("n")
    alert = panel(page).get_by_role("alert")
    expect(alert).to_contain_text("changed in another tab")
    expect(panel(page)).to_contain_text("Not saved:")
    press(alert, choice)
    expect(alert).to_be_hidden()
    expect(panel(page)).to_contain_text("Saved in this browser")
    assert len(edits(page)) == (0 if choice.startswith("Use") else 1)
    kept = page.evaluate("JSON.parse(localStorage.getItem(birdmodes.review.store.keeper.key))")
    assert len(kept["review"]["edits"]) == len(edits(page))


def test_a_full_browser_says_that_edits_are_not_kept(page: Page) -> None:
    page.evaluate(
        "() => { Storage.prototype.setItem = () => { throw new DOMException('full'); }; }"
    )
    pick(page, 0)
    page.keyboard.press("n")
    expect(panel(page)).to_contain_text("Not saved: this browser keeps no more data")
    assert len(edits(page)) == 1


def download(page: Page, folder: Path) -> Path:
    with page.expect_download() as waiting:
        press(panel(page), "Download review.json")
    assert waiting.value.suggested_filename == "review.json"
    file = folder / "review.json"
    waiting.value.save_as(file)
    return file


def test_a_download_is_a_review_and_can_be_loaded_again(
    page: Page, species_file: Path, open_page: OpenPage, tmp_path: Path, hostile: Field
) -> None:
    panel(page).get_by_role("textbox", name="Your name").fill(MARKUP)
    page.keyboard.press("Tab")
    pick(page, 0)
    page.keyboard.press("x")
    page.keyboard.press("c")
    page.keyboard.press("Enter")
    press(mode(page, 1), "Split")
    press(dialog(page), "Split")
    press(mode(page, 1), "Rename")
    page.keyboard.type("song")
    page.keyboard.press("Enter")
    wait_until(page, "birdmodes.review.history.present.length === 4")  # dialogs close at leisure
    wanted = edits(page)
    file = download(page, tmp_path)
    review = read_review(file)  # what the command line reads
    assert (review.clustering, review.who) == (hostile.clustering.name, MARKUP)
    assert [one.action for one in review.edits] == ["mark", "new-mode", "split", "rename"]
    other = start(open_page(species_file))
    pick(other, 0, 2)
    other.keyboard.press("g")
    with other.expect_file_chooser() as chooser:
        press(panel(other), "Load a file")
    chooser.value.set_files(file)
    expect(panel(other)).to_contain_text("4 edits from review.json")
    assert edits(other) == wanted
    press(panel(other), "Undo")
    assert [one["as"] for one in edits(other)] == ["good"]


DROP = """([name, content]) => {
  const data = new DataTransfer();
  data.items.add(new File([content], name));
  const drop = new DragEvent("drop", { dataTransfer: data, cancelable: true });
  document.getElementById("review-panel").dispatchEvent(drop);
}"""


def test_other_files_are_refused_in_words(page: Page) -> None:
    pick(page, 0)
    page.keyboard.press("n")
    said = panel(page).locator(".review-said")
    for name, content, why in (
        ("<i>1.json", "{", "it is not JSON"),
        ("<i>2.json", "[]", "no list of edits"),
        (
            "<i>3.json",
            '{"format": 1, "base": "00", "clustering": "test", "edits": []}',
            "another state",
        ),
        ("<i>4.json", '{"format": 1, "base": "00", "clustering": "<b>", "edits": []}', "“<b>”"),
    ):
        page.evaluate(DROP, [name, content])
        expect(said).to_contain_text(f"{name} was not loaded")
        expect(said).to_contain_text(why)
    assert len(edits(page)) == 1


# --- keeping, with the server ----------------------------------------------------------------


@pytest.fixture
def server(hostile: Field, tmp_path: Path) -> Iterator[ReviewServer]:
    """The review server of a copy of the workspace."""
    shutil.copytree(hostile.workspace.folder, tmp_path / "workspace")
    workspace = Workspace.open(tmp_path / "workspace")
    with review_session(workspace, hostile.clustering, hostile.gallery) as session:
        thread = threading.Thread(target=session.server.serve_forever, args=(0.01,))
        thread.start()
        yield session.server
        session.server.shutdown()
        thread.join()


def served(server: ReviewServer, species_file: Path) -> str:
    return server.address.replace("index.html", f"species/{species_file.name}")


def test_with_the_server_edits_go_to_the_workspace(
    server: ReviewServer, species_file: Path, open_page: OpenPage
) -> None:
    page = start(open_page(served(server, species_file)))
    one = pick(page, 0)
    page.keyboard.press("n")
    expect(panel(page)).to_contain_text("Saved in the workspace")
    expect(panel(page)).to_contain_text("birdmodes review apply")
    (edit,) = read_review(server.pending.path).edits
    assert edit.values == {"syllables": [one], "as": "noise"}
    assert page.evaluate("Object.keys(localStorage)") == []
    page.reload()
    expect(example(page, 0)).to_have_attribute("data-review", "noise")
    fresh = start(open_page(served(server, species_file)))  # as another browser would
    expect(example(fresh, 0)).to_have_attribute("data-review", "noise")


def test_the_page_shows_what_the_command_line_makes_of_the_edits(
    server: ReviewServer, species_file: Path, open_page: OpenPage, hostile: Field
) -> None:
    page = start(open_page(served(server, species_file)))
    press(mode(page, 0), "Split")
    dialog(page).get_by_role("radio", name="3 parts").check()
    press(dialog(page), "Split")
    for number, key in enumerate("nxg"):
        pick(page, 1, number)
        page.keyboard.press(key)
        page.keyboard.press("Escape")
    pick(page, 1, 3)
    page.keyboard.press("c")
    dialog(page).locator("input[type=text]").nth(1).fill("call")
    page.keyboard.press("Enter")
    pick(page, 1, 4)
    page.keyboard.press("m")
    dialog(page).get_by_role("radio", name="Wren A").check()
    press(dialog(page), "Move")
    press(panel(page).locator(".review-new"), "Merge")
    dialog(page).get_by_role("checkbox", name="Wren A").check()
    dialog(page).get_by_role("combobox").select_option(label="Wren A")
    press(dialog(page), "Merge")
    press(mode(page, 1), "Rename")
    page.keyboard.type("song")
    page.keyboard.press("Enter")
    press(mode(page, 1), "Species")
    dialog(page).get_by_role("combobox").fill("Owl")
    page.keyboard.press("Enter")
    expect(panel(page)).to_contain_text("Saved in the workspace")

    state = start_state(hostile.clustering)
    assert apply_edits(state, read_review(server.pending.path).edits) == []
    shown = page.evaluate(
        """(ids) => ids.map((id) => {
          const now = birdmodes.review.stateOf(id);
          return [now.cluster, now.review, birdmodes.review.nameOf(now.cluster)];
        })""",
        state.syllables.tolist(),
    )
    made = zip(state.where().tolist(), state.review(), state.modes(), strict=True)
    shown_as = page.evaluate(
        "Object.fromEntries(birdmodesData.gallery.modes.map(({ mode, name }) => [mode, name]))"
    )
    aside = ("noise", "not-species")  # these get clusters of their own when they are applied
    for (cluster, review, name), (made_cluster, made_review, made_name) in zip(
        shown, made, strict=True
    ):
        assert review == made_review
        assert review in aside or cluster == made_cluster
        # numbers among the modes of a species are given when the edits are applied
        assert review in aside or "(new, " in name or name == shown_as.get(made_name, made_name)
    assert {review for _, review, _ in shown} == {"", "good", "moved", *aside}
    assert {"Owl song", "Wren A", f"{SCRIPT} call"} <= {name for _, _, name in shown}


def test_with_the_server_the_later_of_two_tabs_is_told(
    server: ReviewServer, species_file: Path, open_page: OpenPage
) -> None:
    first = start(open_page(served(server, species_file)))
    second = start(open_page(served(server, species_file), tolerant=True))  # 409 is noted
    pick(first, 0)
    first.keyboard.press("n")
    expect(panel(first)).to_contain_text("Saved in the workspace")
    pick(second, 0, 1)
    second.keyboard.press("g")
    expect(panel(second)).to_contain_text("Not saved: another tab or window")
    press(panel(second), "Use the other one")
    expect(example(second, 0)).to_have_attribute("data-review", "noise")
    second.keyboard.press("g")
    expect(panel(second)).to_contain_text("Saved in the workspace")
    # the first hears of it when it is looked at again
    first.evaluate("dispatchEvent(new Event('focus'))")
    expect(example(first, 0, 1)).to_have_attribute("data-review", "good")


def test_what_the_server_refuses_is_said(
    server: ReviewServer, species_file: Path, open_page: OpenPage
) -> None:
    page = start(open_page(served(server, species_file), tolerant=True))
    server.pending.path.parent.rename(server.pending.path.parent.with_name("gone"))
    pick(page, 0)
    page.keyboard.press("n")
    expect(panel(page)).to_contain_text("Not saved:")
    expect(panel(page)).to_contain_text("No such file or directory")
    server.pending.path.parent.with_name("gone").rename(server.pending.path.parent)
    press(panel(page), "Try again")
    expect(panel(page)).to_contain_text("Saved in the workspace")
    assert len(read_review(server.pending.path).edits) == 1


def test_a_server_that_is_gone_is_said_to_be(
    server: ReviewServer, species_file: Path, open_page: OpenPage, tmp_path: Path
) -> None:
    page = start(open_page(served(server, species_file), tolerant=True))
    page.route("**/api/review", lambda route: route.abort())
    pick(page, 0)
    page.keyboard.press("n")
    expect(panel(page)).to_contain_text("is 'birdmodes review' still running?")
    assert len(json.loads(download(page, tmp_path).read_text())["edits"]) == 1


def test_without_the_syllables_it_says_what_is_missing(
    gallery: Path, tmp_path: Path, open_page: OpenPage
) -> None:
    shutil.copytree(gallery, tmp_path / "gallery")
    (tmp_path / "gallery" / "data" / "syllables.js").unlink()
    page = open_page(tmp_path / "gallery" / "index.html", tolerant=True)
    page.get_by_role("switch", name="Review").check()
    expect(panel(page)).to_contain_text("data/syllables.js is missing or damaged")


# --- for everybody ---------------------------------------------------------------------------


def test_panel_and_dialogs_are_accessible(species_file: Path, open_page: OpenPage) -> None:
    page = start(open_page(species_file))
    pick(page, 0)
    page.keyboard.press("n")
    pick(page, 0, 1)
    page.keyboard.press("g")
    change_elsewhere(page)
    pick(page, 1)
    page.keyboard.press("c")
    page.keyboard.press("Enter")
    about = "section[data-cluster='0'] .about"
    assert grave_in_both_themes(page, "#review-panel", about) == []
    for action in ("Rename", "Merge", "Split", "Species"):
        press(mode(page, 0), action)
        assert grave_in_both_themes(page, "dialog") == []
        page.keyboard.press("Escape")


def test_nothing_is_wider_than_the_window_while_reviewing(page: Page) -> None:
    pick(page, 0)
    for width in (320, 390, 768, 1024, 1920):
        set_size(page, width, 800)
        assert page.evaluate("document.scrollingElement.scrollWidth <= innerWidth"), width
        box = panel(page).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        mode(page, 0).get_by_role("button", name="Merge").press("Enter")
        box = dialog(page).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        page.keyboard.press("Escape")
