"""How often ``--k auto`` is right, on recordings whose sounds are tagged.

Run ``python benchmarks/mode_counts.py WORKSPACE TAGS.csv [--seed 0] [--least 5]``. The tags are a
CSV with the columns recording, start_s, end_s, species and label; a syllable's truth is the tag
with which it has most in common; syllables that touch tags of several labels do not count. Printed:

- for every species that has two labels or more, in at least `--least` recordings each: what was
  found; purity, the share of its tagged syllables whose label is the commonest of their mode; that
  with one mode; and what is gained as the labels are dealt anew between its recordings: mean, 95 %
  quantile, and the share of the deals that gain as much (p), in purity and as a share of what could
  be gained, since a deal changes how common the commonest label is. Last, p of the true labels as
  modes, which no modes can go below;
- how many sets of syllables with one and the same label are split (as tagged, from 20 syllables in
  `--least` recordings), and how many normal sets with the covariances of the species', within and
  between recordings;
- purity over all, and processor time against that of the same number of modes when it is given.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
from feature_sets import truth

from algorithms.mode_counts import BOUTS_LIMIT, KINDS_LIMIT, ModeCount, mode_count
from birdmodes.modes.counts.found import CountMaterial
from birdmodes.modes.counts.material import count_material
from birdmodes.modes.features.describe import describe_syllables
from birdmodes.modes.find import ClusterOptions, find_modes
from birdmodes.workspace.bags import bags_with
from birdmodes.workspace.store import Workspace

DEALS = 499
NOISES = 3  # of every species
LEAST_SYLLABLES = 20


def purity(mode: npt.ArrayLike, label: npt.ArrayLike) -> float:
    """Share of the syllables whose label is the commonest of their mode."""
    modes, labels = (np.unique(of, return_inverse=True)[1] for of in (mode, label))
    table = np.zeros((modes.max() + 1, labels.max() + 1))
    np.add.at(table, (modes, labels), 1)
    return float(table.max(axis=1).sum() / table.sum())


def gains(mode: npt.ArrayLike, label: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Purity above one mode, and the share that this is of what could be gained."""
    one = purity(np.zeros(len(np.asarray(label))), label)
    gain = purity(mode, label) - one
    return np.array([gain, gain / (1 - one) if one < 1 else 0.0])


def dealt(mode: npt.ArrayLike, rows: pd.DataFrame, seed: int) -> npt.NDArray[np.float64]:
    """Both `gains`, each recording having the labels of another; `DEALS` rows."""
    rng = np.random.default_rng(seed)
    groups = list(rows.groupby("recording", sort=True).indices.values())
    labels = np.unique(rows["label"], return_inverse=True)[1]
    found = []
    for _ in range(DEALS):
        new = labels.copy()
        for here, there in zip(groups, rng.permutation(len(groups)), strict=True):
            new[here] = np.resize(rng.permutation(labels[groups[there]]), len(here))
        found.append(gains(mode, new))
    return np.array(found)


def shares_as_good(mode: npt.ArrayLike, rows: pd.DataFrame, seed: int) -> npt.NDArray[np.float64]:
    """Of both `gains`, how often chance gains as much; what is found counts as one deal more."""
    chance = dealt(mode, rows, seed)
    as_good = chance >= gains(mode, rows["label"]) - 1e-12
    return np.asarray((1 + as_good.sum(axis=0)) / (1 + DEALS))


def normal_set(
    X: npt.NDArray[np.float64], recording: npt.NDArray[np.int64], seed: int
) -> npt.NDArray[np.float64]:
    """Normal instances with the covariances within and between recordings that `X` has."""
    rng = np.random.default_rng(seed)
    group = np.unique(recording, return_inverse=True)[1]
    means = pd.DataFrame(X).groupby(group).mean().to_numpy()
    within, between = X - means[group], means - means.mean(axis=0)
    drawn = rng.standard_normal((len(means), len(means))) @ between / np.sqrt(len(means))
    noise = rng.standard_normal((len(X), len(X))) @ within / np.sqrt(len(X))
    return np.asarray(drawn[group] + noise)


def count_of(
    material: CountMaterial, rows: npt.NDArray[np.intp], seed: int, noise: int | None = None
) -> ModeCount:
    """Count the modes of some syllables, or of noise of a seed in their stead."""
    recording = material.recording[rows]
    kinds, bouts = material.kinds[rows], material.bouts[rows]
    if noise is not None:
        both = normal_set(np.hstack([kinds, bouts]), recording, noise)
        kinds, bouts = both[:, : kinds.shape[1]], both[:, kinds.shape[1] :]
    return mode_count(kinds, bouts, recording, random_state=seed)


