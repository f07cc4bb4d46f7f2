from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from birdmodes.experiments.claims import Claim, Judge, Verdict, check_claims
from birdmodes.experiments.judges import exceeds, flat, where
from birdmodes.experiments.names import EXPERIMENTS, experiment_called
from birdmodes.experiments.papers.pei_fern import (
    PEI_FERN,
    at_c,
    at_fewest_labels,
    most_and_fewest_labels,
)


def better(first: str, second: str, *, or_equal: bool = False) -> Judge:
    return exceeds(first, second, at_c, or_equal=or_equal)


def better_at_every_k(first: str, second: str) -> Judge:
    return exceeds(first, second, where({"experiment": ["clusters"]}, "k", "K = {value}"))


def better_with_few_labels(first: str, second: str) -> Judge:
    return exceeds(first, second, at_fewest_labels)


def flat_in_alpha(method: str, lowest: float, highest: float) -> Judge:
    at = where({"experiment": ["alpha"], "method": [method]})
    return flat("alpha", 0.05, at, "purity", lowest=lowest, highest=highest)


def more_labels_help(method: str) -> Judge:
    most, fewest = ({"labels": [which]} for which in ("most", "fewest"))
    return exceeds(most, fewest, most_and_fewest_labels(method))


def runs(method: str, *values: float, purities: list[float] | None = None, **where: Any) -> Any:
    """Runs of one method, purity equal to NMI unless told."""
    base = {"dataset": "birds", "experiment": "labelled", "labelled_share": 1.0, "k": 3}
    return pd.DataFrame(
        {
            **{**base, "alpha": 0.7, **where},
            "method": method,
            "run": range(len(values)),
            "nmi": values,
            "purity": purities or values,
        }
    )


def verdict(judge: Judge, *tables: pd.DataFrame, **options: Any) -> Verdict:
    return check_claims(pd.concat(tables), [Claim("it is so", "", judge, **options)])[0]


def test_a_difference_counts_above_two_standard_errors() -> None:
    # Differences 0.1, 0.2, 0.3: mean 0.2, deviation 0.1, standard error 0.1 / sqrt(3) = 0.058.
    clear = verdict(better("csp", "sp"), runs("csp", 0.6, 0.7, 0.8), runs("sp", 0.5, 0.5, 0.5))
    assert clear.status == "holds"
    assert clear.evidence[0].figures == ("NMI csp 0.700, sp 0.500, difference +0.200 (s.e. 0.058)")
    # Differences -0.1, 0.1, 0.2: mean 0.067, deviation 0.153, standard error 0.088.
    unclear = verdict(better("csp", "sp"), runs("csp", 0.4, 0.6, 0.7), runs("sp", 0.5, 0.5, 0.5))
    assert unclear.status == "does not hold"


def test_as_good_means_not_worse_by_two_standard_errors_or_a_hundredth() -> None:
    judge = better("csp", "spreg", or_equal=True)
    spreg = runs("spreg", 0.5, 0.5, 0.5)
    assert verdict(judge, runs("csp", 0.5, 0.5, 0.5), spreg).status == "holds"
    assert verdict(judge, runs("csp", 0.4, 0.6, 0.49), spreg).status == "holds"
    assert verdict(judge, runs("csp", 0.491, 0.491, 0.491), spreg).status == "holds"
    assert verdict(judge, runs("csp", 0.489, 0.489, 0.489), spreg).status == "does not hold"
    assert verdict(judge, runs("csp", 0.48, 0.47, 0.46), spreg).status == "does not hold"


def test_runs_are_paired_by_their_number() -> None:
    # Runs differ widely, but csp is 0.01 better in each.
    sp = runs("sp", 0.2, 0.5, 0.8).sample(frac=1, random_state=1)
    assert verdict(better("csp", "sp"), runs("csp", 0.21, 0.51, 0.811), sp).status == "holds"


def test_both_nmi_and_purity_have_to_agree() -> None:
    csp = runs("csp", 0.6, 0.61, 0.62, purities=[0.5, 0.51, 0.52])
    result = verdict(better("csp", "sp"), csp, runs("sp", 0.55, 0.55, 0.55))
    assert [piece.holds for piece in result.evidence] == [True, False]
    assert result.status == "does not hold"


def test_a_claim_holds_only_where_it_holds_on_every_set() -> None:
    tables = []
    for dataset, level in (("birds", 0.6), ("frogs", 0.4)):
        tables += [
            runs("csp", level, level, dataset=dataset),
            runs("sp", 0.5, 0.5, dataset=dataset),
        ]
    everywhere = verdict(better("csp", "sp"), *tables)
    assert (everywhere.status, everywhere.extent) == ("does not hold", "on 1 of 2 sets")
    on_birds = verdict(better("csp", "sp"), *tables, datasets=("birds",))
    assert (on_birds.status, on_birds.extent) == ("holds", "on 1 of 1 sets")
    elsewhere = verdict(better("csp", "sp"), *tables, datasets=("letters",))
    assert (elsewhere.status, elsewhere.extent) == ("not measured", "")


