"""The learners of metrics that take part, with their parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from algorithms.bags import Bags, IntArray
from algorithms.disambiguation.ldc import LDC
from algorithms.disambiguation.list_baselines import LIST_BASELINES
from algorithms.errors import ClusteringError
from algorithms.folds import choose_bags
from birdmodes.experiments.work.features import Features

if TYPE_CHECKING:
    from algorithms.metric.base import MetricLearner
    from algorithms.metric.mimlca_kernel import MIMLCAKernel

EUCLIDEAN = "euclidean"
"""Stands for no learned metric."""

MOST_KERNEL_INSTANCES = 2000
"""Training instances of the kernel form at most, whose time grows with their cube."""

ClassModel = Literal["axes", "centres", "bag scores", "none"]
"""What a learner knows of classes.

"axes": their means, in a space with an axis for each, in which both rules of Law et al. apply;
"centres": their means; "bag scores": how likely a bag has each; "none".
"""

Classes = Callable[[Bags, int], IntArray]
LearnsFrom = Literal["bags", "instances", "nothing"]


@dataclass(frozen=True)
class Learner:
    """An entry of :data:`LEARNERS`.

    Attributes
    ----------
    name : str
        What users type.
    import_path : str
        ``"module:class"``.
    class_model : str
        See :data:`ClassModel`.
    options : dict
        Parameters other than the defaults of the class.
    seeded : bool
        Whether it draws anything at random.
    learns_from : {"bags", "instances", "nothing"}
        Whether it needs the label sets of the bags, the class of every instance, or neither.
    features : {"standardized", "shares"}
        What is to be done to features.
    most_instances : int or None
        With more training instances it learns from a sample of the bags.
    classes : callable or None
        From label sets to the class of each training instance, -1 for none, which it then learns
        from as if they were true.
    """

    name: str
    import_path: str
    class_model: ClassModel
    options: Mapping[str, Any] = field(default_factory=dict)
    seeded: bool = False
    learns_from: LearnsFrom = "bags"
    features: Features = "standardized"
    most_instances: int | None = None
    classes: Classes | None = None

    def make(self, seed: int = 0) -> MetricLearner | MIMLCAKernel:
        """Make a new learner.

        Parameters
        ----------
        seed : int
            Same seed, same result.
        """
        module, _, attribute = self.import_path.partition(":")
        options = {**self.options, "random_state": seed} if self.seeded else self.options
        made: MetricLearner | MIMLCAKernel = getattr(import_module(module), attribute)(**options)
        return made

    def fit(self, train: Bags, truth: IntArray | None, seed: int = 0) -> Any:
        """Make a new learner and fit it.

        Parameters
        ----------
        train : Bags
            Training bags, features prepared.
        truth : ndarray of int64, shape (n_instances,), or None
            Class of each instance, -1 for unknown; looked at only by a learner that
            learns from instances.
        seed : int
            Same seed, same result.

        Returns
        -------
        MetricLearner or MIMLCAKernel

        Raises
        ------
        ClusteringError
            When it refuses, or needs the classes of instances and there are none.
        """
        learner: Any = self.make(seed)
        if self.learns_from == "instances":
            if truth is None:
                raise ClusteringError(
                    f"{self.name} learns from the classes of instances, which this set does not "
                    "tell: use a set that has them"
                )
            return learner.fit(train, truth)
        if self.classes is not None:
            return learner.fit(train, self.classes(train, seed))
        if self.most_instances is not None:
            train = sample_bags(train, self.most_instances, seed)
        return learner.fit(train)


def classes_of_ldc(bags: Bags, seed: int) -> IntArray:
    """Likeliest class of each instance by ldc, -1 where its bag is known to hold none."""
    posterior = LDC(random_state=seed).fit(bags).posterior_
    return np.where(posterior.any(axis=1), posterior.argmax(axis=1), -1).astype(np.int64)


def sample_bags(bags: Bags, most: int, seed: int) -> Bags:
    """Draw bags until another would make too many instances; all of them, if they are not.

    Parameters
    ----------
    bags : Bags
        To draw from.
    most : int
        Most instances.
    seed : int
        Same seed, same bags.

    Returns
    -------
    Bags
        At least one bag with instances, in the old order.
    """
    if bags.n_instances <= most:
        return bags
    order = np.random.default_rng(seed).permutation(np.flatnonzero(bags.sizes))
    drawn = np.zeros(bags.n_bags, dtype=np.bool_)
    drawn[order[: max(1, int((bags.sizes[order].cumsum() <= most).sum()))]] = True
    return choose_bags(bags, drawn)


_MLCA = "algorithms.metric.mlca:MLCA"
_MIMLCA = "algorithms.metric.mimlca:MIMLCA"
_KERNEL = "algorithms.metric.mimlca_kernel:MIMLCAKernel"
_NO_LIMIT: dict[str, Any] = {"max_per_label": None}
_ROUNDS: dict[str, Any] = {"rounds": 5}
_RIDGE = {"ridge": 0.1}
# With all directions k-means finds nothing; see docs/methods.md.
_RBF = {"kernel": "rbf", "variance": 0.9}
_CHI2 = {"kernel": "chi2", "gamma": 1.0, "variance": 0.9}


def _kernel(name: str, options: dict[str, Any], features: Features) -> Learner:
    return Learner(
        name,
        _KERNEL,
        "axes",
        options,
        seeded=True,
        features=features,
        most_instances=MOST_KERNEL_INSTANCES,
    )


def _after_baselines() -> tuple[Learner, ...]:
    return tuple(
        Learner(f"mlca-{name}", _MLCA, "axes", classes=classes)
        for name, classes in LIST_BASELINES.items()
    )


def _kernels(name: str, options: dict[str, Any], features: Features) -> tuple[Learner, ...]:
    return (
        _kernel(name, options, features),
        _kernel(f"{name}-no-limit", options | _NO_LIMIT, features),
        _kernel(f"{name}-ridge", options | _RIDGE, features),
        _kernel(f"{name}-ridge-no-limit", options | _RIDGE | _NO_LIMIT, features),
    )


LEARNERS: dict[str, Learner] = {
    learner.name: learner
    for learner in (
        Learner(EUCLIDEAN, "algorithms.metric.euclidean:Euclidean", "none", learns_from="nothing"),
        Learner("mlca", _MLCA, "axes", learns_from="instances"),
        Learner("mimlca", _MIMLCA, "axes", seeded=True),
        Learner("mimlca-no-limit", _MIMLCA, "axes", _NO_LIMIT, seeded=True),
        Learner("mimlca-rounds", _MIMLCA, "axes", _ROUNDS, seeded=True),
        Learner("mimlca-rounds-no-limit", _MIMLCA, "axes", _ROUNDS | _NO_LIMIT, seeded=True),
        Learner("mlca-ldc", _MLCA, "axes", classes=classes_of_ldc),
        *_after_baselines(),
        *_kernels("mimlca-rbf", _RBF, "standardized"),
        *_kernels("mimlca-chi2", _CHI2, "shares"),
        Learner("miml", "algorithms.metric.miml:MIML", "centres"),
        Learner("mildml", "algorithms.metric.mildml:MildML", "none", seeded=True),
        Learner("mc2b", "algorithms.metric.mc2b:MC2B", "bag scores", seeded=True),
    )
}
"""In the order of the tables.

"no-limit": a bag may hold any number of instances of a label. "ridge": without one the kernel form
goes through its examples exactly, and new instances fare worse; 0.1 is what cross-validation of
the label sets of training bags chose. "rounds": five more of k-means in the learned space.
"mlca-...": mlca on the classes that ldc, or a baseline of the list, gives to training instances.
"""
