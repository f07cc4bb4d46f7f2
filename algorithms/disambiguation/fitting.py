"""Rounds over the blocks of instances: first among those of labelled bags, then among all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from algorithms.bags import Bags, BoolArray, FloatArray, IntArray
from algorithms.blocks.rows import Packed, PackedRows
from algorithms.blocks.runners import Arrays, Runner
from algorithms.disambiguation.background import Background, BackgroundChoice, best_class
from algorithms.disambiguation.eligible import Eligible, left_out_together
from algorithms.disambiguation.kernel import LandmarkKernel
from algorithms.disambiguation.leave_bag_out import LeaveBagOutRidge
from algorithms.disambiguation.rounds import (
    Blocks,
    Candidates,
    Settled,
    Trust,
    believed,
    choose,
    mean_of,
    settle,
    softmax,
)
from algorithms.disambiguation.told import REPORTED_SHARPNESS, most_probable, put_aside, with_doubt

_SELF_ROUNDS = 5


@dataclass(frozen=True, eq=False)
class Found:
    """Where the rounds have ended.

    Attributes
    ----------
    settled : Settled
        Among all instances.
    background : Background or None
        None where it was not looked for.
    coefficients : ndarray, shape (n_landmarks, n_classes + 1)
        Of the regression.
    flagged : ndarray of bool, shape (n_instances,)
        Which are background though their bag's list says nothing of it.
    probability : ndarray, shape (n_instances,)
        How probably each is.
    """

    settled: Settled
    background: Background | None
    coefficients: FloatArray
    flagged: BoolArray
    probability: FloatArray


@dataclass(frozen=True, eq=False)
class Fitting:
    """What the rounds of a fit work on.

    Attributes
    ----------
    bags : Bags
        All.
    may_be : ndarray of bool, shape (n_instances, n_classes + 1)
        Candidates of each instance.
    rows : list of ndarray of int64
        Instances of each block.
    eligible : Eligible
        Classes that can be candidates.
    trust : Trust
        How far predictions and lists are trusted.
    ridge : float or None
        Penalty of the regression.
    runner : Runner
        Who works on the blocks.
    """

    bags: Bags
    may_be: BoolArray
    rows: list[IntArray]
    eligible: Eligible
    trust: Trust
    ridge: float | None
    runner: Runner

    @cached_property
    def blocks(self) -> Blocks:
        """All instances, in their blocks."""
        return self.eligible.blocks(self.bags, self.may_be, self.rows)

    def coordinates(self, kernel: LandmarkKernel) -> Sequence[Any]:
        """Of all instances, by block, as the runner keeps them."""
        features = (self.bags.X[rows] for rows in self.blocks.rows)  # one block at a time
        return self.runner.make(_coordinates, features, shared=[kernel])

    def regression(self, coordinates: Sequence[Any], blocks: Blocks) -> LeaveBagOutRidge:
        """Regression on the instances of some blocks."""
        left_out = left_out_together(self.bags)
        together = [left_out[rows] for rows in blocks.rows]
        return LeaveBagOutRidge.fit(coordinates, together, self.ridge, self.runner)

    def find(
        self, kernel: LandmarkKernel, labelled: BoolArray, n_rounds: int, choice: BackgroundChoice
    ) -> Found:
        """Settle labelled bags, then predict the others and let them join.

        Parameters
        ----------
        kernel : LandmarkKernel
            Fitted.
        labelled : ndarray of bool, shape (n_instances,)
            Instances whose candidates are told by a list, or known.
        n_rounds : int
            Among labelled bags.
        choice : {"off", "cautious", "eager"}
            How to look for background.
        """
        coordinates = self.coordinates(kernel)
        if labelled.all():
            ridge = self.regression(coordinates, self.blocks)
            del coordinates  # which are as large as what the regression keeps
            return self._among_labelled(self.blocks, ridge, n_rounds, choice)
        rows = [own[labelled[own]] for own in self.rows]
        of_labelled = [place for place, own in enumerate(rows) if len(own)]
        taken = self.runner.make(
            _taken,
            [coordinates[place] for place in of_labelled],
            [labelled[self.rows[place]] for place in of_labelled],
        )
        some = self.eligible.blocks(self.bags, self.may_be, [rows[place] for place in of_labelled])
        ridge = self.regression(taken, some)
        del taken
        found = self._among_labelled(some, ridge, n_rounds, choice)
        start = self._start_of_all(labelled, coordinates, some, found)
        ridge = self.regression(coordinates, self.blocks)
        settled = settle(ridge, self.blocks, start, self.trust, _SELF_ROUNDS, warm=True)
        coefficients = ridge.coefficients(settled.sharpened, mean_of(settled.sharpened))
        return Found(settled, found.background, coefficients, found.flagged, found.probability)

    def told(self, found: Found) -> tuple[FloatArray, IntArray, PackedRows]:
        """What the fit tells of all instances.

        Returns
        -------
        posterior : ndarray, shape (n_instances, n_classes)
            Probabilities that are right about as often as they say.
        class_ : ndarray of int64, shape (n_instances,)
            Most probable class by the rounds; -1 for background.
        shares : PackedRows, shape (n_instances, n_classes)
            Posteriors of the last round.
        """
        bags, settled, blocks = self.bags, found.settled, self.blocks
        posterior_of_all = np.empty((bags.n_instances, bags.n_classes))
        class_of_all = np.empty(bags.n_instances, dtype=np.int64)
        weights, claims = believed(settled.belief, blocks.bags)
        columns = (settled.predicted, blocks.candidates, weights, claims)
        of_blocks = self.runner.results(_told, *columns, shared=[self.trust])
        kept = []
        for rows, told, chosen in zip(blocks.rows, of_blocks, settled.chosen, strict=True):
            posterior, shares = told.table()[:, :-1], chosen.table()[:, :-1].copy()
            put_aside(posterior, shares, found.flagged[rows], found.probability[rows])
            posterior_of_all[rows], class_of_all[rows] = posterior, most_probable(shares)
            kept.append(Packed.of(shares))
        return posterior_of_all, class_of_all, PackedRows.of(kept, blocks.rows, bags.n_classes)

    def _among_labelled(
        self, blocks: Blocks, ridge: LeaveBagOutRidge, n_rounds: int, choice: BackgroundChoice
    ) -> Found:
        """Rounds among labelled bags; of their instances, which are background, how probably."""
        start = [Packed.of(own.shares()) for own in blocks.candidates]
        settled = settle(ridge, blocks, start, self.trust, n_rounds)
        coefficients = ridge.coefficients(settled.sharpened, mean_of(settled.sharpened))
        n = self.bags.n_instances
        if choice == "off":
            nothing = np.zeros(n, dtype=np.bool_), np.zeros(n)
            return Found(settled, None, coefficients, *nothing)
        may_be = self.eligible.or_none(self.bags, self.may_be)
        background = Background.find(
            ridge, blocks, may_be, self.trust, n_rounds, choice, without=settled
        )
        noise = background.flagged.copy(), background.probability.copy()
        return Found(settled, background, coefficients, *noise)

    def _start_of_all(
        self, labelled: BoolArray, coordinates: Sequence[Any], some: Blocks, found: Found
    ) -> list[Packed]:
        """Posteriors of all to go on from: of labelled bags, and predicted for the others.

        Which of the others are background is entered in `found`.
        """
        background = found.background
        start = np.empty(self.may_be.shape)
        for rows, packed in zip(some.rows, found.settled.sharpened, strict=True):
            start[rows] = packed.table()
        others = [~labelled[rows] for rows in self.rows]
        parts, least = [found.coefficients], -np.inf
        if background is not None:
            parts.append(background.coefficients)
            examples = self._best_of_labelled(labelled, some, found.settled)
            least = background.least_score(*examples, some.lists)
        predictions = self.runner.results(_predicted, coordinates, others, shared=[parts])
        for own, other, predicted in zip(self.rows, others, predictions, strict=True):
            rows = own[other]
            allowed = self.may_be[rows]
            by_lists = predicted[0]
            start[rows] = softmax(np.where(allowed, self.trust.sharpness * by_lists, -np.inf))
            if background is not None and len(rows):
                may_be = self.eligible.or_none(self.bags, self.may_be, rows)
                flagged, found.probability[rows] = background.decide(predicted[1], may_be)
                lost = background.without_support(by_lists, predicted[1], allowed, least)
                found.flagged[rows] = flagged | (may_be[:, -1] & lost)
        return [Packed.of(start[rows]) for rows in self.rows]

    def _best_of_labelled(
        self, labelled: BoolArray, some: Blocks, settled: Settled
    ) -> tuple[IntArray, FloatArray, IntArray]:
        """Best class of each instance of labelled bags by the others, its prediction, the bag."""
        n = self.bags.n_instances
        best, score = np.zeros(n, dtype=np.int64), np.zeros(n)
        heard = np.asarray(some.lists.listed.any(axis=0))
        of_blocks = self.runner.results(_best, settled.predicted, shared=[heard])
        for rows, (own_best, own_score) in zip(some.rows, of_blocks, strict=True):
            best[rows], score[rows] = own_best, own_score
        return best[labelled], score[labelled], self.bags.bag[labelled]


def _coordinates(X: FloatArray, kernel: LandmarkKernel) -> Arrays:
    return (kernel.transform(X),)


def _taken(made: Arrays, rows: BoolArray) -> Arrays:
    return (made[0][rows],)


def _predicted(made: Arrays, rows: BoolArray, coefficients: Sequence[FloatArray]) -> Arrays:
    return tuple(made[0][rows] @ one for one in coefficients)


def _best(made: Arrays, heard: BoolArray) -> tuple[IntArray, FloatArray]:
    return best_class(made[0], heard)


def _told(
    made: Arrays, candidates: Candidates, weight: FloatArray, claim: FloatArray, trust: Trust
) -> Packed:
    no_claims = replace(trust, occupancy=0.0)
    told = choose(made[0], candidates, weight, claim, trust, REPORTED_SHARPNESS)
    by_list = choose(made[0], candidates, weight, claim, no_claims, 0.0)
    listed = np.asarray(candidates.listed.any(axis=1))[candidates.bag][told.row]
    return replace(told, values=with_doubt(told.values, by_list.values, listed))
