"""The methods of LegalAgentBench (paper §5): ReAct, Plan-and-Solve, Plan-and-Execute, and a direct answer to compare
with.

ReAct thinks, acts, reads the observation, until the answer, at most T = 10 times. Lean and free: one call a step
gives thought and action; native: the action is a call in the model's own form. Compact: question, actions and
observations are all there is; no tool is described, none is chosen beforehand, the last action is the answer: for
models that were trained on such conversations, and the schema still holds them. Paper: two calls a step on the same
text, first the thought, then the action; nothing stops a model that writes the action into its thought, as the
published logs show it did.

Plan-and-Solve makes one complete plan, then one action a step, until Final Answer or the end of the plan. Lean and
free: the plan is the first turn of the conversation, every step one more call. Paper: the plan is cut at its 第n步：
marks, each action call gets the text of one step and a scratchpad of steps and observations, without the question and
without the earlier calls. The published loop had no limit of its own; a plan of more than `LONGEST_PLAN` steps is
cut.

Plan-and-Execute plans, acts once and plans again. In its lean loop one call a step writes the steps that are left and
acts on the first of them; no step can be skipped by counting.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence, Set

from models.engine import Ask, Message, ToolInfo
from tasks.agents.budgets import ContextBudget
from tasks.agents.conversation import CallSpec, Conversation
from tasks.agents.history import Step, steps_of
from tasks.agents.modes import TURNS, beside, method, split
from tasks.agents.prompts import COMPACT as COMPACT_WORDS
from tasks.agents.prompts import PHRASES, fill, phrase
from tasks.episode.events import ActionParsed, Planned, Thought, ToolReturned
from tasks.episode.seats import Answer, CallTool, Move, Sent, View, Yield, ask, emit
from tasks.episode.with_tools import shortened
from tasks.legalagentbench.agents import cards, reading
from tasks.legalagentbench.agents.acting import (
    PAPER,
    Final,
    Outcome,
    act,
    action_call,
    answer_call,
    answered,
    conclude,
    concluded,
    paper_answer,
    plan_call,
    planned,
    tools_of_task,
)
from tasks.legalagentbench.agents.cards import action_object, numbered
from tasks.legalagentbench.questions import LabGold
from tasks.legalagentbench.schemas import THOUGHT, steps_schema
from tasks.legalagentbench.tools import TOOLS, ToolSpec, takes

PAPER_ACTION = "plan-action-paper/1"
Done = Sequence[tuple[str, Step]]
"""The steps carried out, in words, with what came of each."""


def _steps(view: View) -> list[Step]:
    """The completed steps in order. Steps in which nothing was done or refused are left out."""
    made = steps_of(view.history, view.seat)
    return [step for step in made if step.tool is not None or step.rejected is not None]


def step_text(step: Step, words: str = PHRASES) -> str:
    """What a model reads after a step, in a table of words; '' when there was neither a tool nor a refusal."""
    if step.tool is not None:
        hint = phrase("hint", step.status, words=words, **takes(step.tool, step.input))
        return phrase("turn", "observation", words=words, observation=shortened(step.observation) + hint)
    return phrase("turn", "rejected", words=words, note=step.rejected) if step.rejected is not None else ""


def paper_call(view: View, prompt: str, text: str) -> Generator[Yield, Sent, str]:
    """A call of the published structure: one user message, free text, no stop string. Returns the reply."""
    reply = yield from ask(Ask(view.seat, (Message("user", text),), prompt, settings=PAPER))
    return reply.text


def _flat(text: str) -> str:
    return text.replace("\r", "").replace("\n", "").strip()


def _result_of(turn: Step) -> str:
    """What came of a turn's action, in the words of the scratchpad."""
    if turn.tool is not None:
        return shortened(turn.observation) + phrase("paper", turn.status)
    return phrase("turn", "illegal")


def _react_lines(turns: Sequence[Step], name: str) -> str:
    """思考, 行动 and 观察 of each turn, numbered; turns of others are written as if they had been made so."""
    lines = []
    for number, turn in enumerate(turns, 1):
        own = turn.policy == name
        thoughts, actions = (
            (turn.replies(REACT_THOUGHT), turn.replies(REACT_ACTION)) if own else (turn.thoughts[-1:], [])
        )
        if not actions:
            actions = [f"```json{action_object(turn.tool, turn.input)}```"] if turn.tool else [""]
        lines.append(
            f"思考 {number}: {_flat(thoughts[0]) if thoughts else ''}\n行动 {number}: {_flat(actions[0])}\n"
            f"观察 {number}: {_result_of(turn)}\n"
        )
    return "".join(lines)


