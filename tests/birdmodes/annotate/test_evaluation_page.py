from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from birdmodes.annotate.confusion import Confusion
from birdmodes.annotate.evaluate import evaluate_workspace, write_evaluation
from birdmodes.annotate.evaluation import Evaluation
from birdmodes.annotate.page import dots, to_html

HOSTILE = '<script>alert(1)</script>"&\n'


class Reader(HTMLParser):
    """Collects elements, attributes and text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    return reader


@pytest.fixture
def evaluation() -> Evaluation:
    species = pd.DataFrame(
        {
            "species": [HOSTILE, "Wren"], "bags": [1, 3], "predicted": [0, 4],
            "precision": [np.nan, 0.75], "recall": [0.0, 1.0], "f1": [0.0, 6 / 7],
            "average_precision": [0.5, 1.0],
        }
    )  # fmt: skip
    table = pd.DataFrame(
        {
            "from": [0.0, 0.9], "to": [0.1, 1.0], "count": [1, 4], "mean_score": [0.05, 0.95],
            "share_right": [0.0, 0.5],
        }
    )  # fmt: skip
    what = {
        "method": "ldc", "bags": 4, "recordings": 4, "species": 2, "folds": 2, "min_score": 0.5,
        "truth": None, "libraries": {"numpy": "1"},
    }  # fmt: skip
    confusion = Confusion.of([HOSTILE, "Wren"], [HOSTILE, "Wren"], np.array([[0, 1], [0, 7]]))
    return Evaluation(
        what, {"micro_f1": 0.125, "micro_precision": None}, {"named": 0.375}, species,
        {"bags": table}, {"syllables": confusion}, [f"about {HOSTILE}"],
    )  # fmt: skip


def test_nothing_in_it_acts(evaluation: Evaluation) -> None:
    page = to_html(evaluation, "mine")
    reader = read(page)
    assert "script" not in reader.tags
    assert "<script>alert" not in page
    assert any("<script>alert(1)</script>" in text for text in reader.texts), "shown as text"
    assert not [name for name, _ in reader.attributes if name.startswith("on") or name == "style"]
    links = [value for name, value in reader.attributes if name in {"href", "src"}]
    assert all(link.startswith(("#", "data:")) for link in links), "nothing is fetched"
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in page


def test_it_shows_the_figures(evaluation: Evaluation) -> None:
    reader = read(to_html(evaluation, "mine"))
    texts = [text for text in reader.texts if text]
    assert texts[texts.index("F1") + 1] == "0.125"
    assert texts[texts.index("Named") + 1] == "0.375"
    assert "Precision" not in texts, "a measure over nothing has no tile"
    wren = texts.index("Wren")  # more bags than the other, so first
    assert texts[wren : wren + 7] == ["Wren", "3", "4", "0.75", "1.00", "0.86", "1.00"]
    assert "7" in texts[-60:]
    assert ("class", "linked heat-8") in reader.attributes


def test_dots_are_where_scores_and_shares_say() -> None:
    table = pd.DataFrame(
        {"count": [1, 4, 400], "mean_score": [0.05, 0.5, 0.95], "share_right": [0.0, 0.25, 1.0]}
    )
    found = dots(table)
    assert [(dot.x, dot.y) for dot in found] == [(5, 100), (50, 75), (95, 0)]
    # areas as 4 to 400, the smallest to be seen at all
    assert [dot.radius for dot in found] == [1.5, 1.5, 6.0]
    assert found[1].text == "4 with 0.50 on the average: 25%"


def test_an_evaluation_has_its_page_beside_it(make_workspace, tmp_path: Path) -> None:
    workspace = make_workspace(
        *[(f"{n}.wav", [[n % 2]], ["Robin", "Wren"][n % 2]) for n in range(12)]
    )
    rows = ["recording,start_s,end_s,low_hz,high_hz,species,mode", "0.wav,0,0.2,1000,2000,Robin,"]
    (tmp_path / "truth.csv").write_text("\n".join(rows) + "\n")
    for method, truth in (("ldc", tmp_path / "truth.csv"), ("citation-knn", None)):
        result = evaluate_workspace(workspace, method, n_folds=3, truth_file=truth)
        path = write_evaluation(workspace, result, method)
        reader = read(path.with_suffix(".html").read_text(encoding="utf-8"))
        assert method in reader.texts[reader.texts.index("How it was made") :]
        assert ("Syllables" in reader.texts) == (method == "ldc")
