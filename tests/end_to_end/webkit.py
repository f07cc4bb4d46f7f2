"""WebKit as Debian has it: MiniBrowser, spoken to over its WebDriver, on a screen that nobody sees.

Needs the packages webkit2gtk-driver and xvfb.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

import pytest
from driven import PATIENCE_S, DrivenBrowser, free_port

_BROWSERS = "/usr/lib/*/webkit2gtk-4.*/MiniBrowser"


class WebKit(DrivenBrowser):
    """A MiniBrowser with one window.

    Parameters
    ----------
    browser : pathlib.Path
        The program.
    home : pathlib.Path
        An empty folder for what it keeps.
    """

    def __init__(self, browser: Path, home: Path) -> None:
        port = free_port()
        self._address = f"http://127.0.0.1:{port}"
        display = f":{port}"
        quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self._programs = [
            subprocess.Popen(["Xvfb", display, "-screen", "0", "1600x1200x24"], **quiet),
            subprocess.Popen(
                ["WebKitWebDriver", f"--port={port}"],
                env={
                    **os.environ,
                    "DISPLAY": display,
                    "HOME": str(home),
                    "LIBGL_ALWAYS_SOFTWARE": "1",
                    "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1",  # inside a container
                },
                **quiet,
            ),
        ]
        options = {"binary": str(browser), "args": ["--automation"]}
        wanted = {"alwaysMatch": {"webkitgtk:browserOptions": options}}
        end = time.monotonic() + PATIENCE_S
        while True:
            try:
                session = self._ask("POST", "/session", {"capabilities": wanted})
                break
            except (OSError, AssertionError):  # until driver and screen are there
                if time.monotonic() > end:
                    self._stop()
                    raise
                time.sleep(0.2)
        self._session = f"/session/{session['sessionId']}"
        self._ask("POST", f"{self._session}/timeouts", {"script": int(1000 * PATIENCE_S)})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError, AssertionError):
            self._ask("DELETE", self._session)
        self._stop()

    def _stop(self) -> None:
        for program in reversed(self._programs):
            program.terminate()
            program.wait(PATIENCE_S)

    def _ask(self, method: str, path: str, content: Any = None) -> Any:
        data = None if content is None else json.dumps(content).encode()
        request = urllib.request.Request(self._address + path, data, method=method)  # noqa: S310
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:  # noqa: S310
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()) from error

    def open(self, page: Path | str, size: tuple[int, int] = (1440, 900)) -> None:
        """Open a file or an address in a window of `size` (px)."""
        width, height = size
        self._ask("POST", f"{self._session}/window/rect", {"width": width, "height": height})
        address = page.as_uri() if isinstance(page, Path) else page
        self._ask("POST", f"{self._session}/url", {"url": address})

    def _execute(self, script: str) -> Any:
        return self._ask("POST", f"{self._session}/execute/async", {"script": script, "args": []})

    def _act(self, actions: list[dict[str, Any]]) -> None:
        self._ask("POST", f"{self._session}/actions", {"actions": actions})


@pytest.fixture(scope="module")
def webkit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebKit]:
    """WebKit with a window."""
    browser = next(iter(sorted(Path("/").glob(_BROWSERS[1:]))), None)
    if browser is None or not all(map(shutil.which, ("WebKitWebDriver", "Xvfb"))):
        pytest.skip("no WebKit here: webkit2gtk-driver or xvfb is not installed")
    with WebKit(browser, tmp_path_factory.mktemp("webkit")) as running:
        yield running
