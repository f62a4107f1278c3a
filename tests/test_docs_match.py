"""What README and help say exists, and what exists is said."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import click
import pytest

from app.cli.main import COMMANDS, cli, main

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def commands() -> list[tuple[str, ...]]:
    """Every command, and every command of a group."""
    context = click.Context(cli, info_name="moot")
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
        inner = command.get_command(click.Context(command), name)
        assert inner is not None, f"no command {' '.join(path)}"
        command = inner
    return command


def params(command: click.Command) -> list[click.Parameter]:
    """Also those that are made from the settings of the benchmarks."""
    return command.get_params(click.Context(command))


@cache
def help_of(path: tuple[str, ...]) -> str:
    command = lookup(path)
    with click.Context(command, info_name=" ".join(("moot", *path))) as context:
        return command.get_help(context)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_its_line_and_its_place(name: str) -> None:
    place, line = COMMANDS[name]
    assert re.fullmatch(r"app\.cli\.\w+:\w+", place)
    assert line.endswith(".")
    assert f"moot {name}" in README


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


def in_words(text: str) -> list[list[str]]:
    """The `moot …` command lines of a text, as words: in code blocks, code spans and Example lines."""
    spans = re.findall(r"`(moot [^`\n]*)`", text)
    for block in re.findall(r"```[a-z]*\n(.*?)```", text, re.DOTALL):
        spans += re.findall(r"^(?:\.venv/bin/|\.venv\\Scripts\\|\$ )?(moot .*)$", block, re.MULTILINE)
    return [line.split("#")[0].split() for line in spans]


def assert_true_line(words: list[str]) -> None:
    """The commands and options of a command line exist."""
    path: tuple[str, ...] = ()
    command: click.Command = cli
    for word in words[1:]:
        if (
            not isinstance(command, click.Group)
            or word.startswith("-")
            or "|" in word
            or not re.fullmatch(r"[a-z-]+", word)
        ):
            break
        path = (*path, word)
        command = lookup(path)
    known = {name for option in params(command) for name in (*option.opts, *option.secondary_opts)} | {
        "--help",
        "--version",
    }
    for word in words:
        option = re.match(r"\[?(--[a-z0-9-]+)", word)
        assert option is None or option[1] in known, f"moot {' '.join(path)} has no {option[1]}"


def test_readme_names_only_what_exists() -> None:
    lines = in_words(README)
    assert lines
    for words in lines:
        assert_true_line(words)


def test_pages_name_only_what_exists() -> None:
    for page in sorted((ROOT / "docs").glob("*.md")):
        for words in in_words(page.read_text(encoding="utf-8")):
            assert_true_line(words)


def test_examples_name_only_what_exists() -> None:
    for path in commands():
        for line in re.findall(r"Example:\s+(moot .*)", help_of(path)):
            assert_true_line(line.split())


def test_files_that_readme_names_exist() -> None:
    named = set(re.findall(r"\]\((?!http)([^)#]+)\)", README)) | set(re.findall(r'src="(?!http)([^"]+)"', README))
    assert {name for name in named if not (ROOT / name).exists()} == set()


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_exits_0(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([*name.split(), "--help"])
    said = capsys.readouterr()
    assert (ended.value.code or 0, said.err) == (0, "") and said.out


def test_an_unknown_command_is_a_usage_error() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "app.cli.main", "nonsense\x1b]0;x\x07"],
        cwd=ROOT, capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.startswith("moot: ") and done.stderr.count("\n") == 1 and "\x1b" not in done.stderr


def test_every_key_has_its_words_in_both_languages() -> None:
    from app.desk.bindings import KEYS
    from app.strings import LANGUAGES, table

    wanted = {f"key.{key.id}{part}" for keys in KEYS.values() for key in keys for part in ("", ".tip")}
    for name in LANGUAGES:
        assert wanted - table(name).keys() == set()
    for area, keys in KEYS.items():
        ids = [key.id for key in keys]
        assert len(ids) == len(set(ids)), area


def test_make_targets_of_readme_exist() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert {"demo", "llm", "run", "test", "lint", "bench"} <= targets
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
