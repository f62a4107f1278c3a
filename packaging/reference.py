"""Writes docs/reference from the program itself: commands, settings of benchmarks, what is registered, tools, keys.

    python packaging/reference.py

The pages are kept in the repository, so that they can be read without building anything; a test compares them with
what this script would write. Only what this distribution registers is listed, never what another package has added.
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import click

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import moot  # noqa: E402
from app.cli.main import HELP, cli  # noqa: E402
from app.desk.bindings import KEYS, Key  # noqa: E402
from app.strings import set_language, table  # noqa: E402
from tasks import registry  # noqa: E402
from tasks.benchmark import Choices, benchmark, benchmarks  # noqa: E402
from tasks.courts.environment import Environment  # noqa: E402
from tasks.legalagentbench.tools import TOOLS  # noqa: E402
from tasks.settings import shown, values  # noqa: E402

FOLDER = ROOT / "docs" / "reference"
MADE = (
    "本页由 `packaging/reference.py` 从程序生成，请勿手改。This page is made from the program; do not edit it by "
    "hand."
)


def rows(head: Iterable[str], lines: Iterable[Iterable[str]]) -> list[str]:
    """A Markdown table; empty where there are no lines."""
    head, cells = list(head), [[cell.replace("|", "\\|").replace("\n", " ") for cell in line] for line in lines]
    if not cells:
        return []
    return ["| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *cells)] + [""]


def code(text: str) -> str:
    """A code span; nothing where there is no text."""
    return f"`{text}`" if text else ""


def paths(group: click.Group, before: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command with its words, groups before what is in them."""
    context = click.Context(group, **HELP)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield (*before, name), command
        if isinstance(command, click.Group):
            yield from paths(command, (*before, name))


def documented(command: click.Command) -> list[str]:
    """What a command says of itself: sentences as text; command lines, and what keeps its lines, as blocks."""
    found: list[str] = []
    for paragraph in inspect.cleandoc(command.help or "").split("\n\n"):
        kept, text = "\b" in paragraph, re.sub(r"\s+", " ", paragraph).strip()
        example = re.match(r"Example:\s+(moot .*)", text)
        if kept:
            found += ["```", paragraph.replace("\b\n", "").strip("\n"), "```", ""]
        else:
            found += ["```", example[1], "```", ""] if example else [text, ""]
    return found


def commands() -> str:
    """All commands: usage, what they do, arguments and options."""
    set_language("en")
    page = [
        "# 命令 · Commands",
        "",
        MADE,
        "",
        "说明文字与 `MOOT_LANG=en moot COMMAND --help` 相同；`MOOT_LANG=zh` 时为中文。",
        "",
    ]
    for words, command in paths(cli):
        name = " ".join(("moot", *words))
        with click.Context(command, info_name=name, **HELP) as context:
            usage = " ".join((name, *command.collect_usage_pieces(context)))
            options = [record for param in command.get_params(context) if (record := param.get_help_record(context))]
        page += [f"{'#' * (1 + len(words))} {name}", ""]
        page += ["```", usage, "```", "", *documented(command)]
        page += rows(
            ("选项", "说明"), ((code(option), text) for option, text in options if text and option != "--help")
        )
    return "\n".join(page)


def choices(found: Choices) -> str:
    """Who may sit in a seat; those who need a model with a mark."""
    return "、".join(f"{code(name)}{'*' if needs_model else ''}" for name, (_, needs_model) in found.items())


def settings() -> str:
    """What each benchmark offers: seats, agents, settings."""
    page = [
        "# 评测基准与设置 · Benchmarks and settings",
        "",
        MADE,
        "",
        "带 * 的需要模型。An agent with * needs a model.",
        "",
    ]
    for name in own("benchmarks", benchmarks()):
        bench = benchmark(name)
        page += [f"## {name}", "", f"受测席位 / tested seat `{bench.seat}`：{choices(bench.agents)}", ""]
        page += rows(("席位", "可坐"), ((code(role), choices(found)) for role, found in bench.roles.items()))
        if bench.graders:
            page += [f"评分员席位 / graders: {'、'.join(map(code, bench.graders))}", ""]
        page += [f"默认轮次上限 / turns: {bench.turns}", ""]
        page += rows(("选项", "取值", "默认", "说明"), described(bench.settings.model_fields))
    return "\n".join(page)


