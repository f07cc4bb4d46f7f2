"""A clustering brought to the syllables that a person has made of those it was made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pandas as pd

from algorithms.errors import ClusteringError
from algorithms.preprocessing import standardize
from birdmodes.modes.clustering import ASSIGNMENT_COLUMNS, Clustering
from birdmodes.modes.features.material import SyllableMaterial
from birdmodes.modes.features.space import FeatureSpace
from birdmodes.modes.placing import allowed_clusters, mapped
from birdmodes.segmentation.features import FEATURE_NAMES
from birdmodes.workspace.bags import bags_table
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.times_of_day import syllable_times

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_BOX = ["start_s", "end_s", "low_hz", "high_hz"]
_FROM_WORKSPACE = ["syllable", "recording", *_BOX]


@dataclass(frozen=True, eq=False)
class Fit:
    """A clustering as the method made it, and the syllables of now.

    Parameters
    ----------
    workspace : Workspace
        With the syllables of now.
    original : Clustering
        As the method made it, of these or of those before a person mended some.
    """

    workspace: Workspace
    original: Clustering

    @cached_property
    def now(self) -> pd.DataFrame:
        """Syllables of now, all columns but the images."""
        return self.workspace.syllables()

    @cached_property
    def old_row(self) -> Ints:
        """For each syllable of now its row in the original, -1 where it has none."""
        names = pd.Index(self.original.assignments["syllable"])
        return np.asarray(names.get_indexer(self.now["syllable"]), dtype=np.int64)

    @cached_property
    def is_changed(self) -> npt.NDArray[np.bool_]:
        """Which syllables of now the method did not see as they are."""
        changed = self.old_row < 0
        there = ~changed
        before = self.original.assignments[_BOX].to_numpy()[self.old_row[there]]
        same = np.isclose(before, self.now.loc[there, _BOX], rtol=0, atol=1e-6).all(axis=1)
        changed[there] = ~same
        return changed

    @property
    def is_needed(self) -> bool:
        """Whether the clustering is of other syllables."""
        lost = len(self.original.assignments) > int((self.old_row >= 0).sum())
        return lost or bool(self.is_changed.any())

    @cached_property
    def features(self) -> Floats:
        """Standardised features of the syllables of now, as the clustering was made with."""
        model = self.original.model
        kept = model.get("features")
        if kept is None or "feature_mean" not in model or len(kept) != self._n_old:
            return standardize(self.now[FEATURE_NAMES].to_numpy(dtype=float))
        # Neighbours of what was mended have another place in time.
        names = self.workspace.mended(self.now["recording"].unique())
        anew = (self.now["recording"].isin(names) | (self.old_row < 0)).to_numpy(dtype=bool)
        found = np.asarray(kept, dtype=np.float64)[self.old_row]
        mean = np.asarray(model["feature_mean"], dtype=np.float64)
        sd = np.where(np.asarray(kept).any(axis=0), model["feature_sd"], np.inf)
        space = FeatureSpace.from_model(model)
        material = SyllableMaterial(self.workspace, anew)
        for part, one in zip(space.parts, space.sets, strict=True):
            if one is space.table:
                # What the person's own table would say of a new syllable is not known: the mean.
                found[self.old_row < 0, part] = 0.0
            elif anew.any():
                found[anew, part] = (one.columns(material) - mean[part]) / sd[part]
        return found

    @property
    def _n_old(self) -> int:
        return len(self.original.assignments)

    def places_of_added(self, wanted: Mapping[str, str]) -> dict[str, tuple[int, float]]:
        """Clusters of the syllables that the method did not see, by how they sound.

        Parameters
        ----------
        wanted : mapping of str to str
            Species that a person said of some of them; the others may be of those that their
            recordings list.

        Returns
        -------
        dict of str to (int, float)
            Cluster and score, as ``assign`` gives them. Of one whose species has no mode: nothing.
        """
        old, new = self.old_row >= 0, np.flatnonzero(self.old_row < 0)
        if not len(new) or not old.any():
            return {}
        from algorithms.placement.placer import Placer  # slow to import

        before = self.original.assignments.iloc[self.old_row[old]]
        numbers, cluster = np.unique(before["cluster"].to_numpy(), return_inverse=True)
        modes = self.original.modes.set_index("cluster").loc[numbers].reset_index()
        bags = bags_table(self.workspace.recordings())
        of_bag = pd.Index(bags["bag"]).get_indexer(self.now["bag"])
        allowed = allowed_clusters(bags, modes)[of_bag]
        places = mapped(self.features, self.original.model.get("metric_map"))
        recordings = self.now.loc[old, "recording"].to_numpy()
        group = np.unique(recordings, return_inverse=True)[1].astype(np.int64)
        try:
            placer = Placer.fit(places[old], cluster.astype(np.int64), group, allowed[old])
        except ClusteringError:
            return {}  # a single recording: too little to learn from
        may_be = allowed[new]
        names = self.now["syllable"].to_numpy()[new]
        for row, name in enumerate(names):
            if wanted.get(name):
                may_be[row] = (modes["species"] == wanted[name]).to_numpy()
        found = placer.place(places[new], may_be)
        return {
            name: (int(numbers[at]), float(score))
            for name, at, score in zip(names, found.cluster, found.score, strict=True)
            if at >= 0
        }

    def clustering(self, confidence: Mapping[str, float]) -> Clustering:
        """The original with a row for each syllable of now, in their order.

        Those that the method did not see are of cluster -1.

        Parameters
        ----------
        confidence : mapping of str to float
            Of these; 0 where it is not given.
        """
        table = self.original.assignments.iloc[self.old_row].reset_index(drop=True)
        new = self.old_row < 0
        names = self.now["syllable"]
        table[_FROM_WORKSPACE] = self.now[_FROM_WORKSPACE]
        table.loc[new, ["species", "mode", "review"]] = ""
        table.loc[new, "cluster"] = -1
        table.loc[new, "centrality"] = 1.0
        table.loc[new, "confidence"] = [confidence.get(name, 0.0) for name in names[new]]
        changed = self.is_changed
        times = syllable_times(self.now[changed], self.workspace.recordings())
        table.loc[changed, "recorded_at"] = times
        model = dict(self.original.model)
        if "features" in model:
            model["features"] = self.features.astype(np.float32)
        embedding = model.get("embedding")
        if embedding is not None and embedding.ndim == 2 and len(embedding) == self._n_old:
            model["embedding"] = self._embedded(embedding)
        return replace(self.original, assignments=table[ASSIGNMENT_COLUMNS], model=model)

    def _embedded(self, embedding: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """What was changed stands where the unchanged syllable stands that is most like it."""
        found = embedding[self.old_row]
        same = np.flatnonzero(~self.is_changed)
        for row in np.flatnonzero(self.is_changed):
            squared = ((self.features[same] - self.features[row]) ** 2).sum(axis=1)
            found[row] = found[same[int(squared.argmin())]]
        return found

    def disturbed(self) -> Ints:
        """Clusters of the original whose syllables were mended or are gone."""
        before = self.original.assignments["cluster"].to_numpy(dtype=np.int64)
        gone = np.setdiff1d(np.arange(self._n_old), self.old_row)
        mended = self.old_row[self.is_changed & (self.old_row >= 0)]
        return np.unique(before[np.concatenate([gone, mended])])
