"""A stage for the policies of LegalSearch: one episode, scripted replies, three tools that answer from a table."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from models.engine import Ask, EngineError, Reply
from tasks.agents.modes import named
from tasks.episode.events import Record, ToolCalled, ToolReturned
from tasks.episode.plain import plain
from tasks.episode.seats import Policy, Steps, emit
from tasks.episode.state import State
from tasks.episode.with_tools import ToolEpisode
from tasks.legalsearch.agents.briefing import TOOLS, Briefing
from tasks.legalsearch.agents.policies import DirectLawPolicy, SearchPolicy
from tasks.legalsearch.rollouts import trajectory_tokens
from tests.support.policy_stage import Actor, Driven

QUESTION = "2004年3月，盗伐林木的，依哪一条处罚？\nA: 第一条\nB: 第二条\nC: 第三条\nD: 第四条"
CARD = {"id": "1", "type": "kqa", "question": QUESTION, "deepresearch_task_prompt": "\n只写选项字母。\n"}
SEARCH = "search/1"
MODES = ("lean", "free", "paper")
FOUND = '[{"query": "2004年 盗伐", "results": [{"条号": "第二条", "法条内容": "盗伐林木的……"}]}]'
PLAN = ("用 rag_retrieve 查 2004 年有效的条文", "对照选项作答")
QUERY = ("rag_retrieve", {"query": ["2004年 盗伐林木"]})
PAGES = ("web_search", {"query": ["2004年 盗伐林木 司法解释"]})
Said = str | Reply | EngineError
ANSWERS: dict[str, tuple[Any, str]] = {
    "kqa": ("B", "B"),
    "ptp": ("18个月", "18个月"),
    "ccp": (["盗窃", "走私、运输毒品"], "盗窃;走私、运输毒品"),
    "lar": ({"title": "盗伐林木罪", "text": "盗伐林木的……"}, "【盗伐林木罪】盗伐林木的……"),
    "lcs": ({"reply": "可以。", "basis": "《林法》第二条"}, "回答:可以。\n法律依据:《林法》第二条"),
}
"""Task -> the answer in a lean reply, and as it is scored."""


def mode_name(mode: str, policy: str = SEARCH) -> str:
    return named(policy, mode)  # type: ignore[arg-type]


def lean_plan(steps: Sequence[str] = PLAN) -> str:
    return json.dumps({"think": "先查条文。", "plan": list(steps)}, ensure_ascii=False)


def lean_call(call: tuple[str, dict[str, Any]]) -> str:
    given = {name: texts[0] if name == "query" and texts else texts for name, texts in call[1].items()}
    return json.dumps({"think": "查当时的版本。", "action": call[0], **given}, ensure_ascii=False)


def lean_answer(answer: Any = "B", **more: Any) -> str:
    return json.dumps({"think": "第二条正是。", **more, "answer": answer}, ensure_ascii=False)


def tag(name: str, text: str) -> str:
    return f"<{name}>\n{text}\n</{name}>"


def text_plan(steps: Sequence[str] = PLAN) -> str:
    told = "\n".join(f"{n}. {step}" for n, step in enumerate(steps, 1))
    return f"{tag('think', '先查条文。')}\n{tag('plan', told)}"


def text_call(call: tuple[str, dict[str, Any]]) -> str:
    body = json.dumps({"name": call[0], "arguments": call[1]}, ensure_ascii=False)
    return f"{tag('think', '查当时的版本。')}\n{tag('tool_call', body)}"


def text_answer(answer: str = "B") -> str:
    return f"{tag('think', '第二条正是。')}\n{tag('answer', answer)}"


def well_behaved(mode: str, kind: str = "kqa") -> list[str]:
    """Four rounds of a model that does as it is told: plan, two calls, answer."""
    given, scored = ANSWERS[kind]
    if mode == "lean":
        return [lean_plan(), lean_call(QUERY), lean_call(PAGES), lean_answer(given, action="answer")]
    return [text_plan(), text_call(QUERY), text_call(PAGES), text_answer(scored)]


def script(replies: Sequence[Said]) -> Callable[[Ask, int], Said]:
    """Replies by the step that asks; the last one for ever."""
    return lambda ask, number: replies[min(ask.step, len(replies)) - 1]


class Episode(Driven):
    """One episode in memory. `results`: what each tool says; `seats`: (policy, step) changes of the seat after a
    step."""

    def __init__(
        self,
        policy: str,
        play: Callable[[Ask, int], Said],
        *,
        card: dict[str, Any] | None = None,
        tools: tuple[str, ...] = TOOLS,
        brief: Briefing | None = None,
        turns: int | None = None,
        results: dict[str, tuple[str, str]] | None = None,
        records: Sequence[Record] = (),
        others: dict[str, Policy] | None = None,
        entropy: bool = False,
    ) -> None:
        self.results = results or {}
        makers: dict[str, Callable[[str], Policy]] = {
            SEARCH: lambda name: SearchPolicy(name, brief or Briefing(tools), entropy=entropy),
            "direct-law/1": lambda name: DirectLawPolicy(name, cot=False),
            "direct-law-cot/1": lambda name: DirectLawPolicy(name, cot=True),
        }
        program = ToolEpisode(
            lambda name: (others or {}).get(name) or makers[name.split("+")[0]](name), self._call, turns
        )
        super().__init__(program, policy, Actor(play), card or CARD, turns=turns, records=records)  # type: ignore[arg-type]

    def _call(self, state: State, tool: str, arguments: object) -> Steps:
        call = yield from emit(ToolCalled(seat="agent", tool=tool, input=plain(arguments)))
        status, observation = self.results.get(tool, ("ok", FOUND))
        yield from emit(ToolReturned(seat="agent", tool=tool, status=status, observation=observation), parent=call)

    @property
    def answer(self) -> str:
        (answered,) = self.events("answered")
        return str(answered.res)

    @property
    def text(self) -> str:
        return trajectory(self.records)


def trajectory(records: Sequence[Record], seat: str = "agent") -> str:
    """The tagged text of an episode."""
    return "".join(piece.text for piece in trajectory_tokens(records, seat))
