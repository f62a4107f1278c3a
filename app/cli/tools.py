"""`moot tools`: list the 37 tools and those of other packages, call one.

What a tool says, an error too, is a result: exit 0.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Collection
from contextlib import nullcontext, suppress

import click

from app.cli.common import PACK, ParagraphHelpGroup, say
from app.strings import t
from app.terminal import clean, json_text, pad, truncate
from store.pack import Pack
from tasks import registry
from tasks.added import Tool, tools_named
from tasks.episode.plain import plain
from tasks.errors import UsageError
from tasks.legalagentbench.tools import FINISH_NAMES, TOOLS, LabToolResult, Toolbox, ToolSpec, spec_of

READING = ("database", "retriever")
"""Kinds of tools that read a pack."""


@click.group(cls=ParagraphHelpGroup)
def tools() -> None:
    """List and call the 37 tools of LegalAgentBench.

    Example: moot tools list
    """


@tools.command(name="list")
@click.option("--json", "json_wanted", is_flag=True, help="Print JSON, with parameters and columns.")
def list_tools(json_wanted: bool) -> None:
    """List the tools with their parameters.

    Example: moot tools list --json
    """
    known = {**TOOLS, **{name: spec_of(tool) for name, tool in _added().items()}}
    if json_wanted:
        click.echo(json_text({"tools": [_spec_data(spec) for spec in known.values()]}))
        return
    cells = [(spec.name, _parameters(spec), spec.description) for spec in known.values()]
    header = (t("tools.name"), t("tools.parameters"), t("tools.description"))
    widths = [max(len(name) for name, _, _ in cells) + 2, max(len(given) for _, given, _ in cells) + 2]
    room = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    for kind in ("", *dict.fromkeys(spec.kind for spec in known.values())):
        if kind:
            click.echo(f"\n{t(f'tools.{kind}')}")
        rows = [header] if not kind else [row for row in cells if known[row[0]].kind == kind]
        for name, given, description in rows:
            line = f"{pad(name, widths[0])}{pad(given, widths[1])}{description}"
            say(truncate(line, room) if room else line)


@tools.command()
@click.argument("tool")
@click.option("--input", "given", default="{}", metavar="JSON", help="The input; - reads it from standard input.")
@click.option("--pack", type=PACK, default="sample", show_default=True, help="Corpus pack, by name or folder.")
@click.option("--json", "json_wanted", is_flag=True, help="Print JSON: status, observation, value and more.")
def call(tool: str, given: str, pack: str, json_wanted: bool) -> None:
    """Call a TOOL as an agent would.

    Example: moot tools call get_sum --input '["3.87亿", 1000]'
    """
    added = _added()
    known = [*TOOLS, *added]
    if tool not in known and tool not in FINISH_NAMES:
        raise UsageError(f"There is no tool named {tool}", _near(tool, known))
    data = _input(sys.stdin.read() if given == "-" else given)
    needs_pack = added[tool].wants_pack if tool in added else tool in TOOLS and TOOLS[tool].kind in READING
    with Pack.open(pack) if needs_pack else nullcontext() as opened:
        result = Toolbox(opened, added).call(tool, data)
    if json_wanted:
        click.echo(json_text({"tool": tool, "input": plain(data), **_result_data(result)}))
        return
    click.echo(clean(result.observation))
    notes = [t(f"status.{result.status}")]
    notes += [t("mark.outside_cells", n=result.unknown)] if result.unknown else []
    notes += [t("mark.incomplete")] if not result.complete and result.status == "ok" else []
    notes += [t(f"mark.{provenance}") for provenance in result.provenance]
    click.echo(" · ".join(notes), err=True)


def _added() -> dict[str, Tool]:
    """The tools of other packages that can be loaded; a name of ours stays with ours."""
    found: dict[str, Tool] = {}
    for name in registry.names("tools"):
        with suppress(UsageError):
            found |= tools_named([name] if name not in TOOLS else [])
    return found


def _near(tool: str, known: Collection[str]) -> str:
    from rapidfuzz import fuzz, process

    near = [name for name, score, _ in process.extract(tool, list(known), scorer=fuzz.WRatio, limit=3) if score >= 60]
    return f"Did you mean {', '.join(near)}?" if near else "See: moot tools list."


def _input(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        hint = """Write it like '{"identifier": "…", "columns": []}'."""
        raise UsageError("--input is no valid JSON", hint) from None


def _parameters(spec: ToolSpec) -> str:
    return ", ".join(p.name if p.required else f"[{p.name}]" for p in spec.parameters)


def _spec_data(spec: ToolSpec) -> dict[str, object]:
    parameters = [
        {"name": p.name, "type": p.type, "required": p.required, "description": p.description}
        for p in spec.parameters
    ]
    return {
        "name": spec.name,
        "kind": spec.kind,
        "table": spec.table,
        "parameters": parameters,
        "columns": list(spec.columns),
        "description": spec.description,
    }


def _result_data(result: LabToolResult) -> dict[str, object]:
    return {
        "status": result.status,
        "observation": result.observation,
        "value": plain(result.value),
        "complete": result.complete,
        "unknown": result.unknown,
        "provenance": list(result.provenance),
    }
