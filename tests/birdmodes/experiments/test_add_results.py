"""What was measured later joins a report, and what claims were judged by stays."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest

from birdmodes.experiments.claims import Claim, Evidence, Verdict
from birdmodes.experiments.papers.pei_fern import PEI_FERN
from birdmodes.experiments.report import Report, Words, to_markdown

SCRIPT = Path(__file__).parents[3] / "docs" / "add_results.py"


@pytest.fixture(scope="module")
def adder(load_script: Callable[[Path], ModuleType]) -> ModuleType:
    return load_script(SCRIPT)


def test_a_report_is_read_as_it_was_written(adder: ModuleType) -> None:
    pieces = [Evidence("a_b", "K = 3: NMI csp 0.5 (x), sp 0.4", True), Evidence("c", "0.1", False)]
    verdict = Verdict(Claim("csp | better: than sp", "", lambda runs: []), pieces)
    facts = [("command", "birdmodes benchmark a_b"), ("date", "2026-11-29")]
    report = Report(Words("T", "M", ""), facts, [verdict], [], [], ["sp: n_init=1 is [few]"])
    found = adder.read_report(to_markdown(report))
    assert found.facts == facts
    assert found.evidence == {"csp | better: than sp": pieces}
    assert found.notes == report.notes


def row(method: str, nmi: float, **where: Any) -> dict[str, Any]:
    base = {"dataset": "a", "experiment": "clusters", "method": method, "options": ""}
    return {
        **base,
        "alpha": None,
        "labelled_share": 1.0,
        "k": 3,
        "runs": 2,
        "nmi_mean": nmi,
        **where,
    }


def test_later_rows_take_the_place_of_those_of_their_setting(adder: ModuleType) -> None:
    old = pd.DataFrame([row("sp", 0.4), row("csp", 0.5), row("csp", 0.6, k=6)])
    new = pd.DataFrame([row("csp", 0.55), row("random-of-list", 0.2)])
    found = adder.joined(PEI_FERN, [old, new])
    assert list(zip(found["method"], found["k"], found["nmi_mean"], strict=True)) == [
        ("random-of-list", 3, 0.2),
        ("sp", 3, 0.4),
        ("csp", 3, 0.55),
        ("csp", 6, 0.6),
    ]


def test_claims_are_judged_by_what_they_were_and_new_ones_by_the_means(
    adder: ModuleType,
) -> None:
    claims = {claim.text: claim for claim in PEI_FERN.claims}
    kept = next(text for text in claims if text.startswith("csp is better than sp on every set"))
    new = next(text for text in claims if text.startswith("csp is better than random-of-list"))
    old = adder.Written(evidence={kept: [Evidence("a", "as before", True)]})
    figures = {"purity_mean": 0.5, "k": 3}
    summary = pd.DataFrame([row("csp", 0.5, **figures), row("random-of-list", 0.2, **figures)])
    verdicts = {
        each.claim.text: each for each in adder.verdicts_of(PEI_FERN, old, adder.Written(), summary)
    }
    assert [piece.figures for piece in verdicts[kept].evidence] == ["as before"]
    assert verdicts[new].evidence


def test_a_claim_is_judged_anew_where_there_are_more_figures_for_it(adder: ModuleType) -> None:
    text = PEI_FERN.claims[0].text
    old = {text: [Evidence("a", "all", False), Evidence("b", "all", True)]}
    more = [Evidence("a", "20 %", False), Evidence("a", "all", False)]
    new = {text: [*more, Evidence("b", "other", False)]}
    written = [adder.Written(evidence=evidence) for evidence in (old, new)]
    found = adder.verdicts_of(PEI_FERN, *written, pd.DataFrame([row("sp", 0.5, purity_mean=0.5)]))
    judged = next(each for each in found if each.claim.text == text)
    assert [piece.figures for piece in judged.evidence] == ["20 %", "all", "all"]


def test_what_was_run_since_is_no_longer_told_as_not_run(adder: ModuleType) -> None:
    old = adder.Written(notes=["not run: emdd on a", "not run: mlca on b", "miml: few"])
    new = adder.Written(notes=["not run: emdd on a, b", "b, mlca: few"])
    assert adder.notes_of(["not run: emdd on a"], old, new) == [
        "not run: emdd on a",
        "miml: few",
        "b, mlca: few",
    ]
