"""``birdmodes cluster --metric``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from birdmodes.modes.learned_metric import METRICS
from cli.commands.cluster import MetricChoice

Call = Callable[..., tuple[int, str]]


def test_programs_see_the_metric(call: Call, small_workspace: Path) -> None:
    code, text = call(
        "cluster", "-w", small_workspace, "--method", "csp", "--k", 3, "--metric", "mimlca",
        "--stability-runs", 0, "--json",
    )  # fmt: skip
    assert code == 0, text
    answer, _ = json.JSONDecoder().raw_decode(text)
    assert answer["clustering"] == "csp-mimlca-k3"
    assert answer["parameters"]["metric"] == "mimlca"
    assert any("may hide its modes" in warning for warning in answer["warnings"])
    assert (small_workspace / "clusterings" / "csp-mimlca-k3" / "model.npz").is_file()
    code, text = call("info", "-w", small_workspace)
    assert code == 0, text
    assert any(
        line.split()[:5] == ["csp-mimlca-k3", "csp,", "mimlca", "briggs38", "3"]
        for line in text.splitlines()
    )


@pytest.mark.parametrize(
    ("method", "reason"),
    [
        ("ldc", "--metric mimlca has no meaning for method ldc"),
        ("mimlca", "--metric mimlca has no meaning for method mimlca"),
        ("m3ic", "--metric does not go with method m3ic"),
    ],
)
def test_other_methods_refuse_in_one_line(
    call: Call, small_workspace: Path, method: str, reason: str
) -> None:
    code, text = call("cluster", "-w", small_workspace, "--method", method, "--metric", "mimlca")
    assert code == 2
    assert reason in text
    assert "Traceback" not in text
    assert text.count("\n") == 1


def test_the_default_metric_can_be_named_with_any_method(call: Call, small_workspace: Path) -> None:
    where = ("cluster", "-w", small_workspace, "--stability-runs", 0, "--metric", "euclidean")
    for method in ("ldc", "kmeans-vote"):
        code, text = call(*where, "--method", method, "--k", 3)
        assert code == 0, text


def test_an_unknown_metric_is_refused_with_those_that_there_are(
    call: Call, small_workspace: Path
) -> None:
    code, text = call("cluster", "-w", small_workspace, "--method", "csp", "--metric", "mlca")
    assert code == 2
    for metric in ("euclidean", "mimlca", "miml", "mildml"):
        assert metric in text


def test_the_command_offers_the_metrics_that_there_are() -> None:
    assert tuple(choice.value for choice in MetricChoice) == METRICS
