"""Training bags, and test bags from which the labels are taken away."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.bags import Bags, BoolArray, IntArray
from algorithms.folds import make_folds
from birdmodes.annotate.material import choose_bags
from birdmodes.errors import BirdmodesError
from birdmodes.experiments.held_out.problems import HeldOutProblem
from birdmodes.experiments.held_out.protocol import HeldOutProtocol
from birdmodes.experiments.seeds import child_seed


@dataclass(frozen=True, eq=False)
class Split:
    """What is learned from and what is told.

    Attributes
    ----------
    train : Bags
        Training bags, features as published; unlabelled bags are always among them.
    test : Bags
        Test bags, features as published. **They have no labels**, so that none can reach a method.
    test_labels : ndarray of bool, shape (n_test_bags, n_classes)
        The labels that they had.
    train_truth, test_truth : ndarray of int64 or None
        True classes of the instances, -1 where unknown.
    """

    train: Bags
    test: Bags
    test_labels: BoolArray
    train_truth: IntArray | None
    test_truth: IntArray | None


def folds_of(problem: HeldOutProblem, protocol: HeldOutProtocol) -> IntArray:
    """Deal the labelled bags to folds, those of every class spread over them.

    Parameters
    ----------
    problem : HeldOutProblem
        Its published test bags are fold 0, and its other bags -1.
    protocol : HeldOutProtocol
        Number of folds, and the seed.

    Returns
    -------
    ndarray of int64, shape (n_bags,)
        Fold of each bag; -1 for bags that are never left out.
    """
    bags = problem.bags
    if problem.test is not None:
        return np.where(problem.test, 0, -1)
    seed = child_seed(protocol.seed, problem.name, "folds")
    return make_folds(bags.labels, bags.labelled, np.arange(bags.n_bags), protocol.folds, seed)


def split_of(problem: HeldOutProblem, fold: int, protocol: HeldOutProtocol) -> Split:
    """Take one fold out.

    Parameters
    ----------
    problem : HeldOutProblem
        Bags and truth.
    fold : int
        Which.
    protocol : HeldOutProtocol
        How bags were dealt.

    Raises
    ------
    BirdmodesError
        When the fold is empty.
    """
    return split_at(problem, folds_of(problem, protocol) == fold)


def split_at(problem: HeldOutProblem, left_out: BoolArray) -> Split:
    """Take some bags out.

    Parameters
    ----------
    problem : HeldOutProblem
        Bags and truth.
    left_out : ndarray of bool, shape (n_bags,)
        Which bags.

    Raises
    ------
    BirdmodesError
        When there are none.
    """
    if not left_out.any():
        raise BirdmodesError(f"{problem.name}: no bag is left out, so nothing can be tested")
    of_test = left_out[problem.bags.bag]
    test = choose_bags(problem.bags, left_out)
    return Split(
        train=choose_bags(problem.bags, ~left_out),
        test=without_labels(test),
        test_labels=test.labels,
        train_truth=None if problem.truth is None else problem.truth[~of_test],
        test_truth=None if problem.truth is None else problem.truth[of_test],
    )


def without_labels(bags: Bags) -> Bags:
    """Give the same bags, all of them unlabelled."""
    return Bags(
        bags.X,
        bags.bag,
        np.zeros_like(bags.labels),
        np.zeros_like(bags.labelled),
        bags.class_names,
    )