def told(found: dict[str, ModeCount], what: str) -> str:
    """How many of the sets are split, and how."""
    split = {name: one for name, one in found.items() if one.k > 1}
    names = ", ".join(f"{name} ({one.shape})" for name, one in split.items())
    return f"{what}: {len(split)} of {len(found)} split{': ' + names if names else ''}"


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path)
    parser.add_argument("tags", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--least", type=int, default=5, help="recordings")
    options = parser.parse_args()
    workspace = Workspace.open(options.workspace)
    spent = time.process_time()
    how = ClusterOptions(k="auto", seed=options.seed, stability_runs=0)
    made = find_modes(workspace, how).clustering
    auto_s = time.process_time() - spent
    curves = pd.DataFrame(made.k_curves)
    rows = made.assignments.reset_index(drop=True)
    tags = pd.read_csv(options.tags, dtype={"label": str})
    true = truth(rows[["recording", "start_s", "end_s"]], tags)
    rows["label"], rows["true_species"] = true["label"].to_numpy(), true["species"].to_numpy()
    described = describe_syllables(workspace, None, how.method, seed=options.seed)
    bags = bags_with(workspace.recordings(), described.syllables, described.features)
    material = count_material(described, bags)

    print(f"limits: kinds {KINDS_LIMIT:g}, bouts {BOUTS_LIMIT:g}")
    print(
        f"{'species':24s} syll  rec   k shape      kinds  bouts  purity one mode  dealt  95 %   "
        "p of gain, of share; least p"
    )
    normal: dict[str, ModeCount] = {}
    better = dict.fromkeys(("mean", "95 % of gains", "95 % of shares"), 0)
    split = 0
    tagged = rows[rows["label"] != ""]
    for name, of_species in tags.groupby("species", sort=True):
        heard = of_species.groupby("label")["recording"].nunique()
        if (heard >= options.least).sum() < 2:
            continue
        own = rows[rows["species"] == name]
        part = own[
            (own["true_species"] == name) & own["label"].isin(heard.index[heard >= options.least])
        ]
        curve = curves[curves["species"] == name]
        if curve.empty:  # no recording lists it
            continue
        chosen = curve[curve["chosen"]].iloc[0]
        heard_in = own["recording"].nunique()
        line = f"{name:24s} {len(own):4d} {heard_in:4d} {chosen['k']:3d} {chosen['shape']:10s}"
        line += f"{curve['kinds'][:4].max():6.1f} {curve['bouts'][:4].max():6.1f}"
        if len(part):
            gain, pure = (
                gains(part["cluster"], part["label"])[0],
                purity(part["cluster"], part["label"]),
            )
            chance = dealt(part["cluster"], part, options.seed)[:, 0]
            p_gain, p_share = shares_as_good(part["cluster"], part, options.seed)
            split += int(chosen["k"] > 1)
            right = chosen["k"] > 1 and gain >= 0.1
            better["mean"] += int(right and gain > chance.mean())
            better["95 % of gains"] += int(right and p_gain <= 0.05)
            better["95 % of shares"] += int(right and p_share <= 0.05)
            line += f"  {pure:6.3f}   {pure - gain:6.3f} {chance.mean():+6.3f}"
            line += f" {np.quantile(chance, 0.95):+5.2f}  {p_gain:.3f} {p_share:.3f}"
            line += f" {shares_as_good(part['label'], part, options.seed)[0]:.3f}"
        print(line)
        if len(own) >= LEAST_SYLLABLES:
            # From other random numbers than the references, which would be alike.
            for noise in range(1, NOISES + 1):
                normal[f"{name} {noise}"] = count_of(
                    material, own.index.to_numpy(), options.seed, noise=1000 * noise + options.seed
                )
    told_better = ", ".join(f"{what} {count}" for what, count in better.items())
    print(
        f"split: {split}; of these at least .1 purer than one mode, and than dealt: {told_better}"
    )
    single = {}
    for label, part in tagged.groupby("label", sort=True):
        if len(part) >= LEAST_SYLLABLES and part["recording"].nunique() >= options.least:
            single[str(label)] = count_of(material, part.index.to_numpy(), options.seed)
    print(told(single, "single types"))
    print(told(normal, "normal noise"))
    print(
        f"purity over all {purity(tagged['cluster'], tagged['label']):.3f}, {len(tagged)} tagged, "
        f"{rows['cluster'].nunique()} clusters"
    )
    spent = time.process_time()
    find_modes(
        workspace, ClusterOptions(k=rows["cluster"].nunique(), seed=options.seed, stability_runs=0)
    )
    given_s = time.process_time() - spent
    print(
        f"processor time {auto_s:.1f} s, given that number {given_s:.1f} s: {auto_s / given_s:.2f}"
    )


if __name__ == "__main__":
    main()
