"""What a figure shows: the modes of a species, their mean patches and some examples."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from birdmodes.export.selection import Choice, found_names, short_name
from birdmodes.labels.taxonomy import OtherName
from birdmodes.modes.clustering import Clustering
from birdmodes.modes.words import describe_modes, syllable_measures
from birdmodes.modes.words.describe import with_shapes
from birdmodes.modes.words.isolation import isolation_db
from birdmodes.modes.words.series import run_numbers
from birdmodes.modes.words.shared_names import shared_species, whole_species
from birdmodes.pictures.exemplars import choose_examples, typical_members
from birdmodes.pictures.mean_patch import MeanPatch
from birdmodes.pictures.pictures import SoundImage, patch_image, recording_image
from birdmodes.pictures.scale import Scale, shared_scale
from birdmodes.pictures.source import Source, UnavailableError
from birdmodes.workspace.store import Workspace
from birdmodes.workspace.tables import unpack_patch
from birdmodes.workspace.taxonomy import other_names

NOISE_CONTEXT_S = 5.0
"""Read before and after a syllable, so that the noise can be told from the sound."""


@dataclass(frozen=True, eq=False)
class Example:
    """One syllable to be drawn.

    Attributes
    ----------
    syllable, recording : str
        Its name, and where it is.
    start_s, duration_s : float
        When it begins in the recording, and how long it is.
    low_hz, high_hz : float
        Its lowest and highest frequency.
    image : SoundImage
        Levels around it, in decibels above the noise.
    """

    syllable: str
    recording: str
    start_s: float
    duration_s: float
    low_hz: float
    high_hz: float
    image: SoundImage

    def loudest(self) -> float:
        """Highest level within the syllable's box (dB)."""
        image = self.image
        rows = _indices(image.first_hz, image.bin_hz, self.low_hz, self.high_hz)
        columns = _indices(image.first_s, image.frame_s, 0.0, self.duration_s)
        return float(image.level[rows, columns].max(initial=0.0))


def _indices(first: float, step: float, low: float, high: float) -> slice:
    return slice(max(0, round((low - first) / step)), max(0, round((high - first) / step)) + 1)


@dataclass(frozen=True, eq=False)
class ModeMaterial:
    """One mode to be drawn.

    Attributes
    ----------
    heading : str
        Its name without the species, such as "Mode 1".
    words : str
        What it sounds like, such as "high trill, 5.4–7.3 kHz · 0.3 s".
    syllables, recordings : int
        Typical members, and recordings that they come from.
    mean : SoundImage
        Mean of their patches, in decibels above the noise.
    examples : list of Example
        Those a reviewer called good first, then the most central ones.
    """

    heading: str
    words: str
    syllables: int
    recordings: int
    mean: SoundImage
    examples: list[Example]


@dataclass(frozen=True, eq=False)
class SpeciesMaterial:
    """All that the figure of a species shows.

    Attributes
    ----------
    species : str
        Its name.
    modes : list of ModeMaterial
        Largest first.
    scale : Scale
        Of all pictures.
    unavailable : dict
        Why recordings could not be read, to their names; their syllables are drawn from the
        workspace, without what is around them.
    others : tuple of OtherName
        What else the species is called.
    """

    species: str
    modes: list[ModeMaterial]
    scale: Scale
    unavailable: dict[str, set[str]] = field(default_factory=dict)
    others: tuple[OtherName, ...] = ()


def chosen_modes(clustering: Clustering, choice: Choice) -> dict[str, pd.DataFrame]:
    """Find species and modes by name.

    Parameters
    ----------
    clustering : Clustering
        The modes.
    choice : Choice
        Species and modes wanted; of modes those of these species.

    Returns
    -------
    dict
        Species, as the clustering writes them, to rows of its modes.

    Raises
    ------
    BirdmodesError
        If there is no such species or mode.
    """
    modes = clustering.modes
    table = modes[(modes["species"] != "") & ~modes["background"].astype(bool)]
    if choice.species:
        names = found_names("species", choice.species, [*table["species"]], clustering.name)
        table = table[table["species"].isin(names)]
    if choice.modes:
        pairs = zip(table["mode"], table["species"], strict=True)
        short = pd.Series([short_name(mode, species) for mode, species in pairs], table.index)
        names = found_names("mode", choice.modes, [*table["mode"], *short], clustering.name)
        table = table[table["mode"].isin(names) | short.isin(names)]
    return {str(species): rows for species, rows in table.groupby("species", sort=False)}