def _plan_lines(done: Done) -> str:
    """What each step meant to do and what came of it; the call itself is not kept, as published."""
    return "".join(f"第{number}步：{step} 结果：{_result_of(turn)}\n" for number, (step, turn) in enumerate(done, 1))


def _own_words(turn: Step) -> str:
    """The step of a turn that followed no plan."""
    return f"调用{turn.tool}，参数{action_object(turn.tool, turn.input)}" if turn.tool else "未执行"


def _paper_step(view: View, tools: tuple[ToolSpec, ...], words: str, done: Done) -> Move:
    """The action call for one step of a plan: it sees the step and what was done, not the question.

    A final action is followed by the two calls for the answer.
    """
    before = _plan_lines(done)
    text = cards.paper_card("plan-action", PAPER_ACTION, tools, step=words, scratchpad=before)
    reply = yield from paper_call(view, PAPER_ACTION, text)
    action = yield from act(view.seat, reading.action_strictly(reply))
    if isinstance(action, Final):
        last = f"第{len(done) + 1}步：{words} 结果：{_flat(action.text)}\n"
        return (yield from paper_answer(view, before + last))
    return action


BEFORE: dict[str, dict[str, object]] = {"react": {"thought": THOUGHT}, "plan-execute": {"plan": steps_schema()}}
"""Method -> the schemas of what stands before its action."""


class _Method:
    """What methods have in common. added: tools beside the 37; documents: ids of the tasks that ask for a document,
    which the card of a task does not say."""

    def __init__(self, name: str, added: tuple[ToolSpec, ...] = (), documents: Set[str] = frozenset()) -> None:
        self.name = name
        self._added = added
        self._documents = documents
        _, self._mode = split(name)

    def _conclude(self, view: View, talk: Conversation, final: str = "", outcome: Outcome = "finished") -> Move:
        long = str(view.card["id"]) in self._documents
        return (yield from conclude(view, talk, beside(self._mode), long, final=final, outcome=outcome))

    def _lean_step(self, view: View, prompt: str) -> Move:
        """One step: one call, one action; after the last turn, or at Final Answer, the call for the answer."""
        mode, kind = self._mode, method(self.name)
        tools = yield from tools_of_task(view, beside(mode), self._added)
        call = action_call(prompt, mode, tools, BEFORE[kind])
        told = cards.definitions(tools) if mode == "native" else ()
        card = fill(prompt) if mode == "native" else cards.lean_card(kind, prompt, mode, tools)
        talk = _conversation(view, self.name, card, call, told)
        if view.step > (view.max_turns or TURNS):
            return (yield from self._conclude(view, talk, outcome="turn_limit"))
        read = yield from talk.put(view, call)
        action = yield from act(view.seat, read, BEFORE[kind])
        if isinstance(action, Final):
            return (yield from self._conclude(view, talk, final=action.text))
        return action


def _conversation(view: View, name: str, card: str, call: CallSpec, told: tuple[ToolInfo, ...] = ()) -> Conversation:
    """The conversation up to this step, from the record; `told` are tools that the model calls in its own form."""
    words = COMPACT_WORDS if split(name)[1] == "compact" else PHRASES
    talk = Conversation(card, ContextBudget.at(view).characters(), told, words)
    talk.hear(phrase("turn", "question", words=words, question=str(view.card["question"])))
    for turn in _steps(view):
        if turn.policy == name:
            talk.say(turn.replies(call.prompt), call)
            talk.hear(step_text(turn, words))
        elif words == COMPACT_WORDS and turn.tool is not None:  # it knows no words about what others did
            talk.say([action_object(turn.tool, turn.input)], call)
            talk.hear(step_text(turn, words))
        else:
            _hear_others(talk, turn)
    return talk


def _hear_others(talk: Conversation, turn: Step) -> None:
    """What somebody else did in this seat before the model took it, or between two of its turns."""
    if turn.tool is not None:
        talk.hear(phrase("turn", "done", action=action_object(turn.tool, turn.input)))
        talk.hear(step_text(turn))


REACT, NATIVE, COMPACT = "react/1", "react-native/1", "react-compact/1"
REACT_THOUGHT, REACT_ACTION = "react-thought/1", "react-action/1"


