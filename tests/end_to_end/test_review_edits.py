"""The model of a review in the browser: what edits make of modes, and undoing them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Browser, Page

import birdmodes
from birdmodes.review.apply import apply_edits
from birdmodes.review.edits import Edit
from birdmodes.review.state import SET_ASIDE, ReviewState

pytestmark = pytest.mark.browser

SCRIPTS = [
    Path(birdmodes.__file__).parent / "gallery" / "assets" / "review" / name
    for name in ("boxes.js", "state.js", "edits.js")
]
CASES = json.loads(
    (Path(__file__).parents[1] / "birdmodes" / "review" / "review_cases.json").read_text("utf-8")
)
GALLERY = {
    "clustering": "made",
    "base": "ab",
    "modes": [
        {
            "cluster": cluster,
            "species": species,
            "mode": f"{species} {heading.lower()}" if species else "",
            "name": f"{species} {heading.lower()}" if species else f"Cluster {cluster}",
            "heading": heading,
            "kind": "mode" if species else "background",
        }
        for cluster, species, heading in [
            (0, "Wren", "Mode 1"),
            (1, "Wren", "Mode 2"),
            (4, "Owl", "Hoot"),
            (9, "", "Cluster 9"),
        ]
    ],
}
LOOK = """([gallery, edits, clusters, syllables]) => {
  const model = birdmodes.edits;
  const { state, words, misfits } = model.replay(gallery, edits);
  return {
    names: clusters.map((cluster) => model.nameOf(state, cluster)),
    syllables: syllables.map(([id, cluster, review]) => {
      const now = model.stateOfSyllable(state, id, { cluster, review: review ?? "" });
      return [now.cluster, now.review];
    }),
    words: edits.map((edit) => words.get(edit.id)),
    misfits: [...misfits.values()],
    next: model.nextCluster(gallery, edits),
  };
}"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    for script in SCRIPTS:
        page.add_script_tag(path=script)
    yield page
    page.close()


def edit(action: str, number: int = 0, **parts: Any) -> dict[str, Any]:
    return {"id": f"{number:016x}", "at": "2026-01-31T10:00:00Z", "action": action, **parts}


def look(
    page: Page,
    edits: list[dict[str, Any]],
    clusters: tuple[int, ...] = (),
    syllables: tuple[tuple[Any, ...], ...] = (),
) -> dict[str, Any]:
    numbered = [{**one, "id": f"{number:016x}"} for number, one in enumerate(edits)]
    found = page.evaluate(LOOK, [GALLERY, numbered, list(clusters), list(map(list, syllables))])
    assert isinstance(found, dict)
    return found


RUN_CASE = """([gallery, syllables, edits, asked, named]) => {
  const model = birdmodes.edits;
  const baseOf = (id) => syllables[id];
  const { state, problems } = model.replay(gallery, edits, baseOf);
  return {
    syllables: asked.map((id) => {
      if (!state.has(id)) {
        return "gone";
      }
      const { cluster, review } = model.stateOfSyllable(state, id, baseOf(id));
      const isAside = ["noise", "not-species"].includes(review);
      return [isAside ? (state.where(id) ?? null) : cluster, review];
    }),
    names: named.map((cluster) => model.nameOf(state, cluster)),
    problems: edits.map(({ id }) => problems.get(id) ?? ""),
  };
}"""


