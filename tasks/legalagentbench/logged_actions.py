"""The action a step of a published run log stands for, as text that the action parser reads.

A ReAct log holds the actions. A plan log holds the text of each step and what came back, not the call: the call is
inferred where the step leaves no choice (the inference of the log importer), a final answer where the last result is
no output of a tool; for the rest there is a sentence that says so, which the parser rejects. Nothing is guessed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from store.importers.logs.calls import (
    Observation,
    columns_quoted,
    infer_call,
    lists_quoted,
    read_observation,
    rows_of,
    tools_named,
)
from store.importers.logs.episodes import LoggedEpisode, LoggedStep
from store.schema import TABLES, Lookup

Kind = Literal["recorded", "inferred", "final", "unknown"]

REFUSED = "行动格式非法"
"""How the published loop begins its answer to an action that its parser refuses."""
UNKNOWN = "日志没有记录行动，由步骤文字也不能确定这一步的调用"
PLAN_MADE_UP_OF = "日志只记录了执行过的步骤：计划由这些步骤组成"
THEN = "当时的结果：{result}"
SHOWN = 300
"""Characters of a recorded result that a note shows where its call is unknown."""
INFERRED = "日志没有记录行动：工具和查询对象取自步骤文字"
FROM_STEP, FROM_RESULT = "列名取自步骤文字", "列名取自记录的结果"
FINAL = "日志没有记录行动：这是最后一步，其结果不是工具的输出，视为最终答案"

_COLUMN_NAMES = frozenset(column for columns in TABLES.values() for column in columns)


@dataclass(frozen=True, slots=True)
class LoggedAction:
    """An action and where it is from; `note` says what was inferred, empty when it stands in the log."""

    kind: Kind
    text: str
    note: str = ""


def action_of(episode: LoggedEpisode, index: int) -> LoggedAction:
    """The action of a step, counted from 0."""
    step = episode.steps[index]
    if episode.layout == "react":
        return LoggedAction("recorded", step.said)
    inferred = infer_call(step.said)
    if step.recording is None or step.recording.result.startswith(REFUSED):
        return _unknown(step)
    observation = read_observation(step.recording.result, inferred[0] if inferred else None)
    if index == len(episode.steps) - 1 and _concludes(step, observation):
        return LoggedAction("final", _fenced("Final Answer", step.recording.result), FINAL)
    return _call(step, inferred, observation) or _unknown(step)


def _unknown(step: LoggedStep) -> LoggedAction:
    """A reply that is no action. What came of the step is told to the reader alone: no call of ours gave it."""
    result = " ".join((step.result or "").split())
    cut = f"{result[:SHOWN]}…" if len(result) > SHOWN else result
    return LoggedAction("unknown", f"（{UNKNOWN}。）", f"{UNKNOWN}；{THEN.format(result=cut)}" if cut else UNKNOWN)


def _concludes(step: LoggedStep, observation: Observation) -> bool:
    """Whether the last result is an answer: prose, or a value at a step that names no tool."""
    return observation.status == "unread" or (observation.status == "ok" and not tools_named(step.said))


def _call(
    step: LoggedStep, inferred: tuple[Lookup, tuple[str, ...]] | None, observation: Observation
) -> LoggedAction | None:
    if inferred is None or _COLUMN_NAMES.intersection(inferred[1]):
        return None
    lookup, values = inferred
    columns, source = list(columns_quoted(step.said, lookup.table)), FROM_STEP
    if observation.status == "bad_column":
        columns = next(
            (names for names in lists_quoted(step.said) if not set(names) <= set(TABLES[lookup.table])), []
        )
        if not columns:
            return None
    elif observation.status == "ok":
        rows = rows_of(lookup, observation.value, values)
        if rows is None:
            return None
        if lookup.shape != "name" and list(rows[0]) != columns:
            columns, source = list(rows[0]), FROM_RESULT
    elif observation.status != "no_data":
        return None
    if tuple(columns) == TABLES[lookup.table]:
        columns = []
    given = {**dict(zip(lookup.parameters, values, strict=True)), "columns": columns}
    return LoggedAction("inferred", _fenced(lookup.tool, given), f"{INFERRED}{'，' + source if columns else ''}")


def _fenced(tool: str, given: object) -> str:
    """An action as a model writes it; quotes and backticks inside are escaped so that every parser reads it."""
    text = json.dumps({"action": tool, "action_input": given}, ensure_ascii=False)
    return f"```json{text.replace(chr(39), chr(92) + 'u0027').replace('`', chr(92) + 'u0060')}```"
