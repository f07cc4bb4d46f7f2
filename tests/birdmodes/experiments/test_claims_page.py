"""docs/claims.md says what the reports say, and these nothing that their CSVs do not."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

from birdmodes.experiments.experiment import Measured
from birdmodes.experiments.names import experiment_called

DOCS = Path(__file__).parents[3] / "docs"
RESULTS = DOCS / "results"
REPORTS = sorted(path.parent for path in RESULTS.rglob("report.md"))
IDS = [folder.relative_to(RESULTS).as_posix() for folder in REPORTS]
NAMED = {"NMI": "nmi", "purity": "purity", "accuracy": "accuracy"}
NAMED["average precision"] = "average_precision"


@pytest.fixture(scope="module")
def maker(load_script: Callable[[Path], ModuleType]) -> ModuleType:
    return load_script(DOCS / "make_claims.py")


def summary_in(folder: Path) -> pd.DataFrame:
    return pd.read_csv(folder / "summary.csv")


def test_the_page_is_made_from_the_reports(maker: ModuleType) -> None:
    assert maker.PAGE.read_text(encoding="utf-8") == maker.claims_page()
    assert {part.folder for part in maker.PARTS} == {"" if each == "." else each for each in IDS}


@pytest.mark.parametrize("folder", REPORTS, ids=IDS)
def test_the_commands_of_every_report_are_known(folder: Path) -> None:
    text = (folder / "report.md").read_text(encoding="utf-8")
    assert re.search(r"(?m)^- (last )?command: birdmodes benchmark ", text)
    assert "not noted" not in text


@pytest.mark.parametrize("folder", REPORTS, ids=IDS)
def test_no_verdict_is_better_than_its_figures(folder: Path, maker: ModuleType) -> None:
    lines = maker.claims_of((folder / "report.md").read_text(encoding="utf-8"))
    assert lines
    for line in lines:
        if not line.figures:
            assert line.verdict.startswith("**not measured**"), line.text
            continue
        by_set: dict[str, bool] = {}
        for figures, speaks in line.figures:
            name = figures.partition(": ")[0]
            by_set[name] = by_set.get(name, True) and speaks
        extent = f"(on {sum(by_set.values())} of {len(by_set)} sets)"
        assert line.verdict.endswith(extent), line.text
        if line.verdict.startswith("**holds**"):
            assert sum(by_set.values()) > len(by_set) / 2, line.text


@pytest.mark.parametrize("folder", REPORTS, ids=IDS)
def test_the_figures_that_claims_are_judged_by_are_in_the_csv(
    folder: Path, maker: ModuleType
) -> None:
    """Every "accuracy METHOD x.xxx, OTHER y.yyy" is a mean of that method on that set."""
    summary = summary_in(folder)
    lines = maker.claims_of((folder / "report.md").read_text(encoding="utf-8"))
    looked_up = 0
    for line in lines:
        for figures, _ in line.figures:
            for method, measure, figure in _named_figures(figures):
                column = f"{NAMED[measure]}_mean"
                here = summary[summary["dataset"] == figures.partition(": ")[0]]
                # A side may also be called after its metric.
                called = [here["method"] == method]
                called += [here[name] == method for name in ("metric",) if name in here]
                found = pd.concat([here.loc[side, column] for side in called])
                assert ((found - figure).abs() < 6e-4).any(), (line.text, figures)
                looked_up += 1
    assert looked_up or folder.name in ("m3ic", "mi-em", "m3ic-bags")


def _named_figures(text: str) -> list[tuple[str, str, float]]:
    found = []
    pattern = rf"({'|'.join(NAMED)}) ([a-z][\w-]*)(?:, [a-z ]+)? (\d\.\d+), ([a-z][\w-]*)"
    pattern += r"(?:, [a-z ]+)? (\d\.\d+)"
    for measure, one, first, other, second in re.findall(pattern, text):
        found += [(one, measure, float(first)), (other, measure, float(second))]
    return found


@pytest.mark.parametrize("name", ["m3ic", "mi-em"])
def test_verdicts_on_bags_follow_from_the_csv(name: str, maker: ModuleType) -> None:
    summary = summary_in(RESULTS / name)
    experiment = experiment_called(name)
    verdicts = experiment.verdicts(Measured(summary, summary))
    report = (RESULTS / name / "report.md").read_text(encoding="utf-8")
    written = {line.text: line.verdict for line in maker.claims_of(report)}
    for verdict in verdicts:
        extent = f" ({verdict.extent})" if verdict.extent else ""
        assert written[verdict.claim.text] == f"**{verdict.status}**{extent}"
    assert len(written) == len(verdicts)
