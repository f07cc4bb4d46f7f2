from __future__ import annotations

import inspect
import subprocess
import sys

import pytest
from sklearn.base import clone

import algorithms
from algorithms import METHODS, make_clusterer
from algorithms.base import BagClusterer, ClusteringError, InstanceClusterer

CONTRACTS = {"instance": InstanceClusterer, "bag": BagClusterer}


@pytest.mark.parametrize("module", ["algorithms", "algorithms.registry"])
def test_importing_the_table_loads_no_numpy(module: str) -> None:
    code = f"import sys, {module} as m; m.METHODS; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_everything_promised_by_the_package_is_there() -> None:
    for name in algorithms.__all__:
        assert getattr(algorithms, name) is not None
        assert name in dir(algorithms)


def test_an_unknown_attribute_of_the_package_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Bag'"):
        algorithms.Bag  # noqa: B018


@pytest.mark.parametrize("name", METHODS)
def test_every_method_keeps_the_contract_of_its_kind(name: str) -> None:
    method = METHODS[name]
    assert method.name == name
    assert method.paper
    assert method.summary
    assert issubclass(method.load(), CONTRACTS[method.kind])


@pytest.mark.parametrize("name", METHODS)
def test_constructors_store_parameters_and_nothing_else(name: str) -> None:
    clusterer = make_clusterer(name, n_clusters=5, random_state=3)
    assert set(vars(clusterer)) == set(inspect.signature(type(clusterer)).parameters)
    assert clusterer.get_params()["n_clusters"] == 5
    assert clone(clusterer).get_params() == clusterer.get_params()


def test_parameters_reach_the_method() -> None:
    assert make_clusterer("csp", n_clusters=13, random_state=0, alpha=0.5).get_params()[
        "alpha"
    ] == pytest.approx(0.5)


def test_an_unknown_method_is_answered_with_the_names() -> None:
    with pytest.raises(ClusteringError, match=r"no method 'cps'.*sp, csp"):
        make_clusterer("cps")


def test_an_unknown_parameter_is_answered_with_the_parameters() -> None:
    with pytest.raises(ClusteringError, match=r"csp has no parameter 'k'.*n_clusters.*alpha"):
        make_clusterer("csp", k=13)


def test_the_nearest_name_is_suggested() -> None:
    with pytest.raises(ClusteringError, match=r"no method 'cps' \(did you mean 'csp'\?\)"):
        make_clusterer("cps")
    with pytest.raises(ClusteringError, match=r"'n_cluster' \(did you mean 'n_clusters'\?\)"):
        make_clusterer("csp", n_cluster=13)
