"""Two watchers for a terminal without a desk: a player that writes plain text, and a log of JSON lines.

Both see only what is on disk already. All text of tasks, models and corpora passes the sanitiser.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TextIO

from app.engine_away import away_text
from app.strings import t
from app.strings.sentences import said
from app.terminal import clean, json_text, truncate
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
from tasks.episode.watcher import Committed, EngineAway, EpisodeEnded, Notice, Waiting

if TYPE_CHECKING:
    from app.court_words import Voice

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
    Said: lambda e: f"  {e.seat}: {e.text}" + (f" {t('event.unfinished')}" if e.unfinished else ""),
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
