from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms import Bags
from birdmodes.errors import ParameterError
from birdmodes.experiments.data import Data
from birdmodes.experiments.experiment import Protocol
from birdmodes.experiments.papers.pei_fern import (
    PEI_FERN,
    alphas,
    cluster_counts,
    settings_of,
)
from birdmodes.experiments.tasks import Setting, child_seed
from birdmodes.experiments.work.instances import ENTRANTS, Entrant, with_labels_of_some


def data_of(n_instances: int, n_classes: int) -> Data:
    """A set with one bag for each instance."""
    labels = np.eye(n_classes, dtype=bool)[np.arange(n_instances) % n_classes]
    return Data("birds", Bags(np.zeros((n_instances, 1)), np.arange(n_instances), labels))


BIRDS = data_of(100, 6)


def settings_in(part: str, entrant: str, protocol: Protocol) -> list[Setting]:
    return list(settings_of(BIRDS, entrant, protocol.but(parts=(part,))))


def bags_of(n_bags: int, unlabelled: tuple[int, ...] = ()) -> Bags:
    labels = np.eye(3, dtype=bool)[np.arange(n_bags) % 3]
    labelled = np.ones(n_bags, dtype=bool)
    labelled[list(unlabelled)] = False
    labels[~labelled] = False
    return Bags(np.arange(n_bags)[:, None], np.arange(n_bags), labels, labelled)


def test_the_full_protocol_is_that_of_the_paper() -> None:
    protocol = PEI_FERN.protocol("all")
    assert len(alphas(protocol)) == 201
    assert alphas(protocol)[:3] == [0.0, 0.005, 0.01]
    assert alphas(protocol)[-1] == 1.0
    assert protocol.shares == (0.2, 0.4, 0.6, 0.8, 1.0)
    assert protocol.runs == 20


def test_clusters_go_from_c_to_2c_in_seven_steps() -> None:
    assert cluster_counts(PEI_FERN.protocol("all"), 12, 1000) == [12, 14, 16, 18, 20, 22, 24]
    assert cluster_counts(PEI_FERN.protocol("all"), 13, 1000) == [13, 15, 17, 20, 22, 24, 26]


def test_few_classes_or_instances_give_fewer_clusters() -> None:
    assert cluster_counts(PEI_FERN.protocol("all"), 2, 1000) == [2, 3, 4]
    assert cluster_counts(PEI_FERN.protocol("all"), 12, 17) == [12, 14, 16]


def test_a_set_needs_more_instances_than_classes() -> None:
    with pytest.raises(ParameterError, match="birds: 6 classes and 6 instances"):
        list(settings_of(data_of(6, 6), "csp", PEI_FERN.protocol("all")))


def test_alpha_is_varied_for_methods_that_have_it_with_k_equal_to_c() -> None:
    protocol = PEI_FERN.protocol("all", runs=4, alpha_step=0.25)
    settings = settings_in("alpha", "csp", protocol)
    assert [setting.alpha for setting in settings] == [0, 0.25, 0.5, 0.75, 1]
    assert {setting.ks for setting in settings} == {(6,)}
    assert {setting.runs for setting in settings} == {(0, 1, 2, 3)}
    assert settings_in("alpha", "sp", protocol) == []


def test_runs_with_the_same_labels_share_a_task_and_others_do_not() -> None:
    protocol = PEI_FERN.protocol("all", runs=3, shares=(0.5, 1.0))
    found = [(s.share, s.runs) for s in settings_in("labelled", "csp", protocol)]
    assert found == [(0.5, (0,)), (0.5, (1,)), (0.5, (2,)), (1.0, (0, 1, 2))]
    found = [(s.share, s.runs) for s in settings_in("labelled", "sp", protocol)]
    assert found == [(0.5, (0, 1, 2)), (1.0, (0, 1, 2))]


def test_one_embedding_serves_all_k_above_c_and_another_k_equal_to_c() -> None:
    settings = settings_in("clusters", "csp", PEI_FERN.protocol("all", runs=2, k_steps=3))
    assert [(s.ks, s.runs) for s in settings] == [((6,), (0, 1)), ((9, 12), (0, 1))]


def test_a_method_without_embedding_is_fitted_for_each_k_and_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Entrant, "spectral", False)
    settings = settings_in("clusters", "csp", PEI_FERN.protocol("all", runs=2, k_steps=2))
    found = [(s.ks, s.runs) for s in settings]
    assert found == [((6,), (0,)), ((6,), (1,)), ((12,), (0,)), ((12,), (1,))]
    settings = settings_in("labelled", "csp", PEI_FERN.protocol("all", runs=2, shares=(1.0,)))
    assert [s.runs for s in settings] == [(0,), (1,)]


