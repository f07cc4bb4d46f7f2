"""How far label sets can be believed, in both directions, judged from the data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import expit, logit

from algorithms.bags import BoolArray, FloatArray, IntArray

FEWEST_UNLISTED = 5
"""A class that fewer bags do not list cannot be tested; it is believed wherever it is listed."""

WELL_KNOWN_BAGS = 10
"""Classes may be missing from a list all of whose classes occur in so many bags.

What is of a class that the other bags hardly know looks like a commoner one.
"""

_NULL_FROM = 0.7  # p-values above are those of classes that are not there
_NULL_MARGIN = 0.009
_FEW_MARGIN = 0.22
_CELLS = 50
_LEAST = 1e-3
_MISSING_QUANTILES = (0.7, 0.8, 0.9, 0.95)
_MISSING_MARGIN = 0.05
_MOST_MISSING = 0.6
_MISSING_POWER = 3
_MISSING_ROUNDS = 3
_FEWEST_PAIRS = 100  # of fewer the highest scores are a handful, which chance decides


@dataclass(frozen=True, eq=False)
class Belief:
    """What to believe of every bag and class.

    Attributes
    ----------
    present : float
        Share of the listed classes that are in their bags.
    missing : float
        Share of the classes in bags that their lists lack.
    weight : ndarray, shape (n_bags, n_classes)
        Weight of each class among the candidates of a bag's instances: 1 where lists are all
        right, 0 where the class is no candidate.
    claim : ndarray, shape (n_bags, n_classes)
        How far it may be insisted that the class occurs, 0 to 1.
    unlisted : ndarray, shape (n_bags, n_classes)
        Probability that the class is there although it is not listed; 0 where it is listed.
    """

    present: float
    missing: float
    weight: FloatArray
    claim: FloatArray
    unlisted: FloatArray


def believe_all(listed: BoolArray) -> Belief:
    """Take lists at their word."""
    exactly = listed.astype(np.float64)
    return Belief(1.0, 0.0, exactly, exactly, np.zeros(listed.shape))


def judge_lists(
    best: FloatArray,
    listed: BoolArray,
    unlisted: FloatArray,
    confidence: FloatArray | None = None,
    *,
    may_lack: bool = True,
) -> Belief:
    r"""Judge lists by predictions for bags that were left out.

    A class that is listed but absent scores in its bag as in bags that do not list it: the p-value
    of the bag's best score among theirs is uniform. So the share of p-values above 0.7 tells how
    many listed classes are absent (Storey), and the density f of p, which falls, how surely each
    is there: :math:`r = \pi g / (\pi g + \pi_0)`, with g the density of those that are.

    Where lists lack classes, some bags that do not list a class score as those in which it was
    heard. Of the highest scores, which no mistaken instance reaches, the share of unlisted ones is
    the share of classes that lists lack; lower scores, where mistakes are common, are believed as
    far as that share explains them.

    Parameters
    ----------
    best : ndarray, shape (n_bags, n_classes)
        Largest prediction of each class in each bag, from the other bags.
    listed : ndarray of bool, shape (n_bags, n_classes)
        Label sets.
    unlisted : ndarray, shape (n_bags, n_classes)
        Of the belief before: such pairs are no examples of absence.
    confidence : ndarray, shape (n_bags, n_classes), optional
        How sure the list is of its classes, above 0 and up to 1.
    may_lack : bool
        Whether lists may lack classes.

    Returns
    -------
    Belief

    References
    ----------
    Storey, A direct approach to false discovery rates, J. R. Statist. Soc. B 2002. Blanchard, Lee
    & Scott, Semi-supervised novelty detection, JMLR 2010, for the share of a mixture from the
    extreme of the other part.
    """
    if not listed.any():
        return believe_all(listed)
    ranks = _ranks(best)
    present, sure = _listed(ranks, listed, unlisted, confidence)
    missing, lacking = 0.0, np.zeros(listed.shape)
    if may_lack:
        common = listed.sum(axis=0) >= WELL_KNOWN_BAGS
        told = ~(listed & ~common).any(axis=1)
        missing, lacking[told] = _unlisted(best[told], listed[told], sure[told])
        if (lacking != unlisted).any():
            present, sure = _listed(ranks, listed, lacking, confidence)
    doubt = 1.0 - present
    weight = np.where(listed, np.maximum(sure, _LEAST) ** min(1.0, 2 * doubt), 0.0)
    candidate = lacking > _LEAST
    weight[candidate] = lacking[candidate] ** _MISSING_POWER
    claim = np.where(listed, sure ** min(1.0, 4 * doubt), 0.0)
    return Belief(present, missing, weight, claim, lacking)


def _listed(
    ranks: _Ranks, listed: BoolArray, unlisted: FloatArray, confidence: FloatArray | None
) -> tuple[float, FloatArray]:
    """Share of listed classes that are there, and how surely each one is."""
    p = _p_values(ranks, listed, unlisted)[listed]
    share_above = float((p > _NULL_FROM).mean()) - _margin(listed)
    absent = float(np.clip(share_above / (1 - _NULL_FROM), 1e-4, 0.99))
    present = 1.0 - absent
    cell = np.minimum((p * _CELLS).astype(np.int64), _CELLS - 1)
    density = np.bincount(cell, minlength=_CELLS) * (_CELLS / len(p))
    falling = isotonic_regression(density, increasing=False).x
    of_present = np.maximum((falling - absent) / present, _LEAST)[cell]
    prior = _priors(present, None if confidence is None else confidence[listed], len(p))
    sure = np.zeros(listed.shape)
    sure[listed] = prior * of_present / (prior * of_present + 1 - prior)
    return present, sure


def _margin(listed: BoolArray) -> float:
    """What the share of high p-values may exceed that of absent classes by.

    Of a class that few bags list too little is learned for its scores to be high: it looks absent
    though it is there.
    """
    n_bags_of = listed.sum(axis=0)
    return float(max(_NULL_MARGIN, _FEW_MARGIN / n_bags_of[n_bags_of > 0].mean()))


def _priors(present: float, confidence: FloatArray | None, n_pairs: int) -> FloatArray:
    """Confidences of a list, with their log odds moved so that `present` is their mean."""
    if confidence is None or np.ptp(confidence) == 0:
        return np.full(n_pairs, present)
    odds = logit(np.clip(confidence, 0.01, 0.99))
    low, high = -20.0, 20.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (low, middle) if expit(odds + middle).mean() > present else (middle, high)
    return np.asarray(expit(odds + low), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Ranks:
    """Bags by their best scores, class by class.

    Attributes
    ----------
    order : ndarray of int64, shape (n_bags, n_classes)
        Bags, from the lowest score to the highest.
    first : ndarray of int64, shape (n_bags, n_classes)
        Place in the order of the first of those that score as high as each: of equal scores none
        is below another.
    """

    order: IntArray
    first: IntArray


def _ranks(best: FloatArray) -> _Ranks:
    order = np.argsort(best, axis=0, kind="stable")
    scores = np.take_along_axis(best, order, axis=0)
    rises = np.vstack([np.ones((1, best.shape[1]), dtype=np.bool_), scores[1:] > scores[:-1]])
    first = np.maximum.accumulate(np.where(rises, np.arange(len(best))[:, None], 0), axis=0)
    return _Ranks(order, first)


def _p_values(ranks: _Ranks, listed: BoolArray, unlisted: FloatArray) -> FloatArray:
    """Of each bag's best score of a class, among bags that do not have the class."""
    order = ranks.order
    absent = np.take_along_axis(np.where(listed, 0.0, 1.0 - unlisted), order, axis=0)
    up_to = np.cumsum(absent, axis=0)
    below = np.vstack([np.zeros((1, order.shape[1])), up_to[:-1]])
    as_high = up_to[-1] - np.take_along_axis(below, ranks.first, axis=0)
    p = np.empty(order.shape)
    np.put_along_axis(p, order, (1 + as_high) / (1 + up_to[-1]), axis=0)
    p[:, up_to[-1] < FEWEST_UNLISTED] = 0.0
    return p


