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
    return _rendered("report.html", report, autoescape=True)


def to_markdown(report: Report) -> str:
    """Write the same in Markdown, with every character that has a meaning there escaped."""
    return _rendered("report.md", report, autoescape=False).rstrip() + "\n"


def _rendered(template: str, report: Report, *, autoescape: bool) -> str:
    environment = html_environment(_HERE / "templates").overlay(autoescape=autoescape)
    environment.filters |= {"printable": printable, "escaped": _escaped}
    return environment.get_template(template).render(report=report, version=__version__)


def _escaped(text: str, *, keep_bold: bool = False) -> str:
    """Put a backslash before what Markdown or HTML within it would act on."""
    special = r"[\\`_|<>\[\]#&]" if keep_bold else r"[\\`*_|<>\[\]#&]"
    return re.sub(special, lambda found: "\\" + found.group(), printable(text))
