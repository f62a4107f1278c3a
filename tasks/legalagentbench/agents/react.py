"""ReAct (paper §5): think, act, read the observation, until the answer, at most T = 10 times.

Lean and free: one call a step gives thought and action; native: the action is a call in the model's own form.
Compact: question, actions and observations are all there is; no tool is described, none is chosen beforehand, the
last action is the answer: for models that were trained on such conversations, and the schema still holds them. Paper:
two calls a step on the same text, first the thought, then the action; nothing stops a model that writes the action
into its thought, as the published logs show it did.
"""

from __future__ import annotations

from tasks.agents.modes import TURNS, split
from tasks.agents.prompts import fill
from tasks.episode.actions import Move, emit
from tasks.episode.events import Thought
from tasks.episode.seats import View
from tasks.legalagentbench.agents import cards, history, reading, scratchpad, stepwise
from tasks.legalagentbench.agents.acting import Final, act, action_call
from tasks.legalagentbench.agents.answering import Outcome, answered, paper_answer
from tasks.legalagentbench.agents.choosing import tools_of_task
from tasks.legalagentbench.tools import TOOLS, ToolSpec

LEAN, NATIVE, COMPACT = "react/1", "react-native/1", "react-compact/1"
THOUGHT, ACTION = "react-thought/1", "react-action/1"


class ReactPolicy:
    """Thinks, acts, reads the observation, until it answers."""

    def __init__(self, name: str, added: tuple[ToolSpec, ...] = ()) -> None:
        self.name = name
        self._added = added
        _, self._mode = split(name)

    def move(self, view: View) -> Move:
        """One step."""
        if self._mode == "paper":
            return (yield from self._paper(view))
        if self._mode == "compact":
            return (yield from self._compact(view))
        prompt = NATIVE if self._mode == "native" else LEAN
        return (yield from stepwise.step(view, self.name, prompt, self._mode, self._added))

    def _compact(self, view: View) -> Move:
        over = view.step > (view.max_turns or TURNS)
        tools = () if over else (*TOOLS.values(), *self._added)
        call = action_call(COMPACT, "lean", tools)
        read = yield from stepwise.conversation(view, self.name, fill(COMPACT), call).put(view, call)
        action = yield from act(view.seat, read)
        if isinstance(action, Final):
            return answered(action.text, outcome="turn_limit" if over else "finished")
        return answered("", outcome="turn_limit") if over else action

    def _paper(self, view: View) -> Move:
        tools = yield from tools_of_task(view, "paper", self._added)
        turns = history.turns(view)
        done = scratchpad.react_lines(turns, self.name, THOUGHT, ACTION)
        number = str(len(turns) + 1)
        if view.step > (view.max_turns or TURNS):
            return (yield from self._answer(view, done, "turn_limit"))
        question = str(view.card["question"])
        text = cards.paper_card("react-thought", THOUGHT, tools, question=question, scratchpad=done, number=number)
        thought = yield from scratchpad.put(view, THOUGHT, text)
        if words := reading.thought_before(thought):
            yield from emit(Thought(seat=view.seat, text=words))
        said = scratchpad.flat(thought)
        reply = yield from scratchpad.put(view, ACTION, fill(ACTION, before=text, thought=said, number=number))
        read = reading.action_strictly(reply)
        action = yield from act(view.seat, read)
        if isinstance(action, Final):
            last = f"思考 {number}: {said}\n行动 {number}: {scratchpad.flat(reply)}\n"
            return (yield from self._answer(view, done + last))
        return action

    def _answer(self, view: View, done: str, outcome: Outcome = "finished") -> Move:
        return (yield from paper_answer(view, done, outcome))
