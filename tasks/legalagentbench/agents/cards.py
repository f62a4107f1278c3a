"""The text of a card: tables and tools as a model reads them, the tools that go with a choice of tables, and the
three few-shot examples (prompt file examples/1), shown in the form of each method.

One set of stories serves all methods, so that methods differ by nothing but the method. Observations are what the
tools say on the sample pack; a test calls them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from models.engine import ToolInfo
from store.schema import LOOKUPS, TABLES
from tasks.agents.modes import Mode, beside
from tasks.agents.native import tools_size
from tasks.agents.prompts import fill, phrase, table
from tasks.legalagentbench.schemas import FINAL, input_schema
from tasks.legalagentbench.tools import RETRIEVERS, TABLE_DESCRIPTIONS, TOOLS, ToolSpec

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


def definitions(tools: Iterable[ToolSpec]) -> tuple[ToolInfo, ...]:
    """Tools as a model that calls them in its own form is told of them; the columns of a table stand in the
    schema."""
    return tuple(
        ToolInfo(tool.name, tool.description, input_schema(tool, described=True))
        for tool in tools
        if tool.kind != "control"
    )


def grouped_text(tools: Sequence[ToolSpec]) -> str:
    """Tables with their columns, each followed by its tools; then the tools without a table."""
    lines: list[str] = []
    for name in tables_of(tools):
        lines.append(f"表{tables_text([name])}")
        lines += [_line(tool) for tool in tools if tool.table == name]
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
        form=phrase(mode, kind),
        examples=shown(kind if mode == "lean" else f"{kind}+{mode}"),
        tools=grouped_text(tools),
    )


def size(kind: str, prompt: str, mode: Mode) -> int:
    """Characters of a method's card with the tools that every task has, and of tools that are told beside it. prompt:
    the first that the method acts by."""
    tools = specs(tools_for(complete(()), beside(mode)))
    if mode == "native":
        return len(fill(prompt)) + tools_size(definitions(tools))
    if kind == "direct":
        return len(fill(prompt))
    if mode == "paper":
        return len(paper_card(prompt.partition("/")[0].removesuffix("-paper"), prompt, tools))
    return len(lean_card(kind, prompt, mode, tools))


def paper_card(kind: str, prompt: str, tools: Sequence[ToolSpec], **values: str) -> str:
    """A single message of the published structure."""
    return fill(
        prompt,
        names="、".join(tool.name for tool in tools),
        tools=listed_text(tools),
        tables=tables_text(tables_of(tools)),
        examples=shown(f"{kind}+paper"),
        **values,
    )


EXAMPLES = "examples/1"

Example = Mapping[str, Any]
Recorded = Mapping[str, Any]
Replan = tuple[Sequence[str], Recorded | None]


def stories() -> Sequence[Example]:
    """The examples as data: question, tables, call, react, plan, final."""
    examples: Sequence[Example] = table(EXAMPLES)["example"]
    return examples


@cache
def example_names() -> frozenset[str]:
    """The names and numbers in the results of the examples' calls."""
    results = " ".join(call["observation"] for example in stories() for call in example["call"])
    return frozenset(re.findall(r": '([^']{3,})'", results))


def shown(kind: str) -> str:
    """All examples in the form of a kind of prompt, numbered."""
    show = _FORMS[kind]
    return "\n\n".join(f"【例{number}】{show(example)}" for number, example in enumerate(stories(), 1))


def action_object(tool: str, given: Any, **before: Any) -> str:
    """An action as one JSON object on one line."""
    return json.dumps({**before, "action": tool, "action_input": given}, ensure_ascii=False)


def fenced(action: str) -> str:
    """JSON in the fence of free text."""
    return f"```json\n{action}\n```"


def calls_of(example: Example, part: str) -> Iterator[tuple[Recorded, Recorded | None]]:
    """The entries of a part (react, plan) with the call of each; None where it answers."""
    for entry in example[part]:
        yield entry, example["call"][entry["call"] - 1] if "call" in entry else None


def replans(example: Example) -> list[Replan]:
    """What is left of the plan before each step, and the call of that step."""
    steps = list(calls_of(example, "plan"))
    texts = [entry["step"] for entry, _ in steps]
    return [(texts[at:], call) for at, (_, call) in enumerate(steps)]


def numbered(steps: Sequence[str]) -> str:
    """A plan in one line, as plans in free text are written."""
    return "".join(f"第{number}步：{step}。" for number, step in enumerate(steps, 1))


def _act(example: Example, call: Recorded | None, **before: Any) -> str:
    if call is None:
        return action_object(FINAL, example["final"], **before)
    return action_object(call["tool"], call["input"], **before)


