"""What syllables are placed by in the modes of a clustering that did not see them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.labels import split_species

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def mapped(standardised: Floats, metric_map: Floats | None) -> Floats:
    """Standardised features in the space of a learned metric; None leaves them."""
    if metric_map is None:
        return standardised
    places = np.zeros((len(standardised), metric_map.shape[1]))
    # Feature by feature: in a product of matrices the last digits of a row depend on those beside.
    for values, weights in zip(standardised.T, metric_map, strict=True):
        places += np.outer(values, weights)
    return places


def allowed_clusters(bags: pd.DataFrame, modes: pd.DataFrame) -> Bools:
    """Find which clusters the labels of bags leave.

    Parameters
    ----------
    bags : pandas.DataFrame
        From `birdmodes.workspace.bags.bags_table`.
    modes : pandas.DataFrame
        With a column species; empty for clusters of no species.

    Returns
    -------
    ndarray of bool, shape (n_bags, n_modes)
        A bag with labels leaves the modes of its species and the clusters of no species; one
        without leaves all.
    """
    names, column = np.unique(modes["species"].to_numpy(dtype=object), return_inverse=True)
    listed = [{"", *split_species(text)} for text in bags["species"]]
    present = np.array([[name in species for name in names] for species in listed], dtype=bool)
    present = present.reshape(len(bags), len(names))
    present[~bags["labelled"].to_numpy(dtype=bool)] = True
    return np.asarray(present[:, column], dtype=np.bool_)