def described(fields: dict[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    """Option, values, default and description of the settings that are offered."""
    for field, info in fields.items():
        if not shown(info, "hidden"):
            option, given = (
                f"--{field.replace('_', '-')}",
                str(info.default) if info.default not in (None, ()) else "",
            )
            yield code(option), " ".join(map(code, filter(None, values(info)))), code(given), info.description or ""


def own(group: Any, names: Iterable[str]) -> list[str]:
    """Those names that this distribution registers."""
    others = registry.extensions(group)
    return [name for name in names if name not in others]


def registered() -> str:
    """What is registered in each group of entry points."""
    page = ["# 登记的部件 · What is registered", "", MADE, "", "怎样添加自己的：[扩展](../extending.md)。", ""]
    for group in registry.GROUPS:
        page += [f"## moot.{group}", ""]
        page += rows(
            ("名称", "说明"), ((code(name), first_line(group, name)) for name in own(group, registry.names(group)))
        )
    return "\n".join(page)


def first_line(group: Any, name: str) -> str:
    """What a registered thing says of itself."""
    found = registry.load(group, name)
    if isinstance(found, Environment):
        return " · ".join(found.names)
    said = inspect.getdoc(found) if inspect.isclass(found) or inspect.isroutine(found) else None
    return re.sub(r"\s+", " ", (said or "").split("\n\n")[0])


def tools() -> str:
    """The tools of LegalAgentBench, by kind."""
    words, page = table("zh"), ["# LegalAgentBench 的工具 · Tools", "", MADE, ""]
    for kind in dict.fromkeys(spec.kind for spec in TOOLS.values()):
        page += [f"## {words[f'tools.{kind}']}", ""]
        found = (spec for spec in TOOLS.values() if spec.kind == kind)
        page += rows(("工具", "说明"), ((code(spec.name), spec.description) for spec in found))
    return "\n".join(page)


def keys() -> str:
    """The keys of the desk, in both languages."""
    set_language("zh")
    page = ["# 按键 · Keys", "", MADE, "", "界面上按 F1 也能看到当前窗格的按键。", ""]
    for area, found in KEYS.items():
        page += [f"## {area}", "", *rows(("按键", "说明", "English"), map(key_row, found))]
    return "\n".join(page)


def key_row(key: Key) -> tuple[str, str, str]:
    """Key, and what it does in Chinese and English."""
    return (code(key.shown), *(table(name)[f"key.{key.id}.tip"] for name in ("zh", "en")))


def api() -> str:
    """What `moot` offers to notebooks and extensions."""
    page = ["# 模块 moot · The module `moot`", "", MADE, "", *quoted(inspect.getdoc(moot) or ""), ""]
    for name in sorted(moot.__all__, key=str.casefold):
        found = getattr(moot, name)
        page += [f"## {name}", ""]
        if inspect.isclass(found) or inspect.isroutine(found):
            called = textwrap.fill(f"{name}{_signature(found)}", 100, subsequent_indent="    ")
            page += ["```text", called, "```", "", *quoted(inspect.getdoc(found) or ""), ""]
        else:
            page += ["```text", f"{name} = {found!r}", "```", ""]
    return "\n".join(page)


def quoted(doc: str) -> list[str]:
    """A docstring as Markdown: its first paragraph as text, all else as it is laid out."""
    first, _, rest = doc.partition("\n\n")
    return [first, "", *(["```text", rest, "```"] if rest else [])]


def _signature(found: Any) -> str:
    """How a thing is called, without types; a protocol is not."""
    if getattr(found, "_is_protocol", False):
        return ""
    given = (
        one.name if one.default is one.empty else f"{one.name}={one.default if str(one.default).isalnum() else '...'}"
        for one in inspect.signature(found).parameters.values()
    )
    return f"({', '.join(given)})"


PAGES = {
    "api.md": api,
    "commands.md": commands,
    "settings.md": settings,
    "registered.md": registered,
    "tools.md": tools,
    "keys.md": keys,
}


def main() -> None:
    """Write all pages."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (FOLDER / name).write_text(page().rstrip("\n") + "\n", encoding="utf-8", newline="\n")
        print((FOLDER / name).relative_to(ROOT))


if __name__ == "__main__":
    main()
