"""The processes that this program starts run its own code, whatever lies in the folder that a person happens to be in."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from models.llama import process as engine
from models.llama.benching import process as loops
from store.importers import process as reader


@pytest.mark.parametrize("command", [engine.command, loops.command, reader.command])
def test_no_module_of_the_current_folder_takes_the_place_of_ours(
    command: Callable[[], list[str]], tmp_path: Path
) -> None:
    sign = tmp_path / "ran"
    (tmp_path / "app" / "cli").mkdir(parents=True)
    for name in ("app/__init__.py", "app/cli/__init__.py", "app/cli/main.py", "tempfile.py", "click.py"):
        (tmp_path / name).write_text(f"open({str(sign)!r}, 'w').close()\n", encoding="utf-8")
    done = subprocess.run([*command()[:-1], "--version"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "moot" in done.stdout, done.stderr
    assert not sign.exists()
