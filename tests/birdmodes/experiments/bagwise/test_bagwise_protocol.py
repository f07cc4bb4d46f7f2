from __future__ import annotations

import json

import pytest

from birdmodes.errors import ParameterError
from birdmodes.experiments.bagwise.entrants import ENTRANTS, choose_bag_entrants
from birdmodes.experiments.bagwise.problems import Preparation
from birdmodes.experiments.bagwise.protocol import GRIDS, BagProtocol, settings_of


def n_settings(method: str, *preparations: Preparation, grid: str = "full") -> int:
    protocol = BagProtocol.of("m3ic")
    listed = list(settings_of("birds", 3, preparations, ENTRANTS[method], GRIDS[grid], protocol))
    assert len({setting.key for setting in listed}) == len(listed)
    return len(listed)


def test_the_grid_is_that_of_the_paper() -> None:
    full = GRIDS["full"]
    assert full.costs == (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16)
    assert full.balances == (0, 0.001, 0.01, 0.1, 1, 2, 3, 4, 5, 10)
    for grid in GRIDS.values():
        assert set(grid.points()) <= set(full.points())


def test_methods_with_a_grid_have_a_setting_for_each_point_and_the_defaults() -> None:
    assert n_settings("m3ic", "unit") == 91
    assert n_settings("cpm3c", "unit", "raw", grid="coarse") == 42
    assert n_settings("bamic-min", "unit", "raw") == 2


def test_one_balance_is_enough_for_centred_features() -> None:
    assert n_settings("m3ic", "centred") == 10
    assert n_settings("m3ic", "standardized-centred") == 10


def test_kriegels_numbers_of_groups_are_multiples_of_the_classes() -> None:
    assert BagProtocol.of("mi-em").cluster_counts(2) == (2, 6, 8)
    assert BagProtocol.of("m3ic").cluster_counts(2) == (2,)


def test_runs_are_as_many_as_in_the_papers() -> None:
    protocol = BagProtocol.of("m3ic")
    runs = {name: protocol.runs_of(entrant) for name, entrant in ENTRANTS.items()}
    assert (runs["m3ic"], runs["cpm3c"], runs["bamic-max"], runs["kmeans-vote"]) == (5, 5, 10, 50)
    assert (runs["pam-smd"], runs["mi-em"]) == (1, 1)
    assert BagProtocol.of("mi-em").runs_of(ENTRANTS["mi-em"]) == 5
    assert BagProtocol.of("m3ic", quick=True, seed=3).as_dict()["seed"] == 3
    assert json.loads(json.dumps(protocol.as_dict())) == protocol.as_dict()


def test_methods_are_those_of_the_experiment_in_the_order_of_the_tables() -> None:
    assert [each.name for each in choose_bag_entrants("m3ic", ["kmeans-vote", "m3ic"])] == [
        "m3ic",
        "kmeans-vote",
    ]
    assert len(choose_bag_entrants("mi-em", [])) == 4
    with pytest.raises(ParameterError, match="did you mean 'bamic-min'"):
        choose_bag_entrants("m3ic", ["bamic-mni"])
