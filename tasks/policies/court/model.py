"""A model in a seat of a court: its card, the record since it last spoke, and what is asked of it now."""

from __future__ import annotations

from models.engine import Ask, Message, Settings
from tasks.actions import Move, Say, ask
from tasks.courts.routing import by_words
from tasks.courts.views import CourtView

PROMPTS: tuple[str, ...] = ()


class ModelSeat:
    """Plays any role that its view describes."""

    def __init__(self, name: str, *, temperature: float = 0.0, entropy: bool = False) -> None:
        self.name = name
        self._settings = Settings(temperature=temperature, entropy=entropy, max_tokens=1024)

    def move(self, view: CourtView) -> Move:
        """One utterance."""
        heard = "\n".join(turn.text for turn in view.record[-4:]) or "请发言。"
        reply = yield from ask(Ask(view.seat, (Message("user", heard),), self.name, settings=self._settings))
        found = by_words(reply.text, view.env)
        return Say(reply.text, found, routed="words" if found else "")