class ReactPolicy(_Method):
    """Thinks, acts, reads the observation, until it answers."""

    def move(self, view: View) -> Move:
        """One step."""
        if self._mode == "paper":
            return (yield from self._paper(view))
        if self._mode == "compact":
            return (yield from self._compact(view))
        prompt = NATIVE if self._mode == "native" else REACT
        return (yield from self._lean_step(view, prompt))

    def _compact(self, view: View) -> Move:
        over = view.step > (view.max_turns or TURNS)
        tools = () if over else (*TOOLS.values(), *self._added)
        call = action_call(COMPACT, "lean", tools)
        read = yield from _conversation(view, self.name, fill(COMPACT), call).put(view, call)
        action = yield from act(view.seat, read)
        if isinstance(action, Final):
            return answered(action.text, outcome="turn_limit" if over else "finished")
        return answered("", outcome="turn_limit") if over else action

    def _paper(self, view: View) -> Move:
        tools = yield from tools_of_task(view, "paper", self._added)
        turns = _steps(view)
        done = _react_lines(turns, self.name)
        number = str(len(turns) + 1)
        if view.step > (view.max_turns or TURNS):
            return (yield from self._answer(view, done, "turn_limit"))
        question = str(view.card["question"])
        text = cards.paper_card(
            "react-thought", REACT_THOUGHT, tools, question=question, scratchpad=done, number=number
        )
        thought = yield from paper_call(view, REACT_THOUGHT, text)
        if words := reading.thought_before(thought):
            yield from emit(Thought(seat=view.seat, text=words))
        said = _flat(thought)
        reply = yield from paper_call(
            view, REACT_ACTION, fill(REACT_ACTION, before=text, thought=said, number=number)
        )
        read = reading.action_strictly(reply)
        action = yield from act(view.seat, read)
        if isinstance(action, Final):
            last = f"思考 {number}: {said}\n行动 {number}: {_flat(reply)}\n"
            return (yield from self._answer(view, done + last))
        return action

    def _answer(self, view: View, done: str, outcome: Outcome = "finished") -> Move:
        return (yield from paper_answer(view, done, outcome))


PLAN, ACTION = "plan-solve/1", "plan-action/1"
PAPER_PLAN = "plan-solve-paper/1"
LONGEST_PLAN = 20
"""Steps of a paper plan that are carried out; published plans had up to eleven."""


class PlanSolvePolicy(_Method):
    """Plans once, then carries the plan out step by step."""

    def move(self, view: View) -> Move:
        """One step; the first one plans as well."""
        tools = yield from tools_of_task(view, self._mode, self._added)
        return (yield from (self._paper(view, tools) if self._mode == "paper" else self._talking(view, tools)))

    def _talking(self, view: View, tools: tuple[ToolSpec, ...]) -> Move:
        asks_plan = plan_call(PLAN, self._mode)
        asks_action = action_call(ACTION, self._mode, tools)
        talk = Conversation(
            cards.lean_card("plan-solve", PLAN, self._mode, tools), ContextBudget.at(view).characters()
        )
        talk.hear(phrase("turn", "question", question=str(view.card["question"])))
        plan: Sequence[str] = ()
        done = 0
        for turn in _steps(view):
            if turn.policy != self.name:
                _hear_others(talk, turn)
                continue
            if turn.plan:
                talk.hear(phrase("turn", "plan"))
                talk.say(turn.replies(PLAN), asks_plan)
                plan, done = turn.plan, 0
            talk.hear(_next_step(plan, done))
            talk.say(turn.replies(ACTION), asks_action)
            talk.hear(step_text(turn))
            done += 1
        if plan and done >= len(plan):
            return (yield from self._conclude(view, talk))
        if view.step > (view.max_turns or TURNS):
            return (yield from self._conclude(view, talk, outcome="turn_limit"))
        if not plan:
            talk.hear(phrase("turn", "plan"))
            read = yield from talk.put(view, asks_plan)
            if read.result != "ok":
                yield from emit(ActionParsed(seat=view.seat, result=read.result, note=f"计划：{read.note}"))
            if read.value is None:
                return (yield from self._conclude(view, talk))
            plan = read.value["plan"]
            yield from emit(planned(view.seat, plan))
        talk.hear(_next_step(plan, done))
        action = yield from act(view.seat, (yield from talk.put(view, asks_action)))
        if isinstance(action, Final):
            return (yield from self._conclude(view, talk, final=action.text))
        return action

    def _paper(self, view: View, tools: tuple[ToolSpec, ...]) -> Move:
        question = str(view.card["question"])
        plan: Sequence[str] = ()
        done: list[tuple[str, Step]] = []
        position = 0
        for turn in _steps(view):
            own = turn.policy == self.name
            if own and turn.plan:
                plan, position = turn.plan, 0
            done.append((plan[position] if own else _own_words(turn), turn))
            position += own
        if plan and position >= len(plan):
            return (yield from paper_answer(view, _plan_lines(done)))
        if view.step > (view.max_turns or LONGEST_PLAN):
            return (yield from paper_answer(view, _plan_lines(done), "turn_limit"))
        if not plan:
            text = cards.paper_card("plan-solve", PAPER_PLAN, tools, question=question)
            plan = reading.steps_of((yield from paper_call(view, PAPER_PLAN, text)))[:LONGEST_PLAN]
            if not plan:
                yield from emit(ActionParsed(seat=view.seat, result="rejected", note="计划里没有“第n步：”"))
                return (yield from paper_answer(view, _plan_lines(done)))
            yield from emit(planned(view.seat, plan))
        return (yield from _paper_step(view, tools, plan[position], done))


