"""Names on the command line: what a shell completes, and what is said of a word that is nearly right."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from app.cli.main import cli
from moot import run
from tests.support.kill_harness import prepare
from tests.support.typed import moot


def completed(*words: str) -> list[str]:
    *before, last = words
    shell = ShellComplete(cli, {}, "moot", "_MOOT_COMPLETE")
    return [item.value for item in shell.get_completions(list(before), last)]


def test_names_are_completed(moot_home: Path, sample_pack: Path) -> None:
    assert completed("sc") == ["score", "score-predictions"]
    assert completed("run", "legal") == ["legalagentbench", "legalsearch"]
    assert completed("run", "courts", "--agent", "") == ["rules", "direct", "human", "gold", "echo"]
    assert "search" in completed("run", "--agent", "")
    assert completed("run", "courts", "--pack", "sam") == ["sample"]
    assert completed("run", "courts", "--task", "CI-0001") == ["CI-0001"]
    spec = prepare(moot_home, tasks=2)
    record = run("legalagentbench", pack="kill", tasks=spec["tasks"])
    assert completed("show", "") == ["latest", record.id] and completed("show", record.id[:9]) == [record.id]
    assert completed("fork", record.id, "") == ["1", "2"]


def test_what_cannot_be_read_completes_to_nothing(moot_home: Path) -> None:
    assert completed("run", "courts", "--pack", "") == [] == completed("run", "nonsense", "--task", "")
    assert completed("fork", "nothing", "") == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("rn",), "moot: No such command 'rn'. Did you mean 'run'?\n"),
        (("xyzzy",), "moot: No such command 'xyzzy'. See: moot --help.\n"),
        (("run", "legalsaerch"), "moot: unknown benchmark 'legalsaerch'. Did you mean legalsearch? Known: "),
    ],
)
def test_a_word_that_is_nearly_right(moot_home: Path, arguments: tuple[str, ...], said: str) -> None:
    code, _, err = moot(*arguments)
    assert code == 2 and err.startswith(said)


@pytest.mark.parametrize("arguments", [("-h",), ("config", "hosts", "-h")])
def test_every_command_explains_itself_with_h_too(moot_home: Path, arguments: tuple[str, ...]) -> None:
    code, out, _ = moot(*arguments)
    assert code == 0 and out.startswith("Usage: moot")


def test_the_script_of_a_shell() -> None:
    ask = {**os.environ, "_MOOT_COMPLETE": "bash_source"}
    program = [sys.executable, "-c", "from app.cli.main import main; main()"]
    said = subprocess.run(program, env=ask, capture_output=True, text=True, check=True)
    assert "_MOOT_COMPLETE" in said.stdout
