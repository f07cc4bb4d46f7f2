"""The experiments of Pei & Fern (2013): alpha, the share of labelled bags, the number of clusters.

References
----------
Pei & Fern, Constrained instance clustering in multi-instance multi-label learning (2013), section
5.3 (alpha), 5.4.1 (labelled bags), 5.4.2 (number of clusters).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from algorithms.bags import Bags, IntArray
from algorithms.disambiguation.list_baselines import LIST_BASELINES
from birdmodes.experiments.claims import Claim, Judge
from birdmodes.experiments.data import Data, load
from birdmodes.experiments.experiment import EXTENT, Experiment, Protocol
from birdmodes.experiments.judges import (
    EXCEEDS,
    NMI_AND_PURITY,
    NOT_BELOW,
    At,
    Found,
    exceeds,
    flat,
)
from birdmodes.experiments.report import Words
from birdmodes.experiments.results import means_table
from birdmodes.experiments.shown.instances import PARTS, at_c_clusters, brief_table, show
from birdmodes.experiments.tasks import Row, Setting, Stopwatch, Task, child_seed
from birdmodes.experiments.work.instances import (
    ENTRANTS,
    MEASURES,
    SETS,
    Entrant,
    Graph,
    check_size,
    cluster_runs,
    load_affinity,
    read_instances,
    score,
    with_labels_of_some,
)


@dataclass(frozen=True, kw_only=True)
class PeiFernProtocol(Protocol):
    """What is varied, how finely, and how often.

    Attributes
    ----------
    runs : int
        Repetitions of everything random.
    alpha_step : float
        alpha goes from 0 to 1 in steps of this.
    shares : tuple of float
        Shares of labelled bags, rising; the last one is 1.
    k_steps : int
        Numbers of clusters from C to 2C.
    n_init : int
        Starts of k-means in one run, the best of which counts.
    graph : {"dense", "knn", "auto"}
        Affinity graph of the spectral methods.
    parts : tuple of str
        Which of the three are run.
    """

    runs: int = 20
    alpha_step: float = 0.005
    shares: tuple[float, ...] = (0.2, 0.4, 0.6, 0.8, 1.0)
    k_steps: int = 7
    n_init: int = 5
    graph: Graph = "dense"
    parts: tuple[str, ...] = field(default=PARTS, metadata=EXTENT)

    @classmethod
    def called(cls, name: str, quick: bool = False) -> PeiFernProtocol:
        """Give the protocol of one of the three or of all, or one of fewer values of everything."""
        parts = PARTS if name == "all" else (name,)
        if quick:
            return cls(runs=3, alpha_step=0.05, shares=(0.2, 0.6, 1.0), k_steps=3, parts=parts)
        return cls(parts=parts)

    @property
    def alphas(self) -> list[float]:
        """Every alpha, 0 and 1 included."""
        n_steps = max(1, round(1 / self.alpha_step))
        return [round(step / n_steps, 6) for step in range(n_steps + 1)]

    def cluster_counts(self, n_classes: int, n_instances: int) -> list[int]:
        """Numbers of clusters from C to 2C, without repetition, below the number of instances."""
        spaced = np.linspace(n_classes, 2 * n_classes, self.k_steps)
        return sorted({round(float(k)) for k in spaced if round(float(k)) < n_instances})


@dataclass(frozen=True)
class PeiFernSetting(Setting):
    """Some runs of one method in one setting of one part.

    Attributes
    ----------
    dataset, experiment, entrant : str
        Names; the experiment is the part.
    ks : tuple of int
        Numbers of clusters, all rounded from one embedding.
    runs : tuple of int
        Which repetitions.
    alpha : float or None
        None leaves the method's default.
    share : float
        Share of the labelled bags that keep their labels.
    """

    dataset: str
    experiment: str
    entrant: str
    ks: tuple[int, ...]
    runs: tuple[int, ...]
    alpha: float | None = None
    share: float = 1.0

    @property
    def title(self) -> str:
        """The set, the part and the method."""
        return f"{self.dataset}, {self.experiment}, {self.entrant}"


def settings_of(data: Data, entrant: str, protocol: PeiFernProtocol) -> Iterator[PeiFernSetting]:
    """List the settings of one method on one set."""
    check_size(data)
    for part in protocol.parts:
        yield from _settings_of_part(data, part, ENTRANTS[entrant], protocol)


def _settings_of_part(
    data: Data, part: str, entrant: Entrant, protocol: PeiFernProtocol
) -> Iterator[PeiFernSetting]:
    """List the settings of one part.

    What runs share is computed once per setting: the runs of a spectral method differ in the
    start of k-means alone, unless each has its own subset of labels. A method that is fitted
    anew for each run has a setting for each, so that little is lost when the program is stopped.
    """
    every = tuple(range(protocol.runs))
    one_by_one = [(run,) for run in every]
    ks = protocol.cluster_counts(data.bags.n_classes, data.bags.n_instances)
    base = (data.name, part, entrant.name)
    if part == "alpha":
        if entrant.takes_alpha:
            for alpha in protocol.alphas:
                yield PeiFernSetting(*base, tuple(ks[:1]), every, alpha=alpha)
    elif part == "labelled":
        for share in protocol.shares:
            same = entrant.spectral and (share == 1 or not entrant.uses_labels)
            for runs in [every] if same else one_by_one:
                yield PeiFernSetting(*base, tuple(ks[:1]), runs, share=share)
    else:
        # Must-link pairs exist for K = C only, so that K > C may need another embedding.
        groups = [ks[:1], ks[1:]] if entrant.spectral else [[k] for k in ks]
        if entrant.is_baseline:
            groups = groups[:1]
        for group in filter(None, groups):
            for runs in [every] if entrant.spectral else one_by_one:
                yield PeiFernSetting(*base, tuple(group), runs)


def work(task: Task) -> list[Row]:
    """Give the rows of a task: one for each run and number of clusters."""
    setting, protocol = task.setting, task.protocol
    entrant = ENTRANTS[setting.entrant]
    options = {} if setting.alpha is None else {"alpha": setting.alpha}
    for name in ("graph", "n_init"):
        if entrant.accepts(name):
            options[name] = getattr(protocol, name)
    bags_of, seed_of = partial(_bags_of_run, task), partial(_seed, task)
    with Stopwatch() as watch:
        affinity = None
        if entrant.spectral:
            affinity = load_affinity(task.source, protocol.graph, protocol.seed)
        found = cluster_runs(
            entrant, bags_of, affinity, setting.ks, setting.runs, seed_of, **options
        )
        rows = [_row(task, *each) for each in found]
    return [{**row, "seconds": round(watch.seconds / len(rows), 3)} for row in rows]


def _bags_of_run(task: Task, run: int) -> Bags:
    """Bags with the labels of this run; always all when the method does not look at them."""
    bags = load(read_instances, task.source).bags
    setting = task.setting
    if not ENTRANTS[setting.entrant].uses_labels:
        return bags
    return with_labels_of_some(bags, setting.share, run, setting.dataset, task.protocol.seed)


def _seed(task: Task, *parts: str | int) -> int:
    setting = task.setting
    names = (setting.dataset, setting.experiment, setting.entrant, setting.alpha, setting.share)
    return child_seed(task.protocol.seed, *names, *parts)


def _row(task: Task, k: int, run: int, found: IntArray, clusterer: Any) -> Row:
    setting = task.setting
    return {
        "dataset": setting.dataset,
        "experiment": setting.experiment,
        "method": setting.entrant,
        "options": ENTRANTS[setting.entrant].options,
        "alpha": None if clusterer is None else clusterer.get_params().get("alpha"),
        "labelled_share": setting.share,
        "k": k,
        "run": run,
        **score(load(read_instances, task.source).known_truth, found),
    }


SETTING_COLUMNS = ("dataset", "experiment", "method", "options", "alpha", "labelled_share", "k")


def summary_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Average over runs, times too; see :func:`~birdmodes.experiments.results.means_table`."""
    means = means_table(runs, SETTING_COLUMNS, [*MEASURES, "seconds"])
    return means.drop(columns="seconds_sd")


