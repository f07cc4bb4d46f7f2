"""Work on one thread, where the result must not depend on how many there are."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]


def one_blas_thread() -> AbstractContextManager[None]:
    """Keep products and decompositions of matrices to one thread, within a ``with`` block.

    Sums that are split over several threads differ in their last digits. Unlike
    :func:`threadpoolctl.threadpool_limits` it looks for the libraries once only, as that takes
    longer than a small fit.
    """
    limits: AbstractContextManager[None] = _libraries().limit(limits=1, user_api="blas")
    return limits


def one_thread() -> AbstractContextManager[None]:
    """As :func:`one_blas_thread`, and the threads of scikit-learn's own loops as well."""
    limits: AbstractContextManager[None] = _libraries_and_loops().limit(limits=1)
    return limits


@cache
def _libraries() -> ThreadpoolController:
    import scipy.linalg  # noqa: F401  slow to import; loads the second of those to be found

    return ThreadpoolController()


@cache
def _libraries_and_loops() -> ThreadpoolController:
    import sklearn.base  # noqa: F401  slow to import; loads the library of its loops

    return ThreadpoolController()
