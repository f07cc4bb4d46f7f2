"""The one way in which HTML pages are made from templates: every text is escaped."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import jinja2
from markupsafe import Markup

STYLE = Path(__file__).parent / "templates" / "page.css"
"""The look of pages that stand alone."""


def html_environment(folder: Path) -> jinja2.Environment:
    """Templates of a folder.

    Parameters
    ----------
    folder : pathlib.Path
        Where the templates are.

    Returns
    -------
    jinja2.Environment
        It escapes all that is put into a template, and refuses names that it was not given.
    """
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def embedded_style(*files: Path) -> tuple[Markup, str]:
    """Put style sheets of ours together for a page that stands alone.

    Returns
    -------
    style : markupsafe.Markup
        For the page's ``style`` element; it is not escaped.
    digest : str
        Base64 of its SHA-256, by which the page's policy allows it and no other.
    """
    style = "".join(file.read_text(encoding="utf-8") for file in files)
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return Markup(style), digest  # noqa: S704  ours, without anything from outside


def breakable(name: str) -> Markup:
    """Let a long file name wrap behind its separators."""
    return Markup("<wbr>").join(re.split(r"(?<=[/_])", name))