COMPARABLE = 0.05
"""Two methods are comparable when their means differ by no more than this."""

FLAT_RANGE = 0.05
"""Mean purity counts as insensitive to alpha when it moves by no more than this."""

Part = tuple[str, pd.DataFrame]


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


def over_alpha(method: str, runs: pd.DataFrame) -> list[Part]:
    """Look at one method while alpha is varied."""
    return [("", runs[(runs["experiment"] == "alpha") & (runs["method"] == method)])]


def more_labels_help(method: str) -> Judge:
    """Judge that a method does better with all bags labelled than with the fewest."""

    def judge(runs: pd.DataFrame) -> list[tuple[str, bool]]:
        rows = runs[(runs["experiment"] == "labelled") & (runs["method"] == method)]
        shares = sorted(rows["labelled_share"].unique())
        if len(shares) < 2:
            return []
        rows = rows.assign(called=rows["labelled_share"].map("{:.0%}".format))
        return exceeds(f"{shares[-1]:.0%}", f"{shares[0]:.0%}")(rows)

    return judge


_AT_C = "K = C, all bags labelled; NMI and purity; "
_AT_EVERY_K = "every K from C to 2C, all bags labelled; NMI and purity; "
_LETTERS = ("letter-carroll", "letter-frost")
_HJA = ("hja-birdsong", "hja-birdsong-several")
_MSRC_AND_LETTERS = ("msrc-v2", "letter-carroll", "letter-frost")


