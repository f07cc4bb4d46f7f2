"""The contract of scikit-learn's estimators, kept by every method."""

from __future__ import annotations

import functools
import pickle
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import joblib
import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import clone, is_clusterer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator

from algorithms import METHODS, BagFolds, Bags, Standardizer, make_clusterer
from algorithms.bags import check_features
from algorithms.base import BagClusterer, BagEstimator, InstanceClusterer
from algorithms.errors import BagsError, ClusteringError
from algorithms.metric.base import MetricLearner, SpaceLearner
from algorithms.mil.base import BagAnnotator

BlobBags = Callable[..., tuple[Bags, npt.NDArray[np.int64]]]

# MLCA and FixedMetric are not among them: the one needs the classes of instances as y, the other
# the metric itself.
FURTHER = (
    "metric.miml:MIML",
    "metric.mildml:MildML",
    "metric.mc2b:MC2B",
    "metric.euclidean:Euclidean",
    "metric.mimlca_kernel:MIMLCAKernel",
    "metric.citation_knn:CitationKNN",
    "mil.misvm:MISVM",
    "mil.miles:MILES",
    "mil.milboost:MILBoost",
    "mil.emdd:EMDD",
    "mil.mind:MInD",
    "mil.mi_kernel:MIKernel",
    "disambiguation.disambiguator:LabelDisambiguator",
    "preprocessing.standardizer:Standardizer",
)


def _load(place: str) -> type[BagEstimator]:
    module, _, name = place.partition(":")
    loaded: type[BagEstimator] = getattr(import_module(f"algorithms.{module}"), name)
    return loaded


CLASSES: dict[str, type[BagEstimator]] = {
    **{name: method.load() for name, method in METHODS.items()},
    **{place.partition(":")[2]: _load(place) for place in FURTHER},
}

QUICK = {
    "n_clusters": 3,
    "n_init": 2,
    "n_init_concepts": 2,
    "n_concepts": 3,
    "max_iter": 20,
    "max_starts": 4,
}
"""Parameters that make a fit short, for methods that have them."""

MESSAGES = "the message is right, but speaks of bags and labels where samples are expected"
CANNOT_APPLY: dict[str, dict[str, str]] = {
    **{name: {"check_fit2d_1sample": MESSAGES} for name in ("mi-em", "MIML", "MildML", "MC2B")},
}
"""Of each method, checks that fail on it and why they cannot hold. Not run at all are those of
tables of numbers (NaN, complex numbers, names of columns, one dimension): Bags refuse these before
a method sees them, see test_bags.py."""


def _in_bags(X: npt.ArrayLike | Bags, *, size: int, n_classes: int) -> Bags:
    """Put the rows of a table into bags of so many, labelled by the halves of the first column."""
    if isinstance(X, Bags):
        return X
    features = check_features(X)
    bag = np.arange(len(features)) // size
    labels = np.zeros((int(bag.max(initial=-1)) + 1, n_classes), dtype=bool)
    half = features[:, 0] > np.median(features[:, 0]) if n_classes > 1 else np.zeros(len(bag), int)
    labels[bag, half.astype(int)] = True
    return Bags(features, bag, labels)


def _on_tables(method: type[BagEstimator]) -> type[BagEstimator]:
    """Make of a method one that is given tables, as scikit-learn's checks do.

    A row is an instance; for methods that say something of bags it is a bag too, so that there is
    an answer for every row.
    """
    size = 2 if issubclass(method, InstanceClusterer) else 1

    def bags_of(self: Any, X: Any) -> Bags:
        return _in_bags(X, size=size, n_classes=min(2, getattr(self, "n_clusters", 2) or 2))

    def fit(self: Any, X: Any, y: Any = None) -> Any:
        return method.fit(self, bags_of(self, X))

    def __sklearn_tags__(self: Any) -> Any:  # noqa: N807
        tags = method.__sklearn_tags__(self)
        tags.input_tags.two_d_array = True
        return tags

    parts: dict[str, Any] = {"fit": fit, "__sklearn_tags__": __sklearn_tags__}
    for name in ("predict", "decision_function"):
        whole = getattr(method, name, None)
        if whole is not None and not issubclass(method, InstanceClusterer | SpaceLearner):
            parts[name] = functools.partialmethod(
                lambda self, X, whole: whole(self, bags_of(self, X)), whole=whole
            )
    made: type[BagEstimator] = type(f"{method.__name__}OnTables", (method,), parts)
    made.__module__ = __name__
    globals()[made.__name__] = made  # where pickle looks for it
    return made


