from __future__ import annotations

import numpy as np
import sklearn.base  # noqa: F401  its loops have threads of their own
from threadpoolctl import threadpool_info, threadpool_limits  # type: ignore[import-untyped]

from algorithms.threads import one_blas_thread, one_thread


def blas_threads() -> set[int]:
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_matrix_products_keep_to_one_thread_within_the_block_only() -> None:
    np.ones((2, 2)) @ np.ones((2, 2))
    with threadpool_limits(limits=2, user_api="blas"):
        for _ in range(2):  # the libraries are looked for the first time only
            with one_blas_thread():
                assert blas_threads() == {1}
            assert blas_threads() == {2}


def test_scikit_learn_keeps_to_one_thread_too() -> None:
    def threads() -> set[int]:
        return {pool["num_threads"] for pool in threadpool_info()}

    with threadpool_limits(limits=2):
        assert {pool["user_api"] for pool in threadpool_info()} >= {"blas", "openmp"}
        with one_thread():
            assert threads() == {1}
        assert threads() == {2}
