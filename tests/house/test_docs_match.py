"""What help says exists, and what exists is said; the pages themselves are looked at in test_docs_pages.py."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import click
import pytest

from app.cli.main import COMMANDS, HELP, cli
from tests.house.test_docs_pages import fault, words

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMAND_PAGES = [
    (ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("command-line.md", "command-line.en.md")
]
"""The table of commands in both languages."""


def commands() -> list[tuple[str, ...]]:
    """Every command, and every command of a group."""
    context = click.Context(cli, info_name="moot", **HELP)
    found: list[tuple[str, ...]] = []
    for name in COMMANDS:
        found.append((name,))
        command = cli.get_command(context, name)
        if isinstance(command, click.Group):
            found += [(name, inner) for inner in command.list_commands(context)]
    return found


def lookup(path: tuple[str, ...]) -> click.Command:
    command: click.Command = cli
    for name in path:
        assert isinstance(command, click.Group)
        inner = command.get_command(click.Context(command, **HELP), name)
        assert inner is not None, f"no command {' '.join(path)}"
        command = inner
    return command


def params(command: click.Command) -> list[click.Parameter]:
    """Also those that are made from the settings of the benchmarks."""
    return command.get_params(click.Context(command, **HELP))


@cache
def help_of(path: tuple[str, ...]) -> str:
    command = lookup(path)
    with click.Context(command, info_name=" ".join(("moot", *path)), terminal_width=1000, **HELP) as context:
        return command.get_help(context)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_its_line_and_its_place(name: str) -> None:
    place, line = COMMANDS[name]
    assert re.fullmatch(r"app\.cli\.\w+:\w+", place)
    assert line.endswith(".")
    assert all(f"\n| `moot {name}` | " in page for page in COMMAND_PAGES)


def test_every_command_helps_with_an_example() -> None:
    silent = [" ".join(path) for path in commands() if not re.search(r"Example:\s+moot ", help_of(path))]
    assert silent == []


def test_every_command_that_answers_takes_json() -> None:
    missing = [
        " ".join(path)
        for path in commands()
        if not isinstance(lookup(path), click.Group)
        and not any("--json" in option.opts for option in params(lookup(path)))
    ]
    assert missing == []


def test_every_option_says_what_it_does() -> None:
    silent = [
        f"{' '.join(path)} {option.opts[0]}"
        for path in commands()
        for option in params(lookup(path))
        if isinstance(option, click.Option) and not option.hidden and not option.help
    ]
    assert silent == []


def test_examples_name_only_what_exists() -> None:
    for path in commands():
        for line in re.findall(r"Example:\s+(moot .*)", help_of(path)):
            assert fault(words(line)) == ""


def test_an_unknown_command_is_a_usage_error() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "app.cli.main", "nonsense\x1b]0;x\x07"],
        cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("moot: ") and done.stderr.count("\n") == 1 and "\x1b" not in done.stderr


def test_make_targets_of_readme_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert {"demo", "llm", "run", "test", "lint", "bench", "docs"} <= targets
    assert set(re.findall(r"\bmake ([a-z]+)\b", README)) <= targets


def test_constraints_are_exact_and_name_no_place() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", line) for line in pinned)
    names = {line.split("==")[0].lower().replace("_", "-") for line in pinned}
    needed = re.findall(
        r'^  "([A-Za-z0-9-]+)[>=]', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert {name.lower() for name in needed} <= names | {"classifiers"}
