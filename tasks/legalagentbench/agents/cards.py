"""The text of a card: tables and tools as a model reads them, and the tools that go with a choice of tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from models.engine import Tool
from store.schema import LOOKUPS, TABLES
from tasks.agents import phrases
from tasks.agents.modes import Mode
from tasks.agents.prompts import fill
from tasks.legalagentbench.agents import examples
from tasks.legalagentbench.descriptions import TABLE_DESCRIPTIONS
from tasks.legalagentbench.schemas import input_schema
from tasks.legalagentbench.tools import RETRIEVERS, TOOLS, ToolSpec

ALWAYS = ("CompanyInfo", "AddrInfo")
"""Tables that are added to every choice, as upstream does."""
SHARED = (frozenset({"CourtInfo", "CourtCode"}), frozenset({"LawfirmInfo", "LawfirmLog"}))
"""Tables whose tools come together: upstream lists the same three tools under both of a pair. A model that chooses
both saw them twice there; here every tool is listed once."""
CALCULATORS: dict[Mode, tuple[str, ...]] = {
    "lean": ("get_sum", "get_rank", "get_subtraction", "get_multiplication", "get_division"),
    "free": ("get_sum", "get_rank", "get_subtraction", "get_multiplication", "get_division"),
    "paper": ("get_sum", "get_rank"),
}
"""The published loops never offered subtraction, multiplication and division, though they are described."""


def complete(chosen: Iterable[str]) -> tuple[str, ...]:
    """The chosen tables with those that are always there, in the order of the database."""
    wanted = {*chosen, *ALWAYS}
    return tuple(table for table in TABLES if table in wanted)


def tools_for(tables: Sequence[str], mode: Mode) -> tuple[str, ...]:
    """Names of the tools offered with these tables: lookups in published order, retrievers, calculators.

    Retrievers are there for every task, as in the published ReAct and plan-solve runs (plan-execute had them for
    writing tasks only, which a policy cannot know from its card).
    """
    wanted = set(tables).union(*(pair for pair in SHARED if pair & set(tables)))
    lookups = (lookup.tool for lookup in LOOKUPS.values() if lookup.table in wanted)
    return (*lookups, *RETRIEVERS, *CALCULATORS[mode])


def specs(names: Iterable[str], added: Sequence[ToolSpec] = ()) -> tuple[ToolSpec, ...]:
    """The tools of these names, ours and those `added` to the run; names of another release are left out."""
    known = {**{tool.name: tool for tool in added}, **TOOLS}
    return tuple(known[name] for name in names if name in known)


def tables_text(tables: Iterable[str], *, described: bool = False) -> str:
    """One line a table: its name, what it holds if `described`, its columns."""
    lines = (
        f"{table}{f'（{TABLE_DESCRIPTIONS[table]}）' if described else ''}：{'、'.join(TABLES[table])}"
        for table in tables
    )
    return "\n".join(lines)


def definitions(tools: Iterable[ToolSpec]) -> tuple[Tool, ...]:
    """Tools as a model that calls them in its own form is told of them; the columns of a table stand in the
    schema."""
    return tuple(
        Tool(tool.name, tool.description, input_schema(tool, described=True))
        for tool in tools
        if tool.kind != "control"
    )


def grouped_text(tools: Sequence[ToolSpec]) -> str:
    """Tables with their columns, each followed by its tools; then the tools without a table."""
    lines: list[str] = []
    for table in dict.fromkeys(tool.table for tool in tools if tool.kind == "database"):
        lines.append(f"表{tables_text([table])}")
        lines += [_line(tool) for tool in tools if tool.table == table]
    lines.append("检索与计算：")
    return "\n".join([*lines, *(_line(tool) for tool in tools if tool.kind != "database")])


def listed_text(tools: Sequence[ToolSpec]) -> str:
    """One line a tool, without columns."""
    return "\n".join(map(_line, tools))


def tables_of(tools: Sequence[ToolSpec]) -> tuple[str, ...]:
    """The tables that these tools read, in the order of the tools."""
    return tuple(dict.fromkeys(tool.table for tool in tools if tool.kind == "database"))


def _line(tool: ToolSpec) -> str:
    return f"- {tool.name}({', '.join(parameter.name for parameter in tool.parameters)})：{tool.description}"


def lean_card(kind: str, prompt: str, mode: Mode, tools: Sequence[ToolSpec]) -> str:
    """The system message of a conversation. What is the same for all tasks comes first, so that memory can be
    shared."""
    return fill(
        prompt,
        form=phrases.phrase(mode, kind),
        examples=examples.shown(kind if mode == "lean" else f"{kind}+{mode}"),
        tools=grouped_text(tools),
    )


def paper_card(kind: str, prompt: str, tools: Sequence[ToolSpec], **values: str) -> str:
    """A single message of the published structure."""
    return fill(
        prompt,
        names="、".join(tool.name for tool in tools),
        tools=listed_text(tools),
        tables=tables_text(tables_of(tools)),
        examples=examples.shown(f"{kind}+paper"),
        **values,
    )
