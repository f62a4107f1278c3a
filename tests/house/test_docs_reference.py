"""What help and the reference say exists, and what exists is said; a built site is searched for what a browser would
fetch from elsewhere. The pages themselves: test_docs_pages.py."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import click
import pytest

from app.cli.main import COMMANDS, HELP, cli
from tasks.courts.agents.model.card import prompts
from tests.house.test_docs_pages import fault, words
from tests.support.typed import moot

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "docs" / "reference"
COMMAND_PAGES = [
    (ROOT / "docs" / name).read_text(encoding="utf-8") for name in ("command-line.md", "command-line.en.md")
]
"""The table of commands in both languages."""


@cache
def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "packaging" / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_what_the_program_says() -> None:
    """A change of commands, options, settings, tools, keys or entry points is followed by packaging/reference.py."""
    made = {name: page().rstrip("\n") + "\n" for name, page in script("reference").PAGES.items()}
    stale = [name for name, text in made.items() if (REFERENCE / name).read_text(encoding="utf-8") != text]
    assert stale == [], "run: python packaging/reference.py"
    assert sorted(path.name for path in REFERENCE.iterdir()) == sorted(made)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_page_of_prompts_shows_each_of_them(language: str) -> None:
    made = script("prompts").page(language)
    assert all(f"`{name}`" in made for name in prompts() if not name.startswith(("court-phrases/", "court-seat/")))


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.html", '<script src="https://x.example/a.js"></script>', 1),
        ("a.html", '<script src="//x.example/a.js"></script>', 1),
        ("a.html", '<link rel="stylesheet" href="https://fonts.example/css">', 1),
        ("a.html", '<link rel="preconnect" href="https://fonts.example">', 1),
        ("a.html", '<img src="a.svg" srcset="a.svg 1x, https://x.example/b.svg 2x">', 1),
        ("a.html", '<style>@font-face { src: url("https://x.example/f.woff2") }</style>', 1),
        ("a.html", '<p style="background: url(//x.example/b.png)">', 1),
        ("a.html", '<script>fetch("https://x.example/search.json")</script>', 1),
        ("a.css", "@import 'https://fonts.example/css';", 1),
        ("a.js", 'element.src = "https://x.example/a.js"', 1),
        ("a.svg", '<svg><image href="https://x.example/a.png"/></svg>', 1),
        ("a.html", '<a href="https://x.example/">a link</a> <link rel="canonical" href="https://x.example/">', 0),
        ("a.html", '<script src="_static/a.js"></script><img src="b.svg"><p>fetch("https://x.example")</p>', 0),
        ("a.svg", '<svg xmlns="http://www.w3.org/2000/svg"><!-- https://x.example --></svg>', 0),
        ("a.css", "p { background: url(b.png) }", 0),
    ],
)  # fmt: skip
def test_what_is_loaded_from_elsewhere_is_found(name: str, text: str, found: int) -> None:
    assert len(script("site_check").loads(name, text)) == found


def test_the_check_of_a_site_fails_where_it_should(tmp_path: Path) -> None:
    def check() -> int:
        command = [sys.executable, str(ROOT / "packaging" / "site_check.py"), str(tmp_path)]
        return subprocess.run(command, capture_output=True, check=False).returncode

    assert check() == 1, "no page at all"
    (tmp_path / "index.html").write_text('<a href="https://x.example/">a link</a>', encoding="utf-8")
    assert check() == 0
    (tmp_path / "_static").mkdir()
    (tmp_path / "_static" / "a.css").write_text("@import url(https://x.example/a.css);", encoding="utf-8")
    assert check() == 1


def test_pictures_fetch_nothing() -> None:
    assert list(script("site_check").outside(ROOT / "docs")) == []


# --- commands -------------------------------------------------------------------------------------------------------


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


def test_a_command_has_its_line_and_its_place() -> None:
    for name, (place, line) in COMMANDS.items():
        assert re.fullmatch(r"app\.cli\.\w+:\w+", place)
        assert line.endswith(".")
        assert all(f"\n| `moot {name}` | " in page for page in COMMAND_PAGES), name


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
    code, _, said = moot("nonsense\x1b]0;x\x07")
    assert code == 2
    assert said.startswith("moot: ") and said.count("\n") == 1 and "\x1b" not in said


def test_constraints_are_exact_and_name_no_place() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pinned = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", line) for line in pinned)
    names = {line.split("==")[0].lower().replace("_", "-") for line in pinned}
    needed = re.findall(
        r'^  "([A-Za-z0-9-]+)[>=]', (ROOT / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert {name.lower() for name in needed} <= names | {"classifiers"}
