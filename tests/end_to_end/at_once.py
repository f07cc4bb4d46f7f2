"""Commands that are started together, each in a process of its own."""

from __future__ import annotations

import contextlib
import faulthandler
import io
import multiprocessing
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

PATIENCE_S = 120

Said = tuple[int, str]
"""Exit code of a command, and all that it printed."""

_LOADED = (
    *("cli.main", "cli.commands.segment", "cli.commands.cluster", "cli.commands.gallery"),
    *("birdmodes.annotate.make", "birdmodes.annotate.evaluate", "birdmodes.assign.make"),
    *("birdmodes.compare.make", "birdmodes.export", "birdmodes.gallery.making"),
    *("birdmodes.groups.make", "birdmodes.info.repair", "birdmodes.review.apply_file"),
    *("birdmodes.review.make", "birdmodes.review.segment"),
)


def run_at_once(commands: Sequence[Sequence[str]], folder: Path) -> list[Said]:
    """Run commands in processes that begin at the same time.

    They are forked from one that has loaded all and done nothing, so that no thread is left behind
    in the midst of something.

    Parameters
    ----------
    commands : sequence of sequence of str
        Their words, without the program's name.
    folder : pathlib.Path
        Where to keep, until they end, what they are at.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*_LOADED])
    start = context.Barrier(len(commands))
    running = []
    for number, words in enumerate(commands):
        receiver, sender = context.Pipe(duplex=False)
        stacks = folder / f"stacks-{number}.txt"
        process = context.Process(target=_run, args=(words, start, sender, stacks))
        process.start()
        sender.close()  # else nobody would hear that the process has died
        running.append((process, receiver, stacks))
    try:
        return [_said(*one) for one in running]
    finally:
        for process, receiver, stacks in running:
            process.kill()
            process.join()
            receiver.close()
            stacks.unlink(missing_ok=True)


def _said(process: Any, receiver: Any, stacks: Path) -> Said:
    if not receiver.poll(PATIENCE_S + 10):
        pytest.fail(f"waited in vain:\n{stacks.read_text()}")
    try:
        said: Said = receiver.recv()
    except EOFError:
        process.join()
        pytest.fail(f"died with {process.exitcode}:\n{stacks.read_text()}")
    return said


def _run(words: Sequence[str], start: Any, sender: Any, stacks: Path) -> None:
    """Run a command in this process, and send what came of it."""
    from cli.main import main

    printed = io.TextIOWrapper(io.BytesIO(), "utf-8", newline="", write_through=True)
    code = 0
    with stacks.open("w") as file:
        faulthandler.enable(file)
        faulthandler.dump_traceback_later(PATIENCE_S, file=file)
        sys.argv = ["birdmodes", *words]
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            start.wait(PATIENCE_S)
            try:
                main()
            except SystemExit as stop:
                code = int(stop.code or 0)
            except BaseException:
                traceback.print_exc()
                code = 1
        sender.send((code, printed.buffer.getvalue().decode()))
        faulthandler.cancel_dump_traceback_later()
        faulthandler.disable()
