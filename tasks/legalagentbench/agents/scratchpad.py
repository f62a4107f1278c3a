"""The scratchpad of the published call structure: one text that every call is given again, with line breaks
removed."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from models.engine import Ask, Message
from tasks.agents.phrases import observed, phrase
from tasks.episode.actions import Move, Sent, Yield, ask
from tasks.episode.seats import View
from tasks.legalagentbench.agents import cards, history, reading
from tasks.legalagentbench.agents.acting import PAPER, Final, act
from tasks.legalagentbench.agents.answering import paper_answer
from tasks.legalagentbench.agents.examples import action_object
from tasks.legalagentbench.tools import ToolSpec

ACTION = "plan-action-paper/1"
Done = Sequence[tuple[str, history.Turn]]
"""The steps carried out, in words, with what came of each."""


def put(view: View, prompt: str, text: str) -> Generator[Yield, Sent, str]:
    """A call of the published structure: one user message, free text, no stop string. Returns the reply."""
    reply = yield from ask(Ask(view.seat, (Message("user", text),), prompt, settings=PAPER))
    return reply.text


def flat(text: str) -> str:
    """A reply as it enters the scratchpad."""
    return text.replace("\r", "").replace("\n", "").strip()


def result_of(turn: history.Turn) -> str:
    """What came of a turn's action, in the words of the scratchpad."""
    if turn.tool is not None:
        return observed(turn.observation, turn.status)
    return phrase("turn", "illegal")


def react_lines(turns: Sequence[history.Turn], name: str, thought: str, action: str) -> str:
    """思考, 行动 and 观察 of each turn, numbered; turns of others are written as if they had been made so."""
    lines = []
    for number, turn in enumerate(turns, 1):
        own = turn.policy == name
        thoughts, actions = (turn.replies(thought), turn.replies(action)) if own else ([turn.thought], [])
        if not actions:
            actions = [f"```json{action_object(turn.tool, turn.input)}```"] if turn.tool else [""]
        lines.append(
            f"思考 {number}: {flat(thoughts[0]) if thoughts else ''}\n行动 {number}: {flat(actions[0])}\n"
            f"观察 {number}: {result_of(turn)}\n"
        )
    return "".join(lines)


def plan_lines(done: Done) -> str:
    """What each step meant to do and what came of it; the call itself is not kept, as published."""
    return "".join(f"第{number}步：{step} 结果：{result_of(turn)}\n" for number, (step, turn) in enumerate(done, 1))


def own_words(turn: history.Turn) -> str:
    """The step of a turn that followed no plan."""
    return f"调用{turn.tool}，参数{action_object(turn.tool, turn.input)}" if turn.tool else "未执行"


def step(view: View, tools: tuple[ToolSpec, ...], words: str, done: Done) -> Move:
    """The action call for one step of a plan: it sees the step and what was done, not the question.

    A final action is followed by the two calls for the answer.
    """
    before = plan_lines(done)
    text = cards.paper_card("plan-action", ACTION, tools, step=words, scratchpad=before)
    reply = yield from put(view, ACTION, text)
    action = yield from act(view.seat, reading.action_strictly(reply))
    if isinstance(action, Final):
        last = f"第{len(done) + 1}步：{words} 结果：{flat(action.text)}\n"
        return (yield from paper_answer(view, before + last))
    return action
