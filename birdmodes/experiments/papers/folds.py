"""How the experiments of Law et al. (2017) leave bags out, and average over folds.

Theirs has a published split of Corel5K; the other sets have none, so their bags are
cross-validated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from birdmodes.experiments.data import Data
from birdmodes.experiments.experiment import Brief, Protocol
from birdmodes.experiments.results import means_table
from birdmodes.experiments.tasks import Setting
from birdmodes.experiments.work.folds import fold_numbers

_FOLDS, _QUICK_FOLDS = 5, 3


@dataclass(frozen=True, kw_only=True)
class FoldProtocol(Protocol):
    """How bags are left out.

    Attributes
    ----------
    experiment : str
        Which experiment.
    folds : int
        Parts of the labelled bags that are left out in turn.
    """

    experiment: str
    folds: int = _FOLDS

    @classmethod
    def called(cls, name: str, quick: bool = False) -> FoldProtocol:
        """Give the protocol of an experiment, or one of fewer folds, to try it out."""
        return cls(experiment=name, folds=_QUICK_FOLDS if quick else _FOLDS)


@dataclass(frozen=True)
class FoldSetting(Setting):
    """One method, learned with one fold left out and tested on it.

    Attributes
    ----------
    dataset, experiment, entrant : str
        Data, experiment, method.
    fold : int
        Which is left out, from 0; 0 for a published split.
    """

    dataset: str
    experiment: str
    entrant: str
    fold: int


def settings_of(data: Data, entrant: str, protocol: FoldProtocol) -> Iterator[FoldSetting]:
    """List the settings of one method on one set: its folds."""
    for fold in fold_numbers(data, protocol.folds, protocol.seed):
        yield FoldSetting(data.name, protocol.experiment, entrant, fold)


def facts_of_folds(
    protocol: FoldProtocol, data: Sequence[Data], runs: pd.DataFrame
) -> list[tuple[str, str]]:
    """How large every set is, and how it is tested."""
    return [(each.name, _size(each, protocol)) for each in data]


def _size(data: Data, protocol: FoldProtocol) -> str:
    bags = data.bags
    n_folds = len(fold_numbers(data, protocol.folds, protocol.seed))
    how = (
        f"{data.test.sum()} bags left out"
        if data.test is not None
        else f"cross-validated by bag in {n_folds} folds"
    )
    size = (
        f"{bags.n_bags} bags, {bags.n_instances} instances, {bags.n_features} features, "
        f"{bags.n_classes} classes; {how}"
    )
    return f"{size}; {data.note}" if data.note else size


def means_of_folds(by: Sequence[str], measures: Sequence[str], runs: pd.DataFrame) -> pd.DataFrame:
    """Average over folds."""
    return means_table(runs, ["dataset", "method", *by], measures, count="folds")


def brief_of_folds(by: Sequence[str], shown: dict[str, str], summary: pd.DataFrame) -> Brief:
    """Print the means over folds."""
    rows = []
    for row in summary.to_dict("records"):
        at: dict[Any, Any] = row
        settings = ["" if pd.isna(at[name]) else str(at[name]) for name in by]
        figures = [f"{at[f'{name}_mean']:.3f}" for name in shown]
        rows.append((at["dataset"], at["method"], *settings, *figures))
    return Brief(("data set", "method", *by, *shown.values()), rows, 2 + len(by))
