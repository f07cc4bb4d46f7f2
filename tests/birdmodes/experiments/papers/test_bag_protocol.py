from __future__ import annotations

import numpy as np
import pytest

from algorithms import Bags
from birdmodes.errors import ParameterError
from birdmodes.experiments.data import Data
from birdmodes.experiments.papers.zhang import GRIDS, KRIEGEL, ZHANG, cluster_counts, settings_of
from birdmodes.experiments.work.bags import ENTRANTS
from birdmodes.experiments.work.grouping import n_runs

BIRDS = Data("birds", Bags(np.zeros((3, 1)), np.arange(3), np.eye(3)), of_bags=True)


def n_settings(method: str, *preparations: str, grid: str = "full") -> int:
    protocol = ZHANG.protocol("m3ic", features=preparations, grid=grid)
    listed = list(settings_of(BIRDS, method, protocol))
    assert len({setting.key for setting in listed}) == len(listed)
    return len(listed)


def test_the_grid_is_that_of_the_paper() -> None:
    costs, balances = GRIDS["full"]
    assert costs == (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16)
    assert balances == (0, 0.001, 0.01, 0.1, 1, 2, 3, 4, 5, 10)
    for some_costs, some_balances in GRIDS.values():
        assert set(some_costs) <= set(costs)
        assert set(some_balances) <= set(balances)


def test_methods_with_a_grid_have_a_setting_for_each_point_and_the_defaults() -> None:
    assert n_settings("m3ic", "unit") == 91
    assert n_settings("cpm3c", "unit", "raw", grid="coarse") == 42
    assert n_settings("bamic-min", "unit", "raw") == 2


def test_one_balance_is_enough_for_centred_features() -> None:
    assert n_settings("m3ic", "centred") == 10
    assert n_settings("m3ic", "standardized-centred") == 10


def test_kriegels_numbers_of_groups_are_multiples_of_the_classes() -> None:
    assert cluster_counts(KRIEGEL.protocol("mi-em"), 2) == (2, 6, 8)
    assert cluster_counts(ZHANG.protocol("m3ic"), 2) == (2,)


def test_runs_are_as_many_as_in_the_papers() -> None:
    protocol = ZHANG.protocol("m3ic")
    runs = {name: n_runs(protocol, name) for name in ENTRANTS}
    assert (runs["m3ic"], runs["cpm3c"], runs["bamic-max"], runs["kmeans-vote"]) == (5, 5, 10, 50)
    assert (runs["pam-smd"], runs["mi-em"]) == (1, 1)
    assert n_runs(KRIEGEL.protocol("mi-em"), "mi-em") == 5
    assert ZHANG.protocol("m3ic", True).grid == "small"
    # Problems, features and points of the grid can be added to a folder.
    assert protocol.as_dict(ZHANG.extent) == {
        "seed": 0,
        "experiment": "m3ic",
        "starts": 5,
        "medoid_runs": 10,
        "vote_runs": 50,
        "mixture_runs": 1,
    }


def test_methods_are_those_of_the_experiment_in_the_order_of_the_tables() -> None:
    assert ZHANG.choose(["kmeans-vote", "m3ic"]) == ["m3ic", "kmeans-vote"]
    assert len(KRIEGEL.choose([])) == 4
    with pytest.raises(ParameterError, match="did you mean 'bamic-min'"):
        ZHANG.choose(["bamic-mni"])
