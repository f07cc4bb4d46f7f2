"""The same names learned from other bags, to see how far they depend on those that were given."""

from __future__ import annotations

from algorithms.bags import Bags
from algorithms.checks import check_fitted
from algorithms.disambiguation.disambiguator import LabelDisambiguator
from algorithms.disambiguation.kernel import LandmarkKernel


def refitted(
    fitted: LabelDisambiguator, bags: Bags, seed: int, like: LandmarkKernel | None
) -> LabelDisambiguator:
    """Learn from other bags what was learned from some, with a kernel of the same features.

    With half as many landmarks and rounds, and without background: names change little by it.

    Parameters
    ----------
    fitted : LabelDisambiguator
        What was learned; stays as it is.
    bags : Bags
        The others, of the same features and classes.
    seed : int
        Seed of the landmarks.
    like : LandmarkKernel or None
        Kernel of `fitted`, or the same for the features as the bags have them
        (:meth:`~algorithms.disambiguation.kernel.LandmarkKernel.of_scaled`).

    Returns
    -------
    LabelDisambiguator
        Fitted to `bags`.

    Raises
    ------
    sklearn.exceptions.NotFittedError
        If `fitted` is not.
    """
    check_fitted(fitted, "posterior_")
    changed = {
        "n_landmarks": max(1, fitted.n_landmarks // 2),
        "rounds": (fitted.rounds + 1) // 2,
        "background": "off",
        "random_state": seed,
    }
    other = LabelDisambiguator(**(fitted.get_params() | changed))
    other.like = like
    other.runner, other.block_rows = fitted.runner, fitted.block_rows
    return other.fit(bags)
