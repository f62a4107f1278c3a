"""What shows a run as it goes: a line of progress, a player that writes plain text, and a log of JSON lines."""

from __future__ import annotations

import json
import shutil
import time
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TextIO

import click

from app.strings import duration, t
from app.strings.sentences import said
from app.terminal import clean, json_text, pad, truncate
from app.words import away_text, marks_of
from tasks.episode.events import (
    ActionParsed,
    Answered,
    AttemptStarted,
    EngineFailed,
    Event,
    LimitHit,
    ModelCalled,
    Planned,
    Record,
    Said,
    Seated,
    Stopped,
    Thought,
    ToolCalled,
    ToolReturned,
    ToolsChosen,
    Unknown,
    encode,
)
from tasks.episode.scheduler import Committed, EngineAway, EpisodeEnded, Notice, Waiting

if TYPE_CHECKING:
    from app.court_words import Voice


watch_option = click.option(
    "--watch",
    type=click.Choice(["plain", "json", "none"]),
    default="none",
    show_default=True,
    help="Show the episodes on stderr as they go.",
)
OFTEN, SELDOM = 0.2, 30.0
"""Seconds between two looks of a line that is written over, and between two lines."""


class Progress:
    """Counts over episodes that still are to be played.

    Args:
        total: episodes that are not over yet.
        stream: where to write; a terminal is written over.
        clock: seconds.
    """

    def __init__(self, total: int, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._total = total
        self._stream = stream
        self._clock = clock
        self._over = stream.isatty()
        self._began = self._told = clock()
        self._outcomes: Counter[str] = Counter()
        self._tokens = 0
        self._open = False

    def notify(self, notice: Notice) -> None:
        if isinstance(notice, EngineAway):
            self.say(away_text(notice))
        if not isinstance(notice, Committed):
            return
        for record in notice.records:
            if isinstance(record.event, ModelCalled) and not record.event.human:
                self._tokens += record.event.generated if record.event.origin != "cached" else 0
            elif isinstance(record.event, Stopped):
                self._outcomes[record.event.outcome] += 1
        self._look()

    def count(self, outcomes: Mapping[str, int], tokens: int) -> None:
        self._outcomes, self._tokens = Counter(outcomes), tokens
        self._look()

    def say(self, sentence: str) -> None:
        self._end_line()
        self._write(clean(f"moot: {sentence}", multiline=False) + "\n")

    def _look(self) -> None:
        done = self._outcomes.total() == self._total
        if done and not self._over:
            return  # the summary follows
        if done or self._clock() - self._told >= (OFTEN if self._over else SELDOM):
            self._tell()
            if done:
                self._end_line()

    def line(self) -> str:
        """Figures so far; rates only where there is something to divide."""
        seconds, done = self._clock() - self._began, self._outcomes.total()
        parts = [f"{done}/{self._total}"]
        if done and seconds > 0:
            parts.append(t("progress.rate", rate=f"{done / seconds * 60:.1f}"))
        if 0 < done < self._total:
            parts.append(t("progress.left", time=duration(seconds / done * (self._total - done))))
        if self._tokens and seconds > 0:
            parts.append(t("progress.tokens", rate=f"{self._tokens / seconds:.0f}"))
        parts += [f"{t(f'outcome.{kind}')} {n}" for kind, n in sorted(self._outcomes.items()) if kind != "finished"]
        return " · ".join(parts)

    def _tell(self) -> None:
        self._told = self._clock()
        if self._over:
            self._open = True
            self._write("\r" + pad(self.line(), max(20, shutil.get_terminal_size().columns - 1)))
        else:
            self._write(f"{self.line()}\n")

    def _end_line(self) -> None:
        if self._open:
            self._open = False
            self._write("\n")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


LINE = 400
"""Cells shown of one observation; the record keeps the whole."""


def _attempt(event: AttemptStarted) -> str:
    return f"■ {event.benchmark} · {event.task_id}\n{t('event.question')}: {event.card.get('question', '')}"


def _returned(event: ToolReturned) -> str:
    marks = []
    if "authored" in event.provenance:
        marks.append(t("mark.fictional"))
    if event.status == "outside_pack" or event.unknown or not event.complete:
        marks.append(t("mark.outside_pack"))
    shown = f" [{' · '.join(marks)}]" if marks else ""
    return f"  {t('event.observation')}{shown}: {truncate(clean(event.observation, multiline=False), LINE)}"


def _parted(event: ModelCalled) -> str:
    """How the generated tokens part into reasoning and reply, where the engine says."""
    parts = {"thought": f"{event.reasoned:,}", "reply": f"{event.generated - event.reasoned:,}"}
    return f" · {t('call.parted', **parts)}" if event.reasoned else ""


RENDERERS: dict[type[Event], Callable[[Any], str]] = {
    AttemptStarted: _attempt,
    Seated: lambda e: f"  {t('event.seated')}: {t('seat.' + e.seat)} ← {e.policy} {e.engine}".rstrip(),
    Planned: lambda e: f"  {t('event.planned')}: " + " → ".join(e.steps),
    Thought: lambda e: f"  {t('event.thought')}: {e.text}",
    ModelCalled: lambda e: (
        f"  {t('event.human_called')}: {e.text}"
        if e.human
        else f"  {t('event.model_called')}: {e.evaluated} + {e.reused} → {e.generated} tok · {e.milliseconds:.0f} ms"
        f"{_parted(e)}{' · ' + t('origin.cached') if e.origin == 'cached' else ''}"
        f"{' · ' + said(e.note) if e.note else ''}"
    ),
    EngineFailed: lambda e: f"  {t('event.engine_failed')} ({e.attempt}): {e.message}",
    ActionParsed: lambda e: "" if e.result == "ok" else f"  {t('event.action_' + e.result)}: {said(e.note)}",
    ToolCalled: lambda e: f"  {t('event.tool_called')}: {e.tool} {json.dumps(e.input, ensure_ascii=False)}",
    ToolReturned: _returned,
    ToolsChosen: lambda e: (
        f"  {t('event.tools_chosen')}: {', '.join(e.tables)}" + (f" ({said(e.note)})" if e.note else "")
    ),
    Said: lambda e: f"  {e.seat}: {e.text} {marks_of(e)}".rstrip(),
    Answered: lambda e: f"  {t('event.answered')}: {e.res}",
    LimitHit: lambda e: f"  {t('event.limit_hit')}: {e.kind} {e.limit:g}",
    Stopped: lambda e: (
        f"  {t('event.stopped')}: {t('outcome.' + e.outcome)}"
        + (f" ({said(e.reason)})" if e.reason and e.outcome != "finished" else "")
    ),
    Unknown: lambda e: f"  {t('event.unknown')}: {e.name}",
}
"""Event -> its line; events that are not here (the end of a step) show nothing."""


def plain_line(record: Record) -> str:
    """The record as text for a terminal, '' when it shows nothing."""
    render = RENDERERS.get(type(record.event))
    return clean(render(record.event)) if render else ""


def voice_of(card: Mapping[str, Any]) -> Voice | None:
    """How a court episode speaks, None for any other. The words of the courts take a moment to load: only they need
    them."""
    if not card.get("env"):
        return None
    from app import court_words

    return court_words.voice_of(dict(card))


class PlainWatcher:
    """Writes every committed event as it comes, with a heading a step, and one where another episode goes on."""

    def __init__(self, stream: TextIO, *, headings: bool = True) -> None:
        self._stream = stream
        self._headings = headings
        self._step: tuple[str, int] = ("", -1)
        self._episode = ""
        self._voices: dict[str, Voice | None] = {}

    def notify(self, notice: Notice) -> None:
        if isinstance(notice, Committed):
            voice = self._voices.get(notice.episode) or voice_of(notice.state.card)
            self._voices[notice.episode] = voice
            for record in notice.records:
                self._write(notice.episode, record, voice)
        elif isinstance(notice, EpisodeEnded):
            self._voices.pop(notice.episode, None)
        elif isinstance(notice, EngineAway):
            self._stream.write(clean(f"moot: {away_text(notice)}", multiline=False) + "\n")
        elif isinstance(notice, Waiting):
            self._head(notice.episode)
            voice = self._voices.get(notice.episode)
            words = voice.seat(notice.ask.seat) if voice else t(f"seat.{notice.ask.seat}")
            self._stream.write(clean(f"{t('event.waiting')}: {words}", multiline=False) + "\n")
        self._stream.flush()

    def _head(self, episode: str, *, named: bool = False) -> None:
        """Say which episode goes on, unless it is the one of the line before, or the line to come names it."""
        if self._headings and episode != self._episode and not named:
            self._stream.write(clean(f"■ {episode}", multiline=False) + "\n")
        self._episode = episode

    def _write(self, episode: str, record: Record, voice: Voice | None) -> None:
        if voice and isinstance(record.event, ModelCalled) and record.event.human:
            return  # what a person typed is said in court next, under the name of the seat
        line = (voice.told(record.event) if voice else "") or plain_line(record)
        if not line:
            return
        self._head(episode, named=isinstance(record.event, AttemptStarted))
        if self._headings and voice is None and record.step > 0 and self._step != (episode, record.step):
            self._step = (episode, record.step)
            self._stream.write(t("event.step", step=record.step) + "\n")
        self._stream.write(line + "\n")


class JsonWatcher:
    """Writes one JSON object a record: episode, seq, step, parent, at, tag, data."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def notify(self, notice: Notice) -> None:
        if isinstance(notice, Committed):
            for record in notice.records:
                self._stream.write(json_text(record_data(notice.episode, record)) + "\n")
            self._stream.flush()
        elif isinstance(notice, EngineAway):
            away = {"engine": notice.spec, "away": str(notice.error), "seconds": notice.seconds}
            self._stream.write(json_text(away) + "\n")
            self._stream.flush()


def record_data(episode: str, record: Record) -> dict[str, Any]:
    """A record as JSON data."""
    tag, data = encode(record.event)
    return {
        "episode": episode,
        "seq": record.seq,
        "step": record.step,
        "parent": record.parent,
        "at": record.at,
        "tag": tag,
        "data": data,
    }
