"""Noise of lists, and the experiment from end to end."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from algorithms import Bags
from birdmodes.experiments.papers.noisy_lists import NAMES, NOISES, with_noise
from birdmodes.experiments.run import make_plan, run_experiment


def bags_of(n_bags: int = 400, n_classes: int = 10) -> Bags:
    labels = np.random.default_rng(0).random((n_bags, n_classes)) < 0.4
    return Bags(np.zeros((n_bags, 1)), np.arange(n_bags), labels)


def test_species_are_added_and_taken_as_often_as_is_said() -> None:
    bags = bags_of()
    false = with_noise(bags, 0.3, 0.0, 1).labels
    assert (false >= bags.labels).all()
    assert false[~bags.labels].mean() == pytest.approx(0.3, abs=0.03)
    missing = with_noise(bags, 0.0, 0.3, 1).labels
    assert (missing <= bags.labels).all()
    assert missing[bags.labels].mean() == pytest.approx(0.7, abs=0.03)


def test_no_list_is_emptied_and_none_is_made() -> None:
    bags = bags_of()
    some = Bags(bags.X, bags.bag, bags.labels & (bags.bag > 9)[:, None], np.asarray(bags.bag > 9))
    noisy = with_noise(some, 0.0, 0.9, 1)
    assert np.array_equal(noisy.labels.any(axis=1), some.labels.any(axis=1))
    noisy = with_noise(some, 0.5, 0.9, 1)
    assert not noisy.labels[:10].any()


def test_clean_lists_stay_and_draws_depend_on_the_seed() -> None:
    bags = bags_of()
    assert np.array_equal(with_noise(bags, 0, 0, 1).labels, bags.labels)
    assert not np.array_equal(
        with_noise(bags, 0.3, 0, 1).labels, with_noise(bags, 0.3, 0, 2).labels
    )


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
