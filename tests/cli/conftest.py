"""What tests of commands share: a home with three tasks, a server of a model, commands as a user types them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

import pytest

from tests.support import typed
from tests.support.fake_endpoint import FakeServer, fake_server
from tests.support.kill_harness import END, prepare


class Moot:
    """Runs a command and keeps what it said."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.spec = prepare(home, tasks=3)
        self.code = 0
        self.out = self.err = ""

    def __call__(self, *arguments: object, stdin: TextIO | None = None) -> Moot:
        self.code, self.out, self.err = typed.moot(*arguments, stdin=stdin)
        return self

    def run(self, model: str, *more: str) -> Moot:
        """The tasks before a model."""
        start = ["run", "legalagentbench", "--agent", "react", "--model", model, "--pack", "kill"]
        return self(*start, "--tasks", self.spec["tasks"], "--json", *more)

    def block(self, code: int = 0) -> Any:
        """What a command printed as JSON."""
        assert self.code == code, self.err
        return json.loads(self.out)

    def refused(self, code: int, *words: str) -> None:
        assert self.code == code and self.out == ""
        assert all(word in self.err for word in words), self.err
        assert self.err.count("\n") == 1, "one sentence"
        assert list((self.home / "runs").glob("*")) == [], "nothing was written"

    def path(self) -> Path:
        """The newest run."""
        return max((self.home / "runs").glob("*.moot"), key=lambda path: path.stat().st_mtime_ns)


@pytest.fixture
def moot(moot_home: Path, monkeypatch: pytest.MonkeyPatch) -> Moot:
    monkeypatch.delenv("MOOT_API_KEY", raising=False)
    return Moot(moot_home)


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with fake_server() as running:
        running.chat = lambda call: call.speak(*END, cached=7)
        yield running