def _observed(call: Recorded | None) -> str:
    return "\n" + phrase("turn", "observation", observation=call["observation"]) if call else ""


def _question(example: Example) -> str:
    return phrase("turn", "question", question=example["question"])


def _lines(example: Example, steps: Sequence[str]) -> str:
    return "\n".join([_question(example), *steps])


def _tables(example: Example) -> str:
    return _lines(example, [json.dumps({"tables": example["tables"]}, ensure_ascii=False)])


def _tables_fenced(example: Example) -> str:
    return _lines(example, [fenced(json.dumps(example["tables"], ensure_ascii=False))])


def _react_lean(example: Example) -> str:
    steps = (
        _act(example, call, thought=entry["thought"]) + _observed(call) for entry, call in calls_of(example, "react")
    )
    return _lines(example, list(steps))


def _react_free(example: Example) -> str:
    return _lines(
        example,
        [
            f"思考：{entry['thought']}\n行动：\n{fenced(_act(example, call))}{_observed(call)}"
            for entry, call in calls_of(example, "react")
        ],
    )


def _react_paper(example: Example) -> str:
    steps = []
    for number, (entry, call) in enumerate(calls_of(example, "react"), 1):
        action = f"```json{_act(example, call)}```"
        observed = f"\n观察 {number}: {call['observation']}" if call else ""
        steps.append(f"思考 {number}: {entry['thought']}\n行动 {number}: {action}{observed}")
    return _lines(example, steps)


def _solve(example: Example, plan: Callable[[list[str]], str], act: Callable[[str], str]) -> str:
    entries = list(calls_of(example, "plan"))
    steps = [plan([entry["step"] for entry, _ in entries])]
    for number, (_, call) in enumerate(entries, 1):
        steps.append(f"执行第{number}步\n{act(_act(example, call))}{_observed(call)}")
    return _lines(example, steps)


def _solve_lean(example: Example) -> str:
    return _solve(example, lambda steps: json.dumps({"plan": steps}, ensure_ascii=False), lambda action: action)


def _solve_free(example: Example) -> str:
    return _solve(example, lambda steps: f"计划：{numbered(steps)}", lambda action: f"行动：\n{fenced(action)}")


def _execute_lean(example: Example) -> str:
    return _lines(
        example, [_act(example, call, plan=list(steps)) + _observed(call) for steps, call in replans(example)]
    )


def _execute_free(example: Example) -> str:
    return _lines(
        example,
        [
            f"计划：{numbered(steps)}\n行动：\n{fenced(_act(example, call))}{_observed(call)}"
            for steps, call in replans(example)
        ],
    )


def _plan_paper(example: Example) -> str:
    return _lines(example, [_plan_text(entry["step"] for entry, _ in calls_of(example, "plan"))])


def _first_plan_paper(example: Example) -> str:
    return _lines(example, [_plan_text(replans(example)[0][0])])


def _plan_text(steps: Any) -> str:
    return f"计划：{numbered(list(steps))}计划结束。"


def _replan_paper(example: Example) -> str:
    """The plan after the first step: what is done stands where it stood."""
    (first, call), (rest, _), *_ = replans(example)
    assert call is not None
    done = f"第1步：{first[0]}。结果：{call['observation']}"
    revised = _plan_text([first[0], *rest])
    return _lines(example, [f"原来的计划：{numbered(first)}", f"已经完成的步骤：\n{done}", revised])


def _action_paper(example: Example) -> str:
    """The second step of a plan, with the first one done."""
    (first, done), (second, call), *_ = calls_of(example, "plan")
    assert done is not None
    return (
        f"要执行的一步：{second['step']}\n已经完成的步骤：\n第1步：{first['step']}。结果：{done['observation']}\n"
        f"行动：\n{fenced(_act(example, call))}"
    )


_FORMS: dict[str, Callable[[Example], str]] = {
    "table-filter": _tables,
    "table-filter+free": _tables_fenced,
    "table-filter+paper": _tables_fenced,
    "react": _react_lean,
    "react+free": _react_free,
    "plan-solve": _solve_lean,
    "plan-solve+free": _solve_free,
    "plan-execute": _execute_lean,
    "plan-execute+free": _execute_free,
    "react-thought+paper": _react_paper,
    "plan-solve+paper": _plan_paper,
    "plan-execute+paper": _first_plan_paper,
    "replan+paper": _replan_paper,
    "plan-action+paper": _action_paper,
}
"""Kind of prompt, with its mode -> how an example looks in it."""
