"""Judges that only the claims on Law et al. (2017) need."""

from __future__ import annotations

import pandas as pd

from birdmodes.experiments.judges import At, Found, Part, exceeds
from birdmodes.experiments.known import best_alphas_of_law
from birdmodes.experiments.work.annotation import BAG_DISTANCES
from birdmodes.experiments.work.telling import (
    CHOSEN,
    alpha_rows,
    form_of,
    plain_rules,
    with_rule_16,
)

AS_PUBLISHED = ("mimlca", "mimlca-rbf", "mimlca-chi2")

ENOUGH = 0.01
"""An alpha is as good as the best when its accuracy is lower by no more than this."""


def by_distance(runs: pd.DataFrame) -> list[Part]:
    """Compare methods by their name and the distance of bags that they go by, if they have one."""
    distance = runs["distance"].map(lambda each: f", {each}" if each else "")
    return [("", runs.assign(called=runs["method"] + distance))]


def at_each_distance(runs: pd.DataFrame) -> list[Part]:
    """Compare by one distance of bags after the other."""
    ((_, named),) = by_distance(runs)
    return [("", named[named["distance"] == distance]) for distance in BAG_DISTANCES]


def of_nearest_mean(candidates: str) -> At:
    """Compare by the nearest mean, each method with its ways to class means.

    Parameters
    ----------
    candidates : {"all", "bag"}
        Classes that an instance may be given.
    """

    def at(runs: pd.DataFrame) -> list[Part]:
        rows = plain_rules(runs, candidates, tuple(runs["told"].unique()))
        means = rows["means"].map(lambda each: "" if each in ("own", "instances") else f", {each}")
        return [("", rows.assign(called=rows["method"] + means))]

    return at


def better_than_chance(runs: pd.DataFrame) -> Found:
    """Judge that every method annotates better than the ranking by frequency."""
    ((_, rows),) = by_distance(runs)
    means = rows.groupby("called", sort=False)["average_precision"].mean()
    judged: dict[str, bool] = {}
    for name in means.index.drop("frequency", errors="ignore"):
        measured = {"average_precision": "average precision"}
        compared = exceeds(str(name), "frequency", by_distance, measured, paired_by="fold")(runs)
        for _, holds in compared:
            judged[str(name)] = holds
    if not judged:
        return []
    # One line for each set: most methods are far better.
    not_better = [f"{name} {means[name]:.3f}" for name, holds in judged.items() if not holds]
    figures = (
        f"average precision frequency {means['frequency']:.3f}; not better: "
        f"{', '.join(not_better) or 'none'} of {len(judged)}"
    )
    return [(figures, not not_better)]


def best_alpha_as_published(runs: pd.DataFrame) -> Found:
    """Judge that the alpha most accurate on held-out instances is in the paper's range."""
    found = []
    for method in AS_PUBLISHED:
        means = alpha_rows(runs, method).groupby("alpha")["accuracy"].mean()
        if means.notna().any():
            low, high = best_alphas_of_law()[form_of(method)]
            best = float(means.index[int(means.argmax())])
            inside = means[(means.index >= low) & (means.index <= high)]
            figures = (
                f"{method}: best at {best:g}, accuracy {means.max():.3f}; in the paper's range "
                f"{inside.max():.3f}"
            )
            found.append((figures, low <= best <= high))
    return found


def alpha_is_better(runs: pd.DataFrame) -> Found:
    """Judge that rule 16 with its best alpha is more accurate than the nearest mean, rule 15."""
    found = []
    for method in AS_PUBLISHED:
        best = _best_of_rule_16(runs, method)
        own = plain_rules(runs, "all", ("bags",))
        mean = own.loc[(own["method"] == method) & (own["means"] == "own"), "accuracy"].mean()
        if best is not None and pd.notna(mean):
            figures = f"{method}: accuracy by rule 16 {best:.3f}, by rule 15 {mean:.3f}"
            found.append((figures, best > float(mean)))
    return found


def chi2_is_better(runs: pd.DataFrame) -> Found:
    """Judge that the chi-square kernel is more accurate than the linear form, both by rule 16."""
    kernel, linear = (_best_of_rule_16(runs, name) for name in ("mimlca-chi2", "mimlca"))
    if kernel is None or linear is None:
        return []
    figures = f"accuracy by rule 16: mimlca-chi2 {kernel:.3f}, mimlca {linear:.3f}"
    return [(figures, kernel > linear)]


def _best_of_rule_16(runs: pd.DataFrame, method: str) -> float | None:
    """Mean accuracy at the alpha that is most accurate on held-out instances, as in the paper."""
    means = alpha_rows(runs, method).groupby("alpha")["accuracy"].mean()
    return float(means.max()) if means.notna().any() else None


def annotates_best(runs: pd.DataFrame) -> Found:
    """Judge that mimlca, by the minimal distance, annotates better than all that is not mimlca."""
    ((_, rows),) = by_distance(runs)
    means = rows.groupby("called", sort=False)["average_precision"].mean()
    ours = "mimlca, min"
    others = means[[not str(name).startswith("mimlca") for name in means.index]]
    others = others[[not str(name).endswith("max") for name in others.index]]
    if ours not in means.index or len(others) < 2:
        return []
    above = others[others >= means[ours]]
    figures = (
        f"average precision {ours} {means[ours]:.3f}; as good or better: {len(above)} of "
        f"{len(others)}, most {others.idxmax()} {others.max():.3f}"
    )
    return [(figures, above.empty)]


def choice_is_enough(runs: pd.DataFrame) -> Found:
    """Judge that the alpha chosen by label sets is nearly as good as the best in hindsight."""
    lost = {}
    for method in with_rule_16(list(runs["method"])):
        best = alpha_rows(runs, method).groupby("alpha")["accuracy"].mean().max()
        rows = runs[(runs["method"] == method) & (runs["rule"] == CHOSEN)]
        lost[method] = best - rows.loc[rows["candidates"] == "all", "accuracy"].mean()
    lost = {method: float(loss) for method, loss in lost.items() if pd.notna(loss)}
    if not lost:
        return []
    worst = max(lost, key=lambda method: lost[method])
    enough = sum(loss <= ENOUGH for loss in lost.values())
    figures = (
        f"enough for {enough} of {len(lost)} methods; most is lost by {worst}, {lost[worst]:.3f}"
    )
    return [(figures, enough == len(lost))]


OF_BAGS = (by_distance, at_each_distance, better_than_chance, annotates_best)
OF_INSTANCES = (
    *(of_nearest_mean, alpha_is_better, chi2_is_better),
    *(best_alpha_as_published, choice_is_enough),
)
