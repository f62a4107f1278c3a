"""Direct answers without tools, with and without a chain of thought: what a model knows by heart (paper, table 2).

lean: our prompt, the reply under a schema. free: our prompt, tagged text. paper: the prompts of the task file, tagged
text; a task without them gets ours.
"""

from __future__ import annotations

from collections.abc import Mapping

from models.engine import Settings
from tasks.agents.budgets import Budget
from tasks.agents.conversation import Call, Conversation
from tasks.agents.modes import Mode, split
from tasks.agents.prompts import fill
from tasks.episode.actions import Answer, Move
from tasks.episode.seats import View
from tasks.legalsearch.agents import schemas, talking
from tasks.legalsearch.agents.acting import lean_reader
from tasks.legalsearch.agents.phrases import form_of, phrase
from tasks.legalsearch.questions import Gold, options

PROMPT = "direct-law/1"


class DirectLawPolicy:
    """Answers at once. `cot`: thinks in writing before."""

    def __init__(self, name: str, cot: bool, temperature: float = 0.0, entropy: bool = False) -> None:
        self.name = name
        self._cot = cot
        self._mode: Mode = split(name)[1]
        self._settings = Settings(temperature=temperature, max_tokens=talking.MOST_TOKENS, entropy=entropy)

    def move(self, view: View) -> Move:
        """The answer."""
        card, kind = view.card, "direct-cot" if self._cot else "direct"
        system = str(card.get("system_prompt_cot" if self._cot else "system_prompt") or "").strip()
        if self._mode != "paper" or not system:
            system = fill(PROMPT, form=phrase("lean" if self._mode == "lean" else "free", kind))
        talk = Conversation(system, Budget.at(view).characters())
        field = "task_prompt" if self._mode == "paper" else "deepresearch_task_prompt"
        talk.hear(f"{talking.wanted(card, self._mode, field)}\n{card['question']}")
        read = yield from talking.put(view, talk, self._call(view), self._mode)
        return Answer((yield from talking.concluded(view, talk, read)))

    def _call(self, view: View) -> Call:
        if self._mode != "lean":
            return Call(PROMPT, talking.read_last, self._settings)
        form = form_of(view.card)
        letters = options(str(view.card["question"])) if form == "letters" else ()
        schema = schemas.last_schema(schemas.answer_schema(form, letters), think=self._cot)
        return Call(PROMPT, lean_reader(schema, form), self._settings, schema, 2)


class GoldLawPolicy:
    """Answers with the gold answer at once; it walks no path, as the published tasks have none."""

    name = "law-gold/1"

    def __init__(self, granted: Mapping[str, Gold]) -> None:
        self._granted = granted

    def move(self, view: View) -> Move:
        """The answer."""
        yield from ()
        return Answer(self._granted[str(view.card["id"])].answer)
