"""What fits into the prompt of a seat: the room of the engine behind it, less what is kept free for its reply.

Units: tokens of the engine; characters where a text is measured, turned into tokens by the engine's own density
(tokens a character of court Chinese), so that the same seat always gets the same prompt.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from models.engine import ContextLimits
from models.sampling import CONTEXT, DENSITY, believed, context_of, limits_of, named_context
from tasks.episode.events import Seated
from tasks.episode.seats import View

PUBLISHED_REPLY = 4096
"""Tokens of a reply in the published runs of all three systems."""
SHARE = 4
"""One part in so many of the context is kept for a reply where the SPEC says nothing, up to the published limit."""
MARGIN = 20
"""One part in so many of the context is left for the frames of a template and for what a density leaves out."""
LONGEST_SPOKEN = 100_000
"""Characters that a form can leave room for."""
LONGEST_TOKEN = 8
"""Characters of a token, from which on no prose of any language gets: a form never ends a reply before its tokens
do."""
LEAST_REPLY = 256
"""Tokens with which a seat can say something at all."""


@dataclass(frozen=True, slots=True)
class ContextBudget:
    """The room of one seat. context: tokens; density: tokens a character; reply, thought: tokens kept for a reply and
    for reasoning beside it."""

    context: int = CONTEXT
    density: float = DENSITY
    reply: int = CONTEXT // SHARE
    thought: int = 0

    @classmethod
    def of(cls, sits: Seated | None) -> ContextBudget:
        """The budget of whoever sits there, from what was recorded of him and from his SPEC."""
        if sits is None:
            return cls()
        context = sits.context or context_of(sits.engine)
        reply, thought = limits_of(sits.engine)
        density = believed(sits.density) or DENSITY
        return cls(context, density, reply or min(PUBLISHED_REPLY, context // SHARE), thought)

    @classmethod
    def at(cls, view: View) -> ContextBudget:
        """The budget of the seat of a view."""
        seated = (record.event for record in reversed(view.history) if isinstance(record.event, Seated))
        return cls.of(next((sits for sits in seated if sits.seat == view.seat), None))

    @property
    def prompt(self) -> int:
        """Tokens that a prompt may have."""
        return max(0, self.context - self.context // MARGIN - self.reply - self.thought)

    def tokens(self, characters: int) -> int:
        """Tokens of a text of so many characters, as the density says."""
        return int(characters * self.density)

    def characters(self, beside: int = 0) -> int:
        """Characters of a text that fit into the prompt beside `beside` characters of others; 0 where none do."""
        return max(0, int(self.prompt / self.density) - beside)

    @property
    def spoken(self) -> int:
        """Characters of a reply for which a form leaves room: more than its tokens can say."""
        return min(LONGEST_SPOKEN, max(LEAST_REPLY, self.reply * LONGEST_TOKEN))


def with_limits(sits: Seated, limits: ContextLimits) -> Seated:
    """Who sits there, with the context of its engine; one that the SPEC names goes before what a server states."""
    context = named_context(sits.engine) or limits.context
    return sits.model_copy(update={"context": context, "density": limits.density})


def least_context(characters: int, sits: Seated) -> int:
    """Tokens of context in which a prompt of so many characters leaves room for the reply of whoever sits there."""
    reply, thought = limits_of(sits.engine)
    prompt = ContextBudget.of(sits).tokens(characters)
    kept = reply + thought
    if not reply:
        small = math.ceil((prompt + kept) / (1 - 1 / MARGIN - 1 / SHARE))
        if small // SHARE <= PUBLISHED_REPLY:
            return small
        kept += PUBLISHED_REPLY
    return math.ceil((prompt + kept) / (1 - 1 / MARGIN))


def prompt_in(need: int, sits: Seated) -> int:
    """Tokens of the prompt of which whoever sits there has this need of context."""
    reply, thought = limits_of(sits.engine)
    return math.ceil(need * (1 - 1 / MARGIN)) - thought - (reply or min(PUBLISHED_REPLY, need // SHARE))
