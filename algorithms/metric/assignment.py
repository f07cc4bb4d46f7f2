"""Which instance of a bag is the example of which of its labels, for all bags at once."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.optimize import linear_sum_assignment

from algorithms.bags import BoolArray, FloatArray, IntArray
from algorithms.layout import SortedBags
from algorithms.metric.pair_products import PairProducts

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
        Instance (row of :class:`~algorithms.layout.SortedBags`) and label of each pair.
        Pairs are ordered by bag, and within a bag by chooser.
    partner : ndarray of int64, shape (n_pairs,)
        Partner of each pair: below `n_instances` an instance, else a label of a certain bag.
    chooser : ndarray of int64, shape (n_pairs,)
        Chooser of each pair, rising from 0.
    bag : ndarray of int64, shape (n_pairs,)
        Bag of each pair, rising from 0, counting bags that have labels and instances.
    label_place : ndarray of int64, shape (n_pairs,)
        Place of the label among those of its bag, from 0.
    chooser_starts : ndarray of int64, shape (n_choosers,)
        First pair of each chooser.
    first_chooser, n_choosers : ndarray of int64, shape (n_bags,)
        First chooser of each of these bags, and their number.
    labels_choose : ndarray of bool, shape (n_bags,)
        Whether the bag's labels choose. These bags come first.
    products : PairProducts
        Inner products of the pairs.
    n_instances : int
        Number of instances, those of bags without labels included.
    capacity : int
        Most instances of a label in a bag, q.
    """

    row: IntArray
    label: IntArray
    partner: IntArray
    chooser: IntArray
    bag: IntArray
    label_place: IntArray
    chooser_starts: IntArray
    first_chooser: IntArray
    n_choosers: IntArray
    labels_choose: BoolArray
    products: PairProducts
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
        label_place = np.where(scarce[bag], own, other)
        place = (np.cumsum(m) - m)[bag] + label_place
        label = listed[place]
        return cls(
            row=row,
            label=label,
            partner=np.where(scarce[bag], row, n + place),
            chooser=chooser,
            bag=bag,
            label_place=label_place,
            chooser_starts=chooser_starts,
            first_chooser=first_chooser,
            n_choosers=n_choosers,
            labels_choose=scarce,
            products=PairProducts.of(row, label, (n, labels.shape[1])),
            n_instances=n,
            capacity=capacity,
        )

    def squared_distances(
        self, points: FloatArray, centres: FloatArray, squares: FloatArray
    ) -> FloatArray:
        """Squared distance of the instance to the label's centre, of every pair.

        Parameters
        ----------
        points : ndarray, shape (n_instances, d)
            The instances.
        centres : ndarray, shape (n_classes, d)
            Centre of each class.
        squares : ndarray, shape (n_pairs,)
            Squared length of each pair's instance, which is the same for any centres.

        Returns
        -------
        ndarray, shape (n_pairs,)
        """
        costs = self.products(points, centres)
        costs *= -2.0
        costs += (centres**2).sum(axis=1)[self.label]
        costs += squares
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
        parts = [chosen[granted[self.bag[chosen]]]]
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
        overfull = np.zeros(len(self.first_chooser), dtype=np.bool_)
        overfull[self.bag[chosen[taken[partner] > most]]] = True
        return chosen, np.flatnonzero(overfull)

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
        number = np.full(len(self.first_chooser), -1)
        number[bags] = np.arange(len(bags))
        pairs = np.flatnonzero(number[self.bag] >= 0)
        kept = pairs[self.label[pairs] == previous[self.row[pairs]]]
        changes = self._changes(costs, bags, number, pairs, kept)
        for via in range(changes.shape[1]):
            through = changes[:, :, via, None] + changes[:, None, via, :]
            np.minimum(changes, through, out=changes)
        circles = np.diagonal(changes, axis1=1, axis2=2)
        best = np.asarray((circles >= 0.0).all(axis=1), dtype=np.bool_)
        return kept[best[number[self.bag[kept]]]], best

    def _changes(
        self, costs: FloatArray, bags: IntArray, number: IntArray, pairs: IntArray, kept: IntArray
    ) -> FloatArray:
        """Cheapest change of one instance from every label of its bag to every other.

        `number` says which of `bags` each bag is, `pairs` are theirs, of which `kept` are chosen.
        """
        bag, row, label = number[self.bag[pairs]], self.row[pairs], self.label_place[pairs]
        nothing = int(label.max()) + 1
        width = nothing + 1
        size = len(bags) * width  # bags and their labels, laid out flat
        place, full = bag * width + label, number[self.bag[kept]] * width + self.label_place[kept]
        now, cost_now = np.full(self.n_instances, nothing), np.zeros(self.n_instances)
        now[self.row[kept]], cost_now[self.row[kept]] = self.label_place[kept], costs[kept]
        flat = np.full(size * width, np.inf)
        np.minimum.at(flat, (bag * width + now[row]) * width + label, costs[pairs] - cost_now[row])
        np.minimum.at(flat, full * width + nothing, -costs[kept])
        changes = flat.reshape(len(bags), width, width)
        # Where labels have room left, an empty place may move at no cost.
        belongs = np.zeros(size, dtype=np.bool_)
        belongs[place] = True
        room = belongs & (np.bincount(full, minlength=size) < self.capacity)
        room = room.reshape(-1, width) & ~self.labels_choose[bags, None]
        free = room[:, :, None] & belongs.reshape(-1, 1, width)
        changes[free] = np.minimum(changes[free], 0.0)
        return changes

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
    if len(candidates) == len(starts):
        return candidates
    first = np.flatnonzero(np.diff(chooser[candidates], prepend=-1))
    return candidates[first]