def test_baselines_of_the_list_take_part_with_as_many_clusters_as_classes() -> None:
    protocol = PEI_FERN.protocol("all", runs=2, k_steps=3, shares=(0.5, 1.0))
    assert settings_in("alpha", "kmeans-with-list", protocol) == []
    assert {s.ks for s in settings_in("clusters", "kmeans-with-list", protocol)} == {(6,)}
    found = [(s.share, s.runs) for s in settings_in("labelled", "csp-with-list", protocol)]
    assert found == [(0.5, (0,)), (0.5, (1,)), (1.0, (0,)), (1.0, (1,))]


def test_no_two_settings_have_the_same_key() -> None:
    settings = [
        setting
        for entrant in ("csp", "sp")
        for setting in settings_of(BIRDS, entrant, PEI_FERN.protocol("all", True))
    ]
    assert len({setting.key for setting in settings}) == len(settings)
    one, other = (Setting(dataset="birds", entrant="csp", alpha=alpha) for alpha in (0.5, 0.55))
    assert one.key != other.key


@given(st.integers(1, 40), st.floats(0.01, 1.0), st.integers(0, 5))
def test_as_many_bags_keep_their_labels_as_the_share_asks_for(
    n_bags: int, share: float, run: int
) -> None:
    kept = with_labels_of_some(bags_of(n_bags), share, run, "birds", 0)
    assert kept.labelled.sum() == max(1, round(share * n_bags))
    assert (kept.labels.any(axis=1) == kept.labelled).all()
    assert (kept.X == bags_of(n_bags).X).all()


def test_bags_that_were_never_labelled_do_not_count() -> None:
    kept = with_labels_of_some(bags_of(20, unlabelled=tuple(range(10))), 0.5, 0, "birds", 0)
    assert kept.labelled.sum() == 5
    assert not kept.labelled[:10].any()


def test_subsets_of_a_run_are_nested_and_of_other_runs_differ() -> None:
    bags = bags_of(30)
    subsets = [
        with_labels_of_some(bags, share, 3, "birds", 0).labelled for share in (0.2, 0.4, 0.8)
    ]
    assert (subsets[0] <= subsets[1]).all()
    assert (subsets[1] <= subsets[2]).all()
    others = [
        with_labels_of_some(bags, 0.2, 4, "birds", 0),
        with_labels_of_some(bags, 0.2, 3, "frogs", 0),
        with_labels_of_some(bags, 0.2, 3, "birds", 1),
    ]
    assert all((other.labelled != subsets[0]).any() for other in others)
    again = with_labels_of_some(bags, 0.2, 3, "birds", 0)
    assert (again.labelled == subsets[0]).all()


def test_all_labels_are_the_same_bags() -> None:
    bags = bags_of(10)
    assert with_labels_of_some(bags, 1.0, 0, "birds", 0) is bags


def test_seeds_are_the_same_in_every_process_and_differ_by_every_part() -> None:
    # int.from_bytes(sha256(b"(0, 'birds', None, 0.5)").digest()[:4], "big") // 2
    assert child_seed(0, "birds", None, 0.5) == 1237624072
    seeds = {child_seed(seed, name, run) for seed in (0, 1) for name in "ab" for run in (0, 1)}
    assert len(seeds) == 8
    assert all(0 <= seed < 2**31 for seed in seeds)


def test_names_of_sets_and_numbers_cannot_be_confused() -> None:
    assert child_seed("a", "bc") != child_seed("ab", "c")
    assert child_seed("1") != child_seed(1)


def test_every_instance_method_takes_part_and_bag_methods_do_not() -> None:
    entrants = ENTRANTS
    assert {"sp", "csp"} <= set(entrants)
    assert list(entrants).index("sp") < list(entrants).index("csp")
    assert PEI_FERN.choose(["csp", "sp", "csp"]) == ["sp", "csp"]
    assert PEI_FERN.choose([]) == list(entrants)


def test_mimlca_takes_part_with_and_without_a_limit() -> None:
    entrants = {name: each for name, each in ENTRANTS.items() if each.method == "mimlca"}
    assert {name: dict(each.parameters) for name, each in entrants.items()} == {
        "mimlca": {},
        "mimlca-no-limit": {"max_per_label": None},
    }
    assert entrants["mimlca-no-limit"].options == "max_per_label=None"


def test_an_unknown_method_is_refused_with_the_nearest() -> None:
    with pytest.raises(ParameterError, match=r"no method 'cps'.*did you mean 'csp'"):
        PEI_FERN.choose(["cps"])
