"""A trained forest as plain arrays, which a file can hold without pickle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from birdmodes.errors import ParameterError

LEAF = -1
"""Feature of a node that asks nothing: a leaf."""

_MAX_NODES = 20_000_000


@dataclass(frozen=True, eq=False)
class Trees:
    """Decision trees for two classes, one after the other.

    Parameters
    ----------
    first : ndarray of int64, shape (n_trees + 1,)
        The nodes of tree i are ``first[i]`` to ``first[i + 1] - 1``, its root the first of them.
    feature : ndarray of int16, shape (n_nodes,)
        Column that a node looks at; `LEAF` for leaves.
    threshold : ndarray of float64, shape (n_nodes,)
        Rows whose value is at most this go left. 0 for leaves.
    left, right : ndarray of int32, shape (n_nodes,)
        Children, counted from the root of the tree. They come after their parent, so that every
        way down ends. `LEAF` for leaves.
    share : ndarray of float32, shape (n_nodes,)
        Probability of the second class.

    Raises
    ------
    ParameterError
        If the arrays are not such trees: nothing outside them is ever read.
    """

    first: NDArray[np.int64]
    feature: NDArray[np.int16]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    share: NDArray[np.float32]

    def __post_init__(self) -> None:
        """Check every array."""
        for name, dtype in _DTYPES.items():
            values = getattr(self, name)
            if not isinstance(values, np.ndarray) or values.dtype != dtype or values.ndim != 1:
                raise ParameterError(f"trees: {name} must be a row of {np.dtype(dtype)}")
        n_nodes = self.feature.size
        if any(getattr(self, name).size != n_nodes for name in _OF_NODES):
            raise ParameterError("trees: the arrays of the nodes differ in length")
        first = self.first
        if (
            first.size < 2
            or n_nodes > _MAX_NODES
            or first[0] != 0
            or first[-1] != n_nodes
            or (np.diff(first) < 1).any()
        ):
            raise ParameterError("trees: the trees do not divide the nodes among them")
        self._check_nodes()

    def _check_nodes(self) -> None:
        leaf = self.feature == LEAF
        own = np.arange(self.feature.size) - np.repeat(self.first[:-1], np.diff(self.first))
        size = np.repeat(np.diff(self.first), np.diff(self.first))
        for child in (self.left, self.right):
            inner = (child > own) & (child < size)
            if not np.where(leaf, child == LEAF, inner).all():
                raise ParameterError("trees: a child does not come after its parent in its tree")
        if (self.feature < LEAF).any():
            raise ParameterError("trees: a node looks at a feature that cannot be")
        if not np.isfinite(self.threshold).all():
            raise ParameterError("trees: a threshold is not a number")
        if not ((self.share >= 0) & (self.share <= 1)).all():
            raise ParameterError("trees: a probability is not between 0 and 1")

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return int(self.first.size - 1)

    @property
    def n_features(self) -> int:
        """Columns that the trees need at least."""
        return int(self.feature.max()) + 1

    @classmethod
    def from_forests(cls, forests: Sequence[Any]) -> Trees:
        """Take the trees out of fitted scikit-learn forests.

        Parameters
        ----------
        forests : sequence of sklearn.ensemble.RandomForestClassifier
            Fitted with the classes False and True, both of which occur.
        """
        trees = [estimator.tree_ for forest in forests for estimator in forest.estimators_]
        leaf = np.concatenate([tree.children_left < 0 for tree in trees])

        def joined(name: str, at_leaves: float, dtype: type[np.generic]) -> NDArray[Any]:
            values = np.concatenate([getattr(tree, name) for tree in trees])
            return np.where(leaf, at_leaves, values).astype(dtype)

        # Counts of the two classes or shares of them, depending on scikit-learn's version.
        counts = np.concatenate([tree.value[:, 0, :] for tree in trees])
        return cls(
            first=np.cumsum([0, *(tree.node_count for tree in trees)], dtype=np.int64),
            feature=joined("feature", LEAF, np.int16),
            threshold=joined("threshold", 0.0, np.float64),
            left=joined("children_left", LEAF, np.int32),
            right=joined("children_right", LEAF, np.int32),
            share=(counts[:, 1] / counts.sum(axis=1)).astype(np.float32),
        )

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Arrays by name."""
        return {name: getattr(self, name) for name in _DTYPES}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Trees:
        """Make trees from the result of `to_arrays`.

        Raises
        ------
        ParameterError
            If an array is missing or not as it must be.
        """
        missing = [name for name in _DTYPES if name not in arrays]
        if missing:
            raise ParameterError(f"trees: {', '.join(missing)} missing")
        return cls(**{name: arrays[name] for name in _DTYPES})


