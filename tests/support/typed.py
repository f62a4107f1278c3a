"""A command as typed, in this process: what a process of its own would show, without its start."""

from __future__ import annotations

import io
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from subprocess import CompletedProcess

import pytest

from app.cli.main import main


def typed(*arguments: str) -> CompletedProcess[str]:
    """What the command said, and its exit code; it has no input."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="") for _ in range(2))
    with (
        pytest.MonkeyPatch.context() as patch,
        open(os.devnull, encoding="utf-8") as nothing,
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        patch.setattr(sys, "stdin", nothing)
        main(list(arguments))
    said = []
    for stream in (out, err):
        stream.flush()
        said.append(stream.buffer.getvalue().decode("utf-8"))  # type: ignore[attr-defined]
    return CompletedProcess(list(arguments), int(ended.value.code or 0), *said)
