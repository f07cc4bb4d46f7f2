"""What clustering found out about the species lists: kept with it, and said in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from algorithms import Bags

_WORTH_A_LINE = 0.02  # share of lacking species below which nothing is said of them


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
        ``present``, the estimated share of listed species that are there; ``missing``, that of
        the species there that lists lack; ``always_together``, lists of species' names.
    """
    judge = getattr(clusterer, "disambiguator_", None)
    if judge is None or not bags.labels.any():
        return None
    together = [[bags.class_names[number] for number in group] for group in judge.inseparable_]
    return {
        "present": round(float(judge.present_), 4),
        "missing": round(float(judge.missing_), 4),
        "always_together": together,
    }


def lists_in_words(lists: Mapping[str, Any] | None) -> list[str]:
    """Say what was found out about the lists, a line each.

    Parameters
    ----------
    lists : mapping or None
        From `judged_lists`.
    """
    if lists is None:
        return []
    lines = [
        f"about {round(100 * lists['present'])} % of the species in your lists can be heard in them"
    ]
    if lists["missing"] >= _WORTH_A_LINE:
        lines.append(
            f"about {round(100 * lists['missing'])} % of the species that can be heard are not in "
            "the lists"
        )
    lines += [
        f"{' or '.join(names)}: always listed together, so the lists cannot tell them apart; "
        f"what is named {names[0]} may be either"
        for names in lists["always_together"]
    ]
    return lines
