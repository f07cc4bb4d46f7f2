from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from birdmodes.experiments.claims import Claim, Verdict, check_claims
from birdmodes.experiments.papers.zhang import KRIEGEL, ZHANG
from birdmodes.experiments.work.choices import CHOICE_COLUMNS
from birdmodes.experiments.work.grouping import BAG_MEASURES


def choice(dataset: str, method: str, rule: str, figure: float, **where: Any) -> dict[str, Any]:
    names = {"dataset": dataset, "preparation": "unit", "method": method, "k": 3, "rule": rule}
    return {
        **names,
        "C": 1.0,
        "balance": 0.5,
        "largest_class": 0.4,
        "seconds": 1.0,
        **dict.fromkeys(BAG_MEASURES, figure),
        **where,
    }


def check(claims: tuple[Claim, ...], *rows: dict[str, Any]) -> dict[str, Verdict]:
    verdicts = check_claims(pd.DataFrame(rows, columns=CHOICE_COLUMNS), claims)
    return {verdict.claim.text.partition(" (")[0]: verdict for verdict in verdicts}


COREL = "m3ic has the paper's accuracy on Corel"
SCENES = "m3ic has the paper's accuracy on the natural scenes"


@pytest.mark.parametrize(("accuracy", "status"), [(0.54, "holds"), (0.5394, "does not hold")])
def test_corel_is_compared_with_the_paper(accuracy: float, status: str) -> None:
    rows = [
        choice("corel-eft", "m3ic", "best", 0.5, preparation="raw"),
        choice("corel-eft", "m3ic", "best", accuracy),
        # Not the paper's rule.
        choice("corel-eft", "m3ic", "stable", 0.9),
    ]
    verdict = check(ZHANG.claims, *rows)[COREL]
    assert verdict.status == status
    assert f"accuracy {accuracy:.3f} (m3ic, unit, C = 1, l = 0.5), paper 0.540" in (
        verdict.evidence[0].figures
    )


def test_a_claim_on_the_scenes_is_about_all_four() -> None:
    paper = {1: 0.566, 2: 0.632, 3: 0.604, 4: 0.417}
    rows = [choice(f"natural-scene-{n}", "m3ic", "best", figure) for n, figure in paper.items()]
    verdict = check(ZHANG.claims, *rows)[SCENES]
    assert (verdict.status, verdict.extent) == ("holds", "on 4 of 4 sets")
    rows[1]["accuracy"] = 0.6
    verdict = check(ZHANG.claims, *rows)[SCENES]
    assert (verdict.status, verdict.extent) == ("does not hold", "on 3 of 4 sets")


@pytest.mark.parametrize(("seconds", "status"), [(8.0, "holds"), (8.1, "does not hold")])
def test_times_are_those_of_all_runs(seconds: float, status: str) -> None:
    rows = [
        choice("a", "m3ic", "points", 0.5, seconds=seconds),
        choice("a", "m3ic", "best", 0.5, seconds=99.0),
        choice("a", "kmeans-vote", "mean", 0.5),
    ]
    text = "the time of m3ic is comparable with that of k-means with majority vote"
    assert check(ZHANG.claims, *rows)[text].status == status


def test_sensitivity_is_judged_by_means_over_the_other_parameter() -> None:
    def over_c(balance: float, accuracy: float) -> dict[str, Any]:
        where = {"C": None, "balance": balance}
        return choice("sival", "m3ic", "mean over C", accuracy, **where)

    text = "on SIVAL it is worse with l beyond 2"
    assert check(ZHANG.claims, over_c(2.0, 0.5), over_c(3.0, 0.4))[text].status == "holds"
    assert check(ZHANG.claims, over_c(2.0, 0.4), over_c(3.0, 0.5))[text].status == "does not hold"
    rows = [
        choice("reuters-6", "m3ic", "mean over l", accuracy, C=cost, balance=None)
        for cost, accuracy in ((0.5, 0.70), (1.0, 0.74), (2.0, 0.76))
    ]
    text = "the accuracy of m3ic is hardly sensitive to C"
    assert check(ZHANG.claims, *rows[:2])[text].status == "holds"
    assert check(ZHANG.claims, *rows)[text].status == "does not hold"


