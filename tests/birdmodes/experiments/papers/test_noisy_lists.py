"""Noise of lists, and the experiment from end to end."""

from __future__ import annotations

from pathlib import Path

from birdmodes.experiments.papers.noisy_lists import NAMES, NOISES
from birdmodes.experiments.run import make_plan, run_experiment


def test_methods_without_lists_take_no_part() -> None:
    assert "sp" not in NAMES
    assert {"ldc", "csp", "random-of-list"} <= set(NAMES)


def test_the_table_has_every_noise(tmp_path: Path) -> None:
    methods = ["random-of-list", "kmeans-with-list"]
    plan = make_plan("noisy-lists", [], methods=methods, quick=True)
    results = run_experiment(plan, tmp_path / "out")
    summary = results.summary.set_index(["noise", "method"])["nmi_mean"]
    assert set(summary.index.get_level_values("noise")) == set(NOISES)
    for noise in NOISES:
        assert summary[noise, "kmeans-with-list"] > summary[noise, "random-of-list"]
    assert summary["clean", "random-of-list"] > summary["false .3", "random-of-list"]
    assert "kmeans-with-list" in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