_DTYPES: dict[str, type[np.generic]] = {
    "first": np.int64,
    "feature": np.int16,
    "threshold": np.float64,
    "left": np.int32,
    "right": np.int32,
    "share": np.float32,
}
_OF_NODES = tuple(name for name in _DTYPES if name != "first")


class Forest:
    """Trees ready to be asked.

    scikit-learn's own compiled trees walk through the arrays of `Trees`; numpy would have to visit
    all rows once for each level of each tree.

    Parameters
    ----------
    trees : Trees
        The forest.
    n_features : int
        Columns of the rows that will be asked about.

    Raises
    ------
    ParameterError
        If the trees look at more than `n_features` columns.
    """

    def __init__(self, trees: Trees, n_features: int) -> None:
        if trees.n_features > n_features:
            raise ParameterError(f"trees: made for more than {n_features} features")
        self._n_features = n_features
        self._trees = [
            (_compiled(trees, start, stop, n_features), trees.share[start:stop])
            for start, stop in zip(trees.first[:-1], trees.first[1:], strict=True)
        ]

    def probability(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Mean of the trees' probabilities.

        Parameters
        ----------
        rows : ndarray of float32, shape (n, n_features)
            Without NaN.

        Returns
        -------
        ndarray of float32, shape (n,)
            From 0 to 1; the same whatever the number of threads.
        """
        rows = np.ascontiguousarray(rows, dtype=np.float32)
        if rows.ndim != 2 or rows.shape[1] != self._n_features:
            raise ValueError(f"rows must have {self._n_features} columns")
        total = np.zeros(len(rows), dtype=np.float32)
        for tree, share in self._trees:
            total += share[tree.apply(rows)]
        return total / np.float32(len(self._trees))


def _compiled(trees: Trees, start: int, stop: int, n_features: int) -> Any:
    """scikit-learn's tree of the nodes `start` to ``stop - 1``."""
    # Imported here: the energy segmenter does not need scikit-learn, nor do its worker processes.
    from sklearn.tree import DecisionTreeClassifier

    # The fields of a node differ between versions: a tree of this one shows them.
    example = DecisionTreeClassifier(max_depth=1).fit([[0.0], [1.0]], [0, 1]).tree_
    state = example.__getstate__()
    nodes = np.zeros(stop - start, dtype=state["nodes"].dtype)
    for field, values in (
        ("left_child", trees.left),
        ("right_child", trees.right),
        ("feature", trees.feature),
        ("threshold", trees.threshold),
    ):
        nodes[field] = values[start:stop]
    leaf = trees.feature[start:stop] == LEAF
    nodes["feature"][leaf] = state["nodes"]["feature"][-1]
    nodes["threshold"][leaf] = state["nodes"]["threshold"][-1]
    tree = type(example)(n_features, np.array([2], dtype=np.intp), 1)
    tree.__setstate__(
        {
            **state,
            "max_depth": int(stop - start),
            "node_count": int(stop - start),
            "nodes": nodes,
            "values": np.zeros((stop - start, 1, 2)),
        }
    )
    return tree
