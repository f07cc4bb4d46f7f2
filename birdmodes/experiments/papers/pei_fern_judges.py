"""Places to judge at that only the claims on Pei & Fern (2013) name."""

from __future__ import annotations

import numpy as np
import pandas as pd

from birdmodes.experiments.judges import At, Part
from birdmodes.experiments.shown.instances import at_c_clusters


def at_c(runs: pd.DataFrame) -> list[Part]:
    """Compare with K = C and all bags labelled."""
    return [("", at_c_clusters(runs))]


def at_fewest_labels(runs: pd.DataFrame) -> list[Part]:
    """Compare where the fewest bags are labelled, if that are not all."""
    labelled = runs[runs["experiment"] == "labelled"]
    fewest = labelled[labelled["labelled_share"] == labelled["labelled_share"].min()]
    return [("", fewest[fewest["labelled_share"] < 1])]


def at_every_k(runs: pd.DataFrame) -> list[Part]:
    """Compare at every number of clusters."""
    clusters = runs[runs["experiment"] == "clusters"]
    return [(f"K = {k}: ", of_k) for k, of_k in clusters.groupby("k")]


def above_c(runs: pd.DataFrame) -> list[Part]:
    """Compare at every number of clusters above that of classes."""
    return at_every_k(runs)[1:]


def over_alpha(method: str) -> At:
    """Look at one method while alpha is varied."""
    return lambda runs: [("", runs[(runs["experiment"] == "alpha") & (runs["method"] == method)])]


def most_and_fewest_labels(method: str) -> At:
    """Compare a method with itself: where the most and where the fewest bags are labelled."""

    def at(runs: pd.DataFrame) -> list[Part]:
        rows = runs[(runs["experiment"] == "labelled") & (runs["method"] == method)]
        share = rows["labelled_share"]
        if share.nunique() < 2:
            return []
        labels = np.select([share == share.max(), share == share.min()], ["most", "fewest"], "")
        return [("", rows.assign(labels=labels, called=share.map("{:.0%}".format)))]

    return at


def at_every_share(runs: pd.DataFrame) -> list[Part]:
    """Compare at every share of labelled bags; all of them where the share was not varied."""
    labelled = runs[runs["experiment"] == "labelled"]
    if labelled.empty:
        labelled = at_c_clusters(runs)
    return [(f"{share:.0%} labelled: ", here) for share, here in labelled.groupby("labelled_share")]


PLACES = (
    *(at_c, at_fewest_labels, at_every_k, above_c),
    *(over_alpha, most_and_fewest_labels, at_every_share),
)