def _unlisted(best: FloatArray, listed: BoolArray, sure: FloatArray) -> tuple[float, FloatArray]:
    """Share of present classes that lists lack, and the probability of each unlisted one."""
    counted = np.ones(best.shape)
    lacking = np.zeros(best.shape)
    share = 0.0
    for _ in range(_MISSING_ROUNDS):
        share = _share_lacking(best, listed, sure, counted)
        if share <= 0:
            return 0.0, np.zeros(best.shape)
        lacking = counted * _lacking(best, listed, sure, counted, share)
        counted = counted * _as_expected(lacking, listed, share)
    return share, lacking


def _share_lacking(
    best: FloatArray, listed: BoolArray, sure: FloatArray, counted: FloatArray
) -> float:
    """Share of unlisted classes among the highest scores, less what mistakes may account for."""
    high, weight = best[listed], sure[listed]
    if weight.sum() < _FEWEST_PAIRS or listed.all():
        return 0.0
    order = np.argsort(high, kind="stable")
    total = np.cumsum(weight[order])
    shares = []
    for quantile in _MISSING_QUANTILES:
        first = min(int(np.searchsorted(total, quantile * total[-1])), len(high) - 1)
        n_listed = total[-1] - total[first] + weight[order[first]]
        n_other = counted[~listed & (best >= high[order[first]])].sum()
        # Half a standard deviation more, as the least of several is looked for.
        shares.append((n_other + np.sqrt(n_other) / 2) / (n_other + n_listed))
    share = (min(shares) - _MISSING_MARGIN) / (1 - _MISSING_MARGIN)
    return float(np.clip(share, 0.0, _MOST_MISSING))


def _lacking(
    best: FloatArray, listed: BoolArray, sure: FloatArray, counted: FloatArray, share: float
) -> FloatArray:
    """Probability that each unlisted class is there, which rises with its score."""
    score = np.concatenate([best[listed], best[~listed]])
    is_listed = np.repeat([1.0, 0.0], [listed.sum(), (~listed).sum()])
    weights = np.maximum(np.concatenate([sure[listed], counted[~listed]]), 1e-6)
    rising = np.argsort(score, kind="stable")
    of_listed = isotonic_regression(is_listed[rising], weights=weights[rising]).x
    of_listed = np.minimum(of_listed, 1 - 1e-9)
    probability = np.empty(len(score))
    probability[rising] = np.minimum(1.0, share / (1 - share) * of_listed / (1 - of_listed))
    lacking = np.zeros(best.shape)
    lacking[~listed] = probability[int(listed.sum()) :]
    return lacking


def _as_expected(lacking: FloatArray, listed: BoolArray, share: float) -> FloatArray:
    """How far unlisted classes are as many as forgetting would leave beside each listed one.

    What is forgotten at random is missing beside another class in proportion to how often both are
    listed; what is mistaken for another class turns up beside that one far more often.
    """
    with_class = listed.astype(np.float64)
    found = with_class.T @ lacking
    expected = share / (1 - share) * (with_class.T @ with_class)
    allowed = np.minimum(1.0, (expected + np.sqrt(expected) + 1) / np.maximum(found, 1e-9))
    least = np.ones(lacking.shape)
    for number, row in enumerate(allowed):
        bags = listed[:, number]
        least[bags] = np.minimum(least[bags], row)
    return least
