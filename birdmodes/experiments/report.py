"""The report, in Markdown and in HTML, from one description."""

from __future__ import annotations

import platform
import re
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from birdmodes._version import __version__
from birdmodes.experiments.claims import Verdict
from birdmodes.experiments.figures import ReportFigure, printable
from birdmodes.experiments.tables import ReportTable
from birdmodes.io.files import write_text
from birdmodes.io.html import html_environment

_HERE = Path(__file__).parent
_LIBRARIES = ("numpy", "scipy", "scikit-learn")


@dataclass(frozen=True)
class Section:
    """One part of the report: its title, figure and tables, and what to know to read them."""

    title: str
    figure: ReportFigure | None
    tables: list[ReportTable]
    text: str = ""


@dataclass(frozen=True)
class Words:
    """Headings of a report, and what to know to read its main tables."""

    title: str
    main_title: str
    main_text: str
    claims_title: str = "What the paper says, and what we ask, checked"


@dataclass(frozen=True)
class Report:
    """All that the report says.

    Attributes
    ----------
    words : Words
        Headings.
    facts : list of (str, str)
        Of the run: what, how, when.
    verdicts : list of Verdict
        The checked list.
    main : list of ReportTable
        What matters most.
    sections : list of Section
        The rest.
    notes : list of str
        What methods warned of, and what failed.
    """

    words: Words
    facts: list[tuple[str, str]]
    verdicts: list[Verdict]
    main: list[ReportTable]
    sections: list[Section]
    notes: list[str]


def versions() -> str:
    """Name this program and the libraries that figures depend on, with their versions."""
    libraries = [f"{name} {version(name)}" for name in _LIBRARIES]
    return ", ".join(
        [f"birdmodes {__version__}", f"Python {platform.python_version()}", *libraries]
    )


def write_report(folder: Path, report: Report) -> tuple[Path, Path]:
    """Write ``report.md`` and ``report.html``, which refer to the figures beside them.

    Returns
    -------
    markdown, html : pathlib.Path
    """
    markdown, html = folder / "report.md", folder / "report.html"
    write_text(markdown, to_markdown(report))
    write_text(html, to_html(report))
    return markdown, html


def to_html(report: Report) -> str:
    """Render the page; every text is escaped."""
    environment = html_environment(_HERE / "templates")
    environment.filters["printable"] = printable
    return environment.get_template("report.html").render(report=report, version=__version__)


def to_markdown(report: Report) -> str:
    """Write the same in Markdown, with every character that has a meaning there escaped."""
    lines = [f"# {report.words.title}", ""]
    lines += [f"- {_escaped(name)}: {_escaped(value)}" for name, value in report.facts]
    lines += ["", f"## {report.words.claims_title}", ""]
    lines += ["| claim | by | verdict | test |", "| --- | --- | --- | --- |"]
    for verdict in report.verdicts:
        extent = f" ({verdict.extent})" if verdict.extent else ""
        cells = (
            verdict.claim.text,
            verdict.claim.origin,
            f"**{verdict.status}**{extent}",
            verdict.claim.test,
        )
        lines.append(_row([_escaped(cell, keep_bold=True) for cell in cells]))
    lines += ["", "### The figures it is judged by", ""]
    for verdict in report.verdicts:
        if verdict.evidence:
            lines.append(f"- {_escaped(verdict.claim.text)}: {verdict.status}")
            lines += [
                f"  - {_escaped(piece.dataset)}: {_escaped(piece.figures)} "
                f"({'yes' if piece.holds else 'no'})"
                for piece in verdict.evidence
            ]
    lines += ["", f"## {report.words.main_title}", "", report.words.main_text, ""]
    for table in report.main:
        lines += _table(table)
    for section in report.sections:
        lines += [f"## {section.title}", ""]
        if section.text:
            lines += [section.text, ""]
        if section.figure:
            lines += [f"![{section.figure.caption}]({section.figure.file})", ""]
            lines += [section.figure.caption, ""]
        for table in section.tables:
            lines += _table(table)
    if report.notes:
        lines += ["## Notes", "", *[f"- {_escaped(note)}" for note in report.notes], ""]
    return "\n".join(lines).rstrip() + "\n"


def _table(table: ReportTable) -> list[str]:
    lines = [f"### {_escaped(table.title)}", ""]
    lines += [_row([_escaped(name) for name in table.header])]
    lines += [_row(["---"] + ["---:"] * (len(table.header) - 1))]
    for name, cells in table.rows:
        texts = [f"**{cell.text}**" if cell.best else cell.text for cell in cells]
        lines.append(_row([_escaped(name), *texts]))
    return [*lines, ""]


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _escaped(text: str, *, keep_bold: bool = False) -> str:
    """Put a backslash before what Markdown or HTML within it would act on."""
    special = r"[\\`_|<>\[\]#&]" if keep_bold else r"[\\`*_|<>\[\]#&]"
    return re.sub(special, lambda found: "\\" + found.group(), printable(text))