def _quick(made: type[BagEstimator]) -> BagEstimator:
    known = made().get_params()
    return made(**{name: value for name, value in QUICK.items() if name in known})


def _failures(name: str) -> Iterator[tuple[str, str]]:
    """Checks of scikit-learn that fail on a method."""
    for estimator, check in estimator_checks_generator(_quick(_on_tables(CLASSES[name]))):
        called = getattr(check, "func", check).__name__
        try:
            check(estimator)
        except pytest.skip.Exception:
            continue
        except Exception as error:
            if type(error).__name__ != "SkipTest":
                yield called, f"{type(error).__name__}: {error}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", CLASSES)
def test_the_checks_of_scikit_learn_hold(name: str) -> None:
    failed = dict(_failures(name))
    assert failed.keys() == CANNOT_APPLY.get(name, {}).keys(), failed


def test_the_checks_are_many_and_find_faults() -> None:
    class Forgetful(Standardizer):
        def __init__(self, shift: float = 1.0) -> None:
            self.shift_ = shift  # not stored as it was given

    checks = list(estimator_checks_generator(_quick(_on_tables(Standardizer))))
    assert len(checks) > 30
    CLASSES["Forgetful"] = Forgetful
    try:
        with pytest.raises(AttributeError):
            list(_failures("Forgetful"))
    finally:
        del CLASSES["Forgetful"]


@pytest.fixture(scope="module")
def bags(blob_bags: BlobBags) -> Bags:
    """Twenty bags of three classes."""
    return blob_bags(3, n_bags=20)[0]


