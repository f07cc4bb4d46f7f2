"""Estimators of scikit-learn's kind that do without it; its own checks are in test_scikit_learn."""

from __future__ import annotations

import subprocess
import sys
from typing import Any, Self

import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from algorithms.contract.estimator import Estimator
from algorithms.metric.citation_knn import CitationKNN
from algorithms.metric.miml import MIML
from algorithms.preprocessing.standardizer import Standardizer


class _Plain(Estimator):
    def fit(self, X: Any, /, y: Any = None) -> Self:
        return self


def test_parameters_of_parameters_are_told_and_changed() -> None:
    model = CitationKNN(metric=MIML())
    name = next(key for key in model.get_params() if key.startswith("metric__"))
    assert set(model.get_params(deep=False)) < set(model.get_params())
    assert getattr(model.metric, name.removeprefix("metric__")) == model.get_params()[name]
    assert model.set_params(**{name: 17}) is model
    assert getattr(model.metric, name.removeprefix("metric__")) == 17
    copied = clone(model)
    assert copied.metric is not model.metric
    assert copied.get_params()[name] == 17
    with pytest.raises(ValueError, match="'metrc'"):
        model.set_params(metrc=3)
    assert _Plain().get_params() == {}


def test_what_is_changed_is_printed() -> None:
    assert repr(Standardizer()) == "Standardizer()"
    assert repr(Standardizer(blocks=[slice(2)])) == "Standardizer(blocks=[slice(None, 2, None)])"
    assert "Standardizer()" in repr(make_pipeline(Standardizer(), _Plain()))
    assert "Standardizer" in make_pipeline(Standardizer(), _Plain())._repr_html_()


def test_ldc_is_fitted_without_loading_scikit_learn() -> None:
    code = (
        "import sys; from algorithms import Bags, make_clusterer; "
        "bags = Bags([[0.0], [0.2], [5.0], [5.1]], [0, 0, 1, 1], [['wren'], ['owl']]); "
        "print(*make_clusterer('ldc', n_clusters=2).fit(bags).labels_, 'sklearn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() in (["0", "0", "1", "1", "False"], ["1", "1", "0", "0", "False"])