def _exceeds(text: str, first: str, second: str, more: str = "", **fields: Any) -> Claim:
    return Claim(text, _AT_C + EXCEEDS + more, exceeds(first, second, at_c), **fields)


def _not_below(text: str, first: str, second: str, **fields: Any) -> Claim:
    return Claim(text, _AT_C + NOT_BELOW, exceeds(first, second, at_c, or_equal=True), **fields)


def comparable(first: str, second: str, at: At) -> Judge:
    """Judge that neither of two methods is behind the other by more than :data:`COMPARABLE`."""

    def judge(runs: pd.DataFrame) -> Found:
        found: Found = []
        for before, rows in at(runs):
            for measure, called in NMI_AND_PURITY.items():
                means = rows.groupby("method")[measure].mean()
                if {first, second} <= set(means.index):
                    one, other = float(means[first]), float(means[second])
                    text = f"{before}{called} {first} {one:.3f}, {second} {other:.3f}"
                    found.append((text, abs(one - other) <= COMPARABLE))
        return found

    return judge


def at_every_share(runs: pd.DataFrame) -> list[Part]:
    """Compare at every share of labelled bags."""
    labelled = runs[runs["experiment"] == "labelled"]
    return [(f"{share:.0%} labelled: ", here) for share, here in labelled.groupby("labelled_share")]


def above_c(runs: pd.DataFrame) -> list[Part]:
    """Compare at every number of clusters above that of classes."""
    return at_every_k(runs)[1:]


def _on_hja() -> Iterator[Claim]:
    """What the paper says of csp and splearn on HJA, for either form of splearn."""
    for name in ("splearn", "splearn-symmetric"):
        fields: dict[str, Any] = {"datasets": _HJA}
        yield Claim(
            f"csp is comparable with {name} on HJA with K = C, at all shares of labelled bags",
            f"K = C; NMI and purity differ by no more than {COMPARABLE:g}",
            comparable("csp", name, at_every_share),
            **fields,
        )
        yield Claim(
            f"{name} excels csp on HJA with more clusters than classes",
            "every K from C + 1 to 2C, all bags labelled; NMI and purity; " + EXCEEDS,
            exceeds(name, "csp", above_c),
            **fields,
        )


def _at_every_k(text: str, first: str, second: str, **fields: Any) -> Claim:
    return Claim(text, _AT_EVERY_K + EXCEEDS, exceeds(first, second, at_every_k), **fields)


_OURS: dict[str, Any] = {"origin": "this program"}
_BESIDE: dict[str, Any] = {"origin": "beside the paper"}

