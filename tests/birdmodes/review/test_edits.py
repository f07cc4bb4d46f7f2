from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from birdmodes.errors import ReviewError
from birdmodes.review.edits import ACTIONS, load_review, parse_review, read_review

FIELDS: dict[str, dict[str, Any]] = {
    "rename": {"cluster": 1, "name": "song"},
    "species": {"cluster": 1, "species": "Robin"},
    "merge": {"clusters": [3, 1]},
    "split": {"cluster": 1, "groups": [["a"], ["b"]], "new_clusters": [9]},
    "new-mode": {"cluster": 9, "species": "Robin", "name": "", "syllables": ["a"]},
    "move": {"syllables": ["a", "b"], "cluster": 2},
    "mark": {"syllables": ["a"], "as": "not-species", "species": "Robin"},
    "add-box": {
        "recording": "a.wav",
        "start_s": 1.0,
        "end_s": 1.5,
        "low_hz": 2000.0,
        "high_hz": 3000.0,
        "species": "Robin",
        "cluster": 2,
    },
    "mend-box": {
        "syllable": "a",
        "start_s": 1.0,
        "end_s": 1.5,
        "low_hz": 2000.0,
        "high_hz": 3000.0,
    },
    "cut": {"syllable": "a", "at_s": 1.25},
    "join": {"syllables": ["a.wav#1", "a.wav#2"]},
    "discard": {"syllables": ["a", "b"]},
}


def one(action: str, number: int = 0, **changed: Any) -> dict[str, Any]:
    about = {"id": f"{number:016x}", "at": "2026-11-28T10:00:00Z", "action": action}
    return about | FIELDS.get(action, {}) | changed


def document(*edits: Any, **changed: Any) -> dict[str, Any]:
    about = {"format": 1, "clustering": "ldc-k20", "base": "0" * 64, "who": "Ana"}
    return about | {"edits": list(edits)} | changed


def test_every_action_is_read_and_written_as_it_was() -> None:
    content = document(*(one(action, i) for i, action in enumerate(ACTIONS)))
    review = parse_review(content)
    assert [edit.action for edit in review.edits] == list(FIELDS)
    assert review.to_dict() == content
    assert parse_review(json.loads(json.dumps(review.to_dict()))) == review


def test_the_file_is_read_with_a_byte_order_mark_or_without(tmp_path: Path) -> None:
    file = tmp_path / "review.json"
    for encoding in ("utf-8", "utf-8-sig"):
        file.write_text(json.dumps(document(one("rename"))), encoding=encoding)
        assert read_review(file).edits[0].values["name"] == "song"


def test_unknown_fields_are_left_out() -> None:
    review = parse_review(document(one("rename", colour="red"), tool="x"))
    assert review.to_dict() == document(one("rename"))


@pytest.mark.parametrize(
    ("edit", "place"),
    [
        (one("rename", cluster="1"), "edits[0].cluster: must be the number of a cluster, not '1'"),
        (one("rename", cluster=True), "edits[0].cluster"),
        (one("rename", cluster=1.5), "edits[0].cluster"),
        (one("rename", cluster=-1), "edits[0].cluster"),
        (one("rename", cluster=10**30), "edits[0].cluster"),
        (one("rename", name=None), "edits[0].name: must be text, not nothing"),
        (one("rename", name="a\nb"), "edits[0].name: has control characters"),
        (one("rename", name="x" * 201), "edits[0].name: has 201 characters, more than 200"),
        (one("species", species="\ud800"), "edits[0].species: has characters"),
        (one("species", species="a\0"), "edits[0].species: has characters"),
        (one("merge", clusters=[1]), "edits[0].clusters: must be 2 or more different"),
        (one("merge", clusters=[1, 1]), "edits[0].clusters"),
        (one("split", groups=[["a"]]), "edits[0].groups: a split needs at least two"),
        (one("split", groups=[["a"], ["a"]]), "edits[0].groups: a syllable is in two"),
        (one("split", groups=[["a"], []]), "edits[0].groups[1]: names no syllable"),
        (one("split", new_clusters=[8, 9]), "edits[0].new_clusters"),
        (one("split", new_clusters=[1]), "edits[0].new_clusters"),
        (one("move", syllables=["a", 5]), "edits[0].syllables[1]: must be text, not 5"),
        (one("move", syllables="a"), "edits[0].syllables: must be a list"),
        (one("mark", **{"as": "bad"}), "edits[0].as: 'bad' is unknown"),
        (one("mark", species=3), "edits[0].species"),
        (one("add-box", end_s=1.0), "edits[0].end_s: must be larger than start_s"),
        (one("add-box", low_hz=-1), "edits[0].low_hz: must be a number from 0 to 1e+06, not -1"),
        (one("add-box", cluster="2"), "edits[0].cluster"),
        (one("mend-box", syllable=""), "edits[0].syllable: names no syllable"),
        (one("mend-box", high_hz=True), "edits[0].high_hz"),
        (one("cut", at_s="1"), "edits[0].at_s: must be a number"),
        (one("join", syllables=["a.wav#1"]), "edits[0].syllables: must be two or more"),
        (one("join", syllables=["a.wav#1", "b.wav#1"]), "edits[0].syllables"),
        (one("discard", syllables=[]), "edits[0].syllables: names no syllable"),
        (one("explode"), "edits[0].action: 'explode' is unknown; there are rename"),
        (one("rename", id="xyz"), "edits[0].id"),
        (one("rename", at="yesterday"), "edits[0].at"),
        (["rename"], "edits[0]: must be an object, not a list"),
    ],
)
def test_a_mistake_gets_one_line_with_its_place(edit: Any, place: str) -> None:
    with pytest.raises(ReviewError) as caught:
        parse_review(document(edit), "my.json")
    assert str(caught.value).startswith(f"my.json: {place}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([], "must be an object"),
        ({}, "not a review"),
        (document(format=2), "in format 2"),
        (document(format=True), "in format True"),
        (document(clustering="../../etc"), "cannot be a clustering's name"),
        (document(base="abc"), "base: must be 64"),
        (document(base=5), "base: must be text"),
        (document(who=["x"]), "who: must be text"),
        (document(edits={}), "edits: must be a list"),
        (document(one("rename", 1), one("rename", 1)), "edits[1].id: 0000000000000001 was used"),
    ],
)
def test_what_is_no_review_is_refused(content: Any, said: str) -> None:
    with pytest.raises(ReviewError, match=r"^x: ") as caught:
        parse_review(content, "x")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"a":' * 50_000 + b"1" + b"}" * 50_000,
        b'{"format": NaN}',
        b'{"format": ' + b"9" * 10_000 + b"}",
        b"null",
        b'{"format": 1, "edits": [',
        b" " * (32 * 1024 * 1024 + 1),
    ],
)
def test_hostile_files_get_one_line(content: bytes) -> None:
    with pytest.raises(ReviewError) as caught:
        load_review(content, "x.json")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReviewError, match=r"no\.json: cannot be read"):
        read_review(tmp_path / "no.json")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(action=st.sampled_from(list(FIELDS)), data=st.data())
def test_any_value_in_any_field_is_read_or_refused(action: str, data: st.DataObject) -> None:
    fields = one(action)
    fields[data.draw(st.sampled_from(list(fields)))] = data.draw(json_values)
    with contextlib.suppress(ReviewError):
        review = parse_review(document(fields))
        json.dumps(review.to_dict(), ensure_ascii=False).encode("utf-8")
