"""What tests of the window share: asking it, and a program that stands in for the commands."""

from __future__ import annotations

import http.client
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import soundfile

from birdmodes.app.context import Context
from birdmodes.app.forms import CommandForm, Option
from birdmodes.app.projects import Projects
from birdmodes.app.server import listen, make_app, make_server
from birdmodes.app.steps import STEPS

# What the commands do here: print, wait for a file beside this program, end with a code.
PROGRAM = r"""
import os, pathlib, sys, time
here = pathlib.Path(sys.argv[1])
name = sys.argv[2]
print("segmenting: 3 of 12, about 1 min 5 s left  7 syllables", flush=True)
print("did", *sys.argv[2:], flush=True)
while (here / f"hold-{name}").exists():
    print("segmenting: 4 of 12", flush=True)
    time.sleep(0.02)
if (here / f"fault-{name}").exists():
    raise RuntimeError("a fault of ours")
sys.exit(int((here / f"code-{name}").read_text()) if (here / f"code-{name}").exists() else 0)
"""

OPTIONS = (
    Option("--workspace", "Folder.", "text"),
    Option("--labels", "Label file.", "text", several=True),
    Option("--no-labels", "Use none.", "switch"),
    Option("--k", "How many.", "whole", least=1, most=99),
    Option("--method", "How <b>.", "choice", "ldc", ("ldc", "csp")),
    Option("--set", "Any.", "text", several=True),
)

PATIENCE_S = 60


def wait_until(condition: Callable[[], object]) -> None:
    """Wait for what another process does."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def write_sound(path: Path, seconds: float = 0.5) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    soundfile.write(path, np.zeros(round(8000 * seconds)), 8000)


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Window:
    """A window that is served.

    Attributes
    ----------
    context : Context
        Its state.
    port : int
        Where it listens.
    folder : pathlib.Path
        Where the program that stands in for the commands looks what to do.
    heard : list of str
        First event of each time that somebody listened.
    """

    context: Context
    port: int
    folder: Path
    heard: list[str] = field(default_factory=list)

    def ask(
        self,
        path: str,
        *,
        method: str = "GET",
        token: str | None = None,
        host: str | None = None,
        body: bytes = b"",
        **headers: str,
    ) -> Answer:
        """Send exactly this: nothing in the path is tidied up on the way."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            token = self.context.token if token is None else token
            connection.putrequest(method, f"/{token}/{path}", skip_host=True)
            if host != "":
                connection.putheader("Host", host or f"127.0.0.1:{self.port}")
            if body:
                headers.setdefault("Content_Length", str(len(body)))
            for name, value in headers.items():
                connection.putheader(name.replace("_", "-"), value)
            connection.endheaders()
            # What is announced wrongly is refused before it comes; sent too late, it would cut the
            # answer off.
            if headers.get("Content_Length") == str(len(body)):
                connection.send(body)
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())

    def post(self, path: str, content: Any = None, **changed: str) -> Answer:
        """Post as our pages do."""
        headers = {
            "Origin": f"http://127.0.0.1:{self.port}",
            "Content_Type": "application/json",
            **changed,
        }
        body = json.dumps({} if content is None else content).encode()
        return self.ask(path, method="POST", body=body, **headers)

    def events(self, project: str, seconds: float) -> None:
        """Listen to the work on a project for so long; `TimeoutError` if there is more to come."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port)) as connection:
            connection.request("GET", f"/{self.context.token}/p/{project}/api/events")
            answer = connection.getresponse()
            assert answer.headers["Content-Type"].startswith("text/event-stream")
            self.heard.append(answer.readline().decode())
            assert connection.sock is not None
            connection.sock.settimeout(seconds)
            answer.readline()
            while not answer.readline().startswith(b":"):
                pass


def stand_in(folder: Path) -> Context:
    """State of a window whose commands are `PROGRAM`, which looks in `folder` what to do."""
    (folder / "program.py").write_text(PROGRAM)
    program = [sys.executable, "-S", "-E", str(folder / "program.py"), str(folder)]
    forms = {name: CommandForm(name, "Does it. Well.", OPTIONS) for name in STEPS}
    return Context(program, forms, Projects(folder / "state"))


@contextmanager
def serving(context: Context, folder: Path) -> Iterator[Window]:
    """Serve a window in a thread."""
    with closing(listen(0)) as taken:
        port = taken.getsockname()[1]
        server = make_server(make_app(context, port))
        thread = threading.Thread(target=server.run, args=([taken],))
        thread.start()
        wait_until(lambda: server.started)
        yield Window(context, port, folder)
        server.should_exit = True
        thread.join()
