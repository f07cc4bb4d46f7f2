"""The one way in which HTML pages are made from templates: every text is escaped."""

from __future__ import annotations

from pathlib import Path

import jinja2


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
