"""Where the syllables lie on the map."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from birdmodes.errors import BirdmodesError
from birdmodes.gallery.result import MapMethod
from birdmodes.modes.clustering import Clustering, learned_metric, used_features
from birdmodes.segmentation.features import FEATURE_NAMES

LARGEST = 65535

QUANTILE = 0.005
"""Share of the syllables at either end that counts as outlying ..."""

BORDER = 0.06
"""... and goes into this part of the map's width, the farther the closer to its edge."""

NEIGHBOURS = 15

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class MapLayout:
    """Places on the map.

    Attributes
    ----------
    xy : ndarray of int, shape (n_syllables, 2)
        From 0 to `LARGEST`, y upwards.
    method : {"pca", "umap"}
        How they were found.
    explained : list of float or None
        Shares of the variance that the two axes have; None for UMAP.
    """

    xy: npt.NDArray[np.int64]
    method: MapMethod
    explained: list[float] | None


def map_layout(points: npt.ArrayLike, method: MapMethod = "pca", *, seed: int = 0) -> MapLayout:
    """Bring syllables to two dimensions.

    Parameters
    ----------
    points : array_like, shape (n_syllables, n_columns)
        Where they lie in the space that they were clustered in.
    method : {"pca", "umap"}
        Principal components, or UMAP, which shows neighbours better and distances worse.
    seed : int
        For UMAP: same seed, same map.

    Raises
    ------
    BirdmodesError
        If UMAP is wanted and not installed.

    References
    ----------
    McInnes, L., Healy, J., Melville, J. (2018). UMAP: uniform manifold approximation and
    projection for dimension reduction. arXiv:1802.03426.
    """
    space = np.asarray(points, dtype=np.float64)
    explained = None
    if method == "umap":
        places = _umap(space, seed)
    else:
        places, explained = _principal_components(space)
    return MapLayout(_to_map(places), method, explained)


def features_in_words(clustering: Clustering) -> str:
    """What the places on the map are made from, in a few words.

    Parameters
    ----------
    clustering : Clustering
        Whose syllables are shown.
    """
    sets = used_features(clustering.parameters)
    features = f"{len(FEATURE_NAMES)} features of each syllable"
    if sets != ["briggs38"]:
        listed = " and ".join(filter(None, (", ".join(sets[:-1]), sets[-1])))
        features = f"the features of each syllable ({listed})"
    metric = learned_metric(clustering.parameters)
    if metric:
        return f"{features} in the metric learned by {metric}"
    embedding = clustering.model.get("embedding")
    if embedding is not None and embedding.ndim == 2 and embedding.shape[1] != len(FEATURE_NAMES):
        method = clustering.parameters.get("method", "the method")
        return f"what {method} made of {features}"
    return features


def _principal_components(space: Floats) -> tuple[Floats, list[float]]:
    """Two first components, the largest weight of each positive, and their shares."""
    if len(space):
        space = space - space.mean(axis=0)
    # A column of nothing each for the two axes, should there be fewer columns.
    space = np.pad(space, ((0, 0), (0, max(0, 2 - space.shape[1]))))
    # Of the columns' covariance: there may be a hundred thousand rows, but never many columns.
    values, vectors = np.linalg.eigh(space.T @ space)
    values, weights = np.maximum(values[::-1], 0.0), vectors[:, :-3:-1]
    largest = np.abs(weights.round(9)).argmax(axis=0)
    weights = weights * np.where(weights[largest, [0, 1]] < 0, -1.0, 1.0)
    shares = values[:2] / (values.sum() or 1.0)
    return space @ weights, shares.round(4).tolist()


def _umap(space: Floats, seed: int) -> Floats:
    check_umap()
    if len(space) <= 3:  # too few for neighbourhoods
        return _principal_components(space)[0]
    import umap  # takes seconds to import

    reducer = umap.UMAP(n_neighbors=min(NEIGHBOURS, len(space) - 1), random_state=seed, n_jobs=1)
    return np.asarray(reducer.fit_transform(space), dtype=np.float64)


def check_umap() -> None:
    """Refuse UMAP where it is not installed.

    Raises
    ------
    BirdmodesError
        It tells how to install it.
    """
    from importlib.util import find_spec

    if find_spec("umap") is None:
        raise BirdmodesError(
            "--map umap: the package umap-learn is not installed; run "
            "\"pip install 'birdmodes[map]'\", or leave out --map"
        )


def _to_map(places: Floats) -> npt.NDArray[np.int64]:
    """Fill the map, both axes to one scale; outliers are drawn in to its border."""
    if not len(places):
        return np.zeros((0, 2), dtype=np.int64)
    low, high = np.quantile(places, [QUANTILE, 1 - QUANTILE], axis=0)
    half = float((high - low).max()) / 2
    if half <= 0:
        half = float(np.abs(places - (low + high) / 2).max()) or 1.0
    at = (places - (low + high) / 2) / half
    beyond = np.maximum(np.abs(at) - 1, 0.0)
    # From 1 on ever slower towards 1 + border, so that no two outliers fall on one spot.
    border = BORDER / (0.5 - BORDER)
    drawn = np.sign(at) * (np.minimum(np.abs(at), 1.0) + border * beyond / (beyond + border))
    return np.asarray(((drawn / (1 + border) + 1) / 2 * LARGEST).round(), dtype=np.int64)
