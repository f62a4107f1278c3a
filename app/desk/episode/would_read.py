"""The prompt that a model in a seat would get at a step, whoever sat there: what `moot show --would-read` prints.

Made anew from the record; slow (it opens the pack), so it is made in a worker. Tokens are estimates.
"""

from __future__ import annotations

from functools import partial

from textual.screen import Screen
from textual.widgets import Label
from textual.worker import Worker

from app.desk.episode.calls import lines_of
from app.desk.episode.prompt import SECTIONS, PromptScreen, PromptText
from app.desk.episode.renderers import Block, one
from app.desk.messages import RunFacts
from app.desk.widgets.key_bar import KeyBar
from app.strings import known, t
from tasks.run.header import is_fictional
from tasks.run.peeking import Reading, would_read


class WouldReadScreen(PromptScreen):
    """The prompt of a seat at a step; `name` is what the seat is called."""

    def __init__(self, facts: RunFacts, episode: str, seat: str, name: str, step: int) -> None:
        Screen.__init__(self)
        self.facts, self.episode, self.seat, self.called, self.step = facts, episode, seat, name, step
        self.calls, self.at, self.seen = [], 0, None
        self.reading: Reading | None = None

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """The prompt, or why there is none."""
        if not self.desk.worker_failed(event) and event.worker.result is not None:
            self.reading = event.worker.result
            self._show()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is one prompt."""
        return action != "call"

    def action_copy_all(self) -> None:
        """The whole prompt."""
        if self.reading is not None:
            self._copy("\n\n".join(message.content for message in self.reading.ask.messages))

    def _read(self) -> None:
        job = partial(would_read, self.facts.path, self.episode, self.seat, step=self.step)
        self.run_worker(job, name="seen", group="seen", thread=True, exclusive=True, exit_on_error=False)

    def _show(self, *, keep: bool = False) -> None:
        view = self.query_one(PromptText)
        view.border_title = t("prompt.would.legend")
        if self.reading is None:
            return
        fiction = (t("mark.fictional"),) if is_fictional(self.facts.header) else ()
        step, prompt = t("event.step", step=self.step), one(self.reading.ask.prompt)
        parts = (t("prompt.would.title"), *fiction, step, self.called, prompt)
        self.query_one("#title", Label).update(" · ".join(parts))
        blocks = _blocks(self.reading)
        if keep:
            view.relabel(blocks)
        else:
            view.show(blocks, at=blocks[0].seq)
            view.scroll_home(animate=False, immediate=True)
        self.query_one(KeyBar).refresh()


def _blocks(reading: Reading) -> list[Block]:
    """Sizes by part, then the messages."""
    budget = reading.budget
    sizes = [(t(f"show.part.{name}"), budget.tokens(size)) for name, size in reading.parts.items()]
    whole = budget.tokens(sum(reading.parts.values()))
    told = t("show.comma").join(t("show.part", name=name, tokens=f"{size:,}") for name, size in sizes)
    line = t("prompt.would.size", tokens=f"{whole:,}", parts=told, context=f"{budget.context:,}")
    found = [Block(0, SECTIONS.index("call"), t("prompt.fact.usage"), "dim", (((line, "text"),),), line)]
    for seq, message in enumerate(reading.ask.messages, 1):
        role = f"role.{message.role}"
        label = t(role) if known(role) else one(message.role)
        lines = tuple(lines_of(message.content, "text"))
        found.append(Block(seq, SECTIONS.index("prompt"), label, "seat", lines, message.content, 10_000))
    return found