def test_most_means_more_than_half() -> None:
    text = "m3ic is more accurate than every BAMIC on most problems"
    rows = []
    for dataset, bamic in (("a", 0.4), ("b", 0.6)):
        rows.append(choice(dataset, "m3ic", "best", 0.5))
        rows.append(choice(dataset, "bamic-min", "best", 0.3))
        rows.append(choice(dataset, "bamic-max", "best", bamic, C=None))
        rows.append(choice(dataset, "bamic-max", "mean", 0.9))
    assert check(ZHANG.claims, *rows)[text].extent == "on 1 of 2 sets"
    assert check(ZHANG.claims, *rows)[text].status == "does not hold"
    rows += [choice("c", "m3ic", "best", 0.5), choice("c", "bamic-avg", "best", 0.49)]
    assert check(ZHANG.claims, *rows)[text].status == "holds"


def test_what_looks_at_labels_does_not_count_without() -> None:
    text = "without looking at labels m3ic is more accurate than every BAMIC on most problems"
    rows = [
        choice("a", "m3ic", "best", 0.9),
        choice("a", "m3ic", "stable", 0.5),
        choice("a", "bamic-min", "best", 0.8),
        choice("a", "bamic-min", "least", 0.6),
    ]
    verdict = check(ZHANG.claims, *rows)[text]
    assert verdict.status == "does not hold"
    assert verdict.evidence[0].figures.startswith("accuracy 0.500")


def test_mi_em_is_compared_with_every_pam_at_every_k() -> None:
    text = "mi-em has a higher F-measure than every PAM"
    rows = [
        choice("musk1", "mi-em", "mean", 0.64, k=2),
        choice("musk1", "mi-em", "mean", 0.60, k=6),
        choice("musk1", "pam-smd", "only", 0.4, k=2),
        choice("musk1", "pam-hausdorff", "only", 0.62, k=6),
    ]
    verdicts = check(KRIEGEL.claims, *rows)
    assert [piece.holds for piece in verdicts[text].evidence] == [True, False]


def test_the_printed_figures_are_of_eight_clusters() -> None:
    text = "mi-em has an F-measure of 0.63 on Musk 1 with 8 clusters"
    assert check(KRIEGEL.claims, choice("musk1", "mi-em", "mean", 0.7, k=6))[text].status == (
        "not measured"
    )
    rows = [
        choice("musk1", "mi-em", "mean", 0.64, k=8),
        choice("musk1", "pam-smd", "only", 0.2, k=2),
        choice("musk1", "pam-smd", "only", 0.4, k=8),
        choice("musk1", "pam-hausdorff", "only", 0.62, k=8),
    ]
    verdicts = check(KRIEGEL.claims, *rows)
    assert verdicts[text].status == "holds"
    pam = verdicts["PAM has an F-measure of 0.341 to 0.41 on Musk 1 with 8 clusters"]
    assert pam.status == "does not hold"
    assert "1 of 2 within" in pam.evidence[0].figures


def test_less_entropy_is_better() -> None:
    text = "mi-em has a lower average entropy than every PAM"
    for ours, status in ((0.3, "holds"), (0.5, "does not hold")):
        rows = [choice("musk1", "mi-em", "mean", ours), choice("musk1", "pam-smd", "only", 0.4)]
        assert check(KRIEGEL.claims, *rows)[text].status == status


def test_without_runs_nothing_is_claimed() -> None:
    verdicts = check(ZHANG.claims, choice("corel-eft", "kmeans-vote", "mean", 0.9))
    assert {verdict.status for verdict in verdicts.values()} == {"not measured"}
