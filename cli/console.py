"""Printing: messages, tables, progress on a terminal or in a log file."""

from __future__ import annotations

import contextlib
import json
import math
import os
import shlex
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from birdmodes.io.paths import AnyPath
from birdmodes.io.printing import shown

# A program that shows to somebody what we print asks for it more often.
LOG_INTERVAL_S = 1.0 if os.environ.get("BIRDMODES_PROGRESS") == "often" else 10.0
_SILENCE_S = 2.0  # before the first line
_TELLING = 3  # so many must be done before the time of all is guessed
LONG_LIST = 10
WIDEST = 100

_to_stderr = False


def program() -> str:
    """Give what starts birdmodes here: its name, or its path where no shell finds the name."""
    started = Path(sys.argv[0])
    if started.stem != "birdmodes" or not started.is_file():
        return "birdmodes"
    found = shutil.which("birdmodes")
    if found is not None and Path(found).resolve() == started.resolve():
        return "birdmodes"
    return shlex.quote(str(started))


def command(*words: object, folder: AnyPath | None = None) -> str:
    """Give the line that starts a command here, for its workspace."""
    from birdmodes.workspace.commands import command_line

    return command_line(*words, folder=folder, program=program())


def say(text: str = "") -> None:
    """Print a line."""
    typer.echo(text, err=_to_stderr)


@contextlib.contextmanager
def messages_aside(aside: bool = True) -> Iterator[None]:
    """Print what `say` prints to standard error, so that only JSON is on standard output.

    Parameters
    ----------
    aside : bool
        Whether to; the value of a command's ``--json``.
    """
    global _to_stderr
    before, _to_stderr = _to_stderr, aside
    try:
        yield
    finally:
        _to_stderr = before


def print_json(content: Any) -> None:
    """Print JSON to standard output: in ASCII, which every program reads alike; NaN as null."""
    typer.echo(json.dumps(_plain(content), indent=2, allow_nan=False))


def _plain(content: Any) -> Any:
    """Content without NaN and without NumPy's numbers, which JSON does not have."""
    if isinstance(content, Mapping):
        return {str(key): _plain(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_plain(value) for value in content]
    if hasattr(content, "tolist"):
        return _plain(content.tolist())
    return None if isinstance(content, float) and not math.isfinite(content) else content


def warn(text: str) -> None:
    """Print a warning to standard error."""
    typer.secho(f"warning: {text}", err=True, fg=typer.colors.YELLOW)


def warn_all(texts: Sequence[str]) -> None:
    """Print the first warnings of many, and how many more there are."""
    for text in texts[:LONG_LIST]:
        warn(text)
    if len(texts) > LONG_LIST:
        warn(f"... and {len(texts) - LONG_LIST} more like the last")


def error(text: str) -> None:
    """Print an error to standard error."""
    typer.secho(f"birdmodes: {text}", err=True, fg=typer.colors.RED)


def plural(count: int, noun: str) -> str:
    """Give ``3 recordings``, ``1 recording``, ``2 batches``; words in s stay as they are."""
    ending = "" if noun.endswith("s") else "es" if noun.endswith(("ch", "sh", "x")) else "s"
    many = noun + ending
    return f"{count:,} {noun if count == 1 else many}"


def duration(seconds: float) -> str:
    """Give a length of time as people say it: ``45 s``, ``3 min 20 s``, ``2 h 5 min``."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def size(n_bytes: int) -> str:
    """Give a size on disk as people say it: ``812 B``, ``45 kB``, ``1.2 MB``, ``34 GB``."""
    value, unit = float(n_bytes), "B"
    for larger in ("kB", "MB", "GB"):
        if value < 999.5:
            break
        value, unit = value / 1000, larger
    return f"{value:.1f} {unit}" if value < 9.95 and unit != "B" else f"{value:.0f} {unit}"


def fact(name: str, value: str) -> None:
    """Print a name and its value; further lines of a long value stand below its first."""
    say(
        textwrap.fill(
            value,
            min(WIDEST, shutil.get_terminal_size().columns),
            initial_indent=f"{name:<16}",
            subsequent_indent=" " * 16,
            break_on_hyphens=False,
            break_long_words=False,
        )
    )


def table(header: Sequence[str], rows: Sequence[Sequence[str]], numeric: Sequence[int]) -> None:
    """Print an aligned table; columns whose numbers are in `numeric` stand to the right."""
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    for row in [header, ["-" * width for width in widths], *rows]:
        cells = [
            cell.rjust(width) if i in numeric else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        say("  ".join(cells).rstrip())


def metrics(values: Mapping[str, float | None]) -> None:
    """Print every metric that is defined."""
    for key, value in values.items():
        if value is not None:
            text = f"{value:.3f}" if isinstance(value, float) else f"{value:,}"
            say(f"{key.replace('_', ' '):<26} {text}")


def paragraph(text: str, indent: int = 0) -> None:
    """Print text as wide as the terminal; lines after the first stand two further in."""
    say(
        textwrap.fill(
            text,
            min(WIDEST, shutil.get_terminal_size().columns),
            initial_indent=" " * indent,
            subsequent_indent=" " * (indent + 2),
            break_on_hyphens=False,
            break_long_words=False,
        )
    )


Advance = Callable[[int, int, str], None]


@contextlib.contextmanager
def progress(what: str) -> Iterator[Advance]:
    """Show how far a long step is: a bar on a terminal, a line now and then elsewhere.

    Yields
    ------
    callable
        Called with done, total and a short text, which may be a name: it is made printable.
    """
    if sys.stderr.isatty():
        with _bar(what) as advance:
            yield advance
    else:
        yield _log(what)


@contextlib.contextmanager
def _bar(what: str) -> Iterator[Advance]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        # plain text: a file name may contain what rich takes for markup
        TextColumn("{task.fields[text]}", markup=False),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None, text="")
        yield lambda done, total, text: bar.update(
            task, completed=done, total=total, text=shown(text)
        )


@contextlib.contextmanager
def counting(what: str) -> Iterator[Callable[[int], None]]:
    """Show a count whose end is not known: in place on a terminal, a line now and then elsewhere.

    Yields
    ------
    callable
        Called with the count so far.
    """
    if sys.stderr.isatty():
        from rich.console import Console

        with Console(stderr=True).status(what) as status:
            yield lambda count: status.update(f"{what}: {count:,}")
    else:
        yield _count_log(what)


def _count_log(what: str) -> Callable[[int], None]:
    last = time.monotonic()

    def show(count: int) -> None:
        nonlocal last
        if time.monotonic() - last >= LOG_INTERVAL_S:
            last = time.monotonic()
            typer.echo(f"{what}: {count:,}", err=True)

    return show


def _log(what: str) -> Advance:
    started = time.monotonic()
    last = started - LOG_INTERVAL_S + min(_SILENCE_S, LOG_INTERVAL_S)

    def advance(done: int, total: int, text: str) -> None:
        nonlocal last
        now = time.monotonic()
        if done < total and now - last < LOG_INTERVAL_S:
            return
        last = now
        left = ""
        # The first ones take longer: programs start, and what is prepared counts with them.
        if max(_TELLING, total / 50) <= done < total:
            left = f", about {duration((now - started) / done * (total - done))} left"
        typer.echo(f"{what}: {done:,} of {total:,}{left}  {shown(text)}".rstrip(), err=True)

    return advance