def gallery_after(applied: list[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the gallery says of modes and syllables once earlier edits are applied."""
    modes = pd.DataFrame(CASES["modes"]).fillna({"background": False}).set_index("cluster")
    table = pd.DataFrame(CASES["syllables"].items(), columns=["syllable", "cluster"])
    state = ReviewState(table.join(modes, on="cluster"))
    if applied:
        edits = [
            Edit(
                f"{100 + n:016x}",
                "",
                one["action"],
                {k: v for k, v in one.items() if k != "action"},
            )
            for n, one in enumerate(applied)
        ]
        assert apply_edits(state, edits) == []
    where, review = state.where(), state.review()
    rows = [
        {
            "cluster": number,
            "species": state.clusters[number].species,
            "mode": state.clusters[number].mode,
            "name": state.clusters[number].mode or f"Cluster {number}",
        }
        for number in np.unique(where[state.here]).tolist()
    ]
    aside = {mark: int(where[review == mark][0]) for mark in SET_ASIDE if (review == mark).any()}
    syllables = {
        name: {"cluster": int(cluster), "review": mark}
        for name, cluster, mark in zip(state.syllables, where, review, strict=True)
        if name in state
    }
    return {"modes": rows, "set_aside": aside}, syllables


@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: case["name"])
def test_the_page_shows_what_the_edits_will_do(page: Page, case: dict[str, Any]) -> None:
    gallery, syllables = gallery_after(case.get("applied", []))
    edits = [edit(number=n, **one) for n, one in enumerate(case["edits"])]
    names = case.get("names", {})
    asked = [gallery, syllables, edits, list(case["syllables"]), list(map(int, names))]
    found = page.evaluate(RUN_CASE, asked)
    for name, now in zip(case["syllables"], found["syllables"], strict=True):
        unknown = name in case.get("unknown_to_the_page", [])
        assert now == ([None, ""] if unknown else case["syllables"][name]), name
    new = [name.replace("(new)", f"(new, {number})") for number, name in names.items()]
    assert found["names"] == new
    problems = {str(number): text for number, text in enumerate(found["problems"]) if text}
    assert problems == case.get("problems", {})


@pytest.mark.parametrize(
    "case", [case for case in CASES["cases"] if "boxes" in case], ids=lambda case: case["name"]
)
def test_boxes_are_shown_where_the_edits_put_them(page: Page, case: dict[str, Any]) -> None:
    edits = [edit(number=n, **one) for n, one in enumerate(case["edits"])]
    found = page.evaluate(
        """([edits, start, asked]) => {
          const boxes = birdmodes.boxEdits.replay(edits, (id) => start[id]);
          return asked.map((id) => boxes.get(id) ?? null);
        }""",
        [edits, CASES["boxes"], list(case["boxes"])],
    )
    assert found == list(case["boxes"].values())


def test_without_edits_all_is_as_in_the_gallery(page: Page) -> None:
    found = look(page, [], (0, 4, 9), (("a", 4), ("b", 9, "noise"), ("c", None)))
    assert found["names"] == ["Wren mode 1", "Owl hoot", "Cluster 9"]
    assert found["syllables"] == [[4, ""], [9, "noise"], [None, ""]]
    assert found["next"] == 10


def test_names_and_species_change_together(page: Page) -> None:
    song = edit("rename", cluster=0, name="song")
    assert look(page, [song], (0,))["names"] == ["Wren song"]
    assert look(page, [song, edit("rename", cluster=0, name="")], (0,))["names"] == ["Wren mode 1"]
    owl = edit("species", cluster=0, species="Owl")
    assert look(page, [song, owl], (0,))["names"] == ["Owl song"]
    # the number of a mode among those of its new species is not known before it is applied
    assert look(page, [owl], (0,))["names"] == ["Owl mode (new, 0)"]
    back = edit("species", cluster=0, species="Wren")
    assert look(page, [owl, back], (0,))["names"] == ["Wren mode 1"]
    assert look(page, [edit("species", cluster=0, species="")], (0,))["names"] == ["Cluster 0"]
    assert look(page, [edit("species", cluster=9, species="Jay")], (9,))["names"] == [
        "Jay mode (new, 9)"
    ]


def test_merged_modes_lie_in_the_first_and_so_do_later_merges(page: Page) -> None:
    edits = [edit("merge", clusters=[1, 0]), edit("merge", clusters=[4, 1])]
    found = look(page, edits, (0, 1, 4), (("a", 0), ("b", 1), ("c", 4)))
    assert found["names"] == ["Owl hoot"] * 3
    assert found["syllables"] == [[4, ""]] * 3
    assert found["words"] == [
        "Merge “Wren mode 1” into “Wren mode 2”",
        "Merge “Wren mode 2” into “Owl hoot”",
    ]
    assert found["next"] == 10


def test_split_parts_and_new_modes_get_new_numbers(page: Page) -> None:
    edits = [
        edit("split", cluster=0, groups=[["a"], ["b"], ["c"]], new_clusters=[10, 11]),
        edit("new-mode", cluster=12, species="Owl", name="bark", syllables=["c", "d"]),
    ]
    found = look(page, edits, (10, 12), (("a", 0), ("b", 0), ("c", 0), ("d", 4), ("e", 0)))
    assert found["syllables"] == [[0, ""], [10, ""], [12, "moved"], [12, "moved"], [0, ""]]
    assert found["names"] == ["Wren mode (new, 10)", "Owl bark"]
    assert found["next"] == 13
    assert found["words"][0] == "Split “Wren mode 1” into 3 (1 + 1 + 1)"


def test_marks_are_laid_over_the_cluster_and_taken_away(page: Page) -> None:
    noise = edit("mark", syllables=["a"], **{"as": "noise"})
    none = edit("mark", syllables=["a"], **{"as": "none"})
    move = edit("move", syllables=["a"], cluster=4)
    wrong = edit("mark", syllables=["a"], species="Owl", **{"as": "not-species"})
    where = (("a", 0),)
    assert look(page, [noise], (), where)["syllables"] == [[0, "noise"]]
    assert look(page, [noise, none], (), where)["syllables"] == [[0, ""]]
    assert look(page, [noise, move], (), where)["syllables"] == [[4, "moved"]]
    assert look(page, [move, wrong], (), where)["syllables"] == [[4, "not-species"]]
    assert look(page, [move, wrong, none], (), where)["syllables"] == [[4, "moved"]]
    assert look(page, [none], (), (("a", 9, "noise"),))["syllables"] == [[9, ""]]


def test_edits_that_do_not_fit_are_left_out_and_told(page: Page) -> None:
    edits = [
        edit("move", syllables=["a"], cluster=77),
        edit("merge", clusters=[0, 1]),
        edit("rename", cluster=1, name="song"),
        edit("new-mode", cluster=1, species="Owl", name="", syllables=["a"]),
    ]
    found = look(page, edits, (0,), (("a", 0),))
    assert found["misfits"] == [
        "there is no cluster 77",
        "cluster 1 is merged into Wren mode 1 (cluster 0) already",
        "the number 1 for a new cluster is taken",
    ]
    assert found["syllables"] == [[0, ""]]


def test_removing_an_edit_removes_those_that_need_it(page: Page) -> None:
    edits = [
        edit("new-mode", 1, cluster=10, species="Owl", name="", syllables=["a"]),
        edit("rename", 2, cluster=0, name="song"),
        edit("move", 3, syllables=["b"], cluster=10),
    ]
    script = "([gallery, edits, id]) => birdmodes.edits.withoutEdit(gallery, edits, id)"
    assert page.evaluate(script, [GALLERY, edits, edits[0]["id"]]) == {
        "edits": [edits[1]],
        "alsoRemoved": 1,
    }
    assert page.evaluate(script, [GALLERY, edits, edits[2]["id"]]) == {
        "edits": edits[:2],
        "alsoRemoved": 0,
    }


def test_undo_and_redo_walk_through_the_history(page: Page) -> None:
    found = page.evaluate(
        """() => {
          const m = birdmodes.edits;
          const steps = [m.history(["a"])];
          const go = (change, ...rest) => steps.push(change(steps.at(-1), ...rest));
          go(m.add, "b"); go(m.change, []); go(m.undo); go(m.undo); go(m.redo); go(m.add, "c");
          go(m.redo); go(m.undo); go(m.undo); go(m.undo); go(m.undo); go(m.redo);
          return steps.map((step) => step.present.join(""));
        }"""
    )
    # on a page that has just been opened, undo takes away what other pages did
    assert found == ["a", "ab", "", "ab", "a", "ab", "abc", "abc", "ab", "a", "", "", "a"]


@pytest.mark.parametrize(
    ("review", "why"),
    [
        (None, "no review"),
        ([], "no review"),
        ({"format": 1}, "no list of edits"),
        ({"format": 2, "edits": []}, "format is 2"),
        ({"format": 1, "base": "cd", "clustering": "made", "edits": []}, "another state"),
        ({"format": 1, "base": "cd", "clustering": "other", "edits": []}, "“other”"),
        ({"edits": [None]}, "edit 1"),
        ({"edits": [{"id": "1", "at": "", "action": "constructor"}]}, "edit 1"),
        ({"edits": [edit("rename", cluster="0", name="a")]}, "cluster"),
        ({"edits": [edit("rename", cluster=0, name=["a"])]}, "name"),
        ({"edits": [edit("merge", clusters=[1, 1])]}, "clusters"),
        ({"edits": [edit("move", cluster=1, syllables=[])]}, "syllables"),
        ({"edits": [edit("mark", syllables=["a"], **{"as": "bird"})]}, "as"),
        ({"edits": [edit("mark", syllables=["a"], **{"as": "not-species"})]}, "species"),
        ({"edits": [edit("split", cluster=1, groups=[["a"], ["b"]], new_clusters=[5, 6])]}, "new"),
        ({"edits": [edit("rename", cluster=0, name="")] * 2}, "same id"),
    ],
)
def test_what_is_no_review_is_refused_in_words(page: Page, review: Any, why: str) -> None:
    if isinstance(review, dict) and "format" not in review:
        review = {"format": 1, "base": "ab", "clustering": "made", **review}
    script = """([review, gallery]) => {
      try { birdmodes.edits.checkReview(review, gallery); return ""; }
      catch (error) { return error.message; }
    }"""
    assert why in page.evaluate(script, [review, GALLERY])
