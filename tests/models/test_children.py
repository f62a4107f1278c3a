"""The processes that this program starts run its own code, whatever lies in the folder that a person happens to be
in."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from store.worker import command as started

COMMANDS = [
    *(started(name) for name in ("_engine", "_worker")),
    [sys.executable, "-P", "-m", "app.cli.main", "_worker"],
]
"""The last as in a bundle, which knows one program alone."""
FILES = (
    "app/__init__.py app/cli/__init__.py app/cli/main.py app/cli/engine.py app/guard.py tempfile.py socket.py".split()
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[-2:]))
def test_no_module_of_the_current_folder_takes_the_place_of_ours(command: list[str], tmp_path: Path) -> None:
    sign = tmp_path / "ran"
    (tmp_path / "app" / "cli").mkdir(parents=True)
    for name in FILES:
        (tmp_path / name).write_text(f"open({str(sign)!r}, 'w').close()\n", encoding="utf-8")
    done = subprocess.run(command, cwd=tmp_path, input=b"", capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not sign.exists()
