"""Which instance of a bag is the example of which of its labels, for all bags at once."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.optimize import linear_sum_assignment

from algorithms.bags import BoolArray, FloatArray, IntArray
from algorithms.bagwise.layout import SortedBags

_BLOCK_ENTRIES = 1 << 21  # largest table of inner products, in float64 entries: 16 MB
_MOST_LISTED = 3  # with so many choosers all combinations of their best partners are compared


@dataclass(frozen=True, eq=False)
class BagAssignment:
    r"""All pairs of an instance and a label of its bag, laid out for assignments in bulk.

    An instance gets at most one label, and a label at most q of the bag's instances; of all ways to
    assign as many as that allows, the one of the least total cost is wanted. With n instances and m
    labels in a bag, either n <= qm, and every instance gets a label ("instances choose"), or every
    label gets q instances ("labels choose"). What chooses has *partners* to choose from, whose
    *capacity* is q or 1.

    Most bags need no search: where every chooser can have the partners that it likes best without
    any partner being overfull, that is the best assignment. This is found for all bags at once. For
    what is left, q = 1 and at most three choosers, all combinations of the three best partners of
    each are compared (no other partner is needed: of three, two at most are taken by the other
    choosers). Only the rest is solved bag by bag, unless an earlier assignment is the best still.

    Attributes
    ----------
    row, label : ndarray of int64, shape (n_pairs,)
        Instance (row of :class:`~algorithms.bagwise.layout.SortedBags`) and label of each pair.
        Pairs are ordered by bag, and within a bag by chooser.
    partner : ndarray of int64, shape (n_pairs,)
        Partner of each pair: below `n_instances` an instance, else a label of a certain bag.
    chooser : ndarray of int64, shape (n_pairs,)
        Chooser of each pair, rising from 0.
    chooser_starts : ndarray of int64, shape (n_choosers,)
        First pair of each chooser.
    bag_of_chooser : ndarray of int64, shape (n_choosers,)
        Bag of each, rising from 0, counting bags that have labels and instances.
    first_chooser, n_choosers : ndarray of int64, shape (n_bags,)
        First chooser of each of these bags, and their number.
    labels_choose : ndarray of bool, shape (n_bags,)
        Whether the bag's labels choose. These bags come first.
    by_row : ndarray of int64, shape (n_pairs,)
        The pairs ordered by instance.
    n_instances : int
        Number of instances, those of bags without labels included.
    capacity : int
        Most instances of a label in a bag, q.
    """

    row: IntArray
    label: IntArray
    partner: IntArray
    chooser: IntArray
    chooser_starts: IntArray
    bag_of_chooser: IntArray
    first_chooser: IntArray
    n_choosers: IntArray
    labels_choose: BoolArray
    by_row: IntArray
    n_instances: int
    capacity: int

    @classmethod
    def of(cls, layout: SortedBags, labels: BoolArray, max_per_label: int | None) -> BagAssignment:
        """Lay out the pairs.

        Parameters
        ----------
        layout : SortedBags
            The instances, by bag.
        labels : ndarray of bool, shape (n_bags, n_classes)
            Label set of each bag, those without instances included. Instances of bags whose set is
            empty are never assigned.
        max_per_label : int or None
            Most instances of a label in a bag; None sets no limit.
        """
        n = len(layout.X)
        sets = labels[layout.bag_numbers]
        m = sets.sum(axis=1)
        capacity = int(layout.sizes.max(initial=1))
        if max_per_label is not None:
            capacity = min(capacity, max_per_label)
        scarce = layout.sizes > m * capacity  # labels, not instances
        ordered = np.concatenate(
            [np.flatnonzero((m > 0) & scarce), np.flatnonzero((m > 0) & ~scarce)]
        )
        sizes, m, sets, scarce = layout.sizes[ordered], m[ordered], sets[ordered], scarce[ordered]
        starts = layout.starts[ordered]
        n_choosers = np.where(scarce, m, sizes)
        n_partners = np.where(scarce, sizes, m)
        bag_of_chooser = np.repeat(np.arange(len(ordered)), n_choosers)
        first_chooser = np.cumsum(n_choosers) - n_choosers
        width = n_partners[bag_of_chooser]
        chooser_starts = np.cumsum(width) - width
        chooser = np.repeat(np.arange(len(width)), width)
        bag = bag_of_chooser[chooser]
        own = chooser - first_chooser[bag]  # place of the chooser in its bag
        other = np.arange(len(chooser)) - chooser_starts[chooser]  # ... and of the partner
        row = starts[bag] + np.where(scarce[bag], other, own)
        listed = np.nonzero(sets)[1]  # labels of all bags, bag by bag
        place = (np.cumsum(m) - m)[bag] + np.where(scarce[bag], own, other)
        return cls(
            row=row,
            label=listed[place],
            partner=np.where(scarce[bag], row, n + place),
            chooser=chooser,
            chooser_starts=chooser_starts,
            bag_of_chooser=bag_of_chooser,
            first_chooser=first_chooser,
            n_choosers=n_choosers,
            labels_choose=scarce,
            by_row=np.argsort(row, kind="stable"),
            n_instances=n,
            capacity=capacity,
        )

    def squared_distances(self, points: FloatArray, centres: FloatArray) -> FloatArray:
        """Squared distance of the instance to the label's centre, of every pair.

        Parameters
        ----------
        points : ndarray, shape (n_instances, d)
            The instances.
        centres : ndarray, shape (n_classes, d)
            Centre of each class.

        Returns
        -------
        ndarray, shape (n_pairs,)
        """
        costs = np.empty(len(self.row))
        lengths = (centres**2).sum(axis=1)
        rows_in_order = self.row[self.by_row]
        step = max(1, _BLOCK_ENTRIES // max(1, len(centres)))
        for start in range(0, self.n_instances, step):
            block = points[start : start + step]
            squared = block @ (-2.0 * centres.T)
            squared += lengths
            squared += np.einsum("ij,ij->i", block, block)[:, None]
            inside = np.searchsorted(rows_in_order, (start, start + step))
            pairs = self.by_row[slice(*inside)]
            costs[pairs] = squared[self.row[pairs] - start, self.label[pairs]]
        return costs

    def solve(self, costs: FloatArray, previous: IntArray | None = None) -> IntArray:
        """Choose the pairs of least total cost.

        Parameters
        ----------
        costs : ndarray, shape (n_pairs,)
            Cost of each pair, finite. Where several assignments are equally good, the outcome
            depends on the order of the bag's instances and labels, and on `previous`, alone.
        previous : ndarray of int64, shape (n_instances,), optional
            What :meth:`categories` made of an earlier outcome. It saves the search in bags where
            it is the best still.

        Returns
        -------
        ndarray of int64, shape (n_assigned,)
            The pairs chosen.
        """
        if not len(costs):
            return np.empty(0, dtype=np.int64)
        chosen, overfull = self._wishes(costs)
        if not len(overfull):
            return chosen
        granted = np.ones(len(self.first_chooser), dtype=np.bool_)
        granted[overfull] = False
        parts = [chosen[granted[self.bag_of_chooser[self.chooser[chosen]]]]]
        for number in range(2, _MOST_LISTED + 1) if self.capacity == 1 else ():
            parts.append(self._listed(costs, overfull[self.n_choosers[overfull] == number], number))
        least = _MOST_LISTED if self.capacity == 1 else 0
        hard = overfull[self.n_choosers[overfull] > least]
        if previous is not None and len(hard):
            kept, best = self._still_best(costs, hard, previous)
            parts.append(kept)
            hard = hard[~best]
        parts.append(self._searched(costs, hard))
        return np.concatenate(parts)

    def categories(self, chosen: IntArray) -> IntArray:
        """Label that each instance got by the pairs `chosen`, -1 for none, shape (n_instances,)."""
        assigned = np.full(self.n_instances, -1, dtype=np.int64)
        assigned[self.row[chosen]] = self.label[chosen]
        return assigned

    def _wishes(self, costs: FloatArray) -> tuple[IntArray, IntArray]:
        """What every chooser likes best, and the bags in which that is too much for a partner."""
        chosen = _cheapest(costs, self.chooser, self.chooser_starts)
        n_labels_choose = int(self.n_choosers[self.labels_choose].sum())
        if self.capacity > 1 and n_labels_choose:  # labels want more than one
            last = int(np.searchsorted(self.chooser, n_labels_choose))
            left = costs[:last].copy()
            chooser, starts = self.chooser[:last], self.chooser_starts[:n_labels_choose]
            further = [chosen]
            for _ in range(self.capacity - 1):
                left[further[-1][:n_labels_choose]] = np.inf
                further.append(_cheapest(left, chooser, starts))
            chosen = np.concatenate(further)
        partner = self.partner[chosen]
        taken = np.bincount(partner)
        most = np.where(partner < self.n_instances, 1, self.capacity)
        too_many = chosen[taken[partner] > most]
        return chosen, np.unique(self.bag_of_chooser[self.chooser[too_many]])

    def _listed(self, costs: FloatArray, bags: IntArray, number: int) -> IntArray:
        """Compare all combinations of what the `number` choosers of each bag like best."""
        choosers = self.first_chooser[bags][:, None] + np.arange(number)
        pairs, chooser, starts = self._pairs_of(choosers.ravel())
        left = costs[pairs]
        best = np.empty((number, len(starts)), dtype=np.int64)
        for rank in range(number):
            cheapest = _cheapest(left, chooser, starts)
            best[rank] = pairs[cheapest]
            left[cheapest] = np.inf
        options = best.T.reshape(len(bags), number, number)  # bag, chooser, rank
        ranks = np.array(list(product(range(number), repeat=number)))
        combined = options[:, np.arange(number), ranks]  # bag, combination, chooser
        total = costs[combined].sum(axis=2)
        partner = self.partner[combined]
        for one in range(number):
            for other in range(one):
                total[partner[:, :, one] == partner[:, :, other]] = np.inf
        winner: IntArray = combined[np.arange(len(bags)), total.argmin(axis=1)].ravel()
        return winner

    def _pairs_of(self, choosers: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Pairs of some choosers; for each pair the place of its chooser; their first pairs."""
        widths = self._widths(choosers)
        starts = np.cumsum(widths) - widths
        place = np.repeat(np.arange(len(choosers)), widths)
        pairs = self.chooser_starts[choosers][place] + np.arange(len(place)) - starts[place]
        return pairs, place, starts

    def _still_best(
        self, costs: FloatArray, bags: IntArray, previous: IntArray
    ) -> tuple[IntArray, BoolArray]:
        """Tell in which bags an earlier assignment is the best still, and its pairs there.

        It is, unless instances can change labels in a circle and lower the cost. For every two
        labels of a bag the cheapest change from one to the other is found, and from these by Floyd
        and Warshall's algorithm the cheapest circles. Being of no label counts as one more label.
        """
        n_choosers = self.n_choosers[bags]
        place = np.repeat(np.arange(len(bags)), n_choosers)
        own = np.arange(len(place)) - (np.cumsum(n_choosers) - n_choosers)[place]
        pairs, chooser, starts = self._pairs_of(self.first_chooser[bags][place] + own)
        bag, row = place[chooser], self.row[pairs]
        labels_choose = self.labels_choose[bags]
        other = np.arange(len(pairs)) - starts[chooser]
        label = np.where(labels_choose[bag], own[chooser], other)  # counted within the bag
        nothing = int(label.max()) + 1
        current = self.label[pairs] == previous[row]
        now, cost_now = np.full(self.n_instances, nothing), np.zeros(self.n_instances)
        now[row[current]], cost_now[row[current]] = label[current], costs[pairs[current]]

        changes = np.full((len(bags), nothing + 1, nothing + 1), np.inf)
        where = np.ravel_multi_index((bag, now[row], label), changes.shape)
        np.minimum.at(changes.reshape(-1), where, costs[pairs] - cost_now[row])
        where = np.ravel_multi_index(
            (bag[current], label[current], np.full(current.sum(), nothing)), changes.shape
        )
        np.minimum.at(changes.reshape(-1), where, -costs[pairs[current]])
        # Where labels have room left, an empty place may move at no cost.
        filled = np.zeros(changes.shape[:2], dtype=np.int64)
        np.add.at(filled, (bag[current], label[current]), 1)
        belongs = np.zeros(changes.shape[:2], dtype=np.bool_)
        belongs[bag, label] = True
        room = belongs & (filled < self.capacity) & ~labels_choose[:, None]
        free = room[:, :, None] & belongs[:, None, :]
        changes[free] = np.minimum(changes[free], 0.0)
        for via in range(nothing + 1):
            through = changes[:, :, via, None] + changes[:, None, via, :]
            np.minimum(changes, through, out=changes)
        circles = np.diagonal(changes, axis1=1, axis2=2)
        best = np.asarray((circles >= 0.0).all(axis=1), dtype=np.bool_)
        return pairs[current & best[bag]], best

    def _searched(self, costs: FloatArray, bags: IntArray) -> IntArray:
        """Solve bag by bag; a label that may have several instances takes part that many times."""
        starts = self.chooser_starts[self.first_chooser[bags]]
        n_choosers = self.n_choosers[bags]
        n_partners = self._widths(self.first_chooser[bags])
        as_chooser = np.where(self.labels_choose[bags], self.capacity, 1)
        as_partner = np.where(self.labels_choose[bags], 1, self.capacity)
        heights, widths = n_choosers * as_chooser, n_partners * as_partner
        sizes = heights * widths
        offsets = np.cumsum(sizes) - sizes
        table = np.repeat(np.arange(len(bags)), sizes)
        chooser, partner = np.divmod(np.arange(len(table)) - offsets[table], widths[table])
        chooser, partner = chooser // as_chooser[table], partner // as_partner[table]
        pairs = starts[table] + chooser * n_partners[table] + partner
        copied = costs[pairs]
        # No table has more rows than columns, so every row gets a column.
        columns = [
            linear_sum_assignment(copied[start : start + height * width].reshape(height, width))[1]
            for start, height, width in np.column_stack([offsets, heights, widths]).tolist()
        ]
        solved = np.repeat(np.arange(len(bags)), heights)
        row = np.arange(len(solved)) - (np.cumsum(heights) - heights)[solved]
        column = np.concatenate([np.empty(0, dtype=np.int64), *columns])
        return np.asarray(pairs[offsets[solved] + row * widths[solved] + column], dtype=np.int64)

    def _widths(self, choosers: IntArray) -> IntArray:
        """Number of partners of some choosers."""
        ends = np.append(self.chooser_starts[1:], len(self.row))
        return ends[choosers] - self.chooser_starts[choosers]


def _cheapest(costs: FloatArray, chooser: IntArray, starts: IntArray) -> IntArray:
    """The first pair of least cost of every chooser."""
    if not len(starts):
        return np.empty(0, dtype=np.int64)
    least = np.minimum.reduceat(costs, starts)
    candidates = np.flatnonzero(costs == least[chooser])
    first = np.flatnonzero(np.diff(chooser[candidates], prepend=-1))
    return candidates[first]
