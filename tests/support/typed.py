"""A command as typed, in this process: what a process of its own would show, without its start."""

from __future__ import annotations

import io
import json
import sys
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, NamedTuple, TextIO

import pytest

from app.cli.main import main


class Typed(NamedTuple):
    """How a command ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """What a command printed that did its work."""
        assert self.code == 0, self.err
        return json.loads(self.out)


class _Stream(io.TextIOWrapper):
    """An output that is a terminal where the input is one."""

    def isatty(self) -> bool:
        return sys.stdin.isatty()


class Terminal(io.StringIO):
    """A person at a terminal, who types what was given."""

    def isatty(self) -> bool:
        return True


def moot(*arguments: object, stdin: TextIO | None = None) -> Typed:
    """`moot ARGUMENTS` to its end; without `stdin` nobody types."""
    out, err = (_Stream(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    with (
        pytest.MonkeyPatch.context() as patch,
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        patch.setattr(sys, "stdin", stdin or io.StringIO())
        main([str(argument) for argument in arguments])
    code = ended.value.code
    said = []
    for stream in (out, err):
        stream.flush()
        said.append(stream.buffer.getvalue().decode("utf-8"))  # type: ignore[attr-defined]
    assert "Traceback" not in said[1]
    return Typed(code if isinstance(code, int) else int(bool(code)), *said)
