"""What clustering found out about the species lists: kept with it, and said in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from algorithms import Bags

_WORTH_A_LINE = 0.02  # share of lacking species below which nothing is said of them


def tell_nothing(bags: Bags) -> bool:
    """Whether the lists cannot tell any species from another: all have the same, and several.

    Parameters
    ----------
    bags : Bags
        With what is known of single syllables, which would tell.
    """
    if bags.known is not None and bags.known.decided.any():
        return False
    listed = bags.labels[bags.labelled]
    listed = listed[listed.any(axis=1)]
    return bool(len(listed) and (listed == listed[0]).all() and np.sum(listed[0]) > 1)


def judged_lists(clusterer: Any, bags: Bags) -> dict[str, Any] | None:
    """What a method found out about the lists; None for methods that do not look into that.

    Parameters
    ----------
    clusterer : object
        A fitted method.
    bags : Bags
        What it was fitted to.

    Returns
    -------
    dict or None
        ``nothing_told_of``, the species of all lists where these cannot tell any from another.
        Else ``present``, the estimated share of listed species that are there; ``missing``, that of
        the species there that lists lack; ``always_together``, lists of species' names.
    """
    judge = getattr(clusterer, "disambiguator_", None)
    if judge is None or not bags.labels.any():
        return None
    if tell_nothing(bags):
        return {"nothing_told_of": _all_listed(bags)}
    together = [[bags.class_names[number] for number in group] for group in judge.inseparable_]
    return {
        "present": round(float(judge.present_), 4),
        "missing": round(float(judge.missing_), 4),
        "always_together": together,
    }


def _all_listed(bags: Bags) -> list[str]:
    return [bags.class_names[number] for number in np.flatnonzero(bags.labels.any(axis=0))]


def lists_in_words(lists: Mapping[str, Any] | None) -> list[str]:
    """Say what was found out about the lists, a line each.

    Parameters
    ----------
    lists : mapping or None
        From `judged_lists`.
    """
    if lists is None:
        return []
    same = lists.get("nothing_told_of")
    if same:
        return [
            f"all lists have the same {len(same)} species ({', '.join(same)}), so that nothing "
            "tells whose sound is whose, and none is named: add recordings of some of them alone"
        ]
    lines = [
        f"about {round(100 * lists['present'])} % of the species in your lists can be heard in them"
    ]
    if lists["missing"] >= _WORTH_A_LINE:
        lines.append(
            f"about {round(100 * lists['missing'])} % of the species that can be heard are not in "
            "the lists"
        )
    lines += [
        f"{' or '.join(names)}: always listed together, so the lists cannot tell them apart"
        for names in lists["always_together"]
    ]
    return lines
