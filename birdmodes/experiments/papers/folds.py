"""How the experiments of Law et al. (2017) leave bags out, and average over folds.

Theirs has a published split of Corel5K; the other sets have none, so their bags are
cross-validated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from birdmodes.experiments.data import Data
from birdmodes.experiments.experiment import Brief, Protocol
from birdmodes.experiments.tasks import Setting
from birdmodes.experiments.work.folds import fold_numbers


def settings_of(data: Data, entrant: str, protocol: Protocol) -> Iterator[Setting]:
    """List the settings of one method on one set: its folds, from 0; 0 for a published split."""
    for fold in fold_numbers(data, protocol.folds, protocol.seed):
        names = {"dataset": data.name, "experiment": protocol.experiment, "entrant": entrant}
        yield Setting(**names, fold=fold)


def facts_of_folds(
    protocol: Protocol, data: Sequence[Data], runs: pd.DataFrame
) -> list[tuple[str, str]]:
    """How large every set is, and how it is tested."""
    return [(each.name, _size(each, protocol)) for each in data]


def _size(data: Data, protocol: Protocol) -> str:
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


def brief_of_folds(shown: dict[str, str], summary: pd.DataFrame) -> Brief:
    """Print the means over folds."""
    columns = [str(name) for name in summary]
    by = columns[2 : columns.index("folds")]
    settings = {"data set": "{dataset}", **{name: f"{{{name}}}" for name in ("method", *by)}}
    figures = {title: f"{{{name}_mean:.3f}}" for name, title in shown.items()}
    filled = summary.astype(dict.fromkeys(by, object)).fillna(dict.fromkeys(by, ""))
    return Brief.of(filled, settings | figures, len(settings))
