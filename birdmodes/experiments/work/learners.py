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
from birdmodes.experiments.work.folds import Features
from birdmodes.experiments.work.tables import MOST_KERNEL_INSTANCES, listed

if TYPE_CHECKING:
    from algorithms.metric.base import MetricLearner
    from algorithms.metric.mimlca_kernel import MIMLCAKernel

EUCLIDEAN = "euclidean"
"""Stands for no learned metric."""

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


def _learner(name: str, **fields: Any) -> Learner:
    options = dict(fields.pop("options", {}))
    if "kernel" in options:
        fields |= {"import_path": _KERNEL, "class_model": "axes", "seeded": True}
        fields["most_instances"] = MOST_KERNEL_INSTANCES
    if name.endswith("no-limit"):
        options["max_per_label"] = None
    if "classes" in fields:
        fields["classes"] = {"ldc": classes_of_ldc, **LIST_BASELINES}[fields["classes"]]
    return Learner(name, options=options, **fields)


_KERNEL = "algorithms.metric.mimlca_kernel:MIMLCAKernel"

LEARNERS: dict[str, Learner] = {fields["name"]: _learner(**fields) for fields in listed("learners")}
"""In the order of the tables."""