def _fitted(name: str, bags: Bags, **parameters: Any) -> Any:
    made = CLASSES[name]()
    quick = {key: value for key, value in QUICK.items() if key in made.get_params()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return made.set_params(**quick, **parameters).fit(bags)


def _answer(fitted: Any, bags: Bags) -> npt.NDArray[Any]:
    if isinstance(fitted, Standardizer | MetricLearner) and not hasattr(fitted, "predict"):
        return np.asarray(fitted.transform(bags).X)
    if hasattr(fitted, "predict"):
        return np.asarray(fitted.predict(bags))
    return np.asarray(fitted.posterior_)


@pytest.mark.parametrize("name", CLASSES)
def test_methods_are_of_their_kind(name: str, bags: Bags) -> None:
    made = CLASSES[name]()
    assert is_clusterer(made) == isinstance(made, InstanceClusterer | BagClusterer)
    tags = get_tags(made)
    assert not tags.input_tags.two_d_array
    assert (tags.transformer_tags is not None) == hasattr(made, "transform")
    assert get_tags(made).requires_fit
    assert _fitted(name, bags).n_features_in_ == bags.n_features


@pytest.mark.parametrize("name", CLASSES)
def test_only_bags_are_fitted_to_and_nothing_is_said_before(name: str, bags: Bags) -> None:
    made = CLASSES[name]()
    if name != "Standardizer":
        with pytest.raises(ClusteringError, match="must be Bags, not ndarray"):
            made.fit(bags.X)  # type: ignore[arg-type]
    for method in ("predict", "transform", "decision_function", "rejection_score"):
        if hasattr(made, method):
            given = bags.X if method == "rejection_score" else bags
            with pytest.raises(NotFittedError, match="call fit first"):
                getattr(made, method)(given)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_places_bags_and_fit_predict_is_fit(name: str, bags: Bags) -> None:
    fitted = _fitted(name, bags)
    found = fitted.predict(bags)
    expected = bags.n_bags if isinstance(fitted, BagClusterer) else bags.n_instances
    assert found.shape == (expected,)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        again = clone(fitted).fit_predict(bags, None)
    np.testing.assert_array_equal(again, fitted.labels_)
    if isinstance(fitted, BagClusterer):
        with pytest.raises(ClusteringError, match="must be Bags, not ndarray"):
            fitted.predict(bags.X)
    else:
        np.testing.assert_array_equal(found, fitted.predict(bags.X, bags.labels[bags.bag]))


def test_new_bags_need_the_classes_of_the_fit_if_they_are_labelled(bags: Bags) -> None:
    fitted = _fitted("ldc", bags)
    others = Bags(bags.X, bags.bag, bags.labels, class_names=["x", "y", "z"])
    with pytest.raises(ClusteringError, match="classes of the new bags are not those of the fit"):
        fitted.predict(others)
    unlabelled = Bags(bags.X, bags.bag, np.zeros((bags.n_bags, 0)))
    np.testing.assert_array_equal(fitted.predict(unlabelled), fitted.predict(bags.X))
    with pytest.raises(ClusteringError, match="candidates come with the bags"):
        fitted.predict(bags, bags.labels[bags.bag])


RANDOM = [name for name, made in CLASSES.items() if "random_state" in made().get_params()]


@pytest.mark.parametrize("name", RANDOM)
def test_generators_of_random_numbers_may_be_seeds(name: str, bags: Bags) -> None:
    for source in (np.random.RandomState, np.random.default_rng):
        one, two = (_fitted(name, bags, random_state=source(4)) for _ in range(2))
        np.testing.assert_array_equal(_answer(one, bags), _answer(two, bags))
    with pytest.raises(ClusteringError, match=r"random_state must be.*RandomState.*not -1"):
        _fitted(name, bags, random_state=-1)


def test_a_generator_gives_another_seed_every_time(bags: Bags) -> None:
    source = np.random.RandomState(0)
    starts = {tuple(_fitted("m3ic", bags, random_state=source).run_objectives_) for _ in range(3)}
    assert len(starts) == 3


CONTRACTS = BagEstimator, InstanceClusterer, BagClusterer, SpaceLearner, MetricLearner, BagAnnotator


@pytest.mark.parametrize("base", CONTRACTS)
def test_contracts_themselves_cannot_be_made(base: type) -> None:
    with pytest.raises(TypeError, match="abstract"):
        base()


def _all_subclasses(base: type) -> set[type]:
    found = set(base.__subclasses__())
    return found.union(*map(_all_subclasses, found))


def test_what_is_no_method_by_itself_cannot_be_made(bags: Bags) -> None:
    ours = {
        each
        for each in _all_subclasses(BagEstimator)
        if each.__module__.startswith("algorithms.")
        and each.__name__ not in ("FixedMetric", "MLCA")
    }
    for each in ours - set(CLASSES.values()):
        with pytest.raises(TypeError, match="abstract"):
            each()


@pytest.mark.parametrize("name", CLASSES)
def test_another_process_gets_the_same_method(name: str, bags: Bags) -> None:
    fitted = _fitted(name, bags)
    again = pickle.loads(pickle.dumps(fitted))  # noqa: S301
    np.testing.assert_array_equal(_answer(again, bags), _answer(fitted, bags))


@pytest.mark.parametrize("name", METHODS)
def test_pipelines_standardise_new_bags_as_those_of_the_fit(name: str, bags: Bags) -> None:
    units = Bags(1000 * bags.X + 50, bags.bag, bags.labels)
    quick = {key: value for key, value in QUICK.items() if key in CLASSES[name]().get_params()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pipeline = make_pipeline(Standardizer(), make_clusterer(name, **quick)).fit(units)
        alone = make_clusterer(name, **quick).fit(Standardizer().fit_transform(units))
    np.testing.assert_array_equal(pipeline[-1].labels_, alone.labels_)
    part = units[:5]
    expected = alone.predict(Standardizer().fit(units).transform(part))
    np.testing.assert_array_equal(pipeline.predict(part), expected)


def test_a_learned_metric_can_be_a_step(bags: Bags) -> None:
    steps = make_pipeline(
        Standardizer(), _load("metric.miml:MIML")(), make_clusterer("sp", n_clusters=3)
    )
    learned = _load("metric.miml:MIML")().fit(Standardizer().fit_transform(bags))
    mapped = learned.transform(Standardizer().fit_transform(bags))
    expected = make_clusterer("sp", n_clusters=3).fit_predict(mapped)
    np.testing.assert_array_equal(steps.fit_predict(bags), expected)


def in_label_set(model: Any, bags: Bags) -> float:
    """Share of instances whose class, by features alone, is in their bag's label set."""
    species = model[-1].class_of_cluster_[model.predict(bags.X)]
    return float(bags.labels[bags.bag, species][species >= 0].mean())


def test_searches_leave_out_whole_bags(bags: Bags) -> None:
    model = make_pipeline(Standardizer(), make_clusterer("ldc", n_init=2))
    grid = {"ldc__gamma": [1e9, 0.5], "ldc__n_clusters": [3, 6]}
    search = GridSearchCV(model, grid, cv=BagFolds(4), scoring=in_label_set, refit=True)
    search.fit(bags)
    assert search.best_params_["ldc__gamma"] == 0.5  # with 1e9 nothing is alike
    expected = []
    for train, test in BagFolds(4).split(bags):
        best = clone(model).set_params(**search.best_params_).fit(bags[train])
        expected.append(in_label_set(best, bags[test]))
    assert search.best_score_ == pytest.approx(np.mean(expected))
    assert search.best_score_ > 0.9
    assert search.predict(bags).shape == (bags.n_instances,)


def test_any_splitter_and_several_workers_will_do(bags: Bags) -> None:
    model = make_pipeline(Standardizer(), make_clusterer("ldc", n_clusters=3, n_init=2))
    one = cross_val_score(model, bags, cv=KFold(4), scoring=in_label_set)
    with joblib.parallel_backend("threading"):
        two = cross_val_score(model, bags, cv=KFold(4), scoring=in_label_set, n_jobs=2)
    np.testing.assert_array_equal(one, two)


def test_bags_from_a_file_that_workers_share_stay_read_only(bags: Bags, tmp_path: Any) -> None:
    joblib.dump(bags, tmp_path / "bags")
    shared = joblib.load(tmp_path / "bags", mmap_mode="r")
    np.testing.assert_array_equal(shared.X, bags.X)
    with pytest.raises(ValueError, match="read-only"):
        shared.X[0] = 1
    np.testing.assert_array_equal(_fitted("csp", shared).labels_, _fitted("csp", bags).labels_)


def test_bags_are_taken_with_their_instances() -> None:
    names = ["a", "b", "c"]
    labels: dict[str, list[str] | None] = {"a": ["x"], "b": None, "c": ["y", "x"]}
    whole = Bags(np.arange(5.0)[:, None], ["a", "c", "a", "b", "c"], labels)
    assert whole.bag_names == ("a", "c", "b")
    assert whole.shape == (3,)
    assert len(whole) == 3
    part = whole[[1, 0]]
    assert part.X[:, 0].tolist() == [1.0, 4.0, 0.0, 2.0]
    assert part.bag.tolist() == [0, 0, 1, 1]
    assert part.bag_names == ("c", "a")
    assert part.labels.tolist() == [[True, True], [True, False]]
    assert [each.bag_names for each in whole] == [("a",), ("c",), ("b",)]
    assert whole[np.array([False, False, True])].labelled.tolist() == [False]
    assert whole[1:].bag_names == ("c", "b")
    twice = whole[[0, 0]]
    assert twice.sizes.tolist() == [2, 2]
    assert twice.bag_names is None
    assert names == sorted(whole.bag_names)
    with pytest.raises(IndexError):
        whole[3]


def test_bags_are_no_array() -> None:
    bags = Bags([[1.0]], [0], [["wren"]])
    for make in (np.asarray, check_features):
        with pytest.raises(BagsError, match=r"X"):
            make(bags)


def test_folds_keep_groups_whole_and_leave_out_labelled_bags_once() -> None:
    labels = [["wren"], ["owl"], ["wren"], None, ["owl"], ["wren"], []]
    bags = Bags(np.arange(7.0)[:, None], np.arange(7), labels)
    recording = ["p", "p", "q", "q", "r", "s", "t"]
    left_out = []
    for train, test in BagFolds(3).split(bags, groups=recording):
        assert not {recording[n] for n in train} & {recording[n] for n in test}
        assert bags.labelled[test].all()
        left_out += test.tolist()
    assert sorted(left_out) == [0, 1, 2, 4, 5, 6]
    with pytest.raises(ClusteringError, match="n_splits=6: ask for at most 5"):
        list(BagFolds(6).split(bags, groups=recording))
    with pytest.raises(ClusteringError, match="one entry for each of the 7 bags"):
        list(BagFolds(2).split(bags, groups=["p"]))
