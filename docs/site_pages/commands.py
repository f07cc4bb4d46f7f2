"""The page of all commands, made from the code: what ``--help`` says, on one page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import typer

from cli.main import app

_INTRODUCTION = """# Commands

Made from the code: what `birdmodes COMMAND --help` says. Exit codes: 0 all is well, 1 some
recordings could not be read, 2 wrong input or another error, told in one line.
"""


def commands_page() -> str:
    """Markdown of every command with its arguments and options."""
    root = typer.main.get_command(app)
    return "\n".join([_INTRODUCTION, *_section(root, "birdmodes", None, 2)])


def _section(command: Any, name: str, parent: Any, level: int) -> Iterator[str]:
    context = command.context_class(command, info_name=name.rpartition(" ")[2], parent=parent)
    if parent is not None:
        pieces = " ".join(command.collect_usage_pieces(context))
        yield f"{'#' * level} {name}\n\n    {name} {pieces}\n"
        yield f"{_plain(command.help)}\n"
        records = [_record(each, context) for each in command.params if not _hidden(each)]
        if records:
            yield "| argument or option | |\n| --- | --- |"
            yield from (f"| `{_line(names)}` | {_cell(text)} |" for names, text in records)
            yield ""
    for word, inner in getattr(command, "commands", {}).items():
        yield from _section(inner, f"{name} {word}", context, level + (parent is not None))


def _hidden(parameter: Any) -> bool:
    return bool(getattr(parameter, "hidden", False)) or "--help" in parameter.opts


def _record(parameter: Any, context: Any) -> tuple[str, str]:
    names, text = parameter.get_help_record(context)
    return names, _plain(text)


def _plain(text: str | None) -> str:
    """Text without the marks that keep rich from taking brackets for its own."""
    return (text or "").replace("\\[", "[").replace("<", "&lt;")


def _line(text: str) -> str:
    return " ".join(text.split())


def _cell(text: str) -> str:
    return _line(text).replace("|", "\\|")  # within marks of code no bar ends a cell
