"""The pages: links and anchors lead somewhere, command lines parse, named files exist, twins are there.

Nothing here needs the generator of the site, and nothing of what the pages show is run.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import click
import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from app.cli.main import HELP, cli
from tasks.benchmark import benchmarks

ROOT = Path(__file__).resolve().parents[2]
FRONT = tuple(ROOT / name for name in ("README.md", "README.en.md", "CONTRIBUTING.md", "CHANGELOG.md"))
MADE = {ROOT / "docs" / name for name in ("prompts.md", "prompts.en.md")}
"""Pages that `make docs` writes."""
PAGES = (*FRONT, *sorted(set((ROOT / "docs").rglob("*.md")) - MADE))
NAMES = [str(path.relative_to(ROOT)) for path in PAGES]
ROOMS = "app|docs|models|packaging|store|tasks|tests"


@cache
def tokens(path: Path) -> tuple[Token, ...]:
    """Blocks and what is in them, as one row."""
    blocks = MarkdownIt("commonmark").enable("table").parse(path.read_text(encoding="utf-8"))
    return tuple(token for block in blocks for token in (block, *(block.children or ())))


def links(path: Path) -> list[str]:
    """Targets of links and pictures."""
    found = [token.attrs.get("href") or token.attrs.get("src") for token in tokens(path)]
    return [str(target) for target in found if target]


@cache
def anchors(path: Path) -> frozenset[str]:
    """What a link to a heading of a page may end in; the rule of GitHub, which the site follows."""
    row, found = tokens(path), list[str]()
    for at, token in enumerate(row):
        if token.type == "heading_open":
            words = "".join(
                part.content for part in row[at + 1].children or () if part.type in ("text", "code_inline")
            )
            slug = re.sub(r"[^\w\- ]", "", words.strip().lower()).replace(" ", "-")
            again = sum(
                other == slug or re.fullmatch(rf"{re.escape(slug)}-\d+", other) is not None for other in found
            )
            found.append(f"{slug}-{again}" if again else slug)
    return frozenset(found)


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name: str) -> None:
    """Pages of the site link to such alone: files of the repository are named there, not linked."""
    path, broken = ROOT / name, []
    whole = ROOT / "docs" if name.startswith("docs/") else ROOT
    for target in links(path):
        if re.match(r"https?://", target):
            continue
        place, _, anchor = unquote(target).partition("#")
        there = (path.parent / place).resolve() if place else path
        if there in MADE and not anchor:
            continue
        if not there.is_file() or not there.is_relative_to(whole) or (anchor and anchor not in anchors(there)):
            broken.append(target)
    assert broken == []


def shown(path: Path) -> Iterator[str]:
    """Command lines of a page: what code spans and lines of code blocks begin with `moot`; a backslash goes on."""
    for token in tokens(path):
        if token.type == "code_inline":
            yield from re.findall(r"^moot(?: .*)?$", token.content)
        elif token.type in ("fence", "code_block") and token.info in ("", "bash", "sh", "console"):
            text = re.sub(r"\\\n\s*", "", token.content)
            start = r"^\s*(?:\$ )?(?:[A-Z_]+=\S+ )*(?:\.venv/bin/|\.venv\\Scripts\\)?(moot(?: .*)?)$"
            yield from re.findall(start, text, re.MULTILINE)


def words(line: str) -> list[str]:
    """The words of a command line, up to a comment, a pipe or a remark after a wide gap, without brackets."""
    line = re.split(r"\s{3,}|\s[<>|;&]", line.replace("…", "..."))[0]
    return [word.strip("[]") for word in shlex.split(line, comments=True) if word != "[OPTIONS]"]


def fault(given: list[str]) -> str:
    """Why a command line is none; '' where it is one. Nothing is run; of values only choices are looked at."""
    command, path, rest = cli, ["moot"], given[1:]
    while isinstance(command, click.Group) and rest and not rest[0].startswith("-") and rest[0] != "COMMAND":
        inner = command.get_command(click.Context(command, **HELP), rest[0])
        if inner is None:
            return f"{' '.join(path)} has no command '{rest[0]}'"
        command, path, rest = inner, [*path, rest[0]], rest[1:]
    context = click.Context(command, info_name=" ".join(path), **HELP)
    try:
        values, over, _ = command.make_parser(context).parse_args([word for word in rest if word != "--version"])
    except click.UsageError as error:
        return f"{' '.join(path)}: {error.format_message()}"
    if over and not isinstance(command, click.Group):
        return f"{' '.join(path)} does not take {over[0]}"
    benchmark = values.get("benchmark")
    if isinstance(benchmark, str) and re.fullmatch(r"[a-z-]+", benchmark) and benchmark not in benchmarks():
        return f"there is no benchmark '{benchmark}'"
    for param in command.get_params(context):
        value = values.get(param.name)
        if isinstance(param.type, click.Choice) and isinstance(value, str) and "|" not in value:
            try:
                param.type.convert(value, param, context)
            except click.UsageError as error:
                return f"{' '.join(path)} {param.opts[0]}: {error.format_message()}"
    return ""


@pytest.mark.parametrize("name", NAMES)
def test_command_lines_parse(name: str) -> None:
    assert [why for line in shown(ROOT / name) if (why := fault(words(line)))] == []


def test_wrong_lines_are_found_and_right_ones_pass() -> None:
    wrong = (
        "moot nonsense", "moot law nonsense", "moot run courts --nonsense 1", "moot run nonsense",
        "moot run courts --env XX", "moot show RUN EPISODE MORE", "moot run courts --limit",
    )  # fmt: skip
    right = (
        "moot", "moot --version", "moot demo </dev/null", "moot law search 醉驾 --at DATE|today",
        "moot report RUN... --format html", "moot run courts --env CI   # a trial",
        "moot run … --allow-host 192.168.0.7",
        "moot compare RUN_A RUN_B [--json]",
    )  # fmt: skip
    assert [line for line in wrong if not fault(words(line))] == []
    assert [line for line in right if fault(words(line))] == []


def test_lines_are_found(tmp_path: Path) -> None:
    """Blocks, spans, environment variables before the command, and lines that go on."""
    assert sum(len(list(shown(path))) for path in PAGES) > 200
    page = tmp_path / "page.md"
    page.write_text("```\nmoot run courts --env CI \\\n     --limit 2\n```\n", encoding="utf-8")
    assert any("--env CI" in line and "--limit 2" in line for line in shown(page))


@pytest.mark.parametrize("name", NAMES)
def test_named_files_and_targets_exist(name: str) -> None:
    spans = [token.content for token in tokens(ROOT / name) if token.type in ("code_inline", "fence", "code_block")]
    named = {found for span in spans for found in re.findall(rf"(?<![\w./-])(?:{ROOMS})/[\w./*-]*\w", span)}
    assert {place for place in named if not any(ROOT.glob(place))} == set()
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert {target for span in spans for target in re.findall(r"^\s*make ([a-z]+)", span, re.MULTILINE)} <= targets


def test_english_twins() -> None:
    """Whoever reads one language finds the other: twins link to each other, and both front pages exist."""
    twins = [path for path in PAGES if path.name.endswith(".en.md")]
    assert {"README.en.md", "researcher.en.md", "engineer.en.md", "presenter.en.md"} <= {path.name for path in twins}
    for twin in twins:
        chinese = twin.with_name(twin.name.replace(".en.md", ".md"))
        assert twin.name in links(chinese) and chinese.name in links(twin)


def test_twins_show_the_same_commands() -> None:
    """A command line that only one of two twins shows has been forgotten in the other."""
    for twin in (path for path in PAGES if path.name.endswith(".en.md")):
        chinese = twin.with_name(twin.name.replace(".en.md", ".md"))
        blocks = [[words(line) for line in shown(path) if re.search(r"\s--?\w", line)] for path in (chinese, twin)]
        missing = [line for line in blocks[1] if line not in blocks[0]]
        assert missing == [], chinese.name


@pytest.mark.parametrize("name", ["README.md", "README.en.md"])
def test_readme_is_short_and_begins_with_two_commands(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert 3500 <= len(text.encode("utf-8")) <= 6500
    block = re.findall(r"```\n(.*?)```", text, re.DOTALL)[0]
    assert re.findall(r"^make (\w+)", block, re.MULTILINE) == ["demo", "test"]
    assert any(target.endswith(".svg") for target in links(ROOT / name))
    assert sum("tutorials/" in target for target in links(ROOT / name)) == 3


def test_pictures_say_what_they_show() -> None:
    """A picture of sample data is said to be fictional, one of a court to be no legal advice as well."""
    for path in PAGES:
        for token in tokens(path):
            if token.type == "image" and "screens/" in (source := str(token.attrs["src"])):
                shown = Path(source).name.split("-")[0]
                assert shown == "models" or re.search("虚构数据|fictional data", token.content), (path.name, source)
                assert shown not in ("court", "presenter") or "不构成法律意见" in token.content, (path.name, source)


@pytest.mark.parametrize("root", ["index", "index.en"])
def test_every_page_is_in_the_site_of_its_language(root: str) -> None:
    """The list of contents names each page once, in its language where there is one."""
    listed: list[str] = []
    for token in tokens(ROOT / "docs" / f"{root}.md"):
        if token.type == "fence" and token.info.startswith("{toctree}"):
            listed += [line for line in token.content.splitlines() if line and not line.startswith(":")]
    pages = {*(ROOT / "docs").rglob("*.md"), *MADE}
    names = {str(path.relative_to(ROOT / "docs").with_suffix("")) for path in pages}
    english = {name for name in names if name.endswith(".en")}
    other = {name.removesuffix(".en") for name in english} if root == "index.en" else english
    assert sorted(listed) == sorted(names - other - {root})


def test_the_picture_of_the_house_is_true() -> None:
    """Every folder and module in the picture exists, and every room stands in it."""
    drawn = re.findall(
        r'class="(?:room|folder)">([^<]+)<', (ROOT / "docs" / "architecture.svg").read_text(encoding="utf-8")
    )
    assert {"app/", "tasks/", "store/", "models/"} <= set(drawn)
    assert [place for place in drawn if not (ROOT / place).exists()] == []
