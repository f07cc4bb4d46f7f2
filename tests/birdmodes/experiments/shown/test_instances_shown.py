from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from birdmodes.experiments.papers.pei_fern import PEI_FERN
from birdmodes.experiments.report import to_html, to_markdown, versions
from birdmodes.experiments.results import runs_table
from birdmodes.experiments.shown.instances import (
    PARTS,
    curve_tables,
    draw,
    main_tables,
    write_figures,
)
from birdmodes.experiments.store import FinishedTask
from birdmodes.experiments.work.instances import MEASURES

HOSTILE = "1.23456 a$b_{|<script>alert(1)</script>&*`x`\x07"

TEXTS = dict.fromkeys(PARTS, "Purity.")


def results(dataset: str = "birds") -> pd.DataFrame:
    """Runs of two methods in all experiments: sp always 0.5, csp 0.6 or 0.7."""
    rows: list[dict[str, Any]] = []

    def add(experiment: str, method: str, **where: Any) -> None:
        for run in range(2):
            level = 0.5 if method == "sp" else 0.6 + 0.1 * run
            base = {"alpha": 0.7, "labelled_share": 1.0, "k": 3, "options": "", "seconds": 0.1}
            names = {"dataset": dataset, "experiment": experiment, "method": method, "run": run}
            rows.append({**base, **names, **dict.fromkeys(MEASURES, level), **where})

    for alpha in (0.0, 0.3, 0.5, 1.0):
        add("alpha", "csp", alpha=alpha)
    for method in ("sp", "csp"):
        for share in (0.2, 1.0):
            add("labelled", method, labelled_share=share)
        for k in (3, 6):
            add("clusters", method, k=k)
    return runs_table(PEI_FERN, [FinishedTask(rows, setting={"entrant": ""})], [dataset])


