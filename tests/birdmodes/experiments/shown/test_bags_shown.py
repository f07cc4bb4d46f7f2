from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pandas as pd
import pytest

from birdmodes.experiments.names import experiment_called
from birdmodes.experiments.papers.zhang import ZHANG
from birdmodes.experiments.report import to_html, to_markdown
from birdmodes.experiments.results import runs_table
from birdmodes.experiments.shown import bags as tables
from birdmodes.experiments.store import FinishedTask
from birdmodes.experiments.work.choices import choices_table
from birdmodes.experiments.work.grouping import BAG_MEASURES

HOSTILE = "1.2 a$b_{|<script>alert(1)</script>&*`x`\x07"


def runs_on(*datasets: str, ks: tuple[int, ...] = (3,)) -> pd.DataFrame:
    """Made-up runs of three methods, m3ic on a small grid."""
    rows: list[dict[str, Any]] = []

    def add(dataset: str, method: str, k: int, accuracy: float, **where: Any) -> None:
        names = {"dataset": dataset, "preparation": "unit", "method": method, "k": k, "run": 0}
        other = {
            "C": None,
            "balance": None,
            "groups": k,
            "agreement": None,
            "objective": 1.0,
            "largest_class": 0.35,
        }
        rows.append(
            {**names, **other, **dict.fromkeys(BAG_MEASURES, accuracy), "seconds": 2.0, **where}
        )

    for dataset in datasets:
        for k in ks:
            add(dataset, "m3ic", k, 0.45, agreement=0.1)
            for number, cost in enumerate((0.0625, 1.0, 16.0)):
                for balance in (0.0, 0.5):
                    place = {"C": cost, "balance": balance, "agreement": 0.9 - 0.1 * number}
                    add(dataset, "m3ic", k, 0.5 + 0.1 * number - 0.01 * balance, **place)
            add(dataset, "bamic-avg", k, 0.6)
            add(dataset, "bamic-avg", k, 0.4, run=1, objective=0.5)
            add(dataset, "pam-smd", k, 0.3)
    return runs_table(ZHANG, [FinishedTask(rows, setting={"entrant": ""})], list(datasets))


def texts(table: Any) -> dict[str, list[str]]:
    return {name: [cell.text for cell in cells] for name, cells in table.rows}


def test_choices_that_look_at_labels_have_a_table_of_their_own() -> None:
    choices = choices_table(runs_on("corel-eft", "sival"))
    paper = {"corel-eft": 0.54}
    peeking = tables.methods_table(choices, "accuracy", "x", peeking=True, paper=paper)
    # What may differ from the paper's is marked.
    assert peeking.header == ["method", "corel-eft", "sival*"]
    assert texts(peeking) == {
        "m3ic in the paper": ["54.0", "–"],
        "all bags in one group": ["35.0", "35.0"],
        "m3ic, luckiest": ["70.0", "70.0"],
        "m3ic, best": ["70.0", "70.0"],
        "bamic-avg, best": ["60.0", "60.0"],
    }
    assert [name for name, cells in peeking.rows if cells[0].best] == [
        "m3ic, luckiest",
        "m3ic, best",
    ]
    free = tables.methods_table(choices, "accuracy", "x", peeking=False)
    assert texts(free) == {
        "all bags in one group": ["35.0", "35.0"],
        "m3ic, starts": ["59.7", "59.7"],
        "m3ic, points": ["59.7", "59.7"],
        "m3ic, defaults": ["45.0", "45.0"],
        "m3ic, stable": ["50.0", "50.0"],
        "bamic-avg, least": ["40.0", "40.0"],
        "bamic-avg, mean": ["50.0", "50.0"],
        "pam-smd, only (beside the paper)": ["30.0", "30.0"],
    }


def test_the_overview_puts_m3ic_beside_its_paper() -> None:
    table = tables.overview_table(choices_table(runs_on("corel-eft")), "unit")
    assert texts(table) == {
        "corel-eft": [
            *("35.0", "54.0", "70.0", "unit, C = 16, l = 0", "6", "59.7 to 59.7"),
            *("50.0", "45.0", "60.0", "40.0"),
        ]
    }


def test_every_method_stands_beside_the_papers_table() -> None:
    choices = choices_table(runs_on("corel-eft"))
    table = tables.zhang_table(choices, "accuracy")
    assert table.header[:4] == ["problem", "m3ic", "m3ic, mean over the points", "bamic-min"]
    rows = texts(table)
    assert rows["corel-eft"][:3] == ["70.0 / 54.0", "59.7", "– / 40.3"]
    assert rows["corel-eft"][4] == "60.0 / 36.7"
    # Of problems that are not public the paper stands alone.
    assert rows["sival-6"][:2] == ["– / 44.7", "–"]
    assert texts(tables.zhang_table(choices, "seconds"))["corel-eft"][0] == "2 / 1.2"


@pytest.mark.parametrize(
    ("experiment", "names", "files"),
    [
        ("m3ic", [HOSTILE], ["m3ic-grid-unit.svg", "m3ic-sensitivity.svg"]),
        ("mi-em", [HOSTILE], ["mi-em-unit.svg"]),
    ],
)
def test_the_report_shows_figures_and_escapes_names(
    report_of: Any, experiment: str, names: list[str], files: list[str], tmp_path: Path
) -> None:
    runs = runs_on(*names, ks=(3,) if experiment == "m3ic" else (2, 6))
    if experiment == "mi-em":
        runs = runs[runs["method"] == "pam-smd"]
    report = report_of(experiment_called(experiment), runs, tmp_path, ["a note"])
    html, markdown = to_html(report), to_markdown(report)
    assert "<script" not in html
    assert not re.search(r"(?<!\\)<script", markdown)
    assert "a note" in html
    assert sorted(path.name for path in tmp_path.iterdir()) == files
    assert re.findall(r"\]\((.*?)\)", markdown) == files
    for file in files:
        assert f'src="{file}"' in html
        ElementTree.parse(tmp_path / file)  # noqa: S314
