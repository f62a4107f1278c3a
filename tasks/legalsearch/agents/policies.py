"""The agents of LegalSearch that are models: one that searches, and one that answers directly.

Search (paper §3.1): think and plan, think and call a tool, think and answer; one model call a move. The first round
plans and calls nothing; the answer ends the task; after the last turn one more call asks for it, except in the
published loop, which just ends.

Direct answers without tools, with and without a chain of thought: what a model knows by heart (paper, table 2). lean:
our prompt, the reply under a schema. free: our prompt, tagged text. paper: the prompts of the task file, tagged text;
a task without them gets ours.
"""

from __future__ import annotations

from models.engine import SamplingSettings
from tasks.agents.budgets import ContextBudget
from tasks.agents.conversation import CallSpec, Conversation
from tasks.agents.modes import Mode, split
from tasks.agents.native import STOP
from tasks.agents.prompts import fill
from tasks.episode.seats import Answer, Move, View
from tasks.legalsearch.agents import paper, schemas, talking
from tasks.legalsearch.agents.acting import lean_reader
from tasks.legalsearch.agents.briefing import Briefing, form_of, phrase
from tasks.legalsearch.agents.talking import MOST_TOKENS
from tasks.legalsearch.questions import options


class SearchPolicy:
    """Plans, searches, answers.

    Args:
        name: "search/1", "search/1+native", "search/1+free" or "search/1+paper".
        brief: what its system prompt tells; a briefing without tools: plan and answer only.
        temperature: of the sampling; 1 for rollouts.
        entropy: record the entropy of every token where the engine sees all logits.
    """

    def __init__(
        self, name: str, brief: Briefing | None = None, temperature: float = 0.0, entropy: bool = False
    ) -> None:
        self.name = name
        self._mode: Mode = split(name)[1]
        self._brief = brief or Briefing()
        stop = STOP if self._mode in ("free", "native") else ()
        most = MOST_TOKENS if self._mode == "paper" else talking.ROUND
        self._settings = SamplingSettings(
            temperature, max_tokens=most, reasoning=MOST_TOKENS - most, stop=stop, entropy=entropy
        )

    def move(self, view: View) -> Move:
        """One round."""
        if self._mode == "paper":
            return (yield from paper.step(view, self._brief, self._settings))
        return (yield from talking.step(view, self.name, self._mode, self._brief, self._settings))


PROMPT = "direct-law/1"


class DirectLawPolicy:
    """Answers at once. `cot`: thinks in writing before."""

    def __init__(self, name: str, cot: bool, temperature: float = 0.0, entropy: bool = False) -> None:
        self.name = name
        self._cot = cot
        self._mode: Mode = split(name)[1]
        most = MOST_TOKENS if cot or self._mode == "paper" else talking.ROUND
        self._settings = SamplingSettings(temperature, max_tokens=most, reasoning=MOST_TOKENS - most, entropy=entropy)

    def move(self, view: View) -> Move:
        """The answer."""
        card, kind = view.card, "direct-cot" if self._cot else "direct"
        system = str(card.get("system_prompt_cot" if self._cot else "system_prompt") or "").strip()
        if self._mode != "paper" or not system:
            system = fill(PROMPT, form=phrase("lean" if self._mode == "lean" else "free", kind))
        talk = Conversation(system, ContextBudget.at(view).characters())
        field = "task_prompt" if self._mode == "paper" else "deepresearch_task_prompt"
        talk.hear(f"{talking.wanted(card, self._mode, field)}\n{card['question']}")
        read = yield from talking.put(view, talk, self._call(view), self._mode)
        return Answer((yield from talking.concluded(view, talk, read)))

    def _call(self, view: View) -> CallSpec:
        if self._mode != "lean":
            return CallSpec(PROMPT, talking.read_last, self._settings)
        form = form_of(view.card)
        letters = options(str(view.card["question"])) if form == "letters" else ()
        schema = schemas.last_schema(schemas.answer_schema(form, letters), think=schemas.LONGEST["cot"] * self._cot)
        return CallSpec(PROMPT, lean_reader(schema, form), self._settings, schema, 2)