class Page(HTMLParser):
    """Collects tags, sources and text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.sources: list[str] = []
        self.text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.sources += [value or "" for name, value in attrs if name == "src"]

    def handle_data(self, data: str) -> None:
        self.text += data


def test_tables_have_means_deviations_and_mark_the_best() -> None:
    table = main_tables(PEI_FERN.summarise(results()))[0]
    assert table.title == "birds: K = C = 3, all bags labelled"
    assert table.header[:3] == ["method", "NMI", "NMI (geometric)"]
    (first, sp), (second, csp) = table.rows
    assert (first, sp[0].text, sp[0].best) == ("sp", "0.500 ± 0.000", False)
    assert (second, csp[0].text, csp[0].best) == ("csp", "0.650 ± 0.071", True)
    # Low entropy is good.
    assert table.header[-1] == "average entropy"
    assert (sp[-1].best, csp[-1].best) == (True, False)


def test_tables_of_curves_show_some_alphas_and_every_share_and_k() -> None:
    summary = PEI_FERN.summarise(results())
    assert curve_tables(summary, "alpha")[0].header == [
        "method",
        "alpha 0",
        "alpha 0.5",
        "alpha 1",
    ]
    assert [table.title for table in curve_tables(summary, "labelled")] == [
        "birds: NMI",
        "birds: purity",
    ]
    assert curve_tables(summary, "clusters")[0].header == ["method", "K = 3", "K = 6"]


def test_a_place_without_runs_is_a_dash() -> None:
    runs = results()
    missing = (runs["method"] == "sp") & (runs["k"] == 6)
    table = curve_tables(PEI_FERN.summarise(runs[~missing]), "clusters")[0]
    assert [cell.text for cell in table.rows[0][1]] == ["0.500 ± 0.000", "–"]
    assert not table.rows[1][1][1].best


def test_the_report_refers_to_figures_beside_it(report_of: Any, tmp_path: Path) -> None:
    report = report_of(PEI_FERN, results(), tmp_path)
    page = Page(to_html(report))
    assert page.sources == ["alpha.svg", "labelled.svg", "clusters.svg"]
    assert re.findall(r"\]\((.*?)\)", to_markdown(report)) == page.sources
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(page.sources)
    assert "script" not in page.tags


def test_the_report_lists_claims_with_verdict_and_figures(report_of: Any, tmp_path: Path) -> None:
    runs = results()
    runs = runs[runs["experiment"] == "clusters"]
    report = report_of(PEI_FERN, runs, tmp_path, ["sp: many outliers"])
    for text in (Page(to_html(report)).text, to_markdown(report).replace("**", "")):
        assert "csp is better than sp on every set" in text
        assert "NMI csp 0.650, sp 0.500, difference +0.150 (s.e. 0.050)" in text
        assert "not measured" in text
        assert "sp: many outliers" in text


def test_hostile_names_stay_text(report_of: Any, tmp_path: Path) -> None:
    report = report_of(PEI_FERN, results(HOSTILE), tmp_path, notes=(HOSTILE,))
    for section in report.sections:
        tree = ElementTree.parse(tmp_path / section.figure.file)  # noqa: S314  our own file
        texts = [element.text for element in tree.iter("{http://www.w3.org/2000/svg}text")]
        assert HOSTILE.replace("\x07", "\ufffd") in texts
    page = Page(to_html(report))
    assert "script" not in page.tags
    assert "<script>alert(1)</script>" in page.text
    assert "\x07" not in page.text
    markdown = to_markdown(report)
    assert not re.search(r"(?<!\\)<", markdown)
    assert "\x07" not in markdown
    # A bar in a name must not make another column.
    for line in markdown.splitlines():
        if line.startswith("### "):
            assert not re.search(r"(?<!\\)[|*`]", line)


def test_figures_are_the_same_bytes_each_time(tmp_path: Path) -> None:
    summary = PEI_FERN.summarise(results())
    alpha = summary[summary["experiment"] == "alpha"]
    drawn = []
    for _ in range(2):
        ((_, figure),) = write_figures(TEXTS, tmp_path, alpha)
        drawn.append((tmp_path / figure.file).read_bytes())
    assert drawn[0] == drawn[1]


def test_error_bars_are_one_standard_deviation() -> None:
    rows = PEI_FERN.summarise(results())
    figure = draw("clusters", rows[rows["experiment"] == "clusters"])
    assert [axes.get_ylabel() for axes in figure.axes] == ["NMI", "purity"]
    # A line of bars, and the means, of sp and of csp.
    bars, means = figure.axes[0].lines[2:]
    assert means.get_ydata().tolist() == pytest.approx([0.65, 0.65])
    low, high, gap = bars.get_ydata()[:3]
    assert (low, high) == pytest.approx((0.65 - 0.005**0.5, 0.65 + 0.005**0.5))
    assert np.isnan(gap)


def test_many_values_are_drawn_with_a_band(tmp_path: Path) -> None:
    runs = results()
    row = runs[runs["experiment"] == "alpha"].iloc[:1]
    dense = pd.concat([row.assign(alpha=step / 100) for step in range(101)])
    ((_, figure),) = write_figures(TEXTS, tmp_path, PEI_FERN.summarise(dense))
    assert "band: ± 1 standard deviation; of 101 values 41 are drawn." in figure.caption
    places = draw("alpha", PEI_FERN.summarise(dense)).axes[0].lines[0].get_xdata()
    assert (len(places), places[0], places[-1]) == (41, 0, 1)


def test_figures_have_no_more_elements_than_are_needed(tmp_path: Path) -> None:
    for _, figure in write_figures(TEXTS, tmp_path, PEI_FERN.summarise(results())):
        tree = ElementTree.parse(tmp_path / figure.file)  # noqa: S314  our own file
        groups = list(tree.iter("{http://www.w3.org/2000/svg}g"))
        assert all(set(group.attrib) - {"id"} for group in groups)
        assert len(list(tree.iter())) < 250
        assert not tree.findall("{http://www.w3.org/2000/svg}metadata")


def test_experiments_that_were_not_run_have_no_section(report_of: Any, tmp_path: Path) -> None:
    runs = results()
    report = report_of(PEI_FERN, runs[runs["experiment"] == "alpha"], tmp_path)
    assert [section.figure.file for section in report.sections] == ["alpha.svg"]
    assert report.main == []


def test_versions_name_the_libraries() -> None:
    assert re.fullmatch(
        r"birdmodes \S+, Python \S+, numpy \S+, scipy \S+, scikit-learn \S+", versions()
    )
