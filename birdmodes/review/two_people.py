"""Two people's corrections of one clustering: where they agree, and both taken together."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from birdmodes.errors import ReviewError
from birdmodes.review.apply import apply_edits
from birdmodes.review.box_edits import added_syllable, box_of, overlap
from birdmodes.review.edits import Edit, Review
from birdmodes.review.matching import MIN_IOU
from birdmodes.review.state import ReviewState

OF_MODES = ("rename", "species")
"""Edits that give a whole mode a name: of two for one mode, only one can hold."""

_ABOUT_SYLLABLES = ("mark", "move", "new-mode")

A, B = "A", "B"


@dataclass(frozen=True)
class Disagreement:
    """What two people say differently.

    Attributes
    ----------
    about : str
        A syllable, or ``rename 3`` or ``species 3`` for cluster 3.
    recording : str
        The syllable's; empty for a cluster.
    start_s : float
        Where the syllable begins; NaN for a cluster.
    first, second : str
        What each says.
    """

    about: str
    recording: str
    start_s: float
    first: str
    second: str


@dataclass(frozen=True)
class Agreement:
    """Two reviews side by side.

    Attributes
    ----------
    first, second : Review
        As they were given.
    twice : int
        Syllables that both named.
    agreed : int
        Of these, those that both gave one name.
    kappa : float
        Cohen's kappa of their names; NaN where it is not defined.
    disagreements : list of Disagreement
        Syllables first, by recording and time.
    """

    first: Review
    second: Review
    twice: int
    agreed: int
    kappa: float
    disagreements: list[Disagreement]


def cohen_kappa(first: Sequence[str], second: Sequence[str]) -> float:
    """Agreement of two people beyond what chance gives.

    (p - e) / (1 - e), with p the share that agrees, and e the share that would if each had given
    their names to any.

    Parameters
    ----------
    first, second : sequence of str
        What each says of the same things.

    Returns
    -------
    float
        1 where they agree in all, about 0 by chance; NaN where there is nothing, or only one name.

    References
    ----------
    Cohen, A coefficient of agreement for nominal scales, Educational and Psychological
    Measurement 20, 1960.
    """
    if len(first) != len(second):
        raise ValueError("both must speak of the same things")
    if not len(first):
        return float("nan")
    names, numbers = np.unique([*first, *second], return_inverse=True)
    one, other = numbers[: len(first)], numbers[len(first) :]
    shares = [np.bincount(who, minlength=len(names)) / len(first) for who in (one, other)]
    by_chance = float(shares[0] @ shares[1])
    if by_chance >= 1:
        return float("nan")
    return (float((one == other).mean()) - by_chance) / (1 - by_chance)


def compare_reviews(first: Review, second: Review, base: pd.DataFrame) -> Agreement:
    """See where two reviews agree.

    Parameters
    ----------
    first, second : Review
        Of one state of a clustering.
    base : pandas.DataFrame
        That state, see `birdmodes.review.log.base_table`.

    Raises
    ------
    ReviewError
        If they are of different states.
    """
    if (first.clustering, first.base) != (second.clustering, second.base):
        raise ReviewError(
            f"the reviews are of different states ({first.clustering}, {first.base[:12]}... and "
            f"{second.clustering}, {second.base[:12]}...); only two of one gallery can be merged"
        )
    said = [_names_given(review, base) for review in (first, second)]
    both = [name for name in base["syllable"] if name in said[0] and name in said[1]]
    names = [[each[name] for name in both] for each in said]
    where = base.set_index("syllable")
    apart = [
        Disagreement(
            name, str(where.loc[name, "recording"]), float(where.loc[name, "start_s"]), one, other
        )
        for name, one, other in zip(both, *names, strict=True)
        if one != other
    ]
    apart.sort(key=lambda each: (each.recording, each.start_s))
    of_modes = [_of_modes(review) for review in (first, second)]
    apart += [
        Disagreement(f"{key[0]} {key[1]}", "", float("nan"), of_modes[0][key], of_modes[1][key])
        for key in sorted(of_modes[0].keys() & of_modes[1].keys())
        if of_modes[0][key] != of_modes[1][key]
    ]
    agreed = sum(one == other for one, other in zip(*names, strict=True))
    return Agreement(first, second, len(both), agreed, cohen_kappa(*names), apart)


def merge_reviews(agreement: Agreement, decisions: Mapping[str, str] | None = None) -> Review:
    """Take two reviews together.

    What only one says holds, and what both say alike holds once. Of what they say differently
    that holds which is decided, and without a decision neither does.

    Parameters
    ----------
    agreement : Agreement
        From `compare_reviews`.
    decisions : mapping of str to str, optional
        For `Disagreement.about`: "A" or "B".

    Returns
    -------
    Review
        The first one's edits, then the second's. New clusters of the second have other numbers.
    """
    decided = decisions or {}
    apart = [each.about for each in agreement.disagreements]
    left_out = [{about for about in apart if decided.get(about) != who} for who in (A, B)]
    first, second = agreement.first, agreement.second
    ours = [edit for edit in (_without(e, left_out[0]) for e in first.edits) if edit is not None]
    theirs: list[Edit] = []
    renamed = _same_boxes(first, second)
    number = _renumbering(first, second)
    alike = _of_modes(first)
    for edit in second.edits:
        if edit.action == "add-box" and _added(edit) in renamed:
            continue
        if edit.action in OF_MODES and alike.get(_mode_key(edit)) == _mode_value(edit):
            continue  # the first says so too
        kept = _without(_translated(edit, renamed, number), left_out[1])
        if kept is not None and kept.id not in {one.id for one in ours}:
            theirs.append(kept)
    who = " and ".join(filter(None, (first.who, second.who)))[:200]
    return replace(first, who=who, edits=(*ours, *theirs))


def _names_given(review: Review, base: pd.DataFrame) -> dict[str, str]:
    """What a review says of single syllables, in words."""
    state = ReviewState(base)
    apply_edits(state, review.edits, end_batch=False)
    said = state.review()
    modes = state.modes()
    known = {int(number) for number in base["cluster"].unique()}
    names = {}
    for row in np.flatnonzero((said != "") | ~state.here):
        cluster = state.clusters.get(int(state.cluster[row]))
        if not state.here[row]:
            name = "no syllable"
        elif said[row] == "noise":
            name = "noise"
        elif said[row] == "not-species":
            name = f"not {cluster.species}" if cluster else "not this species"
        elif cluster and int(state.cluster[row]) not in known and not cluster.name:
            name = f"a new mode of {cluster.species}" if cluster.species else "a new cluster"
        else:
            name = str(modes[row]) or f"cluster {int(state.cluster[row])}"
        names[str(state.syllables[row])] = name
    return names


def _mode_key(edit: Edit) -> tuple[str, int]:
    return edit.action, edit.values["cluster"]


def _mode_value(edit: Edit) -> str:
    return str(edit.values["name" if edit.action == "rename" else "species"])


def _of_modes(review: Review) -> dict[tuple[str, int], str]:
    """Names and species that a review gives to whole modes; the last of each counts."""
    return {_mode_key(e): _mode_value(e) for e in review.edits if e.action in OF_MODES}


def _without(edit: Edit, left_out: set[str]) -> Edit | None:
    """An edit without what is left out; None if nothing remains."""
    if edit.action in OF_MODES:
        action, cluster = _mode_key(edit)
        return None if f"{action} {cluster}" in left_out else edit
    if edit.action not in (*_ABOUT_SYLLABLES, "discard"):
        return edit
    kept = [name for name in edit.values["syllables"] if name not in left_out]
    if len(kept) == len(edit.values["syllables"]):
        return edit
    return _changed(edit, syllables=kept) if kept else None


def _changed(edit: Edit, **values: object) -> Edit:
    """Another edit, which has an id of its own: the same wherever it is made."""
    content = {**edit.values, **values}
    text = json.dumps([edit.id, content], sort_keys=True)
    number = hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]
    return replace(edit, id=number, values=content)


def _renumbering(first: Review, second: Review) -> dict[int, int]:
    """Numbers of the second's new clusters that are none of the first's."""
    taken = max(_new_clusters(first), default=0)
    news = sorted(_new_clusters(second))
    largest = max(taken, *news) if news else taken
    both = set(news) & set(_new_clusters(first))
    fresh = iter(range(largest + 1, largest + 1 + len(both)))
    return {number: next(fresh) for number in news if number in both}


def _new_clusters(review: Review) -> Iterable[int]:
    for edit in review.edits:
        if edit.action == "new-mode":
            yield edit.values["cluster"]
        if edit.action == "split":
            yield from edit.values["new_clusters"]


def _added(edit: Edit) -> str:
    return added_syllable(edit.values["recording"], edit.id)


def _same_boxes(first: Review, second: Review) -> dict[str, str]:
    """Sounds that both drew: their names of the second's making, and of the first's."""
    drawn = [e for e in first.edits if e.action == "add-box"]
    same: dict[str, str] = {}
    for edit in second.edits:
        if edit.action == "add-box":
            here = {
                _added(e): box_of(e)
                for e in drawn
                if e.values["recording"] == edit.values["recording"]
            }
            name, iou = overlap(box_of(edit), here)
            if iou > MIN_IOU and name not in same.values():
                same[_added(edit)] = name
    return same


def _translated(edit: Edit, renamed: Mapping[str, str], number: Mapping[int, int]) -> Edit:
    """An edit of the second in the numbers and names of both."""
    values = dict(edit.values)
    for key in ("cluster", "clusters", "new_clusters"):
        if key in values:
            one = values[key]
            values[key] = (
                [number.get(n, n) for n in one] if isinstance(one, list) else number.get(one, one)
            )
    if "syllable" in values:
        values["syllable"] = renamed.get(values["syllable"], values["syllable"])
    if "syllables" in values:
        values["syllables"] = [renamed.get(name, name) for name in values["syllables"]]
    if "groups" in values:
        values["groups"] = [[renamed.get(n, n) for n in group] for group in values["groups"]]
    # A box keeps its id, which its syllable is named after.
    if values == dict(edit.values) or edit.action in ("add-box", "cut"):
        return replace(edit, values=values)
    return _changed(edit, **values)
