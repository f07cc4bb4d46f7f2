"""What feature sets are made of: a workspace's syllables, and what `segment` kept around them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from birdmodes.errors import WorkspaceError
from birdmodes.segmentation.windows import PLACE_NAMES
from birdmodes.workspace.store import Workspace

T = TypeVar("T")


class SyllableMaterial:
    """The syllables of a workspace; the larger parts are read when they are asked for.

    Parameters
    ----------
    workspace : Workspace
        Where they are.
    rows : ndarray of bool, shape (n_all_syllables,), optional
        Which of them; by default all.

    Attributes
    ----------
    workspace : Workspace
        As given.
    syllables : pandas.DataFrame
        All columns but the images.
    """

    def __init__(self, workspace: Workspace, rows: npt.NDArray[np.bool_] | None = None) -> None:
        self.workspace = workspace
        self._rows = rows
        found: pd.DataFrame = workspace.syllables()
        self.syllables = found if rows is None else found[rows].reset_index(drop=True)
        self._made: dict[object, Any] = {}

    def once(self, by: object, make: Callable[[], T]) -> T:
        """What `make` gives, which is called only the first time that the same asks, `by` name."""
        if by not in self._made:
            self._made[by] = make()
        found: T = self._made[by]
        return found

    @cached_property
    def has_windows(self) -> bool:
        """Whether `segment` kept a window and a place in time for every syllable."""
        return not bool(self.syllables[list(PLACE_NAMES)].isna().to_numpy().any())

    @cached_property
    def windows(self) -> npt.NDArray[np.uint8]:
        """Windows, shape (n_syllables, n_bands, n_columns); see `birdmodes.segmentation.windows`.

        Raises
        ------
        WorkspaceError
            If an earlier version, which kept none, segmented some recordings.
        """
        windows = self.workspace.windows()
        if windows is None:
            raise no_windows(self.workspace)
        return windows if self._rows is None else windows[self._rows]

    @property
    def places(self) -> npt.NDArray[np.float64]:
        """Places in time, shape (n_syllables, n_numbers); see `PLACE_NAMES`.

        Raises
        ------
        WorkspaceError
            As for `windows`.
        """
        if not self.has_windows:
            raise no_windows(self.workspace)
        return np.asarray(self.syllables[list(PLACE_NAMES)].to_numpy(dtype=np.float64))


def no_windows(workspace: Workspace) -> WorkspaceError:
    """Error of a workspace whose syllables have no windows."""
    return WorkspaceError(
        f"{workspace.folder}: segmented by an earlier birdmodes, which did not keep what these "
        "features need; run 'birdmodes segment --restart' on the recordings again, or use "
        "--features briggs38"
    )