@pytest.mark.parametrize(
    "judge",
    [
        better("csp", "sp"),
        better_at_every_k("csp", "sp"),
        better_with_few_labels("csp", "sp"),
        more_labels_help("csp"),
        flat_in_alpha("csp", 0.5, 1),
    ],
)
def test_what_was_not_run_or_run_once_is_not_measured(judge: Judge) -> None:
    assert verdict(judge, runs("csp", 0.5, 0.6)).status == "not measured"
    assert verdict(judge, runs("csp", 0.5), runs("sp", 0.4)).status == "not measured"


def test_every_k_counts() -> None:
    tables = [
        runs(method, level, level, experiment="clusters", k=k)
        for method, k, level in (("csp", 3, 0.6), ("sp", 3, 0.5), ("csp", 4, 0.5), ("sp", 4, 0.6))
    ]
    result = verdict(better_at_every_k("csp", "sp"), *tables)
    assert result.status == "does not hold"
    assert [piece.figures.split(":")[0] for piece in result.evidence if piece.holds] == [
        "K = 3",
        "K = 3",
    ]


def test_few_labels_are_the_fewest_there_are() -> None:
    tables = [
        runs(method, level, level, labelled_share=share)
        for method, share, level in (
            ("ldc", 0.2, 0.4),
            ("sp", 0.2, 0.5),
            ("ldc", 1.0, 0.9),
            ("sp", 1.0, 0.5),
        )
    ]
    assert verdict(better_with_few_labels("ldc", "sp"), *tables).status == "does not hold"
    assert verdict(better_with_few_labels("sp", "ldc"), *tables).status == "holds"


def test_more_labels_help_when_all_are_better_than_the_fewest() -> None:
    few, half, everything = (
        runs("csp", level, level + 0.02, labelled_share=share)
        for share, level in ((0.2, 0.5), (0.6, 0.4), (1.0, 0.6))
    )
    assert verdict(more_labels_help("csp"), few, half, everything).status == "holds"
    assert verdict(more_labels_help("csp"), few, half).status == "does not hold"


def test_flat_is_a_range_of_mean_purity() -> None:
    def curve(*levels: float) -> pd.DataFrame:
        return pd.concat(
            [
                runs("csp", level - 0.1, level + 0.1, experiment="alpha", alpha=alpha)
                for alpha, level in zip((0.0, 0.5, 0.75, 1.0), levels, strict=True)
            ]
        )

    flat = verdict(flat_in_alpha("csp", 0.5, 1), curve(0.2, 0.70, 0.73, 0.74))
    assert flat.status == "holds"
    assert flat.evidence[0].figures == (
        "mean purity 0.700 to 0.740 over 3 values of alpha, 0.200 at alpha 0"
    )
    steep = verdict(flat_in_alpha("csp", 0.5, 1), curve(0.7, 0.70, 0.73, 0.76))
    assert steep.status == "does not hold"


def test_both_normalisations_of_splearn_are_in_the_list() -> None:
    tables = [
        runs(method, level, level, dataset="msrc-v2")
        for method, level in (("csp", 0.55), ("splearn", 0.38), ("splearn-symmetric", 0.57))
    ]
    found = {
        piece.claim.text: (piece.status, piece.claim.origin)
        for piece in check_claims(pd.concat(tables), PEI_FERN.claims)
        if "csp is better than splearn" in piece.claim.text
    }
    assert sorted(found.values()) == [("does not hold", "beside the paper"), ("holds", "paper")]


def test_what_the_paper_says_of_splearn_on_hja_is_in_the_list() -> None:
    tables = [
        runs(method, level, level, dataset="hja-birdsong", experiment="clusters", k=k)
        for k, csp, symmetric in ((3, 0.55, 0.58), (6, 0.55, 0.58))
        for method, level in (("csp", csp), ("splearn-symmetric", symmetric), ("splearn", 0.4))
    ]
    shares = [each.assign(experiment="labelled", labelled_share=1.0) for each in tables[:3]]
    found = {
        verdict.claim.text: verdict.status
        for verdict in check_claims(pd.concat([*tables, *shares]), PEI_FERN.claims)
    }
    on_hja = {text: found[text] for text in found if "on HJA" in text}
    assert list(on_hja.values()) == ["does not hold", "does not hold", "holds", "holds"]


@pytest.mark.parametrize("name", list(EXPERIMENTS))
def test_claims_differ_in_their_words(name: str) -> None:
    claims = experiment_called(name).claims
    assert len({claim.text for claim in claims}) == len(claims) > 0
