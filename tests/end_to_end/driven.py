"""What Firefox and WebKit, which the tests speak to by themselves, have in common."""

from __future__ import annotations

import contextlib
import socket
import time
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

PATIENCE_S = 180.0  # a loaded machine starts Firefox in a minute

WATCH_PLAYS = """(() => {
  birdmodes.plays = [];
  const { play } = birdmodes.player;
  birdmodes.player.play = (options) => {
    birdmodes.plays.push(options);
    return play(options);
  };
})()"""
"""Keeps in ``birdmodes.plays`` what the page's player is asked to play."""


class DrivenBrowser(ABC):
    """A browser with one window."""

    @abstractmethod
    def open(self, page: Path | str, size: tuple[int, int] = (1440, 900)) -> None:
        """Open a file or an address in a window of `size` (px)."""

    @abstractmethod
    def _execute(self, script: str) -> Any:
        """What a script gives to the function that is its last argument."""

    @abstractmethod
    def _act(self, actions: list[dict[str, Any]]) -> None:
        """Let the person's devices act, as WebDriver describes it."""

    def evaluate(self, expression: str) -> Any:
        """Value of a JavaScript expression, or what its promise gives."""
        return self._execute(
            f"const done = arguments[0]; Promise.resolve().then(() => ({expression})).then(done, "
            "(error) => done(`failed: ${error}`));"
        )

    def wait_until(self, condition: str) -> None:
        """Wait for a JavaScript condition, also for one of the page that comes next."""
        end = time.monotonic() + PATIENCE_S
        while True:
            with contextlib.suppress(AssertionError):  # the page went while it was asked
                if self.evaluate(condition) is True:
                    return
            assert time.monotonic() < end, f"waited in vain for {condition}"
            time.sleep(0.05)

    def click(self, x: float, y: float) -> None:
        """Click at a place in the window (px)."""
        move = {"type": "pointerMove", "x": round(x), "y": round(y), "duration": 0}
        press = [{"type": f"pointer{what}", "button": 0} for what in ("Down", "Up")]
        self._act([{"type": "pointer", "id": "mouse", "actions": [move, *press]}])


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])
