"""The title bar: benchmark, task, group, who sits where, the step, and whether it moves."""

from __future__ import annotations

from dataclasses import dataclass

from rich.text import Text
from textual.widget import Widget

from app.desk.episode.renderers import one, policy_name, seat_name
from app.desk.widgets.ink import ink
from app.strings import known, t
from app.terminal import truncate, width
from tasks.episode.events import Seated


@dataclass(frozen=True)
class Heading:
    """What the bar says. `state` is auto, paused, back, ended, waiting, stored or all; `of` the last step there is.

    Or speaking or stopped: then `said` is what the model is doing, in words. A benchmark may say in its own words
    what it is (`title`), who sits where (`cast`: name, who, how long it stays when room gets scarce) and how far it
    is (`progress`).
    """

    benchmark: str = ""
    task: str = ""
    group: str = ""
    seats: tuple[Seated, ...] = ()
    step: int = 0
    of: int = 0
    state: str = "stored"
    fictional: bool = False
    said: str = ""
    title: str = ""
    cast: tuple[tuple[str, str, int], ...] = ()
    progress: str = ""


Part = tuple[str, str, int]
"""Text, role, and how long it stays when room gets scarce."""
TONES = {
    "auto": "good", "all": "good", "speaking": "good", "back": "warn", "waiting": "warn", "replay": "warn",
    "stopped": "warn",
}  # fmt: skip


class SeatBar(Widget):
    """One line; what matters least goes first when the window is narrow."""

    COMPONENT_CLASSES = {f"seat-bar--{name}" for name in ("name", "dim", "seat", "good", "warn", "plain", "mark")}
    DEFAULT_CSS = """
    SeatBar {
        height: 1;
        background: $panel;
        color: $foreground;
        padding: 0 1;
        & > .seat-bar--name { color: $text-accent; text-style: bold; }
        & > .seat-bar--dim { color: $foreground 65%; }
        & > .seat-bar--seat { color: $text-secondary; }
        & > .seat-bar--good { color: $text-success; text-style: bold; }
        & > .seat-bar--warn { color: $text-warning; text-style: bold; }
        & > .seat-bar--mark { color: $text-warning; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.heading = Heading()

    def show(self, heading: Heading) -> None:
        """Say this."""
        self.heading = heading
        self.refresh()

    def render(self) -> Text:
        room = self.content_size.width
        right = self._right()
        space = room - width(right.plain) - 2
        parts = self._left()
        if _cells(parts) > space:
            parts = self._left(short=True)
        while len(parts) > 1 and _cells(parts) > space:
            parts.remove(min(reversed(parts), key=lambda part: part[2]))
        left = Text(no_wrap=True, end="")
        for index, (text, role, _) in enumerate(parts):
            if index:
                left.append(" · ", self._style("dim"))
            left.append(truncate(text, max(1, space)) if len(parts) == 1 else text, self._style(role))
        gap = room - width(left.plain) - width(right.plain)
        return Text.assemble(left, " " * max(1, gap), right, no_wrap=True, end="")

    def _left(self, short: bool = False) -> list[Part]:
        """What it is; `short` leaves out the name of the seat where there is only one."""
        heading = self.heading
        if not heading.benchmark:
            return [(t("app.title"), "name", 9)]
        name = f"benchmark.{heading.benchmark}"
        if heading.title:
            parts = [(one(heading.title), "name", 9)]
        else:
            parts = [(t(name) if known(name) else one(heading.benchmark), "name", 3)]
            parts.append((t("episode.task", task=one(heading.task)), "plain", 9))
        if heading.group:
            parts.append(
                (t(f"group.{heading.group}") if known(f"group.{heading.group}") else one(heading.group), "plain", 4)
            )
        for seat, who, keep in heading.cast:
            parts.append((t("episode.seat", seat=one(seat), policy=one(who)), "seat", keep))
        for seated in () if heading.cast else heading.seats:
            policy = policy_name(seated.policy, seated.engine)
            named = t("episode.seat", seat=seat_name(seated.seat), policy=policy)
            parts.append((policy if short and len(heading.seats) == 1 else named, "seat", 6))
        if heading.fictional:
            parts.append((t("mark.fictional"), "mark", 7))
        return parts

    def _right(self) -> Text:
        heading = self.heading
        if not heading.benchmark:
            return Text()
        back = heading.state in ("back", "replay")
        progress = heading.progress or t("event.step", step=heading.step)
        step = t("episode.back", step=heading.step, of=heading.of) if back else progress
        right = Text(end="", no_wrap=True)
        right.append(step, self._style("warn" if back else "plain"))
        word = heading.said or t(f"state.{heading.state}")
        right.append(f"  {word}" if word else "", self._style(TONES.get(heading.state, "dim")))
        return right

    def _style(self, role: str):  # type: ignore[no-untyped-def]
        return ink(self, f"seat-bar--{role}")


def _cells(parts: list[Part]) -> int:
    return sum(width(text) for text, _, _ in parts) + 3 * (len(parts) - 1)