class MaterialMaker:
    """Reads patches and recordings of a workspace for figures.

    Parameters
    ----------
    workspace : Workspace
        Where they are listed.
    clustering : Clustering
        The modes.
    n_examples : int
        At most so many of each mode.
    """

    def __init__(self, workspace: Workspace, clustering: Clustering, n_examples: int) -> None:
        self._workspace = workspace
        self._parameters = workspace.settings.segmentation
        table = with_shapes(clustering.assignments, syllable_measures(workspace))
        more = workspace.syllables(["syllable", "truncated"])
        table = table.merge(more, on="syllable", how="left", validate="1:1")
        self._assignments = table.assign(isolation_db=isolation_db(table))
        self._n_examples = n_examples
        self._species = dict(
            zip(clustering.modes["cluster"], clustering.modes["species"], strict=True)
        )
        self._names = other_names(workspace)
        channel = workspace.settings.channel
        self._sources = {
            str(row["recording"]): Source.of(str(row["recording"]), row, channel)
            for row in workspace.recordings().to_dict("records")
        }

    def make(
        self,
        species: str,
        modes: pd.DataFrame,
        on_progress: Callable[[int, int, str], None],
    ) -> SpeciesMaterial:
        """Collect what the figure of a species shows.

        Parameters
        ----------
        species : str
            Its name.
        modes : pandas.DataFrame
            Rows of the clustering's modes.
        on_progress : callable
            Called with done, total and the recording's name after each recording.
        """
        members = {int(cluster): self._members(cluster) for cluster in modes["cluster"]}
        shown = {cluster: self._shown(rows) for cluster, rows in members.items()}
        scale = shared_scale(pd.concat(list(shown.values())), self._parameters.nyquist_hz)
        called = whole_species(species, shared_species(modes))
        result = SpeciesMaterial(called, [], scale, others=tuple(self._names.get(species, ())))
        means, examples = self._read(members, shown, result, on_progress)
        words = self._words(species)
        names = dict(zip(modes["cluster"].astype(int), modes["mode"], strict=True))
        for cluster, rows in members.items():
            if rows.empty:
                continue
            heading = short_name(names[cluster], species)
            result.modes.append(
                ModeMaterial(
                    heading[:1].upper() + heading[1:],
                    words.get(cluster, ""),
                    len(rows),
                    int(rows["recording"].nunique()),
                    self._mean(means[cluster], rows),
                    [examples[name] for name in shown[cluster]["syllable"]],
                )
            )
        return result

    def _members(self, cluster: int) -> pd.DataFrame:
        return typical_members(self._assignments[self._assignments["cluster"] == cluster])

    def _words(self, species: str) -> dict[int, str]:
        """Words for all modes of the species, told apart as everywhere, also if some are drawn."""
        own = [cluster for cluster, name in self._species.items() if name == species]
        members = pd.concat([self._members(cluster) for cluster in own])
        found = describe_modes(members, dict.fromkeys(own, species))
        return {
            cluster: f"{words.title[:1].lower()}{words.title[1:]}, {words.facts}"
            for cluster, words in found.items()
        }

    def _shown(self, rows: pd.DataFrame) -> pd.DataFrame:
        """Good and clear examples, as the gallery shows them."""
        if rows.empty:
            return rows
        (words,) = describe_modes(rows, {}).values()
        chosen = choose_examples(rows.assign(run=run_numbers(rows)), self._n_examples, words)
        return chosen[chosen["group"].isin(["good", "clear"])].iloc[: self._n_examples]

    def _read(
        self,
        members: dict[int, pd.DataFrame],
        shown: dict[int, pd.DataFrame],
        result: SpeciesMaterial,
        on_progress: Callable[[int, int, str], None],
    ) -> tuple[dict[int, MeanPatch], dict[str, Example]]:
        """Means of the modes and all examples, recording by recording."""
        # Wider than any picture, so that no edge of the mean is seen wherever its centre is put.
        widest = int(2 * result.scale.width_s / self._parameters.frame_s)
        means = {cluster: MeanPatch(widest) for cluster in members}
        examples: dict[str, Example] = {}
        wanted = {name for rows in shown.values() for name in rows["syllable"]}
        recordings = list(pd.concat(list(members.values())).groupby("recording"))
        for done, (recording, rows) in enumerate(recordings, start=1):
            stored = self._workspace.patches(str(recording)).set_index("syllable")
            for row in rows.to_dict("records"):
                patch, mask = unpack_patch(*stored.loc[row["syllable"]])
                means[int(row["cluster"])].add(patch, mask)
                if row["syllable"] in wanted:
                    examples[str(row["syllable"])] = self._example(row, patch, result)
            on_progress(done, len(recordings), str(recording))
        return means, examples

    def _example(
        self, row: Mapping[Any, Any], patch: np.ndarray, result: SpeciesMaterial
    ) -> Example:
        recording = str(row["recording"])
        start_s, end_s = float(row["start_s"]), float(row["end_s"])
        last_s = max(end_s, start_s + result.scale.end_s)
        try:
            stretch = self._sources[recording].read(
                start_s - NOISE_CONTEXT_S, last_s + NOISE_CONTEXT_S
            )
        except UnavailableError as problem:
            result.unavailable.setdefault(str(problem), set()).add(recording)
            image = patch_image(patch, row["low_hz"], self._parameters)
        else:
            image = recording_image(
                stretch.samples,
                stretch.sample_rate_hz,
                stretch.start_s - start_s,
                self._parameters,
            )
        return Example(
            str(row["syllable"]),
            recording,
            start_s,
            end_s - start_s,
            float(row["low_hz"]),
            float(row["high_hz"]),
            image,
        )

    def _mean(self, mean: MeanPatch, rows: pd.DataFrame) -> SoundImage:
        """Mean patch at the median frequency and duration."""
        duration_s = float((rows["end_s"] - rows["start_s"]).median())
        centre_hz = float((rows["low_hz"] + rows["high_hz"]).median() / 2)
        return mean.image(self._parameters, duration_s / 2, centre_hz)