def _next_step(plan: Sequence[str], position: int) -> str:
    step = plan[position] if position < len(plan) else ""
    return fill(ACTION, number=str(position + 1), step=step)


PLAN_EXECUTE = "plan-execute/1"
PAPER_FIRST, REPLAN = "plan-execute-paper/1", "replan/1"


class PlanExecutePolicy(_Method):
    """Plans, carries out one step, plans again."""

    def move(self, view: View) -> Move:
        """One step."""
        if self._mode != "paper":
            return (yield from self._lean_step(view, PLAN_EXECUTE))
        tools = yield from tools_of_task(view, "paper", self._added)
        return (yield from self._paper(view, tools))

    def _paper(self, view: View, tools: tuple[ToolSpec, ...]) -> Move:
        plan: Sequence[str] = ()
        done: list[tuple[str, Step]] = []
        position = 0
        for turn in _steps(view):
            own = turn.policy == self.name
            plan = turn.plan if own and turn.plan else plan
            done.append((plan[position] if own else _own_words(turn), turn))
            position += own
        lines = _plan_lines(done)
        if view.step > (view.max_turns or TURNS):
            return (yield from paper_answer(view, lines, "turn_limit"))
        question = str(view.card["question"])
        if position == 0:
            prompt, text = PAPER_FIRST, cards.paper_card("plan-execute", PAPER_FIRST, tools, question=question)
        else:
            prompt = REPLAN
            text = cards.paper_card("replan", REPLAN, tools, question=question, plan=numbered(plan), scratchpad=lines)
        steps = reading.steps_of((yield from paper_call(view, prompt, text)))
        if steps:
            plan = steps
            yield from emit(planned(view.seat, steps))
        else:
            yield from emit(ActionParsed(seat=view.seat, result="rejected", note="计划里没有“第n步：”"))
        if position >= len(plan):
            return (yield from paper_answer(view, lines))
        return (yield from _paper_step(view, tools, plan[position], done))


DIRECT = "direct/1"


class DirectPolicy:
    """Answers at once."""

    def __init__(self, name: str, documents: Set[str] = frozenset()) -> None:
        self.name = name
        self._documents = documents
        _, self._mode = split(name)

    def move(self, view: View) -> Move:
        """The answer."""
        talk = Conversation(fill(DIRECT, form=phrase(self._mode, "direct")), ContextBudget.at(view).characters())
        talk.hear(phrase("turn", "question", question=str(view.card["question"])))
        call = answer_call(DIRECT, self._mode, str(view.card["id"]) in self._documents)
        return (yield from concluded(view, talk, call, "", "finished"))


class GoldPathPolicy:
    """Walks the recorded calls of the task, then gives the reference answer with all observations as its summary."""

    name = "gold/1"

    def __init__(self, granted: Mapping[str, LabGold]) -> None:
        self._granted = granted

    def move(self, view: View) -> Move:
        """The next call of the path, or the answer."""
        gold = self._granted[str(view.card["id"])]
        observations = [r.event.observation for r in view.history if isinstance(r.event, ToolReturned)]
        if not observations and gold.path:
            tools = tuple(tool for tool, _ in gold.calls) or gold.path
            yield from emit(Planned(seat=view.seat, steps=tools, tools=tools))
        done = len(observations)
        if done < len(gold.calls):
            tool, arguments = gold.calls[done]
            text = f"参照路径第{done + 1}步，共{len(gold.calls)}步。"
            yield from emit(Thought(seat=view.seat, text=text))
            return CallTool(tool, arguments)
        return Answer(gold.answer, "\n".join([gold.answer, *observations]))
