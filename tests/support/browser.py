"""A headless Chromium with its network off but for this machine: what a page shows, says on its console and asks for.

It is spoken to over two pipes, messages end with a zero byte; nothing needs a port. Tests that use it skip where no
Chromium is.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PATIENCE = 240.0
"""Seconds of waiting for a fact; a slow machine changes nothing else."""


class Page:
    """One page of the browser."""

    def __init__(self, send: int, receive: int) -> None:
        self._send, self._receive, self._rest, self._last = send, receive, b"", 0
        self.console: list[str] = []
        """What it said, and what was refused."""
        self.asked: list[str] = []
        """All addresses that it asked for."""
        target = self._call("Target.createTarget", {"url": "about:blank"})["targetId"]
        self._session = self._call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for name in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{name}.enable")

    def open(self, url: str) -> None:
        """Go there."""
        self._call("Page.navigate", {"url": url})

    def offline(self) -> None:
        """From now on nothing is reached at all."""
        nothing = {"offline": True, "latency": 0, "downloadThroughput": 0, "uploadThroughput": 0}
        self._call("Network.emulateNetworkConditions", nothing)

    def value(self, script: str) -> Any:
        """What a script comes to."""
        return self._call("Runtime.evaluate", {"expression": script, "returnByValue": True})["result"].get("value")

    def until(self, there: Callable[[str], object]) -> str:
        """The text of the page, once it is as it should be."""
        end = time.monotonic() + PATIENCE
        while not there(text := str(self.value("document.body ? document.body.innerText : ''"))):
            assert time.monotonic() < end, f"waited in vain: {text[:500]}"
            time.sleep(0.2)
        return text

    def _call(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        self._last += 1
        asked = {"id": self._last, "method": method, "params": params or {}}
        if session := getattr(self, "_session", ""):
            asked["sessionId"] = session
        os.write(self._send, json.dumps(asked).encode() + b"\0")
        while True:
            said = self._next()
            if said.get("id") == self._last:
                assert "error" not in said, said
                return dict(said["result"])

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            more = os.read(self._receive, 1 << 20)
            assert more, "the browser is gone"
            self._rest += more
        line, _, self._rest = self._rest.partition(b"\0")
        said: dict[str, Any] = json.loads(line)
        about = said.get("params", {})
        match said.get("method"):
            case "Runtime.consoleAPICalled" | "Runtime.exceptionThrown":
                self.console.append(json.dumps(about))
            case "Log.entryAdded":
                self.console.append(about["entry"]["text"])
            case "Network.requestWillBeSent":
                self.asked.append(about["request"]["url"])
        return said


@contextmanager
def page(folder: Path) -> Iterator[Page]:
    """A page of a browser of its own, whose profile lies in a folder."""
    assert CHROMIUM is not None
    (to_read, to_write), (from_read, from_write) = os.pipe(), os.pipe()

    def pipes() -> None:
        for at, one in ((13, to_read), (14, from_write)):  # out of the way of 3 and 4
            os.dup2(one, at)
        os.dup2(13, 3)
        os.dup2(14, 4)

    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe",
        "--disable-background-networking", f"--user-data-dir={folder}",
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ]  # fmt: skip
    browser = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=pipes
    )
    os.close(to_read)
    os.close(from_write)
    try:
        yield Page(to_write, from_read)
    finally:
        browser.terminate()
        browser.wait()
        os.close(to_write)
        os.close(from_read)
