"""Write docs/claims.md: the claims of every paper, and what became of them, from the reports.

Nothing is judged here. A report holds the verdicts of the run that made it, with their figures, and
the CSV beside it; a test holds this page against the reports, and their figures against the CSVs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parent / "claims.md"

_COMMAND = re.compile(r"- (last command|command|added later by): ")

SHOWN = 4
"""Figures of a claim that the page shows; the report has all."""

HEAD = """\
# Every claim, checked

Made from the [reports](results.md) by `python docs/make_claims.py`: what each paper says of its
method, what we ask of it besides, and what was found. A claim *holds* when it does on every set
that was measured (or on most of them, where it says so). Figures that speak against it come
first; all are in the report. "Not measured" is not "holds". What data are missing is
[told here](datasets.md#data-that-are-not-here).
"""


@dataclass(frozen=True)
class Part:
    """A report and what to know of it.

    Attributes
    ----------
    folder : str
        Below docs/results.
    title : str
        Of the section.
    about : str
        What was run, and what not.
    """

    folder: str
    title: str
    about: str


PARTS = (
    Part("", "Pei & Fern 2013: csp, against sp, splearn, spreg", "The whole protocol."),
    Part(
        "hja-several",
        "Pei & Fern 2013: HJA without its bags of a single species",
        "A part: without alpha.",
    ),
    Part(
        "m3ic",
        "Zhang, Wang, Si & Li 2011: m3ic",
        "All public problems at all 90 points of the grid, features as published; m3ic also at "
        "every C with centred ones, and all methods at 20 points with unit and standardized ones.",
    ),
    Part(
        "m3ic-bags",
        "Zhang, Wang, Si & Li 2011: m3ic and the number of bags",
        "100 draws, as in the paper.",
    ),
    Part("mi-em", "Kriegel, Pryakhin & Schubert 2006: mi-em", "The whole protocol, on Musk."),
    Part(
        "instance-accuracy",
        "Law, Yu, Urtasun, Zemel & Xing 2017: mimlca, instances",
        "The whole protocol.",
    ),
    Part(
        "ambiguity",
        "Law et al. 2017: mimlca by instances a bag, and with wrong lists",
        "Whole on the letters; on the other two sets without mildml.",
    ),
    Part(
        "annotation",
        "Law et al. 2017: mimlca, bags",
        "Whole but for methods that take long on large sets; of Corel5K the test photographs only.",
    ),
    Part("metric", "This program: clustering in a learned metric", "The whole protocol."),
    Part(
        "noisy-lists",
        "This program: lists with false and missing species",
        "A part: all sets and methods, two draws of five.",
    ),
)


@dataclass
class Line:
    """A claim in a report.

    Attributes
    ----------
    text, origin, verdict : str
        Its words, who says so, and what was found.
    figures : list of (str, bool)
        What it was judged by, and whether that speaks for it.
    """

    text: str
    origin: str
    verdict: str
    figures: list[tuple[str, bool]] = field(default_factory=list)


def main() -> None:
    """Write the page."""
    PAGE.write_text(claims_page(), encoding="utf-8")


def claims_page() -> str:
    """Put the claims of all reports on one page."""
    sections = [HEAD]
    for part in PARTS:
        report = RESULTS / part.folder / "report.md"
        if report.is_file():
            sections.append(_section(part, report.read_text(encoding="utf-8")))
    return "\n".join(sections)


def _section(part: Part, report: str) -> str:
    link = f"results/{part.folder}/report.md" if part.folder else "results/report.md"
    commands = [unescaped(line[2:]) for line in _facts(report) if _COMMAND.match(line)]
    said = [part.about] if part.about else []
    rows = [_row(line) for line in claims_of(report)]
    return "\n".join(
        [
            f"## {part.title}",
            "",
            *said,
            *([""] if said else []),
            *[f"- {text}" for text in commands],
            "",
            f"[Report]({link})",
            "",
            "| claim | by | verdict | figures |",
            "| --- | --- | --- | --- |",
            *rows,
            "",
        ]
    )


def _facts(report: str) -> list[str]:
    return [line for line in report.partition("\n## ")[0].splitlines() if line.startswith("- ")]


def claims_of(report: str) -> list[Line]:
    """Read the claims of a report with their figures.

    Parameters
    ----------
    report : str
        Its Markdown.
    """
    table, _, rest = report.partition("### The figures it is judged by")
    found: dict[str, Line] = {}
    for row in table.partition("\n| claim |")[2].splitlines()[2:]:
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
        if len(cells) == 4:
            text, origin, verdict = (unescaped(cell) for cell in cells[:3])
            found[text] = Line(text, origin, verdict)
    current: Line | None = None
    for line in rest.partition("\n## ")[0].splitlines():
        if line.startswith("- "):
            current = found.get(unescaped(line[2:]).rpartition(": ")[0])
        elif line.startswith("  - ") and current is not None:
            figures, _, speaks = unescaped(line[4:]).rpartition(" (")
            current.figures.append((figures, speaks == "yes)"))
    return list(found.values())


def _row(line: Line) -> str:
    ordered = sorted(line.figures, key=lambda piece: piece[1])
    shown = [figures for figures, _ in ordered[:SHOWN]]
    more = len(ordered) - len(shown)
    if more:
        shown.append(f"and {more} more")
    cells = (line.text, line.origin, line.verdict, "; ".join(shown) or "–")
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def unescaped(text: str) -> str:
    """Take the backslashes out again."""
    return re.sub(r"\\(.)", r"\1", text)


if __name__ == "__main__":
    main()
