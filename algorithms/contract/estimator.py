"""What scikit-learn asks of estimators, kept without loading it: that takes a second."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from typing import Any, Self


class Estimator(ABC):
    """Parameters by name and tags, by which scikit-learn knows estimators.

    Its pipelines, searches and :func:`sklearn.base.clone` go by these methods and ask for no base
    class. The constructor stores what it is given under the same names, and does nothing else.
    """

    @abstractmethod
    def fit(self, X: Any, /, y: Any = None) -> Self:
        """Learn from `X` and return the estimator itself."""

    @classmethod
    def _names(cls) -> list[str]:
        if cls.__init__ is object.__init__:
            return []
        return sorted(name for name in inspect.signature(cls.__init__).parameters if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Give the parameters.

        Parameters
        ----------
        deep : bool
            Also those of parameters that have parameters, as ``metric__n_components``.
        """
        found = {}
        for name in self._names():
            found[name] = value = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                found |= {f"{name}__{inner}": own for inner, own in value.get_params().items()}
        return found

    def set_params(self, **parameters: Any) -> Self:
        """Change parameters, named as in :meth:`get_params`.

        Raises
        ------
        ValueError
            If there is none of a name.
        """
        known = self.get_params(deep=False)
        inner: dict[str, dict[str, Any]] = {}
        for name, value in parameters.items():
            own, has_inner, rest = name.partition("__")
            if own not in known:
                raise ValueError(
                    f"Invalid parameter {own!r} for estimator {self}. Valid parameters are: "
                    f"{self._names()}."
                )
            if has_inner:
                inner.setdefault(own, {})[rest] = value
            else:
                setattr(self, own, value)
        for name, values in inner.items():
            getattr(self, name).set_params(**values)
        return self

    def __repr__(self) -> str:
        """Name of the class and the parameters that differ from what they are by default."""
        signature = inspect.signature(type(self).__init__).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params(deep=False).items()
            if repr(value) != repr(signature[name].default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        """Give the tags, which only scikit-learn asks for."""
        from sklearn.utils import Tags, TargetTags

        return Tags(estimator_type=None, target_tags=TargetTags(required=False))


class Clusterer(Estimator):
    """An estimator that finds ``labels_``."""

    labels_: Any

    def fit_predict(self, bags: Any, y: Any = None, **parameters: Any) -> Any:
        """Cluster `bags` and return ``labels_``; parameters are those of :meth:`fit`."""
        return self.fit(bags, y, **parameters).labels_

    def __sklearn_tags__(self) -> Any:
        """See :class:`Estimator`."""
        tags = super().__sklearn_tags__()
        tags.estimator_type = "clusterer"
        return tags


class Transformer(Estimator):
    """An estimator that maps instances."""

    @abstractmethod
    def transform(self, X: Any) -> Any:
        """Map instances."""

    def fit_transform(self, X: Any, y: Any = None, **parameters: Any) -> Any:
        """Fit to instances and map them; parameters are those of :meth:`fit`."""
        return self.fit(X, y, **parameters).transform(X)

    def __sklearn_tags__(self) -> Any:
        """See :class:`Estimator`."""
        from sklearn.utils import TransformerTags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags()
        return tags
