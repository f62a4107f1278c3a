"""An engine that says what a test tells it to, when the test tells it: for everything that streams, waits or is
stopped.

A test feeds beats: a `Delta` is passed on, a text or a `Reply` ends the calls in flight. The SPEC is `slow:ANYTHING`,
the agent that sits before it is `talk`: one call a step, whose reply is an answer or, after a slash, a tool call.
"""

from __future__ import annotations

import json
import queue
import threading
from collections.abc import Sequence
from typing import Any

from models.engine import Ask, Delta, EngineError, Listener, Message, Phase, Reply, SamplingSettings, Usage
from models.llama.template import CHATML
from models.specs import Opening
from tasks import registry
from tasks.episode.events import ModelCalled, Thought, ToolReturned
from tasks.episode.seats import Answer, CallTool, Move, View, ask, emit
from tasks.episode.with_tools import ToolEpisode
from tasks.legalagentbench.benchmark import LegalAgentBench
from tasks.run.spec import RunSpec

SPEC = "slow:model"
SYSTEM = "你在受测席位上。用一句话作答，或以 /工具名 开头调用工具。"
TEMPLATE = {"name": "chatml", "text": CHATML, "specials": ["<|im_start|>", "<|im_end|>"]}


class SlowEngine:
    """Answers when told. `calls` holds what it was asked, `waits` is set while a call is in flight."""

    def __init__(self, description: dict[str, Any] | None = None) -> None:
        self.beats: queue.SimpleQueue[Delta | Reply | str | EngineError] = queue.SimpleQueue()
        self.calls: list[tuple[Ask, ...]] = []
        self.waits = threading.Event()
        self.cancels = 0
        self.closed = False
        self.description = description or {"kind": "llama", "file": "slow.gguf", "template": TEMPLATE}
        self._cancelled = threading.Event()

    def describe(self) -> dict[str, Any]:
        return self.description

    def tell(self, phase: Phase, text: str = "", done: int = 0, total: int = 0, *, episode: str = "k-1") -> None:
        """One more piece of news of a call in flight."""
        self.beats.put(Delta(episode, "agent", phase, text, done, total))

    def end(self, reply: Reply | str | EngineError) -> None:
        """The calls in flight end with this."""
        self.beats.put(reply)

    def answer(self, asks: Sequence[Ask], listen: Listener | None = None) -> list[Reply | EngineError]:
        self._cancelled.clear()
        self.calls.append(tuple(asks))
        self.waits.set()
        try:
            while not self._cancelled.is_set():
                try:
                    beat = self.beats.get(timeout=0.01)
                except queue.Empty:
                    continue
                if isinstance(beat, Delta):
                    if listen is not None:
                        listen(beat)
                elif isinstance(beat, str):
                    return [Reply(beat, Usage(evaluated=7, generated=len(beat), milliseconds=1.0))] * len(asks)
                else:
                    return [beat] * len(asks)
            return [Reply("", finish="cancelled")] * len(asks)
        finally:
            self.waits.clear()

    def cancel(self) -> None:
        self.cancels += 1
        self._cancelled.set()

    def close(self) -> None:
        self.closed = True
        self._cancelled.set()


class TalkPolicy:
    """One call a step: what comes before the last slash is its thought, what comes after calls a tool; else it is the
    answer."""

    name = "talk/1"

    def move(self, view: View) -> Move:
        messages = [Message("system", SYSTEM), Message("user", str(view.card["question"]))]
        for record in view.history:
            match record.event:
                case ModelCalled(human=False):
                    messages.append(Message("assistant", record.event.text))
                case ToolReturned():
                    messages.append(Message("user", record.event.observation))
        settings = SamplingSettings(max_tokens=256, stop=("观察：",))
        reply = yield from ask(
            Ask(view.seat, tuple(messages), prompt=self.name, settings=settings, schema=view.card.get("schema"))
        )
        if "/" not in reply.text:
            return Answer(reply.text)
        thought, _, call = reply.text.rpartition("/")
        if thought.strip():
            yield from emit(Thought(seat=view.seat, text=thought.strip()))
        tool, _, rest = call.partition(" ")
        return CallTool(tool, json.loads(rest or "{}"))


_engine: SlowEngine | None = None


def install(monkeypatch: Any, engine: SlowEngine) -> SlowEngine:
    """Let `slow:` be this engine, and `talk` an agent, for one test."""
    global _engine
    _engine = engine
    begin, prompts = ToolEpisode.__init__, LegalAgentBench.prompts

    def begun(self: Any, policy_named: Any, *rest: Any, **named: Any) -> None:
        begin(self, lambda name: TalkPolicy() if name == TalkPolicy.name else policy_named(name), *rest, **named)

    def known(self: Any, agent: str, *rest: Any) -> dict[str, str]:
        return {TalkPolicy.name: "0" * 64} if agent == "talk" else prompts(self, agent, *rest)

    monkeypatch.setattr(ToolEpisode, "__init__", begun)
    monkeypatch.setattr(LegalAgentBench, "prompts", known)
    monkeypatch.setattr(LegalAgentBench, "agents", {**LegalAgentBench.agents, "talk": (TalkPolicy.name, True)})
    monkeypatch.setitem(registry.ADDED, ("engines", "slow"), lambda opening: open_slow(opening))
    return engine


def open_slow(opening: Opening) -> SlowEngine:
    """The engine of `slow:ANYTHING`."""
    assert _engine is not None
    return _engine


def talk(pack: Any, limit: int = 1, **more: Any) -> RunSpec:
    """A run of the `talk` agent before this engine: its own first tasks, or those of a file."""
    ids = () if "tasks" in more else tuple(f"k-{number}" for number in range(1, limit + 1))
    return RunSpec(benchmark="legalagentbench", agent="talk", model=SPEC, pack=str(pack), task_ids=ids, **more)
