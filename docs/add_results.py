"""Add what was measured later to a report of docs/results.

Run ``python docs/add_results.py EXPERIMENT NEW INTO``. NEW is a folder of ``birdmodes
benchmark``, INTO the folder of the report, of the same experiment. Rows of NEW's summary.csv join
that of INTO, or take the place of its rows of the same setting. What claims were judged by stays,
as it came from single runs, which are not kept here; on sets where a claim had not been measured,
or by fewer figures than in NEW (a share of labelled bags, where there are all), it is judged by
NEW, or by the means of both. Commands and times of NEW are named in the report as those that were
added.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from birdmodes.experiments.claims import Evidence, Verdict, check_claims
from birdmodes.experiments.experiment import Experiment, Measured
from birdmodes.experiments.names import experiment_called
from birdmodes.experiments.report import Report, write_report
from birdmodes.experiments.results import in_order
from birdmodes.io.files import write_text

COMMAND = "command"
ADDED = "added later by"
NOT_RUN = "not run: "


@dataclass
class Written:
    """What a report says besides its tables.

    Attributes
    ----------
    facts : list of (str, str)
        Of the run: what, how, when.
    evidence : dict of str to list of Evidence
        By the words of the claim.
    notes : list of str
        What methods warned of, and what failed.
    """

    facts: list[tuple[str, str]] = field(default_factory=list)
    evidence: dict[str, list[Evidence]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def read_report(text: str) -> Written:
    """Read a report in Markdown, as :func:`birdmodes.experiments.report.to_markdown` writes it."""
    found = Written()
    for line in _lines(text.partition("\n## ")[0]):
        name, _, value = line.partition(": ")
        found.facts.append((name, value))
    judged = text.partition("### The figures it is judged by")[2].partition("\n## ")[0]
    pieces: list[Evidence] = []
    for line in judged.splitlines():
        if line.startswith("- "):
            claim = _unescaped(line[2:]).rpartition(": ")[0]
            pieces = found.evidence.setdefault(claim, [])
        elif piece := re.fullmatch(r"  - (.+?): (.*) \((yes|no)\)", _unescaped(line)):
            pieces.append(Evidence(piece[1], piece[2], piece[3] == "yes"))
    found.notes = _lines(text.partition("\n## Notes\n")[2])
    return found


def _lines(text: str) -> list[str]:
    return [_unescaped(line[2:]) for line in text.splitlines() if line.startswith("- ")]


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def joined(experiment: Experiment, tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Join summaries: a later row takes the place of an earlier one of the same setting."""
    keys = [name for name in experiment.setting_columns if name in tables[0]]
    rows = pd.concat(tables).drop_duplicates(keys, keep="last")
    known = {
        "dataset": list(dict.fromkeys(rows["dataset"])),
        "method": list(experiment.entrants),
        **experiment.orders,
    }
    order = {name: in_order(rows[name], values) for name, values in known.items() if name in rows}
    # As the rows of runs are sorted, of which these are the means.
    by = keys if experiment.repetition == "run" else ["dataset", "method", *experiment.orders]
    return rows.sort_values(
        by,
        key=lambda column: column.map(order[column.name].index) if column.name in order else column,
        kind="stable",
        ignore_index=True,
    )


def by_set(pieces: Sequence[Evidence]) -> dict[str, list[Evidence]]:
    """Sort evidence by data set."""
    found: dict[str, list[Evidence]] = {}
    for piece in pieces:
        found.setdefault(piece.dataset, []).append(piece)
    return found


def verdicts_of(
    experiment: Experiment, old: Written, new: Written, summary: pd.DataFrame
) -> list[Verdict]:
    """Keep what claims were judged by, unless there is more now; judge them on the other sets."""
    means = summary.rename(columns=lambda name: name.removesuffix("_mean")).assign(run=0, fold=0)
    verdicts = []
    for claim in experiment.claims:
        of_sets = by_set(old.evidence.get(claim.text, []))
        for dataset, more in by_set(new.evidence.get(claim.text, [])).items():
            if len(more) > len(of_sets.get(dataset, [])):
                of_sets[dataset] = more
        pieces = [piece for of_set in of_sets.values() for piece in of_set]
        others = means[~means["dataset"].isin([piece.dataset for piece in pieces])]
        judged = experiment.judged(Measured(others, others))
        pieces += check_claims(judged, [claim])[0].evidence
        verdicts.append(Verdict(claim, pieces))
    return verdicts


def facts_of(
    experiment: Experiment, old: Written, new: Written, summary: pd.DataFrame
) -> list[tuple[str, str]]:
    """Name data sets and methods of both, and the commands of the new ones as added."""
    both = {
        "data sets": ", ".join(dict.fromkeys(summary["dataset"])),
        "methods": ", ".join(in_order(summary["method"], list(experiment.entrants))),
    }
    if "experiment" in summary:
        both["experiments"] = ", ".join(dict.fromkeys(summary["experiment"]))
    facts = [(name, both.get(name, value)) for name, value in old.facts]
    minutes = dict(new.facts)["processor time"]
    date = dict(new.facts)["date"]
    named = [value for name, value in facts if name == ADDED]
    commands = [value for name, value in new.facts if name == COMMAND]
    added = [
        (ADDED, f"{command}, {date} (its folder in all: {minutes})")
        for command in commands
        if not any(value.startswith(f"{command}, ") for value in named)
    ]
    return [*facts, *added]


def notes_of(shown: Sequence[str], old: Written, new: Written) -> list[str]:
    """Join notes; what was not run is told anew, by `shown`."""
    said = [note for note in old.notes + new.notes if not note.startswith(NOT_RUN)]
    return list(dict.fromkeys([*shown, *said]))


def main() -> None:
    """Write the summary and the reports anew."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("experiment", help="what birdmodes benchmark calls it")
    parser.add_argument("new", type=Path, help="folder of birdmodes benchmark")
    parser.add_argument("into", type=Path, help="folder of the report")
    parser.add_argument("--methods", help="only these of the new ones, with commas between")
    options = parser.parse_args()
    experiment = experiment_called(options.experiment)
    old, new = (
        read_report((folder / "report.md").read_text(encoding="utf-8"))
        for folder in (options.into, options.new)
    )
    tables = [_summary(folder) for folder in (options.into, options.new)]
    if options.methods:
        tables[1] = tables[1][tables[1]["method"].isin(options.methods.split(","))]
    summary = joined(experiment, tables)
    write_text(options.into / "summary.csv", summary.to_csv(index=False, lineterminator="\n"))
    shown = experiment.show(options.into, Measured(summary.iloc[:0], summary))
    notes = notes_of(shown.notes, old, new)
    report = Report(
        experiment.words,
        facts_of(experiment, old, new, summary),
        verdicts_of(experiment, old, new, summary),
        shown.main,
        shown.sections,
        notes,
    )
    write_report(options.into, report)


def _summary(folder: Path) -> pd.DataFrame:
    table = pd.read_csv(folder / "summary.csv")
    texts = [name for name in ("options", "distance") if name in table]
    return table.astype(dict.fromkeys(texts, object)).fillna(dict.fromkeys(texts, ""))


if __name__ == "__main__":
    main()
