"""Firefox as it is installed, without a program between: it is spoken to over its own Marionette.

A message is a JSON list with its length before it: ``21:[0,1,"Command",{...}]``; answers are lists
of 1, the number of the command, an error or null, and the result.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest
from driven import PATIENCE_S, DrivenBrowser

NAMES = ("firefox-esr", "firefox")

# The part of the window that shows a page: windows themselves are no narrower than 500 px.
_SIZE = """
const { style } = gBrowser.selectedBrowser;
for (const [side, length] of [["width", arguments[0]], ["height", arguments[1]]]) {
  for (const limit of ["", "min-", "max-"]) {
    style.setProperty(`${limit}${side}`, `${length}px`);
  }
}"""

_PREFERENCES: dict[str, Any] = {
    "app.normandy.enabled": False,
    "app.update.auto": False,
    "browser.aboutwelcome.enabled": False,
    "browser.newtabpage.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    # One process for all pages, and none that waits for one to come: starting takes half as long.
    "dom.ipc.processCount": 1,
    "dom.ipc.processPrelaunch.enabled": False,
    "fission.autostart": False,
    "marionette.port": 0,
    "media.autoplay.blocking_policy": 0,
    "media.autoplay.default": 0,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "toolkit.telemetry.enabled": False,
    # What moves is drawn sixty times a second, without help of a graphics card.
    "ui.prefersReducedMotion": 1,
}


class Firefox(DrivenBrowser):
    """A headless Firefox with one window.

    Parameters
    ----------
    program : str
        Its path.
    profile : pathlib.Path
        An empty folder for its profile.
    """

    def __init__(self, program: str, profile: Path) -> None:
        lines = [f"user_pref({json.dumps(k)}, {json.dumps(v)});" for k, v in _PREFERENCES.items()]
        (profile / "user.js").write_text("\n".join(lines), encoding="utf-8")
        self._process = subprocess.Popen(
            [
                program,
                *("--headless", "--no-remote", "--marionette", "--remote-allow-system-access"),
                *("--profile", str(profile)),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(profile)},
        )
        self._number = 0
        self._socket = self._connected(profile / "MarionetteActivePort")
        self._receive()  # its greeting
        self._send("WebDriver:NewSession", {"capabilities": {}})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()
        self._process.terminate()
        self._process.wait(PATIENCE_S)

    def _connected(self, port: Path) -> socket.socket:
        """Connect to the port that Firefox has chosen and written to a file."""
        end = time.monotonic() + PATIENCE_S
        while True:
            with contextlib.suppress(FileNotFoundError, ValueError, ConnectionRefusedError):
                return socket.create_connection(("127.0.0.1", int(port.read_text())), PATIENCE_S)
            assert self._process.poll() is None, "Firefox has ended"
            assert time.monotonic() < end, "Firefox does not answer"
            time.sleep(0.05)

    def _receive(self) -> Any:
        length = b""
        while (sign := self._socket.recv(1)) != b":":
            assert sign, "Firefox has hung up"
            length += sign
        content = b""
        while len(content) < int(length):
            content += self._socket.recv(int(length) - len(content))
        return json.loads(content)

    def _send(self, command: str, options: dict[str, Any]) -> Any:
        self._number += 1
        message = json.dumps([0, self._number, command, options]).encode()
        self._socket.sendall(str(len(message)).encode() + b":" + message)
        _, _, error, result = self._receive()
        assert error is None, error
        return result

    def open(self, page: Path | str, size: tuple[int, int] = (1440, 900)) -> None:
        """Open a file or an address in a window of `size` (px) inside."""
        width, height = size
        self._send("WebDriver:SetWindowRect", {"width": max(width, 500), "height": height + 200})
        self._send("Marionette:SetContext", {"value": "chrome"})
        self._send("WebDriver:ExecuteScript", {"script": _SIZE, "args": list(size)})
        self._send("Marionette:SetContext", {"value": "content"})
        # The page hears of its size from another process, some time later: before the next one
        # loads, and again as that may get a process of its own.
        is_sized = f"innerWidth === {width} && innerHeight === {height}"
        self.wait_until(is_sized)
        self._send("WebDriver:Navigate", {"url": page.as_uri() if isinstance(page, Path) else page})
        self.wait_until(is_sized)

    def _execute(self, script: str) -> Any:
        options = {"script": script, "args": [], "sandbox": None}  # as the page's own scripts
        return self._send("WebDriver:ExecuteAsyncScript", options)["value"]

    def _act(self, actions: list[dict[str, Any]]) -> None:
        self._send("WebDriver:PerformActions", {"actions": actions})


@pytest.fixture(scope="module")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    """Headless Firefox."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip(f"no Firefox here: none of {', '.join(NAMES)} is installed")
    with Firefox(program, tmp_path_factory.mktemp("firefox")) as running:
        yield running
