"""ReAct, lean form: one model call a step gives thought and action; the observation follows (paper §5, T = 10).

The prompt is append-only: card first, then one assistant and one user message a step.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from models.engine import Ask, Message, Settings
from tasks.actions import Answer, CallTool, Move, Nothing, ask, emit
from tasks.events import ActionParsed, ModelCalled, Thought, ToolReturned
from tasks.legalagentbench.parser import compat_input, parse_action
from tasks.legalagentbench.tools import FINISH_NAMES, ToolSpec, spoken
from tasks.prompts import fill
from tasks.seats import View

REJECTED = "行动格式有误：每一步应有且仅有一个 json 代码块，含 action 与 action_input。"

DIGIT_COMMA = re.compile(r"(?<=[0-9]),(?=[0-9])")
"""Removed from answers, as the published runs did before scoring."""


class ReactPolicy:
    """Thinks, acts, reads the observation, until it answers."""

    name = "react/1"

    def __init__(self, tools: Sequence[ToolSpec]) -> None:
        self._prompt = fill("react/1", tools="\n".join(f"- {tool.prompt_line}" for tool in tools))

    def move(self, view: View) -> Move:
        """One step: one call, one action."""
        messages = [Message("system", self._prompt), Message("user", f"问题：{view.card['question']}")]
        for record in view.history:
            match record.event:
                case ModelCalled(seat=view.seat):
                    messages.append(Message("assistant", record.event.text))
                case ToolReturned():
                    messages.append(Message("user", f"观察：{record.event.observation}"))
                case ActionParsed(result="rejected"):
                    messages.append(Message("user", f"观察：{REJECTED}"))
        settings = Settings(temperature=0.0, max_tokens=1024, stop=("观察：", "\n观察"))
        reply = yield from ask(Ask(view.seat, tuple(messages), prompt=self.name, settings=settings))
        thought = reply.text.split("```")[0].removeprefix("思考：").strip()
        if thought:
            yield from emit(Thought(seat=view.seat, text=thought))
        parsed = parse_action(reply.text)
        yield from emit(ActionParsed(seat=view.seat, result=parsed.result, note=parsed.note))
        if parsed.result == "rejected" or parsed.tool is None:
            return Nothing()
        if parsed.tool in FINISH_NAMES:
            return Answer(DIGIT_COMMA.sub("", spoken(parsed.input)))
        return CallTool(parsed.tool, compat_input(parsed.tool, parsed.input))
