"""Feature sets side by side: the space that syllables are clustered in."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from algorithms.preprocessing import standardize
from birdmodes.errors import FeatureError
from birdmodes.io.paths import AnyPath
from birdmodes.io.printing import shown
from birdmodes.modes.features.base import Arrays, FeatureSet, Floats
from birdmodes.modes.features.embeddings import Embeddings
from birdmodes.modes.features.material import SyllableMaterial
from birdmodes.modes.features.own import Briggs38
from birdmodes.modes.features.sets import FEATURE_SETS, check_name

if TYPE_CHECKING:
    from algorithms.preprocessing.standardizer import Standardizer

_DESCRIPTION = "feature_sets"


@dataclass(frozen=True, eq=False)
class FeatureSpace:
    """Feature sets, learned on the syllables of a workspace.

    Attributes
    ----------
    sets : tuple of FeatureSet
        In the order of their columns.
    """

    sets: tuple[FeatureSet, ...]

    @classmethod
    def learn(cls, names: Sequence[str], material: SyllableMaterial, seed: int = 0) -> FeatureSpace:
        """Learn sets.

        Parameters
        ----------
        names : sequence of str
            From `birdmodes.modes.features.sets.parse_features`; at least one.
        material : SyllableMaterial
            At least one syllable.
        seed : int
            Same seed, same result.

        Raises
        ------
        FeatureError
            If there is no such set, or a table does not fit.
        WorkspaceError
            If the workspace lacks what a set is made of.
        """
        sets = []
        for text in names:
            argument = text.partition(":")[2]
            sets.append(check_name(text).learn(material, seed, argument))
        return cls(tuple(sets))

    @property
    def called(self) -> list[str]:
        """Names of the sets, a table's with that of its file."""
        return [one.called for one in self.sets]

    @property
    def column_names(self) -> list[str]:
        """Names of all columns."""
        return [name for one in self.sets for name in one.column_names()]

    @property
    def blocks(self) -> list[slice]:
        """Columns that are brought to one scale together; see `FeatureSet.one_scale`."""
        return [part for part, one in zip(self.parts, self.sets, strict=True) if one.one_scale]

    @property
    def mode_weights(self) -> list[float]:
        """Weight of every column where the modes of a species are told apart."""
        return [one.mode_weight for one in self.sets for _ in one.column_names()]

    def columns(self, material: SyllableMaterial) -> Floats:
        """Describe syllables, in the units of the sets; shape (n_syllables, n_columns)."""
        if len(self.sets) == 1:
            return self.sets[0].columns(material)
        found = np.empty((len(material.syllables), len(self.column_names)))
        for part, one in zip(self.parts, self.sets, strict=True):
            found[:, part] = one.columns(material)
        return found

    def standardized(self, columns: Floats) -> Floats:
        """Bring columns to mean 0 and a mean variance of 1 in every set.

        Parameters
        ----------
        columns : ndarray, shape (n_syllables, n_columns)
            From `columns`.

        Returns
        -------
        ndarray, shape (n_syllables, n_columns)
            Each column has variance 1; in sets of one scale, the mean over the columns is 1.
        """
        from algorithms.preprocessing.standardizer import Standardizer  # slow to import

        found = np.empty_like(columns)
        for part, one in zip(self.parts, self.sets, strict=True):
            own = columns[:, part]
            if one.one_scale:
                found[:, part] = Standardizer(blocks=[slice(None)]).fit(own).transform(own)
            else:
                found[:, part] = standardize(own)
        return found

    def scale(self, columns: Floats) -> Standardizer:
        """Give what standardises further syllables like those of `columns`."""
        from algorithms.preprocessing.standardizer import Standardizer  # slow to import

        return Standardizer(blocks=self.blocks).fit(columns)

    def described(self) -> list[dict[str, Any]]:
        """Sets, their numbers of columns and what else is to be known, as JSON can say it."""
        return [
            {"name": one.name, "columns": len(one.column_names()), **one.facts()}
            for one in self.sets
        ]

    def to_model(self) -> Arrays:
        """Arrays of ``model.npz``."""
        arrays = {
            _key(one, name): array for one in self.sets for name, array in one.arrays().items()
        }
        return {_DESCRIPTION: np.array(json.dumps(self.described())), **arrays}

    @classmethod
    def from_model(cls, model: Mapping[str, npt.NDArray[Any]]) -> FeatureSpace:
        """Read the space of a clustering; one of an earlier version has the 38 features.

        Raises
        ------
        FeatureError
            If it is damaged, or has sets that this version does not know.
        """
        if _DESCRIPTION not in model:
            return cls((Briggs38(),))
        try:
            sets = []
            for facts in json.loads(str(model[_DESCRIPTION])):
                kind = FEATURE_SETS[facts["name"]]
                prefix = f"{_DESCRIPTION}/{kind.name}/"
                arrays = {
                    name.removeprefix(prefix): array
                    for name, array in model.items()
                    if name.startswith(prefix)
                }
                sets.append(kind.from_arrays(arrays, facts))
        except (ValueError, KeyError, TypeError) as error:
            raise FeatureError(
                f"model.npz: its features cannot be read ({error!r}); run 'birdmodes cluster' again"
            ) from error
        return cls(tuple(sets))

    @property
    def table(self) -> Embeddings | None:
        """The person's own table among the sets, if there is one."""
        return next((one for one in self.sets if isinstance(one, Embeddings)), None)

    def with_table(self, file: AnyPath | None) -> FeatureSpace:
        """Give the same space for other syllables, about which another table tells.

        Parameters
        ----------
        file : str or path-like, optional
            The other table; without one the space stays as it is.

        Raises
        ------
        FeatureError
            If no set is a table.
        """
        if file is None:
            return self
        file = Path(file)
        if self.table is None:
            raise FeatureError(
                f"{shown(file)}: no table of features was learned from ({', '.join(self.called)}); "
                "leave --table out"
            )
        return FeatureSpace(
            tuple(one.at(file) if isinstance(one, Embeddings) else one for one in self.sets)
        )

    @property
    def parts(self) -> list[slice]:
        """Columns of each set."""
        ends = np.cumsum([len(one.column_names()) for one in self.sets])
        return [
            slice(int(end) - len(one.column_names()), int(end))
            for end, one in zip(ends, self.sets, strict=True)
        ]


def _key(one: FeatureSet, name: str) -> str:
    return f"{_DESCRIPTION}/{one.name}/{name}"
