"""The prompt that a model in a seat would get at a step, whoever sat there: what `moot show --would-read` prints.

Made anew from the record; slow (it opens the pack), so it is made in a worker. Tokens are estimates.
"""

from __future__ import annotations

from app.desk.episode.calls import lines_of
from app.desk.episode.prompt import SECTIONS, PromptPage
from app.desk.episode.renderers import Block, one
from app.desk.messages import RunFacts
from app.strings import known, t
from app.words import sizes
from tasks.run.header import is_fictional
from tasks.run.peeking import Reading, would_read


class WouldReadScreen(PromptPage):
    """The prompt of a seat at a step; `name` is what the seat is called."""

    def __init__(self, facts: RunFacts, episode: str, seat: str, name: str, step: int) -> None:
        super().__init__(facts, episode)
        self.seat, self.called, self.step = seat, name, step
        self.reading: Reading | None = None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "call"

    def action_copy_all(self) -> None:
        if self.reading is not None:
            self._copy("\n\n".join(message.content for message in self.reading.ask.messages))

    def read(self) -> Reading:
        """The prompt."""
        return would_read(self.facts.path, self.episode, self.seat, step=self.step)

    def take(self, found: Reading) -> None:
        """Keep it."""
        self.reading = found

    def told(self) -> tuple[str, str, list[Block]] | None:
        """Step, seat and prompt; then sizes and messages."""
        if self.reading is None:
            return None
        fiction = (t("mark.fictional"),) if is_fictional(self.facts.header) else ()
        step, prompt = t("event.step", step=self.reading.step), one(self.reading.ask.prompt)
        title = " · ".join((t("prompt.would.title"), *fiction, step, self.called, prompt))
        return title, t("prompt.would.legend"), _blocks(self.reading)


def _blocks(reading: Reading) -> list[Block]:
    """Sizes by part, then the messages."""
    line = t("prompt.would.size", **sizes(reading))
    found = [Block(0, SECTIONS.index("call"), t("prompt.fact.usage"), "dim", (((line, "text"),),), line)]
    for seq, message in enumerate(reading.ask.messages, 1):
        role = f"role.{message.role}"
        label = t(role) if known(role) else one(message.role)
        lines = tuple(lines_of(message.content, "text"))
        found.append(Block(seq, SECTIONS.index("prompt"), label, "seat", lines, message.content, 10_000))
    return found