CLAIMS: tuple[Claim, ...] = (
    *_on_hja(),
    Claim(
        "spreg gains nothing over sp on the letters",
        f"K = C, all bags labelled; NMI and purity differ by no more than {COMPARABLE:g}",
        comparable("spreg", "sp", at_c),
        datasets=_LETTERS,
    ),
    *(
        _exceeds(f"{name} is worse than sp on the letters", "sp", name, datasets=_LETTERS)
        for name in ("splearn", "splearn-symmetric")
    ),
    _exceeds("csp is better than sp on every set", "csp", "sp"),
    _not_below("csp is at least as good as spreg", "csp", "spreg"),
    _exceeds(
        "csp is better than splearn (additive normalisation, as compared in the paper) on MSRC "
        "and the letters",
        "csp",
        "splearn",
        datasets=_MSRC_AND_LETTERS,
    ),
    _exceeds(
        "csp is better than splearn with symmetric normalisation, too",
        "csp",
        "splearn-symmetric",
        "; the paper does not compare with this one",
        **_BESIDE,
    ),
    Claim(
        "the purity of csp is insensitive to alpha from 0.5 to 1",
        f"K = C, all bags labelled; mean purity moves by no more than {FLAT_RANGE:g}",
        flat("alpha", 0.5, 1.0, "purity", FLAT_RANGE, partial(over_alpha, "csp")),
    ),
    Claim(
        "more labelled bags help csp",
        "K = C; NMI and purity with the most against the fewest labelled bags; " + EXCEEDS,
        more_labels_help("csp"),
    ),
    _exceeds(
        "without the must-link and cannot-link pairs csp is still better than sp",
        "csp-no-pairs",
        "sp",
    ),
    _not_below("csp is at least as good as csp without the pairs", "csp", "csp-no-pairs"),
    _at_every_k("csp is better than sp with more clusters than classes, too", "csp", "sp"),
    _exceeds("ldc is better than csp", "ldc", "csp", **_OURS),
    _at_every_k(
        "ldc is better than csp with more clusters than classes, too", "ldc", "csp", **_OURS
    ),
    Claim(
        "ldc is at least as good as sp with the fewest labelled bags",
        "K = C; NMI and purity; " + NOT_BELOW,
        exceeds("ldc", "sp", at_fewest_labels, or_equal=True),
        **_OURS,
    ),
    _exceeds("mimlca is better than csp", "mimlca", "csp", **_BESIDE),
    _exceeds("ldc is better than mimlca", "ldc", "mimlca", **_OURS),
    _exceeds("ldc is better than mimlca without a limit", "ldc", "mimlca-no-limit", **_OURS),
    *(_exceeds(f"ldc is better than {name}", "ldc", name, **_OURS) for name in LIST_BASELINES),
    *(_exceeds(f"csp is better than {name}", "csp", name, **_BESIDE) for name in LIST_BASELINES),
)


def _facts(
    protocol: PeiFernProtocol, data: Sequence[Data], runs: pd.DataFrame
) -> list[tuple[str, str]]:
    return [
        ("experiments", ", ".join(dict.fromkeys(runs["experiment"]))),
        ("runs", f"{protocol.runs}, each the best of {protocol.n_init} starts of k-means"),
        ("graph", protocol.graph),
    ]


PEI_FERN = Experiment(
    name="all",
    problems=SETS,
    entrants=ENTRANTS,
    protocol=PeiFernProtocol.called,
    options=("runs", "n_init", "graph"),
    settings=settings_of,
    work=work,
    setting_columns=SETTING_COLUMNS,
    figures=(*MEASURES, "seconds"),
    summarise=summary_table,
    claims=CLAIMS,
    words=Words(
        title="Benchmark",
        main_title="All methods",
        main_text="Mean ± standard deviation over runs; the best mean of a column is bold.",
        claims_title="What the paper says, checked",
    ),
    show=show,
    brief=brief_table,
    facts=_facts,
    orders={"experiment": PARTS},
    files=("experiment", "dataset"),
)
